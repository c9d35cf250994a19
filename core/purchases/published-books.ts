import { sql } from "kysely";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import type { Queries } from "../database/transaction.ts";
import { cashbackGwei, cashbackOf } from "../rules/cashback.ts";
import type { BookEntry } from "../rules/proof.ts";
import { CHAIN_STATUS } from "../rules/purchase/life.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** A ticket, and what the books say of it, where that explains a payout on the chain. */
export type PublishedRow = { id: bigint; entry: BookEntry | undefined };

const PAID = sql<bigint | null>`(select amount_gwei from payouts where payouts.token_id = purchases.id)`;

/**
 * What anyone may know of a wallet's tickets, newest first: why a payout was lower than its ticket says, and nothing else.
 * docs/product.md#proof
 */
export async function listPublishedBooks(
  queries: Queries,
  wallet: WalletAddress,
  page: NewestPage,
): Promise<PublishedRow[]> {
  const rows = await listNewest(tickets(queries, wallet), "purchases.id", page);
  const used = await readUsedDebts(queries, wallet);
  return rows.map((row) => {
    const { keptGwei, dueGwei } = amountsOf(row);
    const owedGwei = used.get(row.id) ?? 0n;
    const entry = { cashbackGwei: dueGwei, keptGwei, owedGwei };
    return { id: row.id, entry: differs(row) || owedGwei > 0n ? entry : undefined };
  });
}

function tickets(queries: Queries, wallet: WalletAddress) {
  return queries
    .selectFrom("purchases")
    .innerJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .select([
      "purchases.id",
      "purchases.cashback_cent_bps",
      "purchases.wei_per_cent",
      "purchases.offset_gwei",
      "purchases.settled_at",
      "purchases.reversed_at",
      "nfts.status",
      "nfts.value_cents",
      sql<bigint>`nfts.cashback_bps + nfts.bonus_bps`.as("total_bps"),
      PAID.as("paid_gwei"),
    ])
    .where("purchases.wallet", "=", wallet);
}

type TicketRow = Awaited<ReturnType<ReturnType<typeof tickets>["execute"]>>[number];

/** A purchase that was returned before its payout is due nothing, and nothing is kept from it. */
function amountsOf(row: TicketRow) {
  const isDue = row.paid_gwei !== null || row.reversed_at === null;
  return { dueGwei: isDue ? cashbackOf(row, 0n) : 0n, keptGwei: isDue ? row.offset_gwei : 0n };
}

/** Whether the chain shows less than value × percent × rate, for good. */
function differs(row: TicketRow): boolean {
  const isReturned = Number(row.status) === CHAIN_STATUS.returned;
  if ((Number(row.status) !== CHAIN_STATUS.confirmed && !isReturned) || row.wei_per_cent === null) return false;
  if (isReturned && row.paid_gwei === null) return false;
  if (row.paid_gwei === null) return row.settled_at !== null || row.reversed_at !== null;
  const terms = { valueCents: row.value_cents, totalBps: BigInt(row.total_bps), weiPerCent: row.wei_per_cent };
  return row.paid_gwei !== cashbackGwei(terms);
}

/**
 * The debts by purchase, the oldest first, up to what was kept for them: what a buyer still owes is nobody else's business.
 */
async function readUsedDebts(queries: Queries, wallet: WalletAddress): Promise<Map<bigint, bigint>> {
  const kept = await tickets(queries, wallet).where("purchases.offset_gwei", ">", 0n).execute();
  let left = kept.filter(differs).reduce((sum, row) => sum + amountsOf(row).keptGwei, 0n);
  const used = new Map<bigint, bigint>();
  if (left === 0n) return used;
  const debts = await queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .select(({ fn }) => ["purchases.id", fn.sum<bigint>("adjustments.amount_gwei").as("gwei")])
    .where("adjustments.wallet", "=", wallet)
    // What was declined before its payout is not owed back.
    .where(sql<boolean>`(${PAID} is not null or (purchases.settled_at is not null and purchases.reversed_at is null))`)
    .groupBy("purchases.id")
    .orderBy("purchases.id")
    .execute();
  for (const { id, gwei } of debts) {
    const part = BigInt(gwei) < left ? BigInt(gwei) : left;
    if (part > 0n) used.set(id, part);
    left -= part > 0n ? part : 0n;
  }
  return used;
}
