import type { Selectable } from "kysely";
import { readClock } from "../database/clock.ts";
import type { OperationKind } from "../database/schema/outbox.ts";
import type { Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { SaleAction, SalePurchase, SalePurchaseStage } from "../domain/sale/plan.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { enqueue, forgetOperations, lockOperations } from "../sender/queue.ts";
import { recountPurchases } from "./counting.ts";
import { adjustDebt } from "./debt.ts";
import { entitlePurchase, insertPurchase, permitPurchase, takeBackPayout, withdrawPurchase } from "./lifecycle.ts";
import { countPaid } from "./sale-totals.ts";

type PurchaseRow = Selectable<Schema["purchases"]>;

/** A purchase of a sale with its row and its stage. */
export type StagedPurchase = SalePurchase & { row: PurchaseRow };

/**
 * The purchases of a sale with their stages, oldest first. Locks their operations until the transaction ends, so that
 * none is sent while its purchase is being decided.
 */
export async function readSalePurchases(queries: Queries, saleId: bigint): Promise<StagedPurchase[]> {
  const rows = await queries.selectFrom("purchases").selectAll().where("sale_id", "=", saleId).orderBy("id").execute();
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const operations = await lockOperations(queries, ids, ["mint", "confirm", "cancel", "pay"]);
  // A token with this id and another owner belongs to another deployment.
  const nfts = await queries
    .selectFrom("nfts")
    .select(["token_id", "owner", "status"])
    .where("token_id", "in", ids)
    .execute();
  const payouts = await queries.selectFrom("payouts").select("token_id").where("token_id", "in", ids).execute();
  const returned = await readReturned(queries, ids);
  return rows.map((row) => {
    const hasLeft = (kind: OperationKind) =>
      operations.some(
        (one) => one.subject_id === row.id && one.kind === kind && (one.status === "assigned" || one.status === "done"),
      );
    const nft = nfts.find((one) => one.token_id === row.id && one.owner === row.wallet);
    return {
      id: row.id,
      stage: stageOf(row, {
        chainStatus: Number(nft?.status ?? 0n),
        isPaid: payouts.some((one) => one.token_id === row.id),
        hasLeft,
      }),
      isWithdrawn: row.reversed_at !== null,
      valueCents: row.amount_cents,
      totalBps: row.cashback_bps + row.bonus_bps,
      centBps: row.cashback_cent_bps,
      weiPerCent: row.wei_per_cent,
      returnedCentBps: returned.get(row.id) ?? 0n,
      row,
    };
  });
}

/** The debt for each purchase: the sum of its adjustments. */
async function readReturned(queries: Queries, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["purchase_id", "cent_bps"])
    .where("purchase_id", "in", ids)
    .execute();
  const sums = new Map<bigint, bigint>();
  for (const { purchase_id, cent_bps } of rows) sums.set(purchase_id, (sums.get(purchase_id) ?? 0n) + cent_bps);
  return sums;
}

type Signs = { chainStatus: number; isPaid: boolean; hasLeft: (kind: OperationKind) => boolean };

function stageOf(row: PurchaseRow, { chainStatus, isPaid, hasLeft }: Signs): SalePurchaseStage {
  const isWhollyKept = row.settled_at !== null && row.reversed_at === null && row.offset_gwei > 0n;
  if (isPaid || hasLeft("pay") || (chainStatus === CHAIN_STATUS.confirmed && isWhollyKept)) return "paid";
  if (chainStatus === CHAIN_STATUS.cancelled || hasLeft("cancel")) return "cancelled";
  if (chainStatus === CHAIN_STATUS.confirmed || hasLeft("confirm")) return "confirmed";
  return chainStatus === CHAIN_STATUS.pending || hasLeft("mint") ? "pending" : "planned";
}

export type SaleBuyer = {
  saleId: bigint;
  revisionId: bigint;
  wallet: WalletAddress;
  storeId: bigint;
  storeName: string;
  tokenSlug: string | null;
  holdingsBlock: bigint | null;
};

/** Carries out the planned actions for a sale's purchases. */
export async function actOnPurchases(
  queries: Queries,
  buyer: SaleBuyer,
  actions: readonly SaleAction[],
): Promise<void> {
  for (const action of actions) await act(queries, buyer, action);
}

async function act(queries: Queries, buyer: SaleBuyer, action: SaleAction): Promise<void> {
  if (action.kind === "adjust") {
    await adjustDebt(queries, { ...buyer, purchaseId: action.id }, action);
    return countPaid(queries, [{ saleId: buyer.saleId, centBps: -action.centBps }]);
  }
  if (action.kind === "create") {
    await insertPurchase(queries, {
      wallet: buyer.wallet,
      storeId: buyer.storeId,
      storeName: buyer.storeName,
      amountCents: action.valueCents,
      cashbackBps: action.cashbackBps,
      bonusBps: action.bonusBps,
      tokenSlug: buyer.tokenSlug,
      holdingsBlock: buyer.holdingsBlock,
      source: "live",
      sale: { id: buyer.saleId, centBps: action.centBps },
    });
    return;
  }
  if (action.kind === "withdraw") return withdrawPurchase(queries, action.id);
  const { id, centBps } = action;
  return entitlePurchase(queries, id, action.kind === "correct" ? { centBps, terms: action } : { centBps });
}

export type SalePermission = {
  /** If true, nothing is minted, confirmed or paid. */
  isHeld: boolean;
  /** Delay from registration to mint, in milliseconds. */
  mintDelayMs: bigint;
  /** Null while the sale is not approved. */
  approvedAt: bigint | null;
  /** When it may be paid; null while the sale is not payable. */
  payableAt: bigint | null;
};

/** Lets a sale's purchases proceed as far as the sale has, and no further. */
export async function permitPurchases(queries: Queries, saleId: bigint, permission: SalePermission): Promise<void> {
  const { isHeld } = permission;
  const purchases = await readSalePurchases(queries, saleId);
  const now = BigInt(Date.now());
  const databaseTime = BigInt(await readClock(queries));
  for (const { id, stage, isWithdrawn, row } of purchases) {
    if (isWithdrawn || stage === "paid" || stage === "cancelled") continue;
    const approvedAt = isHeld ? null : permission.approvedAt;
    const payableAt = isHeld ? null : permission.payableAt;
    if (approvedAt !== row.approved_at || payableAt !== row.payable_at) {
      await permitPurchase(queries, id, { approvedAt, payableAt });
    }
    if (stage === "planned" && isHeld) await forgetOperations(queries, ["mint"], id);
    if (stage === "planned" && !isHeld) {
      const afterMs = row.created_at + permission.mintDelayMs - now;
      await enqueue(queries, [{ kind: "mint", subjectId: id, afterMs: afterMs > 0n ? afterMs : 0n }]);
    }
    if (stage === "pending" && approvedAt === null) await forgetOperations(queries, ["confirm"], id);
    if (payableAt === null || payableAt > databaseTime) await takeBackPayout(queries, id);
  }
  await recountPurchases(
    queries,
    purchases.map(({ id }) => id),
  );
}
