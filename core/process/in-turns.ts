import { setImmediate as nextTurn } from "node:timers/promises";

/** So many rows take a millisecond or two. */
const ROWS_A_TURN = 50;

/** Maps rows a few at a time, and lets other callers in between: no long answer holds the one thread. */
export async function mapInTurns<Row, Result>(rows: readonly Row[], map: (row: Row) => Result): Promise<Result[]> {
  const mapped: Result[] = [];
  for (let from = 0; from < rows.length; from += ROWS_A_TURN) {
    if (from > 0) await nextTurn();
    mapped.push(...rows.slice(from, from + ROWS_A_TURN).map(map));
  }
  return mapped;
}
