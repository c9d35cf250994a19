import { type RawBuilder, type SqlBool, sql } from "kysely";
import { amongTexts } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { recordDebts } from "./events.ts";
import { storeNameNow } from "./queries.ts";

/** A payout that never happened is not owed back, whatever was recorded while it was in flight. */
function isOwed(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(purchases.settled_at is not null and purchases.offset_gwei > 0 or ${isPaidOrAsked()})`;
}

/** Whether a purchase was paid, or its payout is queued and not withdrawn. */
function isPaidOrAsked(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(exists (select 1 from payouts where payouts.token_id = purchases.id)
    or exists (select 1 from operations where operations.subject_id = purchases.id
      and operations.kind = 'pay' and operations.status != 'withdrawn'))`;
}

/**
 * A wallet's debt for purchases that were returned after their payout, in gwei. Offsets kept from other purchases
 * reduce it, unless such a purchase was also returned and never paid. docs/product.md#debt
 */
export function outstandingDebt(queries: Queries, wallet: WalletAddress): Promise<bigint> {
  return sumDebt(queries, wallet, isOwed());
}

async function sumDebt(queries: Queries, wallet: WalletAddress, isCounted: RawBuilder<SqlBool>): Promise<bigint> {
  const adjustments = await queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .select("adjustments.amount_gwei")
    .where("adjustments.wallet", "=", wallet)
    .where(isCounted)
    .execute();
  if (adjustments.length === 0) return 0n;
  const offsets = await queries
    .selectFrom("purchases")
    .select("offset_gwei")
    .where("wallet", "=", wallet)
    .where("offset_gwei", ">", 0n)
    .where(({ or, eb }) => or([eb("reversed_at", "is", null), isPaidOrAsked()]))
    .execute();
  const owed = adjustments.reduce((sum, row) => sum + row.amount_gwei, 0n);
  return owed - offsets.reduce((sum, row) => sum + row.offset_gwei, 0n);
}

/** What a wallet came to owe, newest first, whether it is settled by now or not. */
export async function listDebts(queries: Queries, wallet: WalletAddress, limit: number) {
  return queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .select([
      "purchases.id",
      storeNameNow("purchases").as("store_name"),
      "adjustments.amount_gwei",
      "adjustments.created_at",
    ])
    .where("adjustments.wallet", "=", wallet)
    .where("adjustments.amount_gwei", ">", 0n)
    .where(isOwed())
    .orderBy("adjustments.created_at", "desc")
    .limit(limit)
    .execute();
}

/** The wallets among these that may have a debt. */
async function listDebtors(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<Set<WalletAddress>> {
  if (wallets.size === 0) return new Set();
  const rows = await queries
    .selectFrom("adjustments")
    .select("wallet")
    .distinct()
    .where(amongTexts(queries, "wallet", wallets))
    .execute();
  return new Set(rows.map((row) => row.wallet));
}

/**
 * What may be kept for these wallets from their next payouts, or lifted for a sale that comes back: not the debt of a
 * payout that can still revert, because what another purchase gave for it could not be given back. docs/product.md#debt
 */
export async function readKeepable(
  queries: Queries,
  wallets: ReadonlySet<WalletAddress>,
): Promise<Map<WalletAddress, bigint>> {
  const isFinal = sql<SqlBool>`purchases.settled_at is not null and ${isOwed()}`;
  const debts = new Map<WalletAddress, bigint>();
  for (const wallet of await listDebtors(queries, wallets)) debts.set(wallet, await sumDebt(queries, wallet, isFinal));
  return debts;
}

/** Adds to what is owed back for a sale's purchase at a revision; a revision can add several amounts. */
export async function adjustDebt(
  queries: Queries,
  owed: { purchaseId: bigint; revisionId: bigint; wallet: WalletAddress },
  { centBps, gwei }: { centBps: bigint; gwei: bigint },
): Promise<void> {
  await queries
    .insertInto("adjustments")
    .values({
      purchase_id: owed.purchaseId,
      revision_id: owed.revisionId,
      wallet: owed.wallet,
      cent_bps: centBps,
      amount_gwei: gwei,
      created_at: BigInt(Date.now()),
    })
    .onConflict((conflict) =>
      conflict.columns(["purchase_id", "revision_id"]).doUpdateSet({
        cent_bps: sql`adjustments.cent_bps + ${centBps}`,
        amount_gwei: sql`adjustments.amount_gwei + ${gwei}`,
      }),
    )
    .execute();
  await recordDebts(queries, [owed.purchaseId]);
}
