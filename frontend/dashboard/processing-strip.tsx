import { useEffect, useState } from "react";
import type { PurchaseRecord } from "../../domain/api/purchases.ts";
import { isMoving } from "../../domain/purchase/situation.ts";
import type { Profile } from "../api/shapes.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Timeline } from "./timeline.tsx";

const LIVE_MS = 1_000;
const SLOW_MS = 30_000;
const FRESH_MS = 15 * 60_000;

/** The others are in the statement. */
const SHOWN = 3;
const SETTLED_SHOWN_MS = 60_000;

/** Purchases in progress, updated live. */
export function ProcessingStrip({ profile }: { profile: Profile }) {
  const t = useText();
  const { brl, chz } = useFormat();
  const moving = profile.purchases.filter((one) => isShown(one));
  useRenderAt(Math.min(...moving.map(leavesAtMs)));
  if (moving.length === 0) return null;
  const isDone = !moving.some(isInFlight);
  return (
    <section className={isDone ? "strip strip-done" : "strip"} aria-labelledby="strip">
      <h2 id="strip" className="card-title">
        {t(isDone ? "strip.done" : "strip.title")}
      </h2>
      <ul aria-live="polite" className="grid gap-4">
        {moving.slice(0, SHOWN).map((purchase) => (
          <li key={purchase.id}>
            <p>
              <strong>{purchase.store}</strong> · {brl(purchase.amount)} ·{" "}
              {t("strip.cashback", { amount: chz(purchase.paid_amount ?? purchase.cashback_amount) })}
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

/** Renders the component when this time has come, if it is ever. */
function useRenderAt(timeMs: number): void {
  const [, setRendered] = useState(0);
  useEffect(() => {
    if (timeMs === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => setRendered(timeMs), Math.max(0, timeMs - Date.now()));
    return () => clearTimeout(timer);
  }, [timeMs]);
}

/** When a purchase that is shown leaves the strip, though nothing of it changes. */
function leavesAtMs(purchase: PurchaseRecord): number {
  if (isInFlight(purchase) || purchase.paid_at === null) return Date.parse(purchase.created_at) + FRESH_MS;
  return Date.parse(purchase.paid_at) + SETTLED_SHOWN_MS;
}

/** In progress, or paid within the last minute. */
function isShown(purchase: PurchaseRecord, nowMs = Date.now()): boolean {
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

const isInFlight = ({ situation }: PurchaseRecord): boolean => isMoving(situation);

/** Whether its buyer may still be waiting for it on the page. */
function isFresh(purchase: PurchaseRecord, nowMs: number): boolean {
  return nowMs - Date.parse(purchase.created_at) < FRESH_MS;
}
