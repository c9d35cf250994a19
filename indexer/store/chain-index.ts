import { type Insertable, type Selectable, sql, type Transaction } from "kysely";
import { distributorsOf, ticketContractsOf } from "../../core/chain/deployment.ts";
import { among } from "../../core/database/among.ts";
import type { Database } from "../../core/database/connect.ts";
import { addToDay, dayOf } from "../../core/database/day-totals.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { assertLease, type Lease } from "../../core/process/lease.ts";
import { makeAllDue } from "../../core/purchases/due.ts";
import { countFanPayments, forgetOpenMonths } from "../../core/purchases/fan-figures.ts";
import { recountPurchases } from "../../core/purchases/purchase-rows.ts";
import { addToShop, GWEI_PER_CHZ } from "../../core/purchases/shop-totals.ts";
import { keysOf } from "../../core/rules/records.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Source } from "../chain-node.ts";
import type { ChainEvent, EventContent } from "../events.ts";
import { type Changes, fold, type Nft, type Payout } from "../fold.ts";
import { type BlockId, CursorMovedError } from "./index-store.ts";

const TOKENS_PER_STATEMENT = 500;

/** The last indexed block; undefined if nothing is indexed yet. */
export async function readCursor({ kysely }: Database): Promise<BlockId | undefined> {
  const row = await kysely.selectFrom("chain_cursor").selectAll().where("id", "=", 1n).executeTakeFirst();
  return row && { number: Number(row.block_number), hash: row.block_hash };
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
    else {
      const [ancestor] = await readStoredBlocks({ kysely: transaction }, { highest: successorBlock - 1, count: 1 });
      await rollBackTo(transaction, ancestor);
    }
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
    await countChange(transaction, { tokenIds, payoutIds: tokenIds }, () => foldAgain(transaction, tokenIds));
  }
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

export function nftRow(nft: Nft): Insertable<Schema["nfts"]> {
  const optional = (value: number | null) => (value === null ? null : BigInt(value));
  return {
    token_id: nft.tokenId,
    owner: nft.owner,
    store_id: BigInt(nft.storeId),
    value_cents: BigInt(nft.valueCents),
    cashback_bps: BigInt(nft.cashbackBps),
    bonus_bps: BigInt(nft.bonusBps),
    sale_ref: nft.saleRef,
    contract: nft.contract,
    status: BigInt(nft.status),
    mint_transaction: nft.mintTransaction,
    minted_block: BigInt(nft.mintedBlock),
    minted_at: BigInt(nft.mintedAtMs),
    status_transaction: nft.statusTransaction,
    status_block: optional(nft.statusBlock),
    status_at: optional(nft.statusAtMs),
    burnt_transaction: nft.burntTransaction,
    burnt_at: optional(nft.burntAtMs),
  };
}

