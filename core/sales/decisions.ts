import { hash } from "node:crypto";
import { deciderOf, noteAuthor } from "../database/changed-facts.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { attribute } from "../purchases/approvals.ts";
import { decideSales } from "../purchases/decide-sales.ts";
import { recordClaimAnswer } from "../purchases/events.ts";
import { findSeller } from "../purchases/facts.ts";
import { listCrowded } from "../purchases/held-reviews.ts";
import { lockSales } from "../purchases/locks.ts";
import { readSalePurchases } from "../purchases/queries.ts";
import { encodeKept, encodeReleases, readHolds, readKept, readReleases, readTerms } from "../purchases/sale-row.ts";
import { idsOf } from "../rules/records.ts";
import { isAssignable } from "../rules/sale/decide.ts";
import type { DecisionRefusal } from "../rules/sale/decision-refusals.ts";
import type { Hold, Release } from "../rules/sale/holds.ts";
import { OwnSaleError } from "../rules/sale/own-sale-error.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { ClickTerms } from "../rules/sale/value.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { type Click, findClickByToken } from "./clicks.ts";
import { findRevision } from "./queries.ts";
import type { Sale } from "./reports.ts";

/** A decision does not fit the current state of the sale or claim. */
export class DecisionError extends TorcidaError {
  override readonly docs = "docs/product.md#sales-held";
  readonly why: DecisionRefusal;

  constructor(why: DecisionRefusal, message: string) {
    super(message);
    this.why = why;
  }
}

/** The network has changed the sale since the revision that the decision is based on. */
export class SaleChangedError extends TorcidaError {
  override readonly docs = "docs/product.md#sales-calls";
}

/** Nobody decides about their own wallet. @throws OwnSaleError */
function requireOther(actor: string, wallets: readonly (string | null | undefined)[]): void {
  if (wallets.includes(actor)) throw new OwnSaleError("Somebody else must decide: this would pay your own wallet");
}

/**
 * Reads a sale for a decision, locked until the transaction ends with all that the decision needs, such as the wallet that
 * gets it by a click. @throws SaleChangedError if it is another than seen
 */
