import { type Selectable, sql, type Transaction } from "kysely";
import { distributorsOf, ticketContractsOf } from "../../core/chain/deployment.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { assertLease, type Lease } from "../../core/process/lease.ts";
import { keysOf } from "../../core/rules/records.ts";
import type { Source } from "../chain-node.ts";
import { type ChainEvent, contentOf } from "../events.ts";
import { fold, type Payout } from "../fold.ts";
import { countChange, countEmptied } from "./count-change.ts";
import { type BlockId, CursorMovedError } from "./index-store.ts";
import { nftRow, payoutRow } from "./rows.ts";

const TOKENS_PER_STATEMENT = 500;

/** The last indexed block; undefined if nothing is indexed yet. */
export async function readCursor({ kysely }: Database): Promise<BlockId | undefined> {
  const row = await kysely.selectFrom("chain_cursor").selectAll().where("id", "=", 1n).executeTakeFirst();
  return row && { number: Number(row.block_number), hash: row.block_hash };
}

/** The kept block with this number. */
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

/** Kept blocks from `lowest` up. */
export async function readStoredBlocksUp(
  { kysely }: Database,
  { lowest, highest, count }: { lowest: number; highest: number; count: number },
): Promise<BlockId[]> {
  const rows = await kysely
    .selectFrom("chain_blocks")
    .select(["number", "hash"])
    .where("number", ">=", BigInt(lowest))
    .where("number", "<=", BigInt(highest))
    .orderBy("number")
    .limit(count)
    .execute();
  return rows.map((row) => ({ number: Number(row.number), hash: row.hash }));
}

/**
 * Records the configured contracts, chain and start block. An index of other contracts is emptied. If the indexed ones
 * were succeeded, the index is rolled back to before the first successor's block.
 * @returns what happened to the index
 * @throws EnvironmentError if the start block is too late
 */
export async function adoptSource(
  { kysely }: Database,
  lease: Lease,
  source: Source,
): Promise<"kept" | "rolled back" | "emptied"> {
  const wanted = rowOf(source);
  return inTransaction(kysely, async (transaction) => {
    await assertLease(transaction, lease);
    const known = await transaction.selectFrom("chain_source").selectAll().where("id", "=", 1n).executeTakeFirst();
    if (isSame(known, wanted)) return "kept";
    if (known) await refuseLaterStart(transaction, known, wanted);
    const successorBlock = known && successorBlockOf(known, wanted, source);
    if (successorBlock === undefined) await empty(transaction);
    else await rollBackBelow(transaction, successorBlock);
    await transaction.deleteFrom("chain_source").execute();
    await transaction
      .insertInto("chain_source")
      .values({ id: 1n, ...wanted })
      .execute();
    if (known === undefined) return "kept";
    return successorBlock === undefined ? "emptied" : "rolled back";
  });
}

type ChainSource = Omit<Selectable<Schema["chain_source"]>, "id">;

function rowOf(source: Source): ChainSource {
  return {
    chain_id: BigInt(source.chainId),
    purchase_nft: source.purchaseNft,
    cashback_distributor: source.cashbackDistributor,
    start_block: BigInt(source.startBlock),
  };
}

function isSame(known: ChainSource | undefined, wanted: ChainSource): boolean {
  return keysOf(wanted).every((name) => known?.[name] === wanted[name]);
}

/**
 * The same contracts from a later block on would lose the tickets before it. `--reset` empties the index first.
 * @throws EnvironmentError
 */
async function refuseLaterStart(queries: Queries, known: ChainSource, wanted: ChainSource): Promise<void> {
  if (!isSame(known, { ...wanted, start_block: known.start_block })) return;
  const query = queries.selectFrom("nfts").select(({ fn }) => fn.min("minted_block").as("block"));
  const first = await query.where("minted_block", "<", wanted.start_block).executeTakeFirst();
  if (!first?.block) return;
  throw new EnvironmentError(
    `START_BLOCK, or the deployment record, says ${wanted.start_block}, and a ticket of these contracts is of block ${first.block}: set the block of their deployment`,
  );
}

/** Whether the index is of these contracts and this start block already. */
export async function isAdopted({ kysely }: Database, source: Source): Promise<boolean> {
  const known = await kysely.selectFrom("chain_source").selectAll().where("id", "=", 1n).executeTakeFirst();
  return isSame(known, rowOf(source));
}

/**
 * The first block of what continues the indexed contracts: only from there on events can be missing. Undefined if the
 * index is of others, or if that block is not known.
 */
function successorBlockOf(known: ChainSource, wanted: ChainSource, source: Source): number | undefined {
  if (known.chain_id !== wanted.chain_id || known.start_block !== wanted.start_block) return undefined;
  const [tickets, distributors] = [ticketContractsOf(source), distributorsOf(source)];
  const [ofTickets, ofDistributors] = [
    tickets.indexOf(known.purchase_nft),
    distributors.indexOf(known.cashback_distributor),
  ];
  if (ofTickets < 0 || ofDistributors < 0) return undefined;
  const blocks = [...tickets.slice(0, ofTickets), ...distributors.slice(0, ofDistributors)].map(
    (address) => source.successorBlocks?.[address],
  );
  return blocks.every((block) => block !== undefined) ? Math.min(...blocks) : undefined;
}

