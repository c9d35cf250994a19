import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import type { Profile } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { isFresh, isInFlight } from "./poll-interval.ts";
import { Timeline } from "./timeline.tsx";

/** The others are in the statement. */
const SHOWN = 3;
const SETTLED_SHOWN_MS = 60_000;

/** Purchases in progress, updated live. */
export function ProcessingStrip({ profile }: { profile: Profile }) {
  const t = useText();
  const { brl, chz } = useFormat();
  const moving = profile.purchases.filter((one) => isShown(one));
  if (moving.length === 0) return null;
  const isDone = !moving.some(isInFlight);
  return (
    <section className={isDone ? "strip strip-done" : "strip"} aria-labelledby="strip">
      <h2 id="strip" className="card-title">
        {t(isDone ? "strip.done" : "strip.title")}
      </h2>
      <ul aria-live="polite">
        {moving.slice(0, SHOWN).map((purchase) => (
          <li key={purchase.id}>
            <p>
              <strong>{purchase.store}</strong> · {brl(purchase.amount)} ·{" "}
              {t("strip.cashback", { amount: chz(purchase.cashback_amount) })}
            </p>
            <Timeline purchase={purchase} isCompact />
          </li>
        ))}
      </ul>
      {moving.length > SHOWN && (
        <p className="mt-3">
          <a className="link" href="#tickets">
            {t("strip.more", { count: moving.length - SHOWN })}
          </a>
        </p>
      )}
    </section>
  );
}

/** In progress, or paid within the last minute. */
function isShown(purchase: PurchaseRecord, nowMs = Date.now()): boolean {
  if (purchase.status === "cancelled") return false;
  if (isInFlight(purchase)) return isFresh(purchase, nowMs);
  return purchase.paid_at !== null && nowMs - Date.parse(purchase.paid_at) < SETTLED_SHOWN_MS;
}
