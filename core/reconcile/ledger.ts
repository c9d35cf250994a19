import type { Queries } from "../database/transaction.ts";
import { payoutSums, readShopTotals } from "../purchases/shop-totals.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** An indexed token, with the purchase that it was minted for. */
export type LedgerRow = {
  tokenId: bigint;
  owner: WalletAddress;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  status: bigint;
  mintedBlock: bigint;
  /** Null: the first tickets' contract. */
  contract: WalletAddress | null;
  /** 0 for a simulated purchase. */
  saleRef: bigint;
  /** Null if no purchase has this id. */
  claim: { wallet: WalletAddress; amountCents: bigint; cashbackBps: bigint; bonusBps: bigint; saleRef: bigint } | null;
};

export async function listLedger(queries: Queries, ids: readonly bigint[]): Promise<LedgerRow[]> {
  const rows = await queries
    .selectFrom("nfts")
    .leftJoin("purchases", "purchases.id", "nfts.token_id")
    .selectAll("nfts")
    .select([
      "purchases.wallet",
      "purchases.amount_cents",
      "purchases.cashback_bps as claim_cashback_bps",
      "purchases.bonus_bps as claim_bonus_bps",
      "purchases.sale_ref as claim_sale_ref",
    ])
    .where("nfts.token_id", "in", ids)
    .execute();
  return rows.map((row) => ({
    tokenId: row.token_id,
    owner: row.owner,
    storeId: row.store_id,
    valueCents: row.value_cents,
    cashbackBps: row.cashback_bps,
    bonusBps: row.bonus_bps,
    status: row.status,
    mintedBlock: row.minted_block,
    contract: row.contract,
    saleRef: row.sale_ref,
    claim:
      row.wallet === null
        ? null
        : {
            wallet: row.wallet,
            amountCents: row.amount_cents ?? 0n,
            cashbackBps: row.claim_cashback_bps ?? 0n,
            bonusBps: row.claim_bonus_bps ?? 0n,
            saleRef: row.claim_sale_ref ?? 0n,
          },
  }));
}

/** The sum of payouts up to a block, in gwei: the total less the newest. */
export async function sumPayouts(queries: Queries, upTo: bigint): Promise<{ paidGwei: bigint }> {
  const { paid } = payoutSums(await readShopTotals(queries));
  const newer = await queries
    .selectFrom("payouts")
    .select("amount_gwei")
    .where("block_number", ">", upTo)
    .where("state", "=", "paid")
    .execute();
  return { paidGwei: newer.reduce((sum, row) => sum - row.amount_gwei, paid) };
}

/** Among some ids: payouts without a token, and payouts since a block whose amount differs from the queued one. */
export async function listOddPayouts(
  queries: Queries,
  ids: readonly bigint[],
  { after }: { after: bigint },
): Promise<{ tokenId: bigint; reason: string }[]> {
  const orphans = await queries
    .selectFrom("payouts")
    .leftJoin("nfts", "nfts.token_id", "payouts.token_id")
    .select("payouts.token_id")
    .where("payouts.token_id", "in", ids)
    .where("nfts.token_id", "is", null)
    .execute();
  const different = await differentPayouts(queries, { after }).where("payouts.token_id", "in", ids).execute();
  return [
    ...orphans.map((row) => ({ tokenId: row.token_id, reason: "is paid, but has no token" })),
    ...different.map((row) => ({ tokenId: row.token_id, reason: "was paid another amount than the outbox asked for" })),
  ];
}

/** Payouts after a block whose amount differs from the queued one: another database, or a thief, asked for them. */
export function differentPayouts(queries: Queries, { after }: { after: bigint }) {
  return queries
    .selectFrom("payouts")
    .innerJoin("operations", (join) =>
      join.onRef("operations.subject_id", "=", "payouts.token_id").on("operations.kind", "=", "pay"),
    )
    .select(["payouts.token_id", "recipient", "payouts.amount_gwei", "payouts.transaction_hash"])
    .select("operations.amount_gwei as queued_gwei")
    .where("payouts.block_number", ">", after)
    .whereRef("payouts.amount_gwei", "!=", "operations.amount_gwei")
    .orderBy("payouts.token_id");
}

/** Among some purchases: those whose sale has a ticket on chain that is not its purchase. docs/product.md#sale-ref */
export async function listOtherTickets(
  queries: Queries,
  ids: readonly bigint[],
): Promise<{ tokenId: bigint; other: bigint }[]> {
  const rows = await queries
    .selectFrom("purchases")
    .innerJoin("nfts", "nfts.sale_ref", "purchases.sale_ref")
    .leftJoin("purchases as claims", "claims.id", "nfts.token_id")
    .select(["purchases.id", "nfts.token_id"])
    .where("purchases.id", "in", ids)
    .where("nfts.sale_ref", "<>", 0n)
    .whereRef("nfts.token_id", "<>", "purchases.id")
    .where(({ or, eb, ref }) =>
      or([eb("claims.sale_id", "is", null), eb("claims.sale_id", "<>", ref("purchases.sale_id"))]),
    )
    .orderBy("purchases.id")
    .execute();
  return rows.map((row) => ({ tokenId: row.id, other: row.token_id }));
}

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
export async function highestFinalNonce(queries: Queries, sender: WalletAddress): Promise<bigint | undefined> {
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
