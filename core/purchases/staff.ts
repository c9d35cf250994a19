import { among } from "../database/among.ts";
import { closeRequests } from "../database/requests.ts";
import { touchUser, touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { idsOf, jsonOf } from "../rules/records.ts";
import type { LetGo, StaffHold } from "../rules/sale/facts.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { lockOperations } from "../sender/queue.ts";
import { attribute, lapseApprovals, renewRefused } from "./approvals.ts";
import { lockPurchasesWithSales } from "./locks.ts";
import { recountPurchases } from "./purchase-rows.ts";
import { approvalState } from "./queries.ts";

/* What staff say about a purchase: facts, from which its next step follows. */

/**
 * Holds a purchase for an admin: it is neither confirmed nor paid until it is released. The caller makes its step, which
 * withdraws what is queued. Returns why it can no longer be held. docs/product.md#panel-hold
 */
export async function holdPurchase(
  queries: Queries,
  id: bigint,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<"held" | "held before" | "paid" | "over"> {
  const purchase = await lockPurchase(queries, id);
  if (purchase.held_at !== null) return "held before";
  // Locked, so that it is not sent before the decision that withdraws it.
  const [payout] = await lockOperations(queries, [id], ["pay"]);
  if (payout?.status === "assigned" || payout?.status === "done") return "paid";
  if (purchase.settled_at !== null) return "over";
  await lapseApprovals(queries, id);
  // Whoever holds it has decided again.
  await renewRefused(queries, [id]);
  await queries
    .updateTable("purchases")
    .set({ held_at: BigInt(Date.now()), held_by: actor, held_reason: reason, approval_id: null })
    .where("id", "=", id)
    .execute();
  await recountPurchases(queries, [id]);
  return "held";
}

/**
 * Releases a purchase that is held, or whose payout a second person refused, and with it all of its sale, up to the
 * cashback that it comes to: it is paid by the actor's decision from now on. Returns false if it is neither.
 * docs/product.md#panel-hold
 */
export async function releasePurchase(queries: Queries, id: bigint, actor: string): Promise<boolean> {
  const { held_at, held_by, held_reason, sale_id, approval_state } = await lockPurchase(queries, id);
  if (held_at === null && approval_state !== "refused") return false;
  await queries
    .updateTable("purchases")
    .set({ held_at: null, held_by: null, held_reason: null })
    .where(({ or, eb }) => or([eb("id", "=", id), ...(sale_id === null ? [] : [eb("sale_id", "=", sale_id)])]))
    .execute();
  if (held_at !== null && sale_id !== null) {
    const hold = { by: held_by ?? "", at: held_at, reason: held_reason };
    await letGo(queries, sale_id, hold);
  }
  await attribute(queries, [id], actor);
  return true;
}

async function letGo(queries: Queries, saleId: bigint, hold: StaffHold): Promise<void> {
  const { click_id, cashback_cent_bps } = await queries
    .selectFrom("sales")
    .select(["click_id", "cashback_cent_bps"])
    .where("id", "=", saleId)
    .executeTakeFirstOrThrow();
  const seen: LetGo = { hold, clickId: click_id ?? 0n, centBps: cashback_cent_bps };
  await queries
    .updateTable("sales")
    .set({ let_go: jsonOf(seen) })
    .where("id", "=", saleId)
    .execute();
}

type Verdict = { isApproved: boolean; actor: string; reason: string | null };

/** Decides an open request; an approved payout goes on. False: it is decided or lapsed. docs/product.md#panel-approvals */
export async function decideApproval(queries: Queries, id: bigint, verdict: Verdict): Promise<boolean> {
  return (await decideApprovals(queries, [id], verdict)).length > 0;
}

/** Decides those of these requests that are open; approved payouts go on. Returns them. docs/product.md#panel-approvals */
export async function decideApprovals(queries: Queries, ids: readonly bigint[], verdict: Verdict) {
  const asked = await queries
    .selectFrom("approvals")
    .select(["wallet", "purchase_id"])
    .where(among(queries, "id", ids))
    .execute();
  await lockPurchasesWithSales(
    queries,
    asked.map(({ purchase_id }) => purchase_id),
  );
  await touchUsers(queries, new Set(asked.map(({ wallet }) => wallet)));
  const state = verdict.isApproved ? "approved" : "refused";
  const closed = await closeRequests(queries, "approvals", ids, { ...verdict, state });
  const decided = await queries
    .selectFrom("approvals")
    .select(["id", "purchase_id", "amount_gwei"])
    .where(among(queries, "id", closed))
    .execute();
  if (decided.length === 0) return decided;
  const purchases = decided.map((row) => row.purchase_id);
  if (verdict.isApproved) {
    await queries
      .updateTable("purchases")
      .set({ approval_id: null })
      .where(among(queries, "id", purchases))
      .where(among(queries, "approval_id", ids))
      .execute();
  }
  await recountPurchases(queries, purchases);
  return decided;
}

/** Locks a purchase with all that its next step needs. */
async function lockPurchase(queries: Queries, id: bigint) {
  const select = () =>
    queries
      .selectFrom("purchases")
      .select([
        "wallet",
        "sale_id",
        "held_at",
        "held_by",
        "held_reason",
        "settled_at",
        approvalState().as("approval_state"),
      ])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  await lockPurchasesWithSales(queries, [id]);
  const purchase = await select();
  await touchUser(queries, purchase.wallet);
  return purchase;
}

/** What staff typed about a buyer's purchases, and the buyer's own text of a simulated one. docs/product.md#erase */
export async function forgetReasons(queries: Queries, wallet: WalletAddress): Promise<void> {
  const purchases = await queries
    .selectFrom("purchases")
    .select("id")
    .where("wallet", "=", wallet)
    .where(({ or, eb }) => or([eb("held_reason", "is not", null), eb("metadata_uri", "<>", "")]))
    .execute();
  const typed = among(queries, "id", idsOf(purchases));
  await queries.updateTable("purchases").set({ held_reason: null, metadata_uri: "" }).where(typed).execute();
  await queries
    .updateTable("approvals")
    .set({ decision_reason: null })
    .where("wallet", "=", wallet)
    .where("decision_reason", "is not", null)
    .execute();
}
