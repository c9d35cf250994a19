import { type RawBuilder, type SqlBool, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { recordDebts } from "./events.ts";
import { storeNameNow } from "./queries.ts";

/** A payout that never happened is not owed back, whatever was recorded while it was in flight. */
function isOwed(): RawBuilder<SqlBool> {
  return sql<SqlBool>`(purchases.settled_at is not null and purchases.offset_gwei > 0
    or exists (select 1 from payouts where payouts.token_id = purchases.id)
    or exists (select 1 from operations where operations.subject_id = purchases.id
      and operations.kind = 'pay' and operations.status != 'withdrawn'))`;
}

/**
 * A wallet's debt for purchases that were returned after their payout, in gwei. What was kept of other purchases
 * reduces it; of one that is withdrawn, nothing stays kept. docs/product.md#debt
 */
export async function outstandingDebt(queries: Queries, wallet: WalletAddress): Promise<bigint> {
  return (await sumDebts(queries, new Set([wallet]), isOwed())).get(wallet)?.gwei ?? 0n;
}

/** `gwei` less what is kept for it; `unsentGwei` is kept of payouts that are not sent, so that it can be given back. */
export type Debt = { gwei: bigint; unsentGwei: bigint };

/** Of each wallet that came to owe something. */
async function sumDebts(
  queries: Queries,
  wallets: ReadonlySet<WalletAddress>,
  isCounted: RawBuilder<SqlBool>,
): Promise<Map<WalletAddress, Debt>> {
  const debts = new Map<WalletAddress, Debt>();
  if (wallets.size === 0) return debts;
  const add = (wallet: WalletAddress, gwei: bigint, unsentGwei: bigint) => {
    const known = debts.get(wallet) ?? { gwei: 0n, unsentGwei: 0n };
    debts.set(wallet, { gwei: known.gwei + gwei, unsentGwei: known.unsentGwei + unsentGwei });
  };
  const adjustments = await queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .select(["adjustments.wallet", "adjustments.amount_gwei"])
    .where(among(queries, "adjustments.wallet", wallets))
    .where(isCounted)
    .execute();
  for (const { wallet, amount_gwei } of adjustments) add(wallet, amount_gwei, 0n);
  if (debts.size === 0) return debts;
  const offsets = await queries
    .selectFrom("purchases")
    .select(["wallet", "offset_gwei", isUnsent().as("is_unsent")])
    .where(among(queries, "wallet", new Set(debts.keys())))
    .where("offset_gwei", ">", 0n)
    .execute();
  for (const { wallet, offset_gwei, is_unsent } of offsets)
    add(wallet, -offset_gwei, Number(is_unsent) === 1 ? offset_gwei : 0n);
  return debts;
}

function isUnsent(): RawBuilder<bigint | number> {
  return sql<bigint | number>`case when purchases.settled_at is null
    and not exists (select 1 from payouts where payouts.token_id = purchases.id)
    and not exists (select 1 from operations where operations.subject_id = purchases.id
      and operations.kind = 'pay' and operations.status in ('assigned', 'done')) then 1 else 0 end`;
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

/** What may be kept for these wallets from their next payouts. docs/product.md#debt */
export async function readKeepable(
  queries: Queries,
  wallets: ReadonlySet<WalletAddress>,
): Promise<Map<WalletAddress, bigint>> {
  const debts = await readDebts(queries, wallets);
  return new Map([...debts].map(([wallet, { gwei }]) => [wallet, gwei]));
}

/**
 * What these wallets owe, and may be lifted for a sale that comes back: not the debt of a payout that can still revert,
 * because what another purchase gave for it could not be given back. docs/product.md#debt
 */
export function readDebts(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<Map<WalletAddress, Debt>> {
  return sumDebts(queries, wallets, sql<SqlBool>`purchases.settled_at is not null and ${isOwed()}`);
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
