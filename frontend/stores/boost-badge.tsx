import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { FormattedMessage, useIntl } from "react-intl";
import { STORES_KEY, storeQuery } from "../api/queries.ts";
import type { Store, StoreCashback } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { timeLeft } from "./time-left.ts";

/** How often the time left is written anew, at the latest. */
const TICK_MS = 30_000;
/** The day that was planned, wherever it is read: "until Sunday" is the shop's Sunday. */
const SHOP_TIME = { timeZone: "America/Sao_Paulo" };

/** That a store pays more for a time, and for how long. At the end it asks for the store again. docs/product.md#boost-turn */
export function BoostBadge({ store: { id, boost } }: { store: Pick<Store, "id" | "boost"> }) {
  const t = useText();
  const intl = useIntl();
  const client = useQueryClient();
  const [now, setNow] = useState(Date.now);
  const endsAt = boost === undefined ? 0 : Date.parse(boost.endsAt);
  const isOver = endsAt <= now;
  useEffect(() => {
    if (endsAt === 0) return;
    if (isOver) {
      void client.invalidateQueries({ queryKey: storeQuery(id).queryKey });
      void client.invalidateQueries({ queryKey: STORES_KEY });
      return;
    }
    const timer = setTimeout(() => setNow(Date.now()), Math.min(TICK_MS, endsAt - now));
    return () => clearTimeout(timer);
  }, [client, id, endsAt, isOver, now]);
  if (isOver) return null;
  const left = timeLeft(endsAt, now);
  const day = () => intl.formatDate(endsAt - 1, { ...SHOP_TIME, weekday: "long", day: "2-digit", month: "2-digit" });
  return (
    <p className="badge badge-boost">
      {left.unit === "day" ? t("boost.until", { day: day() }) : t(`boost.${left.unit}s`, { count: left.count })}
    </p>
  );
}

/** The percent that a boost replaces, struck through. */
export function PlainPercent({ category: { plainPercent } }: { category: StoreCashback }) {
  const { percent } = useFormat();
  if (plainPercent === "") return null;
  return (
    <>
      <span className="sr-only">
        <FormattedMessage id="boost.before" />
      </span>
      <s className="muted">{percent(plainPercent)}</s>{" "}
    </>
  );
}
