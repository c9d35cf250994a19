import { useState } from "react";
import { isMoving, SITUATIONS } from "../../core/rules/purchase/situation.ts";
import { isKeyOf } from "../../core/rules/records.ts";
import type { Profile, PurchaseRecord } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import style from "./strip.module.css";
import { Timeline } from "./timeline.tsx";

const LIVE_MS = 1_000;
const SLOW_MS = 30_000;
const FRESH_MS = 15 * 60_000;

/** The others are in the statement. */
const SHOWN = 3;
const SETTLED_SHOWN_MS = 60_000;

/** Purchases in progress, updated live. What was shown stays while the page is open, so that nothing below moves up. */
export function ProcessingStrip({ profile }: { profile: Profile }) {
  const t = useText();
  const { brl, chz } = useFormat();
  const [openedAt] = useState(() => Date.now());
  const moving = profile.purchases.filter((one) => isShown(one, openedAt));
  if (moving.length === 0) return null;
  const isDone = !moving.some(isInFlight);
  return (
    <section className={style.strip} data-done={isDone} aria-labelledby="strip">
      <h2 id="strip" className="card-title">
        {t(isDone ? "strip.done" : "strip.title")}
      </h2>
      <ul aria-live="polite" className="grid gap-4">
        {moving.slice(0, SHOWN).map((purchase) => (
          <li key={purchase.id}>
            <p className="section-head">
              <span className="dotted">
                <strong>{purchase.store}</strong> <span>{brl(purchase.amount)}</span>
              </span>
              <span>{t("strip.cashback", { amount: chz(purchase.paid_amount ?? purchase.cashback_amount) })}</span>
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
export function isShown(purchase: PurchaseRecord, nowMs: number): boolean {
  if (isInFlight(purchase)) return isFresh(purchase, nowMs);
  return (
    purchase.situation === "paid" &&
    purchase.paid_at !== null &&
    nowMs - Date.parse(purchase.paid_at) < SETTLED_SHOWN_MS
  );
}

/** How often the profile is read: every second while a new purchase is in progress, otherwise every half minute. */
export function pollIntervalMs(profile: Profile, nowMs = Date.now()): number {
  return profile.purchases.some((one) => isInFlight(one) && isFresh(one, nowMs)) ? LIVE_MS : SLOW_MS;
}

const isInFlight = ({ situation }: PurchaseRecord): boolean => isKeyOf(SITUATIONS, situation) && isMoving(situation);

/** Whether its buyer may still be waiting for it on the page. */
function isFresh(purchase: PurchaseRecord, nowMs: number): boolean {
  return nowMs - Date.parse(purchase.created_at) < FRESH_MS;
}