async function lock(
  queries: Queries,
  id: bigint,
  seen: Seen = {},
  { clickRef = null, others = [] }: { clickRef?: string | null | undefined; others?: readonly bigint[] } = {},
): Promise<Sale | undefined> {
  await lockSales(queries, { sales: [id, ...others], clickRef });
  const sale = await queries
    .updateTable("sales")
    .set({ updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (!sale) return undefined;
  const isOther = seen.revision !== undefined && (await findRevision(queries, id)) !== seen.revision;
  const isHeldOtherwise =
    seen.holds !== undefined && !isSameSet(seen.holds, sale.hold_reasons.split(" ").filter(Boolean));
  const hasOtherFigures = seen.holdsKey !== undefined && seen.holdsKey !== holdsKeyOf(sale);
  if (isOther || isHeldOtherwise || hasOtherFigures) {
    throw new SaleChangedError("This sale has changed since you opened it: review it again, then decide");
  }
  return sale;
}

/** Stands for the reasons to hold a sale and their figures. */
export function holdsKeyOf({ hold_reasons, hold_figures }: Pick<Sale, "hold_reasons" | "hold_figures">): string {
  return hash("sha256", `${hold_reasons}\n${hold_figures}`, "base64url").slice(0, 22);
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return [...new Set(one)].sort().join() === [...new Set(other)].sort().join();
}

/** The revision, the reasons and their figures that the decision is based on; where one is left out, any is accepted. */
type Seen = {
  revision?: bigint | undefined;
  holds?: readonly string[] | undefined;
  holdsKey?: string | undefined;
};
type Decision = Seen & { rules: SaleRules; actor: string };

/**
 * Releases a held sale in the state of the last read: the reasons that were seen, with their figures, no longer hold
 * it. Undefined: no such sale.
 * @throws DecisionError if it is not held, or for a reason that no release can lift
 * @throws SaleChangedError
 * @throws OwnSaleError
 */
export async function releaseSale(
  queries: Queries,
  id: bigint,
  { rules, actor, revision, holds = [], holdsKey }: Decision,
): Promise<{ reasons: string } | undefined> {
  const sale = await lock(queries, id, { revision, holds, holdsKey });
  if (!sale) return undefined;
  requireOther(actor, [sale.wallet]);
  if (sale.state !== "held") throw new DecisionError("not_held", `This sale is not held, it is ${sale.state}`);
  const applying = readHolds(sale.hold_reasons, sale.hold_figures);
  const reasons = new Set(applying.map(({ reason }) => reason));
  if (reasons.has("no_rate")) {
    throw new DecisionError(
      "no_rate",
      `There is no exchange rate for ${sale.currency}: set FX_RATES or FX_URL, or decline the sale`,
    );
  }
  if (sale.amount_cents === null) throw new DecisionError("no_amount", "An amount of this sale cannot be read");
  if (reasons.has("other_store")) {
    throw new DecisionError("other_store", "Another store sold it: assign it to a click there, or to its own click");
  }
  if (reasons.has("other_ticket")) {
    throw new DecisionError(
      "other_ticket",
      "The chain has a ticket of it for another buyer: assign it to a click of theirs",
    );
  }
  const seen = { clickId: sale.click_id ?? 0n, centBps: sale.cashback_cent_bps };
  const toRelease = (hold: Hold): Release => ({ ...hold, ...seen });
  await queries
    .updateTable("sales")
    .set({
      released_reasons: encodeReleases([...readReleases(sale.released_reasons), ...applying.map(toRelease)]),
      released_by: actor,
    })
    .where("id", "=", id)
    .execute();
  await attributeSale(queries, id, actor);
  await decideSales(queries, [id], rules);
  const { state } = await queries.selectFrom("sales").select("state").where("id", "=", id).executeTakeFirstOrThrow();
  if (state === "held")
    throw new SaleChangedError("It is held for something else by now: review it again, then decide");
  return { reasons: sale.hold_reasons };
}

/**
 * Declines a sale permanently, whatever the network says later. Undefined: no such sale.
 * @throws DecisionError if it is declined already
 * @throws SaleChangedError
 * @throws OwnSaleError
 */
export async function declineSale(
  queries: Queries,
  id: bigint,
  reason: string,
  { rules, actor, ...seen }: Decision,
): Promise<true | undefined> {
  const sale = await lock(queries, id, seen);
  if (!sale) return undefined;
  requireOther(actor, [sale.wallet]);
  if (sale.declined_by !== null) throw new DecisionError("declined", "This sale is already declined");
  await queries.updateTable("sales").set({ declined_by: actor, decline_reason: reason }).where("id", "=", id).execute();
  // It can let others of its order go on, also those that are not reported yet.
  if (sale.order_key !== null) await noteAuthor(queries, actor, `order:${sale.order_key}`);
  await decideSales(queries, [id], rules);
  return true;
}

/**
 * Sets the click, and with it the buyer, of a sale that has none, that another store sold, or whose ticket another buyer
 * has. To a click at another
 * store than the one that sold it, it is assigned at the lower of the two stores' percents. Undefined: no such sale.
 * @throws DecisionError if it has a buyer, was paid to another buyer or for another store, or there is no such click
 * @throws SaleChangedError
 * @throws OwnSaleError
 */
export async function assignSale(
  queries: Queries,
  id: bigint,
  token: string,
  { rules, actor, ...seen }: Decision,
): Promise<true | undefined> {
  const known = await queries.selectFrom("sales").select("wallet").where("id", "=", id).executeTakeFirst();
  const crowded = await listCrowded(queries, known?.wallet ?? null);
  const sale = await lock(queries, id, seen, { clickRef: token, others: crowded });
  if (!sale) return undefined;
  const click = await findClickByToken(queries, token);
  requireOther(actor, [sale.wallet, click?.wallet]);
  const isOfOtherStore = sale.hold_reasons.split(" ").includes("other_store");
  const isOfOtherTicket = sale.hold_reasons.split(" ").includes("other_ticket");
  if (sale.click_id !== null && !isOfOtherStore && !isOfOtherTicket) {
    throw new DecisionError("has_buyer", "This sale already has a buyer");
  }
  if (!click) throw new DecisionError("no_click", "There is no such click");
  await touchUsers(queries, new Set([click.wallet, ...(sale.wallet === null ? [] : [sale.wallet])]));
  if (!isAssignable(await readSalePurchases(queries, id), { wallet: click.wallet, storeId: click.store_id }))
    throw new DecisionError("paid", "A payout of this sale was sent: it stays with its buyer and store");
  const before = readKept(sale);
  const kept = {
    ...before,
    // Another buyer's cashback has the rate of its own confirmation.
    tiers: sale.wallet === click.wallet ? before.tiers : [],
    assignedOver: sale.click_ref ?? "",
    terms: isOfOtherStore ? await lowerTerms(queries, sale, click) : null,
  };
  await queries
    .updateTable("sales")
    .set({ click_id: click.id, wallet: click.wallet, store_id: click.store_id, kept: encodeKept(kept) })
    .where("id", "=", id)
    .execute();
  await attributeSale(queries, id, actor);
  await decideSales(queries, [id], rules);
  await decideSales(queries, crowded, rules);
  return true;
}

/** Its purchases, and those that it will have, are paid by this person's decision. */
async function attributeSale(queries: Queries, id: bigint, actor: string): Promise<void> {
  await queries
    .updateTable("sales")
    .set({ decided_by: deciderOf(actor) })
    .where("id", "=", id)
    .execute();
  const purchases = await queries.selectFrom("purchases").select("id").where("sale_id", "=", id).execute();
  await attribute(queries, idsOf(purchases), actor);
}

/** The click's percents, each at most what the store that sold it pays; null if it is the same store. */
async function lowerTerms(queries: Queries, sale: Sale, click: Click): Promise<ClickTerms | null> {
  const seller = await findSeller(queries, sale, sale.advertiser_id);
  if (seller?.id === click.store_id) return null;
  const terms = readTerms(click.terms);
  const rates = seller
    ? await queries
        .selectFrom("store_cashbacks")
        .select(["cashback_bps", "group_code"])
        .where("store_id", "=", seller.id)
        .where("deleted_at", "is", null)
        .execute()
    : [];
  // An unknown store promises nothing, so no more than the click's lowest percent.
  const lowest = [...rates.map((rate) => rate.cashback_bps), ...(seller ? [] : [terms.defaultBps])];
  const most = lowest.reduce((low, bps) => (bps < low ? bps : low), terms.defaultBps);
  return { groups: {}, defaultBps: most, bonusBps: terms.bonusBps };
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
  const asked = await queries
    .selectFrom("claims")
    .innerJoin("clicks", "clicks.id", "claims.click_id")
    .select("token")
    .where("claims.id", "=", id)
    .executeTakeFirst();
  const sale = await lock(queries, saleId, {}, { clickRef: asked?.token });
  const claim = await lockOpenClaim(queries, id);
  if (!claim) return undefined;
  requireOther(actor, [claim.wallet]);
  if (!sale) throw new DecisionError("no_sale", "There is no such sale");
  if (sale.click_id === null) {
    const click = await queries.selectFrom("clicks").selectAll().where("id", "=", claim.click_id).executeTakeFirst();
    if (!click) throw new DecisionError("no_click", "There is no such click");
    await assignSale(queries, saleId, click.token, { rules, actor });
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
  const claim = await lockOpenClaim(queries, id);
  if (!claim) return undefined;
  requireOther(actor, [claim.wallet]);
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
  await recordClaimAnswer(queries, id);
}
