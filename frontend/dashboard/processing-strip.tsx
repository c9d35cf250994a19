import type { Profile } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { isInFlight, stripPurchases } from "./tickets.ts";
import { Timeline } from "./timeline.tsx";

/** The others are in the statement. */
const SHOWN = 3;

/** Purchases in progress, updated live. */
export function ProcessingStrip({ profile }: { profile: Profile }) {
  const t = useText();
  const { brl, chz } = useFormat();
  const moving = stripPurchases(profile);
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
