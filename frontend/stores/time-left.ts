import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/rules/iso-time.ts";

/** How the time until an end is said: a day for the end's date, on the last day hours, then minutes; never 0. */
export function timeLeft(endsAt: number, now: number): { unit: "day" | "hour" | "minute"; count: number } {
  const left = endsAt - now;
  if (left >= DAY_MS) return { unit: "day", count: Math.floor(left / DAY_MS) };
  if (left >= HOUR_MS) return { unit: "hour", count: Math.floor(left / HOUR_MS) };
  return { unit: "minute", count: Math.max(1, Math.ceil(left / MINUTE_MS)) };
}
