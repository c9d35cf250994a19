import { type Acting, actingIn } from "../database/deciders.ts";
import type { Queries } from "../database/transaction.ts";
import { freedBy } from "../rules/sale/decide.ts";
import type { Freed, SaleDecision, SaleState } from "../rules/sale/facts.ts";
import { OwnSaleError } from "../rules/sale/own-sale-error.ts";
import { setDecider } from "./approvals.ts";
import type { LoadedSale } from "./facts.ts";

/** What a decision does to one sale; `debtGwei`: what its buyer comes to owe, or no longer owes. */
export type SaleChange = {
  id: bigint;
  wallet: string | null;
  was: SaleState;
  state: SaleState;
  freed: Freed;
  debtGwei: bigint;
};

const watched = new WeakMap<Queries, SaleChange[]>();

/** From now on, what this transaction decides about sales is listed, in the order in which it is decided. */
export function watchDecisions(queries: Queries): readonly SaleChange[] {
  const changes: SaleChange[] = [];
  watched.set(queries, changes);
  return changes;
}

/**
 * Before a decision is saved: what it frees is paid by the decision of whoever acts, else of the author of what it rests on.
 * Returns the purchases that no longer wait for another decision. docs/product.md#who-frees
 * @throws OwnSaleError if it frees money of who acts
 */
export async function judgeFreed(queries: Queries, sale: LoadedSale, decision: SaleDecision): Promise<bigint[]> {
  const { row, facts, author } = sale;
  const freed = freedBy({ ...row, cashbackCentBps: row.cashback_cent_bps, purchases: facts.purchases }, decision);
  watched.get(queries)?.push({
    id: row.id,
    wallet: decision.click?.wallet ?? row.wallet,
    was: row.state,
    state: decision.state,
    freed,
    debtGwei: decision.actions.reduce((sum, one) => sum + (one.kind === "adjust" ? one.gwei : 0n), 0n),
  });
  // What waited at a store that somebody has just changed is theirs too where another report is the first to see it.
  const isChanged = sale.changedBy !== null && (freed.isSooner || row.state === "held");
  const changing: Acting | undefined = isChanged ? { by: sale.changedBy ?? "", when: "later" } : undefined;
  const acting = freed.centBps > 0n || freed.isSooner ? (actingIn(queries) ?? changing) : undefined;
  const buyer = decision.click?.wallet;
  if (acting?.when === "now" && acting.by === buyer)
    throw new OwnSaleError(`Somebody else must decide: this would let sale ${row.id} of your own wallet be paid`);
  // Several may have changed its store since: none of them lets their own be paid by another one's change.
  const said = acting?.when === "later" && author === buyer ? author : acting?.by;
  const by = said ?? row.decided_by ?? author;
  if (by === null || by === row.decided_by) return [];
  // Purchases that the decision makes are this person's too.
  row.decided_by = by;
  return setDecider(queries, row.id, by);
}
