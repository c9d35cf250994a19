export const NO_STORE = { "cache-control": "no-store" };

/** The id to pass for the next page; null on the last. */
export function nextBefore<Row>(rows: readonly Row[], limit: number, idOf: (row: Row) => bigint): number | null {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last === undefined ? null : Number(idOf(last));
}
