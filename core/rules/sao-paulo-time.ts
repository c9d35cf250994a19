/** The time zone of the panel and of yearly statements; the database has UTC. */
export const SAO_PAULO = "America/Sao_Paulo";

const parts = new Intl.DateTimeFormat("en-CA", {
  timeZone: SAO_PAULO,
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** The wall clock in São Paulo at a moment, as if it were UTC; milliseconds. */
function wallClockOf(at: number): number {
  const part = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The day of a moment: `2026-11-29`. */
export const saoPauloDay = (at: number | bigint): string => toSaoPaulo(Number(at)).slice(0, 10);

/** A moment for people and spreadsheets: `2026-11-29 23:59`. */
export const saoPauloTime = (at: number): string => toSaoPaulo(at).replace("T", " ");

/** A moment for a `datetime-local` field: `2026-11-29T23:59`. */
export function toSaoPaulo(at: number): string {
  return new Date(wallClockOf(at)).toISOString().slice(0, 16);
}

/**
 * The moment of a `datetime-local` field, as ISO text; undefined if it is empty or no time.
 * @example
 * fromSaoPaulo("2026-11-29T23:59") // "2026-11-30T02:59:00.000Z"
 */
export function fromSaoPaulo(text: string): string | undefined {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return undefined;
  // Twice, because the offset at the first guess may be the one before a change of the clocks.
  const guess = wall - (wallClockOf(wall) - wall);
  return new Date(wall - (wallClockOf(guess) - guess)).toISOString();
}
