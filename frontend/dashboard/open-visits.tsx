import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import type { Click } from "../api/calls.ts";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { claimWord } from "../i18n/situation-word.ts";
import { useFormat } from "../i18n/use-format.ts";
import { lastClicksQuery, openClaimsQuery } from "./queries.ts";
import style from "./strip.module.css";
import { openVisits } from "./visits-waiting.ts";

/** A life begins at the visit: what a store has not reported yet. docs/product.md#tickets */
export default function OpenVisits({ wallet }: { wallet: string }) {
  const t = useText();
  const { data = [] } = useQuery(lastClicksQuery(wallet));
  const { brl } = useFormat();
  const expected = useExpected();
  const { data: claims = [] } = useQuery(openClaimsQuery(wallet));
  const open = openVisits(data, Date.now());
  if (open.length === 0 && claims.length === 0) return null;
  return (
    <section className={`${style.strip} mt-3 mb-4`} aria-labelledby="open-visits">
      <h2 id="open-visits" className="card-title">
        {t("openVisits.title")}
      </h2>
      <ul className="grid gap-4">
        {open.map((click) => (
          <li key={click.id}>
            <strong>{click.store}</strong>
            {"\u00a0· "}
            {expected(click)}
          </li>
        ))}
        {claims.map((claim) => (
          <li key={claim.id}>
            <strong>{claim.store}</strong>
            {"\u00a0· "}
            {t("openVisits.claim", { order: claim.order_ref, amount: brl(claim.amount) })}{" "}
            {t(`claims.${claimWord(claim.state)}.text`)}
          </li>
        ))}
      </ul>
      <p className="mt-3">
        <Link className="link" to={paths.visits}>
          {t("visits.title")}
        </Link>
      </p>
    </section>
  );
}

/** When a visit was, and when its store usually reports the purchase. */
export function useExpected(): (click: Click) => string {
  const t = useText();
  const { time, dateTime, date } = useFormat();
  return ({ created_at, claimable_at, usual_days }) => {
    const isToday = Date.now() - Date.parse(created_at) < DAY_MS && isSameDay(created_at);
    const at = isToday ? time(created_at) : dateTime(created_at);
    return usual_days === null
      ? t("visit.recorded.claim", { at, date: date(claimable_at) })
      : t("visit.recorded.usual", { at, count: usual_days });
  };
}

function isSameDay(iso: string): boolean {
  return new Date(iso).toDateString() === new Date().toDateString();
}
