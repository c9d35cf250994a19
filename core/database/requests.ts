import { among } from "./among.ts";
import type { Schema } from "./generated/schema.ts";
import type { Queries } from "./transaction.ts";

/**
 * What waits for another person: payouts, percents, and everything else that is drastic. Three tables until 2.0, because
 * the processes of 1.0.0 read the first two; one way through them. docs/product.md#proposals
 */
export type RequestTable = "approvals" | "percent_approvals" | "proposals";

type StateOf<Table extends RequestTable> = Schema[Table]["state"];

export type Verdict<State> = { state: State; actor: string; reason: string | null };

/** Decides those of these requests that are open, and returns their ids: of two deciders one is first. */
export async function closeRequests<Table extends RequestTable>(
  queries: Queries,
  table: Table,
  ids: readonly bigint[],
  { state, actor, reason }: Verdict<StateOf<Table>>,
): Promise<bigint[]> {
  const decided = await queries
    .updateTable(table as "proposals")
    .set({
      state: state as StateOf<"proposals">,
      decided_by: actor,
      decision_reason: reason,
      decided_at: BigInt(Date.now()),
    })
    .where(among(queries, "id", ids))
    .where("state", "=", "open")
    .returning("id")
    .execute();
  return decided.map(({ id }) => id);
}