export function payoutRow(payout: Payout): Insertable<Schema["payouts"]> {
  return {
    token_id: payout.tokenId,
    recipient: payout.recipient,
    amount_gwei: payout.amountGwei,
    wei_per_cent: payout.weiPerCent,
    state: payout.state,
    transaction_hash: payout.transactionHash,
    block_number: BigInt(payout.blockNumber),
    log_index: BigInt(payout.logIndex),
    paid_at: BigInt(payout.paidAtMs),
  };
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

/** An event as it is stored: its arguments as JSON, integers as text, as explorers show them; beside them a payment's rate. */
export function storedForm(event: EventContent): { storedArguments: string; weiPerCent: bigint | null } {
  return { storedArguments: argumentsOf(event), weiPerCent: "weiPerCent" in event ? event.weiPerCent : null };
}

function argumentsOf(event: EventContent): string {
  switch (event.kind) {
    case "PurchaseMinted": {
      const contract = event.contract === undefined ? "" : `,"contract":"${event.contract}"`;
      return `{"buyer":"${event.buyer}","storeId":"${event.storeId}","valueCents":"${event.valueCents}","cashbackBps":"${event.cashbackBps}","bonusBps":"${event.bonusBps}","saleRef":"${BigInt.asUintN(64, event.saleRef)}"${contract}}`;
    }
    case "StatusUpdated":
      return `{"to":"${event.to}"}`;
    case "Burnt":
      return `{"owner":"${event.owner}"}`;
    default:
      return `{"recipient":"${event.recipient}","amountWei":"${event.amountWei}"}`;
  }
}

/** Restores an event from its stored columns. */
export function contentOf(
  kind: string,
  tokenId: bigint,
  storedArguments: string,
  weiPerCent: bigint | null,
): EventContent {
  const stored: Record<string, string> = JSON.parse(storedArguments);
  const address = (name: string): WalletAddress => `0x${(stored[name] ?? "").slice(2)}`;
  const number = (name: string) => Number(stored[name]);
  switch (kind) {
    case "PurchaseMinted": {
      const numbers = { storeId: number("storeId"), valueCents: number("valueCents") };
      const percents = { cashbackBps: number("cashbackBps"), bonusBps: number("bonusBps") };
      const saleRef = BigInt.asIntN(64, BigInt(stored.saleRef ?? 0));
      const contract = stored.contract === undefined ? {} : { contract: address("contract") };
      return {
        kind: "PurchaseMinted",
        tokenId,
        buyer: address("buyer"),
        ...numbers,
        ...percents,
        saleRef,
        ...contract,
      };
    }
    case "StatusUpdated":
      return { kind: "StatusUpdated", tokenId, to: number("to") };
    case "Burnt":
      return { kind: "Burnt", tokenId, owner: address("owner") };
    case "CashbackPaid":
    case "CashbackDeferred": {
      const paid = { tokenId, recipient: address("recipient"), amountWei: BigInt(stored.amountWei ?? 0), weiPerCent };
      return { kind, ...paid };
    }
    default:
      throw new Error(`The index has an event of the unknown kind ${kind}`);
  }
}

// What counts with a change -----------------------------------------------------------------------------------------------

/**
 * Applies the events of some blocks to the tokens and payouts, and to all that counts them.
 * @param timestamps Seconds, by block number; must contain the block of every event.
 * @param write Returns the payouts that it wrote: all that the changed ids have then.
 */
export async function applyEvents(
  queries: Queries,
  events: readonly ChainEvent[],
  timestamps: ReadonlyMap<number, number>,
  write: (changes: Changes) => Promise<Iterable<Payout>> | Iterable<Payout>,
): Promise<void> {
  const changes = fold(events, timestamps);
  const { nfts, statuses, ends, payouts } = changes;
  const tokenIds = [...nfts.keys(), ...statuses.keys(), ...ends.keys()];
  await countChange(queries, { tokenIds, payoutIds: [...payouts.keys()] }, () => write(changes));
}

/** The columns of a payout that the totals include. */
type CountedPayout = Pick<Payout, "state" | "amountGwei" | "paidAtMs">;

/**
 * Runs a change of tokens and payouts and updates the counts it affects, in the same transaction.
 * @param change Returns all payouts that the changed ids have after it, so that they need not be read again.
 */
export async function countChange(
  queries: Queries,
  changed: { tokenIds: readonly bigint[]; payoutIds: readonly bigint[] },
  change: () => Promise<Iterable<CountedPayout>> | Iterable<CountedPayout>,
): Promise<void> {
  const before = sumOf(await readPayouts(queries, changed.payoutIds));
  const after = sumOf(await change());
  const [paid, deferred] = [after.paid - before.paid, after.deferred - before.deferred];
  await addToShop(queries, {
    payouts_paid_chz: paid / GWEI_PER_CHZ,
    payouts_paid_gwei: paid % GWEI_PER_CHZ,
    payouts_deferred_chz: deferred / GWEI_PER_CHZ,
    payouts_deferred_gwei: deferred % GWEI_PER_CHZ,
  });
  await addToDays(queries, before.days, after.days);
  await recountPurchases(queries, [...new Set([...changed.tokenIds, ...changed.payoutIds])]);
  await countFanPayments(queries, changed.payoutIds);
}

/** The whole index was deleted. All purchases become due at once; their sums are updated as they are processed. */
export async function countEmptied(queries: Queries): Promise<void> {
  await queries.deleteFrom("shop_totals").where("name", "like", "payouts_%").execute();
  await queries.deleteFrom("day_totals").where("name", "in", ["payouts", "paid_gwei"]).execute();
  await forgetOpenMonths(queries);
  await makeAllDue(queries);
}

type Day = { payouts: bigint; paid_gwei: bigint };
const NO_PAYOUTS: Day = { payouts: 0n, paid_gwei: 0n };
type Sums = Record<"paid" | "deferred", bigint> & { days: Map<bigint, Day> };

async function readPayouts(queries: Queries, ids: readonly bigint[]): Promise<CountedPayout[]> {
  if (ids.length === 0) return [];
  const rows = await queries
    .selectFrom("payouts")
    .select(["state", "amount_gwei", "paid_at"])
    .where(among(queries, "token_id", ids))
    .execute();
  return rows.map((row) => ({ state: row.state, amountGwei: row.amount_gwei, paidAtMs: Number(row.paid_at) }));
}

function sumOf(payouts: Iterable<CountedPayout>): Sums {
  const sums: Sums = { paid: 0n, deferred: 0n, days: new Map() };
  for (const { state, amountGwei, paidAtMs } of payouts) {
    sums[state] += amountGwei;
    if (state !== "paid") continue;
    const day = dayOf(BigInt(paidAtMs));
    const known = sums.days.get(day) ?? NO_PAYOUTS;
    sums.days.set(day, { payouts: known.payouts + 1n, paid_gwei: known.paid_gwei + amountGwei });
  }
  return sums;
}

/** Adds the difference to the daily figures, in the order in which every writer locks them. */
async function addToDays(queries: Queries, before: Sums["days"], after: Sums["days"]): Promise<void> {
  const days = [...new Set([...before.keys(), ...after.keys()])].sort((one, other) => Number(one - other));
  for (const day of days) {
    const was = before.get(day) ?? NO_PAYOUTS;
    const is = after.get(day) ?? NO_PAYOUTS;
    await addToDay(queries, day, { payouts: is.payouts - was.payouts, paid_gwei: is.paid_gwei - was.paid_gwei });
  }
}
