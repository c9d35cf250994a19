export const NO_STORE = { "cache-control": "no-store" };

export const isoTime = (at: bigint): string => new Date(Number(at)).toISOString();
export const isoTimeIfAny = (at: bigint | null): string | null => (at === null ? null : isoTime(at));

/** The id to pass for the next page; null on the last. */
export function nextBefore(rows: readonly { id: bigint }[], limit: number): number | null {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last ? Number(last.id) : null;
}
