import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/** An indexed token, with the purchase that it was minted for. */
export type LedgerRow = {
  tokenId: bigint;
  owner: WalletAddress;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  status: bigint;
  isPaid: boolean;
  /** Null if no purchase has this id. */
  claim: { wallet: WalletAddress; amountCents: bigint; cashbackBps: bigint; bonusBps: bigint } | null;
};

/** Tokens by id, one page at a time. */
export async function listLedger(queries: Queries, after: bigint, limit: number): Promise<LedgerRow[]> {
  const rows = await queries
    .selectFrom("nfts")
    .leftJoin("purchases", "purchases.id", "nfts.token_id")
    .leftJoin("payouts", "payouts.token_id", "nfts.token_id")
    .selectAll("nfts")
    .select([
      "purchases.wallet",
      "purchases.amount_cents",
      "purchases.cashback_bps as claim_cashback_bps",
      "purchases.bonus_bps as claim_bonus_bps",
      "payouts.state",
    ])
    .where("nfts.token_id", ">", after)
    .orderBy("nfts.token_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    tokenId: row.token_id,
    owner: row.owner,
    storeId: row.store_id,
    valueCents: row.value_cents,
    cashbackBps: row.cashback_bps,
    bonusBps: row.bonus_bps,
    status: row.status,
    isPaid: row.state !== null,
    claim:
      row.wallet === null
        ? null
        : {
            wallet: row.wallet,
            amountCents: row.amount_cents ?? 0n,
            cashbackBps: row.claim_cashback_bps ?? 0n,
            bonusBps: row.claim_bonus_bps ?? 0n,
          },
  }));
}

/** The indexed sum of payouts up to a block, in gwei. Credits are still in the distributor. */
export async function sumPayouts(queries: Queries, upTo: bigint): Promise<{ paidGwei: bigint }> {
  const row = await queries
    .selectFrom("payouts")
    .select(sql<bigint | string | null>`sum(amount_gwei)`.as("gwei"))
    .where("state", "=", "paid")
    .where("block_number", "<=", upTo)
    .executeTakeFirst();
  return { paidGwei: BigInt(row?.gwei ?? 0n) };
}

/** Payouts without a token, and payouts whose amount differs from the queued one. */
export async function listOddPayouts(queries: Queries): Promise<{ tokenId: bigint; reason: string }[]> {
  const orphans = await queries
    .selectFrom("payouts")
    .leftJoin("nfts", "nfts.token_id", "payouts.token_id")
    .select("payouts.token_id")
    .where("nfts.token_id", "is", null)
    .execute();
  const different = await queries
    .selectFrom("payouts")
    .innerJoin("operations", (join) =>
      join.onRef("operations.subject_id", "=", "payouts.token_id").on("operations.kind", "=", "pay"),
    )
    .select("payouts.token_id")
    .whereRef("payouts.amount_gwei", "!=", "operations.amount_gwei")
    .execute();
  return [
    ...orphans.map((row) => ({ tokenId: row.token_id, reason: "is paid, but has no token" })),
    ...different.map((row) => ({ tokenId: row.token_id, reason: "was paid another amount than the outbox asked for" })),
  ];
}

/** The highest purchase and token ids. */
export async function highestIds(queries: Queries): Promise<{ purchase: bigint; token: bigint }> {
  const purchase = await queries.selectFrom("purchases").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
  const token = await queries
    .selectFrom("nfts")
    .select("token_id")
    .orderBy("token_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return { purchase: purchase?.id ?? 0n, token: token?.token_id ?? 0n };
}

/** The highest nonce with a final transaction; undefined if there is none. */
export async function highestConfirmedNonce(queries: Queries, sender: WalletAddress): Promise<bigint | undefined> {
  const row = await queries
    .selectFrom("transactions")
    .select("nonce")
    .where("sender", "=", sender)
    .where("status", "=", "confirmed")
    .orderBy("nonce", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.nonce;
}
