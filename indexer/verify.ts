import { connect, type Database } from "../core/database/connect.ts";
import type { Logger } from "../core/process/log.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import type { NodePool } from "../core/process/rpc/node-pool.ts";
import { DatabaseChainMemory } from "../core/process/rpc/node-proof.ts";
import { keysOf } from "../core/rules/records.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import { RangeSizer } from "./backfill.ts";
import { type ChainNode, openBloom } from "./chain-node.ts";
import { compareRange, type Difference } from "./comparison.ts";
import type { IndexerEnvironment } from "./environment.ts";
import { fold, type Nft, type Payout } from "./fold.ts";
import { Metrics } from "./metrics.ts";
import { openNodes } from "./run-indexer.ts";
import { nftRow, payoutRow, readCursor, readEventsOf } from "./store/chain-index.ts";
import type { BlockId } from "./store/index-store.ts";

const TOKENS_AT_ONCE = 500;

export type VerifyParameters = {
  environment: IndexerEnvironment;
  log: Logger;
  signal: AbortSignal;
  report: (line: string) => void;
};

/** There is no index to compare with the chain. */
class EmptyIndexError extends TorcidaError {
  override readonly docs = "docs/indexer.md#running-it";
}

const BLOCKS_AT_ONCE = 100;
const RPC_TIMEOUT_MS = 20_000;

/**
 * Compares the index with the chain, block by block up to the cursor: events, kept block hashes, and the rows folded
 * from them. It is read-only, so it can be stopped at any time and run alongside an indexer.
 * @returns the number of differences
 * @throws EmptyIndexError
 */
export async function verify({ environment, log, signal, report }: VerifyParameters): Promise<number> {
  const { source, rpcUrls, databaseUrl } = environment;
  await using stack = new AsyncDisposableStack();
  const metrics = new Metrics();
  const database = await connect(databaseUrl, { mustExist: true });
  stack.defer(() => database.close());
  const memory = new DatabaseChainMemory(source.chainId, { database, mayWrite: false });
  const nodes = await openNodes({
    urls: rpcUrls,
    source,
    memory,
    timeoutMs: RPC_TIMEOUT_MS,
    metrics,
    log,
    lane: "check",
  });
  stack.defer(() => nodes.close());
  await nodes.refuseWrongChain();
  const cursor = await readCursor(database);
  if (!cursor) throw new EmptyIndexError(`Nothing is indexed in ${database.location} yet: there is nothing to compare`);
  let count = 0;
  const tell = (line: string) => {
    count += 1;
    report(line);
  };
  await verifyBlocks({ database, nodes, signal }, cursor.number, tell);
  await verifyEvents({ database, nodes, signal }, source.startBlock, cursor.number, tell);
  for await (const line of foldDifferences(database, signal)) tell(line);
  return count;
}

type Verifying = { database: Database; nodes: NodePool<ChainNode>; signal: AbortSignal };

async function verifyBlocks({ database, nodes, signal }: Verifying, to: number, tell: (line: string) => void) {
  for (let from = 0; from <= to && !signal.aborted; ) {
    const stored = await readStoredBlocksUp(database, { lowest: from, highest: to, count: BLOCKS_AT_ONCE });
    const last = stored.at(-1);
    if (!last) return;
    const blocks = await nodes.ask((node) => node.blocksWhereKnown(stored.map(({ number }) => number)));
    for (const [index, { number, hash }] of stored.entries()) {
      const onChain = blocks[index]?.hash;
      if (onChain !== hash) tell(`block ${number}: indexed as ${hash}, on the chain ${onChain ?? "not there"}`);
    }
    from = last.number + 1;
  }
}

async function verifyEvents(
  { database, nodes, signal }: Verifying,
  startBlock: number,
  to: number,
  tell: (line: string) => void,
) {
  const bloom = await openBloom();
  const sizer = new RangeSizer();
  for (let from = startBlock; from <= to && !signal.aborted; ) {
    const end = Math.min(to, from + sizer.size - 1);
    const started = performance.now();
    try {
      const range = { database, bloom, witness: await nodes.witness(), from, to: end };
      const { differences, logs } = await nodes.ask((node) => compareRange({ ...range, node }));
      sizer.answered({ blocks: end - from + 1, logs, durationMs: performance.now() - started });
      for (const difference of differences) tell(lineOf(difference));
      from = end + 1;
    } catch (error) {
      if (!(error instanceof RpcError) || error.failure !== "too-large" || end === from) throw error;
      sizer.refused(end - from + 1, error.message);
    }
  }
}

/** Kept blocks from `lowest` up. */
async function readStoredBlocksUp(
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

function lineOf({ blockNumber, logIndex, indexed, onChain }: Difference): string {
  const where = `block ${blockNumber}, log ${logIndex}`;
  if (indexed === undefined) return `${where}: missing ${onChain}`;
  if (onChain === undefined) return `${where}: not on the chain: ${indexed}`;
  return `${where}: indexed as ${indexed}, on the chain ${onChain}`;
}

/** One line for each ticket or payout that differs from a new fold of the stored events. */
export async function* foldDifferences(database: Database, signal: AbortSignal): AsyncGenerator<string> {
  for (let after = -1n; !signal.aborted; ) {
    const tokenIds = await readTokenIds(database, { after, count: TOKENS_AT_ONCE });
    const last = tokenIds.at(-1);
    if (last === undefined) return;
    after = last;
    const { kysely } = database;
    const { events, timestamps } = await readEventsOf(kysely, tokenIds);
    const { nfts, payouts } = fold(events, timestamps);
    const tickets = await kysely.selectFrom("nfts").selectAll().where("token_id", "in", tokenIds).execute();
    const paid = await kysely.selectFrom("payouts").selectAll().where("token_id", "in", tokenIds).execute();
    yield* differing("ticket", tickets, nfts, (nft: Nft) => nftRow(nft));
    yield* differing("payout", paid, payouts, (payout: Payout) => payoutRow(payout));
  }
}

function* differing<Folded, Row extends { token_id: bigint }>(
  what: string,
  rows: readonly Row[],
  folded: ReadonlyMap<bigint, Folded>,
  rowOf: (folded: Folded) => Row,
): Generator<string> {
  const stored = new Map(rows.map((row) => [row.token_id, row]));
  for (const [tokenId, one] of folded) {
    const wanted = rowOf(one);
    const row = stored.get(tokenId);
    if (!row) yield `${what} ${tokenId}: missing`;
    else {
      // 1.0.0 folds payouts without their rates.
      const isUnread = (column: keyof Row) => column === "wei_per_cent" && row[column] === null;
      const wrong = keysOf(wanted).filter((column) => row[column] !== wanted[column] && !isUnread(column));
      for (const column of wrong) {
        yield `${what} ${tokenId}: ${column} is ${row[column]}, its events say ${wanted[column]}`;
      }
    }
  }
  for (const tokenId of stored.keys()) if (!folded.has(tokenId)) yield `${what} ${tokenId}: without events`;
}

/** Every token with an event or a row, in order, one page at a time. */
async function readTokenIds(
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
