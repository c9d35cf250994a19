import { sql, type Transaction } from "kysely";
import type { Database } from "../../database/connect.ts";
import { assertLease, type Lease } from "../../database/leases.ts";
import type { Schema } from "../../database/schema.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { contentOf } from "../events.ts";
import { fold } from "../fold.ts";
import type { Source } from "../rpc/node.ts";
import { type BlockId, CursorMovedError } from "./index-store.ts";

const TOKENS_PER_STATEMENT = 500;

/** Up to where the chain is indexed; undefined where nothing is yet. */
export async function readCursor({ kysely }: Database): Promise<BlockId | undefined> {
  const row = await kysely.selectFrom("chain_cursor").selectAll().where("id", "=", 1n).executeTakeFirst();
  return row && { number: Number(row.block_number), hash: row.block_hash };
}

/** The kept block of this number. */
export async function readStoredBlock({ kysely }: Database, number: number): Promise<BlockId | undefined> {
  const [block] = await readStoredBlocks({ kysely }, { highest: number, count: 1 });
  return block?.number === number ? block : undefined;
}

/** Kept blocks from `highest` down. */
export async function readStoredBlocks(
  { kysely }: Pick<Database, "kysely">,
  { highest, count }: { highest: number; count: number },
): Promise<BlockId[]> {
  const rows = await kysely
    .selectFrom("chain_blocks")
    .select(["number", "hash"])
    .where("number", "<=", BigInt(highest))
    .orderBy("number", "desc")
    .limit(count)
    .execute();
  return rows.map((row) => ({ number: Number(row.number), hash: row.hash }));
}

/**
 * Empties the index where it is of other contracts, another chain or another start, and notes what it is of from now on.
 * @returns whether something was thrown away
 */
export async function adoptSource({ kysely }: Database, lease: Lease, source: Source): Promise<boolean> {
  const wanted = {
    chain_id: BigInt(source.chainId),
    purchase_nft: source.purchaseNft as WalletAddress,
    cashback_distributor: source.cashbackDistributor as WalletAddress,
    start_block: BigInt(source.startBlock),
  };
  return inTransaction(kysely, async (transaction) => {
    await assertLease(transaction, lease);
    const known = await transaction.selectFrom("chain_source").selectAll().where("id", "=", 1n).executeTakeFirst();
    const isSame = Object.entries(wanted).every(([name, value]) => known?.[name as keyof typeof wanted] === value);
    if (isSame) return false;
    await empty(transaction);
    await transaction.deleteFrom("chain_source").execute();
    await transaction
      .insertInto("chain_source")
      .values({ id: 1n, ...wanted })
      .execute();
    return known !== undefined;
  });
}

/** Throws the whole index away; the next run reads it from the chain again. */
export async function emptyIndex({ kysely }: Database, lease: Lease): Promise<void> {
  await inTransaction(kysely, async (transaction) => {
    await assertLease(transaction, lease);
    await empty(transaction);
  });
}

async function empty(transaction: Transaction<Schema>): Promise<void> {
  for (const table of ["chain_cursor", "chain_events", "chain_blocks", "nfts", "payouts"] as const) {
    await transaction.deleteFrom(table).execute();
  }
}

/**
 * Takes back everything above `ancestor`: deletes the orphaned events and folds the tokens that they touched again.
 * Without an ancestor the index is emptied.
 */
export async function rollBack(
  { kysely }: Database,
  lease: Lease,
  cursor: BlockId,
  ancestor: BlockId | undefined,
): Promise<void> {
  await inTransaction(kysely, async (transaction) => {
    await assertLease(transaction, lease);
    await assertCursor(transaction, cursor);
    if (!ancestor) return empty(transaction);
    const orphaned = BigInt(ancestor.number);
    await sql`create temporary table touched_tokens as
      select distinct token_id from chain_events where block_number > ${sql.lit(ancestor.number)} and token_id is not null`.execute(
      transaction,
    );
    await transaction.deleteFrom("chain_events").where("block_number", ">", orphaned).execute();
    await refoldTouched(transaction);
    await sql`drop table touched_tokens`.execute(transaction);
    await transaction.deleteFrom("chain_blocks").where("number", ">", orphaned).execute();
    await transaction
      .updateTable("chain_cursor")
      .set({ block_number: orphaned, block_hash: ancestor.hash })
      .where("id", "=", 1n)
      .execute();
  });
}

async function assertCursor(transaction: Transaction<Schema>, cursor: BlockId): Promise<void> {
  const row = await transaction.selectFrom("chain_cursor").selectAll().where("id", "=", 1n).executeTakeFirst();
  if (row?.block_hash === cursor.hash && row.block_number === BigInt(cursor.number)) return;
  throw new CursorMovedError(`The cursor is not at block ${cursor.number} any more`);
}

/** A few tokens at a time, so that the deepest rollback needs no more memory than a small one. */
async function refoldTouched(transaction: Transaction<Schema>): Promise<void> {
  for (let after = -1n; ; ) {
    const { rows } = await sql<{ token_id: bigint }>`
      select token_id from touched_tokens where token_id > ${after} order by token_id limit ${BigInt(TOKENS_PER_STATEMENT)}`.execute(
      transaction,
    );
    const tokenIds = rows.map((row) => row.token_id);
    const last = tokenIds.at(-1);
    if (last === undefined) return;
    after = last;
    await refold(transaction, tokenIds);
  }
}

async function refold(transaction: Transaction<Schema>, tokenIds: bigint[]): Promise<void> {
  await transaction.deleteFrom("nfts").where("token_id", "in", tokenIds).execute();
  await transaction.deleteFrom("payouts").where("token_id", "in", tokenIds).execute();
  const rows = await transaction
    .selectFrom("chain_events")
    .innerJoin("chain_blocks", "chain_blocks.number", "chain_events.block_number")
    .selectAll("chain_events")
    .select("chain_blocks.timestamp")
    .where("token_id", "in", tokenIds)
    .orderBy("block_number")
    .orderBy("log_index")
    .execute();
  const events = rows.map((row) => ({
    blockNumber: Number(row.block_number),
    logIndex: Number(row.log_index),
    transactionHash: row.transaction_hash,
    ...contentOf(row.kind, row.token_id ?? 0n, row.arguments),
  }));
  const changes = fold(events, new Map(rows.map((row) => [Number(row.block_number), Number(row.timestamp)])));
  const optional = (value: number | null) => (value === null ? null : BigInt(value));
  for (const nft of changes.nfts.values()) {
    await transaction
      .insertInto("nfts")
      .values({
        token_id: nft.tokenId,
        owner: nft.owner,
        store_id: BigInt(nft.storeId),
        value_cents: BigInt(nft.valueCents),
        cashback_bps: BigInt(nft.cashbackBps),
        bonus_bps: BigInt(nft.bonusBps),
        status: BigInt(nft.status),
        mint_transaction: nft.mintTransaction,
        minted_block: BigInt(nft.mintedBlock),
        minted_at: BigInt(nft.mintedAtMs),
        status_transaction: nft.statusTransaction,
        status_block: optional(nft.statusBlock),
        status_at: optional(nft.statusAtMs),
      })
      .execute();
  }
  for (const payout of changes.payouts.values()) {
    await transaction
      .insertInto("payouts")
      .values({
        token_id: payout.tokenId,
        recipient: payout.recipient,
        amount_gwei: payout.amountGwei,
        state: payout.state,
        transaction_hash: payout.transactionHash,
        block_number: BigInt(payout.blockNumber),
        log_index: BigInt(payout.logIndex),
        paid_at: BigInt(payout.paidAtMs),
      })
      .execute();
  }
}