/** Deletes the whole index; the next run reads the chain again. */
export async function emptyIndex({ kysely }: Database, lease: Lease): Promise<void> {
  await inTransaction(kysely, async (transaction) => {
    await assertLease(transaction, lease);
    await empty(transaction);
  });
}

async function empty(transaction: Transaction<Schema>): Promise<void> {
  for (const table of ["chain_cursor", "chain_events", "contract_events", "chain_blocks", "nfts", "payouts"] as const) {
    await transaction.deleteFrom(table).execute();
  }
  await countEmptied(transaction);
}

/**
 * Rolls back everything above `ancestor`: deletes the orphaned events and refolds the affected tokens. Without an
 * ancestor it empties the index.
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
    await rollBackTo(transaction, ancestor);
  });
}

/** To the highest kept block below this one. */
async function rollBackBelow(transaction: Transaction<Schema>, number: number): Promise<void> {
  const [ancestor] = await readStoredBlocks({ kysely: transaction }, { highest: number - 1, count: 1 });
  await rollBackTo(transaction, ancestor);
}

async function rollBackTo(transaction: Transaction<Schema>, ancestor: BlockId | undefined): Promise<void> {
  if (!ancestor) return empty(transaction);
  const orphaned = BigInt(ancestor.number);
  await sql`create temporary table touched_tokens as
      select distinct token_id from chain_events where block_number > ${sql.lit(ancestor.number)} and token_id is not null`.execute(
    transaction,
  );
  await transaction.deleteFrom("chain_events").where("block_number", ">", orphaned).execute();
  await transaction.deleteFrom("contract_events").where("block_number", ">", orphaned).execute();
  await refoldTouched(transaction);
  await sql`drop table touched_tokens`.execute(transaction);
  await transaction.deleteFrom("chain_blocks").where("number", ">", orphaned).execute();
  await transaction
    .updateTable("chain_cursor")
    .set({ block_number: orphaned, block_hash: ancestor.hash })
    .where("id", "=", 1n)
    .execute();
}

async function assertCursor(transaction: Transaction<Schema>, cursor: BlockId): Promise<void> {
  const row = await transaction.selectFrom("chain_cursor").selectAll().where("id", "=", 1n).executeTakeFirst();
  if (row?.block_hash === cursor.hash && row.block_number === BigInt(cursor.number)) return;
  throw new CursorMovedError(`The cursor is no longer at block ${cursor.number}`);
}

/** In batches of tokens, so that a deep rollback needs no more memory than a small one. */
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
  await countChange(transaction, { tokenIds, payoutIds: tokenIds }, () => foldAgain(transaction, tokenIds));
}

async function foldAgain(transaction: Transaction<Schema>, tokenIds: bigint[]): Promise<Iterable<Payout>> {
  await transaction.deleteFrom("nfts").where("token_id", "in", tokenIds).execute();
  await transaction.deleteFrom("payouts").where("token_id", "in", tokenIds).execute();
  const { events, timestamps } = await readEventsOf(transaction, tokenIds);
  const { nfts, payouts } = fold(events, timestamps);
  for (const nft of nfts.values()) await transaction.insertInto("nfts").values(nftRow(nft)).execute();
  for (const payout of payouts.values()) await transaction.insertInto("payouts").values(payoutRow(payout)).execute();
  return payouts.values();
}

/** All stored events of these tokens in the chain's order, with their blocks' times in seconds. */
export async function readEventsOf(
  queries: Queries,
  tokenIds: readonly bigint[],
): Promise<{ events: ChainEvent[]; timestamps: Map<number, number> }> {
  const rows = await queries
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
    ...contentOf(row.kind, row.token_id ?? 0n, row.arguments, row.wei_per_cent),
  }));
  return { events, timestamps: new Map(rows.map((row) => [Number(row.block_number), Number(row.timestamp)])) };
}

/** Every token with an event or a row, in order, one page at a time. */
export async function readTokenIds(
  { kysely }: Database,
  { after, count }: { after: bigint; count: number },
): Promise<bigint[]> {
  const page = (table: "chain_events" | "nfts" | "payouts") =>
    kysely
      .selectFrom(table)
      .select("token_id")
      .distinct()
      .where("token_id", ">", after)
      .orderBy("token_id")
      .limit(count)
      .execute();
  const rows = (await Promise.all([page("chain_events"), page("nfts"), page("payouts")])).flat();
  const ids = [...new Set(rows.map((row) => row.token_id ?? 0n))];
  return ids.sort((a, b) => (a < b ? -1 : 1)).slice(0, count);
}
