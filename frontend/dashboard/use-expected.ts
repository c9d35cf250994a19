import { DAY_MS } from "../../domain/iso-time.ts";
import type { Click } from "../api/calls.ts";
import { useText } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";

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
