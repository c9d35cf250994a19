import { actingIn } from "../database/deciders.ts";
import type { Queries } from "../database/transaction.ts";
import type { SaleDecision } from "../domain/sale/decide.ts";
import { isFreed } from "../domain/sale/freed.ts";
import { OwnSaleError } from "../domain/sale/own-sale-error.ts";
import { setDecider } from "./approvals.ts";
import type { LoadedSale } from "./facts.ts";

/**
 * Before a decision is saved: what it frees is paid by the decision of whoever acts, else of the author of what it rests on.
 * Returns the purchases that no longer wait for another decision. docs/product.md#who-frees
 * @throws OwnSaleError if it frees money of who acts
 */
export async function judgeFreed(queries: Queries, sale: LoadedSale, decision: SaleDecision): Promise<bigint[]> {
  const { row, facts } = sale;
  const acting = actingIn(queries);
  const before = { ...row, cashbackCentBps: row.cashback_cent_bps, purchases: facts.purchases };
  const isActing = acting !== undefined && isFreed(before, decision);
  if (isActing && acting.when === "now" && acting.by === decision.click?.wallet)
    throw new OwnSaleError(`Somebody else must decide: this would let sale ${row.id} of your own wallet be paid`);
  const by = isActing ? acting.by : (row.decided_by ?? sale.author);
  if (by === null || by === row.decided_by) return [];
  // Purchases that the decision makes are this person's too.
  row.decided_by = by;
  return setDecider(queries, row.id, by);
}
