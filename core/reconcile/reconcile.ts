import { setTimeout as delay } from "node:timers/promises";
import { BaseError } from "viem";
import { type Contracts, distributorsOf } from "../chain/deployment.ts";
import { indexedBlock } from "../database/chain-cursor.ts";
import type { Database } from "../database/connect.ts";
import { requestedSecondRead, requestSecondRead } from "../database/second-read.ts";
import { writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { INDEXER_LEASE, isHeld } from "../process/lease.ts";
import type { ChainClient } from "../process/rpc/chain-client.ts";
import { RpcError } from "../process/rpc/json-rpc.ts";
import { chzTextFromWei } from "../rules/money.ts";
import type { PauseCause } from "../rules/pause-cause.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import { shortMessageOf } from "../rules/unknown-error.ts";
import {
  explainNonces,
  type ForeignTransaction,
  listForeign,
  listLost,
  type WatchedKey,
} from "../sender/foreign-transactions.ts";
import { assertMinedIsCounted } from "../sender/head-reader.ts";
import { compareTokens, IDS_PER_CALL, type IdPages, type Unclaimed } from "./compare-tokens.ts";
import { type Flows, readFlows } from "./distributor-flows.ts";
import { highestFinalNonce, sumPayouts } from "./ledger.ts";
import { everything, nextScope, type Scope } from "./scope.ts";

export type ReconcileOptions = {
  database: Database;
  client: ChainClient;
  contracts: Contracts;
  keys: readonly WatchedKey[];
  /** The first block that can contain an event of the distributor. */
  startBlock: bigint;
  /**
   * The interval between runs. A run compares what changed since the last one, plus a slice of the rest, so that
   * everything is compared once a day. Undefined: everything at once.
   */
  everySeconds?: number;
  /** Approximate maximum of calls to the node; the rest is compared in later runs, so a full round takes longer. */
  calls?: number;
};

/** `shortfall`: the distributor holds less CHZ than it should. `contradiction`: any other difference. */
export type Difference = {
  kind: "shortfall" | "contradiction";
  text: string;
  /** The token or purchase concerned; undefined for balances and nonces. */
  tokenId?: bigint | undefined;
};

export type Reconciliation =
  /** The comparison is missing or incomplete. */
  | { outcome: "cannot say"; reason: string }
  | {
      outcome: "agree" | "surplus" | "shortfall" | "contradiction";
      block: bigint;
      tokens: number;
      unclaimed: Unclaimed;
      differences: Difference[];
      /**
       * CHZ in the distributor above what it should hold: someone forced it in. It belongs to nobody and does no harm.
       */
      surplusWei: bigint;
      /** Transactions of other programs with our keys that have not been accepted. */
      foreign: ForeignTransaction[];
      /** Calls of ours that the database does not know; until `npm run restored`. */
      lost: ForeignTransaction[];
    };
type Compared = Exclude<Reconciliation, { outcome: "cannot say" }>;

/** Why payouts are paused after a comparison; undefined if they are not. Only differences pause them. */
export function pausingReason(reconciliation: Reconciliation): PauseCause | undefined {
  if (reconciliation.outcome === "cannot say") return undefined;
  const [first] = reconciliation.differences;
  return first && { code: "differences", detail: first.text };
}

/** An index this far behind the head is not complete. */
const BEHIND_BLOCKS = 20n;

/**
 * Compares the database with the chain at the last indexed block: every token, every status, every paid bit, the
 * distributor's balance and the nonces of every key. Lists every difference and repairs none. A difference counts only
 * if two comparisons find it and the indexer has reread the chain in between: the chain advances meanwhile, and a node
 * may be temporarily wrong or have omitted an event when the index was written.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  try {
    const before = await findGap(options);
    if (before) return { outcome: "cannot say", reason: before };
    const scope = await scopeOf(options);
    const first = await compare(options, scope);
    const unread = await readAgain(options, first.differences);
    if (unread) return { outcome: "cannot say", reason: unread };
    await scope.remember();
    await writeSetting(options.database.kysely, "reconciled_at", String(Date.now()));
    if (first.differences.length === 0) return first;
    const second = await compare(options, scope);
    const found = new Set(first.differences.map((one) => one.text));
    const differences = second.differences.filter((one) => found.has(one.text));
    return { ...second, differences, outcome: outcomeOf(differences, second.surplusWei) };
  } catch (error) {
    if (!(error instanceof BaseError) && !(error instanceof RpcError)) throw error;
    return { outcome: "cannot say", reason: `The chain does not answer: ${shortMessageOf(error)}` };
  }
}

/** Why the index cannot be compared with the chain; undefined if it ends at most so many blocks behind its head. */
export async function findGap(
  { database, client, contracts }: ReconcileOptions,
  behindBlocks = BEHIND_BLOCKS,
): Promise<string | undefined> {
  const { kysely } = database;
  const source = await kysely.selectFrom("chain_source").selectAll().executeTakeFirst();
  const cursor = await indexedBlock(kysely);
  if (!source || cursor === undefined) return "The index is empty: start the indexer";
  const isOfContracts =
    source.purchase_nft === contracts.purchaseNft && source.cashback_distributor === contracts.cashbackDistributor;
  if (!isOfContracts) return "The index is of other contracts: start the indexer with these";
  const head = await client.getBlockNumber();
  if (head <= cursor + behindBlocks) return undefined;
  return `The index is not complete: it ends at block ${cursor}, the chain at ${head}`;
}

/** How long a comparison waits for the second read it requested. */
const SECOND_READ_MS = 30_000;
const LOOK_MS = 100;

/** Asks a running indexer to reread blocks where the index may be wrong; returns why that has not finished yet. */
async function readAgain(
  { database }: ReconcileOptions,
  differences: readonly Difference[],
): Promise<string | undefined> {
  const { kysely } = database;
  const ofIndex = differences.filter((one) => one.kind === "shortfall" || one.tokenId !== undefined);
  if (ofIndex.length === 0 || !(await isHeld(database, INDEXER_LEASE))) return undefined;
  const tokenIds = ofIndex.flatMap((one) => one.tokenId ?? []).slice(0, IDS_PER_CALL);
  const { from } = await requestSecondRead(kysely, await blockToReadFrom(kysely, tokenIds));
  const deadline = performance.now() + SECOND_READ_MS;
  while (await requestedSecondRead(kysely)) {
    if (performance.now() > deadline)
      return `The indexer reads the chain again from block ${from}: ${ofIndex[0]?.text}`;
    await delay(LOOK_MS);
  }
  return undefined;
}

/** A token's events are never before its mint; a token that the index lacks is assumed to be this recent. */
const AT_LEAST_BLOCKS = 1_024n;

/**
 * The block from which a second read finds everything the index lacks about these tokens; covers at least the newest
 * blocks.
 */
async function blockToReadFrom(queries: Queries, tokenIds: readonly bigint[]): Promise<number> {
  const cursor = (await indexedBlock(queries)) ?? 0n;
  const newest = cursor > AT_LEAST_BLOCKS ? cursor - AT_LEAST_BLOCKS : 0n;
  const { first } = await queries
    .selectFrom("nfts")
    .select(({ fn }) => fn.min("minted_block").as("first"))
    .where("token_id", "in", tokenIds.length > 0 ? tokenIds : [0n])
    .executeTakeFirstOrThrow();
  return Number(first !== null && first < newest ? first : newest);
}

async function scopeOf(options: ReconcileOptions): Promise<Pick<Scope, "remember"> & { pages: () => IdPages }> {
  if (options.everySeconds === undefined) return { pages: () => everything(options), remember: async () => {} };
  const block = (await indexedBlock(options.database.kysely)) ?? 0n;
  const { pages, remember } = await nextScope(options, block, options.everySeconds);
  return { pages: () => pages, remember };
}

async function compare(options: ReconcileOptions, { pages }: { pages: () => IdPages }): Promise<Compared> {
  const block = (await indexedBlock(options.database.kysely)) ?? 0n;
  const { tokens, unclaimed, differences: ofTokens } = await compareTokens(options, block, pages());
  const ofNonces: string[] = [];
  for (const key of options.keys) ofNonces.push(...(await compareNonces(options, key)));
  const contradictions = [...ofTokens, ...ofNonces.map((text) => ({ text }))].map(
    (one): Difference => ({ kind: "contradiction", ...one }),
  );
  const missingWei = await compareBalance(options, block);
  const differences = missingWei > 0n ? [...contradictions, shortfall(missingWei)] : contradictions;
  const surplusWei = missingWei < 0n ? -missingWei : 0n;
  for (const key of options.keys) await explainNonces({ ...options, key });
  return {
    outcome: outcomeOf(differences, surplusWei),
    block,
    tokens,
    unclaimed,
    differences,
    surplusWei,
    foreign: await listForeign(options.database.kysely, options.keys),
    lost: await listLost(options.database.kysely, options.keys),
  };
}

function outcomeOf(differences: readonly Difference[], surplusWei: bigint): Compared["outcome"] {
  if (differences.some((one) => one.kind === "shortfall")) return "shortfall";
  if (differences.length > 0) return "contradiction";
  return surplusWei > 0n ? "surplus" : "agree";
}

function shortfall(missingWei: bigint): Difference {
  const text = `The distributor holds ${chzTextFromWei(missingWei)} CHZ less than funded − paid − swept − withdrawn says`;
  return { kind: "shortfall", text };
}

/** How much CHZ the distributor lacks; negative if it holds more than it should. */
async function compareBalance(options: ReconcileOptions, blockNumber: bigint): Promise<bigint> {
  const { client, contracts, database } = options;
  const { paidGwei } = await sumPayouts(database.kysely, blockNumber);
  const balances = await Promise.all(
    distributorsOf(contracts).map((address) => client.getBalance({ address, blockNumber })),
  );
  const balance = balances.reduce((sum, one) => sum + one, 0n);
  const missing = (flows: Flows) =>
    flows.fundedWei - flows.sweptWei - flows.withdrawnWei - paidGwei * WEI_PER_GWEI - balance;
  const missingWei = missing(await readFlows(options, blockNumber));
  if (missingWei === 0n || missingWei === checkedMissingWei) return missingWei;
  checkedMissingWei = missing(await readFlows(options, blockNumber, { isFresh: true }));
  return checkedMissingWei;
}

/** The last difference confirmed by summing from the first block; a surplus is permanent and is confirmed once. */
let checkedMissingWei: bigint | undefined;

/** Transactions that are not final may disappear; final ones are counted by the chain. */
async function compareNonces({ database, client }: ReconcileOptions, { name, address }: WatchedKey): Promise<string[]> {
  const highest = await highestFinalNonce(database.kysely, address);
  if (highest === undefined) return [];
  const count = await client.onOneNode(async (node) => {
    const number = await node.getBlockNumber();
    const nonce = BigInt(await node.getTransactionCount({ address, blockNumber: number }));
    await assertMinedIsCounted(node, database.kysely, { wallet: address, number, nonce });
    return nonce;
  });
  if (count > highest) return [];
  return [`The chain has ${count} transactions of the ${name}, but nonce ${highest} counts as final here`];
}
