/** A time in milliseconds as the wire has it: `2026-11-20T14:03:00.000Z`. */
export const isoTime = (atMs: bigint): string => new Date(Number(atMs)).toISOString();
export const isoTimeIfAny = (atMs: bigint | null): string | null => (atMs === null ? null : isoTime(atMs));
