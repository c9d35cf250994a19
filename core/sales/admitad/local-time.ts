import { HOUR_MS } from "../../rules/iso-time.ts";

/** Times without a zone, in the account's time zone. */

/** `DD.MM.YYYY HH:MM:SS`. */
export function localTime(at: Date, zone: string): string {
  const [day, time] = localParts(at.getTime(), zone);
  return `${dotted(day)} ${time}`;
}

/** `DD.MM.YYYY`. */
export function localDay(at: Date, zone: string): string {
  return dotted(localParts(at.getTime(), zone)[0]);
}

/** Reads `YYYY-MM-DD HH:MM:SS`, also with a `T`; undefined for other text. */
export function readLocalTime(text: string, zone: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d+)?Z?$/.exec(text.trim());
  if (!match) return undefined;
  const asUtc = Date.parse(`${match[1]}T${match[2]}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  // The zone's offset at that time; computed twice, because the first guess may be on the other side of a DST change.
  const first = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(first, zone);
}

function offsetAt(at: number, zone: string): number {
  const [day, time] = localParts(at, zone);
  return Math.round((Date.parse(`${day}T${time}Z`) - at) / (HOUR_MS / 60)) * (HOUR_MS / 60);
}

function localParts(at: number, zone: string): [day: string, time: string] {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(at);
  const [day = "", time = ""] = text.split(" ");
  return [day, time];
}

function dotted(day: string): string {
  return day.split("-").reverse().join(".");
}
