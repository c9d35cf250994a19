export const DAY_MS = 86_400_000;
/** The same for times as the database has them. */
export const BIG_DAY_MS = 86_400_000n;

/** A time in milliseconds as the wire has it: `2026-11-20T14:03:00.000Z`. */
export const isoTime = (atMs: bigint): string => new Date(Number(atMs)).toISOString();
export const isoTimeIfAny = (atMs: bigint | null): string | null => (atMs === null ? null : isoTime(atMs));
