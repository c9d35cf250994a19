import type { Queries } from "../database/transaction.ts";
import type { DecisionRefusal } from "../domain/sale/decision-refusals.ts";
import { TorcidaError } from "../domain/torcida-error.ts";
import { findClickById, findClickByToken } from "./clicks.ts";
import { applySale } from "./ledger.ts";
import { findRevision } from "./queries.ts";
import type { Sale, SaleRules } from "./sale.ts";

/** A decision does not fit the current state of the sale or claim. */
export class DecisionError extends TorcidaError {
  override readonly name = "DecisionError";
  override readonly docs = "docs/product.md#sales-held";
  readonly why: DecisionRefusal;

  constructor(why: DecisionRefusal, message: string) {
    super(message);
    this.why = why;
  }
}

/** The network has changed the sale since the revision that the decision is based on. */
export class SaleChangedError extends TorcidaError {
  override readonly name = "SaleChangedError";
  override readonly docs = "docs/product.md#sales-calls";
}

/** Reads a sale for a decision, locked until the transaction ends. @throws SaleChangedError if it has another revision */
async function lock(queries: Queries, id: bigint, revision?: bigint): Promise<Sale | undefined> {
  const sale = await queries
    .updateTable("sales")
    .set({ updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (sale && revision !== undefined && (await findRevision(queries, id)) !== revision) {
    throw new SaleChangedError("The network has changed this sale since you opened it: review it again, then decide");
  }
  return sale;
}

/** `revision`: the one that the decision is based on; without it, any revision is accepted. */
type Decision = { rules: SaleRules; actor: string; revision?: bigint | undefined };

/**
 * Releases a held sale in the state of the last read; the same reasons no longer hold it. Undefined: no such sale.
 * @throws DecisionError if it is not held, or held without a rate
 * @throws SaleChangedError
 */
export async function releaseSale(
  queries: Queries,
  id: bigint,
  { rules, actor, revision }: Decision,
): Promise<{ reasons: string } | undefined> {
  const sale = await lock(queries, id, revision);
  if (!sale) return undefined;
  if (sale.state !== "held") throw new DecisionError("not_held", `This sale is not held, it is ${sale.state}`);
  if (sale.hold_reasons.split(" ").includes("no_rate")) {
    throw new DecisionError(
      "no_rate",
      `There is no exchange rate for ${sale.currency}: set FX_RATES or FX_URL, or decline the sale`,
    );
  }
  const released = new Set([...sale.released_reasons.split(" "), ...sale.hold_reasons.split(" ")].filter(Boolean));
  await queries
    .updateTable("sales")
    .set({ released_reasons: [...released].join(" "), released_by: actor })
    .where("id", "=", id)
    .execute();
  await applySale(queries, sale, rules);
  return { reasons: sale.hold_reasons };
}

/**
 * Declines a sale permanently, whatever the network says later. Undefined: no such sale.
 * @throws DecisionError if it is declined already
 * @throws SaleChangedError
 */
export async function declineSale(
  queries: Queries,
  id: bigint,
  reason: string,
  { rules, actor, revision }: Decision,
): Promise<true | undefined> {
  const sale = await lock(queries, id, revision);
  if (!sale) return undefined;
  if (sale.declined_by !== null) throw new DecisionError("declined", "This sale is already declined");
  await queries.updateTable("sales").set({ declined_by: actor, decline_reason: reason }).where("id", "=", id).execute();
  await applySale(queries, sale, rules);
  return true;
}

/**
 * Sets the click, and with it the buyer, of a sale that has none. Undefined: no such sale.
 * @throws DecisionError if it has a buyer, or there is no such click
 * @throws SaleChangedError
 */
export async function assignSale(
  queries: Queries,
  id: bigint,
  token: string,
  { rules, revision }: Omit<Decision, "actor">,
): Promise<true | undefined> {
  const sale = await lock(queries, id, revision);
  if (!sale) return undefined;
  if (sale.click_id !== null) throw new DecisionError("has_buyer", "This sale already has a buyer");
  const click = await findClickByToken(queries, token);
  if (!click) throw new DecisionError("no_click", "There is no such click");
  await queries
    .updateTable("sales")
    .set({ click_id: click.id, wallet: click.wallet, store_id: click.store_id })
    .where("id", "=", id)
    .execute();
  await applySale(queries, sale, rules);
  return true;
}

/**
 * Matches a claim to a sale, which becomes the buyer's if it has no buyer yet. Undefined: no such claim.
 * @throws DecisionError if the claim is decided, or the sale does not exist or is another buyer's
 */
export async function matchClaim(
  queries: Queries,
  id: bigint,
  saleId: bigint,
  { rules, actor }: Decision,
): Promise<true | undefined> {
  const claim = await lockOpenClaim(queries, id);
  if (!claim) return undefined;
  const sale = await lock(queries, saleId);
  if (!sale) throw new DecisionError("no_sale", "There is no such sale");
  if (sale.click_id === null) {
    const click = await findClickById(queries, claim.click_id);
    if (!click) throw new DecisionError("no_click", "There is no such click");
    await assignSale(queries, saleId, click.token, { rules });
  } else if (sale.wallet !== claim.wallet) {
    throw new DecisionError("of_another_buyer", "This sale belongs to another buyer");
  }
  await decide(queries, id, { state: "matched", sale_id: saleId, decided_by: actor });
  return true;
}

/**
 * Rejects an open claim with a reason that its buyer sees. Undefined: no such claim.
 * @throws DecisionError if it is already decided
 */
export async function refuseClaim(
  queries: Queries,
  id: bigint,
  reason: string,
  actor: string,
): Promise<true | undefined> {
  if (!(await lockOpenClaim(queries, id))) return undefined;
  await decide(queries, id, { state: "refused", reason, decided_by: actor });
  return true;
}

async function lockOpenClaim(queries: Queries, id: bigint) {
  const claim = await queries
    .updateTable("claims")
    .set((set) => ({ state: set.ref("state") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (claim && claim.state !== "open") throw new DecisionError("claim_decided", `This claim is already ${claim.state}`);
  return claim;
}

async function decide(
  queries: Queries,
  id: bigint,
  decision: { state: "matched" | "refused"; sale_id?: bigint; reason?: string; decided_by: string },
): Promise<void> {
  await queries
    .updateTable("claims")
    .set({ ...decision, decided_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .execute();
}
