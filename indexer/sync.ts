import { setTimeout as delay } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { ContradictionError } from "../core/process/rpc/node-proof.ts";
import { refuseWrongContracts } from "../core/process/rpc/refuse-wrong-contracts.ts";
import { Audit } from "./audit.ts";
import { backfill, RangeSizer } from "./backfill.ts";
import { type Block, type Bloom, type ChainNode, NotLinkedError, openBloom, readLinked } from "./chain-node.ts";
import type { Context } from "./context.ts";
import type { HeadWatcher, NextHead } from "./head-watcher.ts";
import { adoptSource, emptyIndex, isAdopted, readCursor, readStoredBlocks, rollBack } from "./store/chain-index.ts";
import { type BlockId, type Chunk, CursorMovedError, KEPT_BLOCKS } from "./store/index-store.ts";
import { Watchman } from "./watchman.ts";

const PAUSE_AFTER_FAILURE_MS = 200;
/** How many requests for logs make up one commit while new blocks are read. */
const REQUESTS_AT_ONCE = 3;
/** Reading this many events leaves about 15 MB of garbage; a collection takes about 15 ms. */
const EVENTS_PER_COLLECTION = 15_000;
/** Runs a garbage collection (a few milliseconds). Undefined without V8's flag `--expose-gc`, which `main.ts` sets. */
const collectGarbage: (() => void) | undefined = runInNewContext("globalThis.gc");

export type SyncParameters = {
  heads: HeadWatcher;
  /** Deletes the index first, and returns once it is complete again. */
  reset: boolean;
};

/** Follows the chain until the signal aborts: the backfill first, then every new block. */
export async function sync(context: Context, { heads, reset }: SyncParameters): Promise<void> {
  const { database, lease, source, log, signal } = context;
  if (reset || !(await isAdopted(database, source))) await refuseWrongSource(context);
  if (reset) await emptyIndex(database, lease);
  const adopted = await adoptSource(database, lease, source);
  if (adopted === "emptied") {
    log.warn({ source }, "The contracts, the chain or the start block changed: rebuilding the index");
  } else if (adopted === "rolled back") {
    log.info({ source }, "A successor was configured: rereading the chain from its first block");
  }
  const follower = new Follower(context, await readCursor(database));
  for (let next: NextHead = { isDue: true, block: undefined }; !signal.aborted; ) {
    try {
      if (next.isDue) heads.looked({ hasFound: await follower.catchUp(next.block) });
      await follower.watch();
      if (reset) return;
      await follower.audit();
      next = await heads.next(signal, follower.msUntilMore);
    } catch (error) {
      if (signal.aborted) return;
      next = { isDue: true, block: undefined };
      await follower.recover(error);
    }
  }
}

/** Before the index is emptied for them. Waits until a node answers. @throws EnvironmentError */
async function refuseWrongSource({ nodes, source, signal }: Context): Promise<void> {
  while (!signal.aborted) {
    try {
      return await refuseWrongContracts(nodes, source);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      await delay(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => {});
    }
  }
}

class Follower {
  readonly #context: Context;
  readonly #sizer = new RangeSizer();
  #cursor: BlockId | undefined;
  #bloom: Bloom | undefined;
  /** The newest block when this process began. */
  #firstHead: number | undefined;
  /** Events that were read so far, and since the last garbage collection. */
  #events = 0;
  #uncollected = 0;
  readonly #audit: Audit;
  readonly #watchman: Watchman;

  constructor(context: Context, cursor: BlockId | undefined) {
    this.#context = context;
    this.#audit = new Audit(context);
    this.#watchman = new Watchman(context);
    this.#cursor = cursor;
    context.status.cursor = cursor?.number;
  }

  /** Reads up to the newest block. `announced` is that block if a node has just sent it. Returns whether any was new. */
  async catchUp(announced: Block | undefined): Promise<boolean> {
    const { nodes, status, signal, blockMs } = this.#context;
    const follows = announced && announced.parentHash === this.#cursor?.hash;
    if (follows) {
      await this.#readNew(announced);
      return true;
    }
    for (let hasFound = false; ; hasFound = true) {
      if (signal.aborted) return hasFound;
      const askedAt = performance.now();
      const head = await nodes.ask((node) => this.#alignWith(node));
      this.#sawHead(head);
      const first = this.#cursor ? this.#cursor.number + 1 : this.#context.source.startBlock;
      if (first > head.number) {
        if (this.#cursor === undefined || this.#cursor.number === head.number) status.state = "live";
        return hasFound;
      }
      const linkedFrom = head.number - KEPT_BLOCKS + 1;
      if (first < linkedFrom) {
        if (status.state !== "rebuilding") status.state = "backfill";
        for await (const part of backfill(this.#context, this.#sizer, { from: first, to: linkedFrom - 1 })) {
          await this.#commit({ previous: this.#cursor, ...part });
        }
      } else {
        await this.#readNew(head);
        // Another block so soon is found by the next look.
        if (this.#cursor?.number === head.number && performance.now() - askedAt < blockMs / 2) return true;
      }
    }
  }

  /** The node's newest block, once the index is on the same chain. */
  async #alignWith(node: ChainNode): Promise<Block> {
    const head = await node.head();
    const cursor = this.#cursor;
    if (cursor && head.hash !== cursor.hash && head.parentHash !== cursor.hash) {
      if (!(await isStillCanonical(this.#context, node, cursor, head))) {
        this.#cursor = await returnToChain(this.#context, node, cursor);
      }
    }
    return head;
  }

  async #readNew(head: Block): Promise<void> {
    const { nodes, source, status } = this.#context;
    // No bloom check right after a backfill: loading it takes time, and the audit rereads these blocks anyway.
    if (status.state !== "backfill") this.#bloom ??= await openBloom();
    const bloom = this.#bloom;
    this.#sawHead(head);
    const from = this.#cursor ? this.#cursor.number + 1 : source.startBlock;
    const blocksPerRequest = this.#sizer.size;
    const to = Math.min(head.number, from + Math.min(KEPT_BLOCKS, REQUESTS_AT_ONCE * blocksPerRequest) - 1);
    const chunk = await nodes.ask((node) =>
      readLinked(this.#context, node, bloom, { previous: this.#cursor, from, to, head, blocksPerRequest }),
    );
    await this.#commit(chunk);
    if (to === head.number) status.state = "live";
    this.#sawHead(head);
  }

  /** Writes a chunk, moves the cursor there, and reports it. */
  async #commit(chunk: Chunk): Promise<void> {
    const { nodes, writer, metrics, status, progress, source } = this.#context;
    const started = performance.now();
    // The first block is always kept: it distinguishes a node that is far behind from a new chain.
    const [genesis] = chunk.previous ? [] : await nodes.ask((node) => node.blocks([0]));
    const isNew = genesis && !chunk.blocks.some((block) => block.number === 0);
    await writer.commit(isNew ? { ...chunk, blocks: [genesis, ...chunk.blocks] } : chunk);
    this.#cursor = chunk.cursor;
    const { number } = chunk.cursor;
    metrics.count("blocks", number - (chunk.previous?.number ?? source.startBlock - 1));
    metrics.count("events", chunk.events.length);
    metrics.observe("commit_duration_seconds", (performance.now() - started) / 1_000);
    metrics.set("cursor_block", number);
    this.#events += chunk.events.length;
    this.#uncollected += chunk.events.length;
    if (this.#uncollected >= EVENTS_PER_COLLECTION) {
      this.#uncollected = 0;
      collectGarbage?.();
    }
    status.cursor = number;
    if (chunk.contractEvents.length > 0) status.mayHaveActs = true;
    if (status.state !== "live" && status.head !== undefined) {
      const [blocks, ofBlocks] = [number - source.startBlock + 1, status.head - source.startBlock + 1];
      progress.update({ blocks, ofBlocks, events: this.#events });
    }
    status.cursorTimestamp = chunk.blocks.at(-1)?.timestamp ?? status.cursorTimestamp;
  }

  /** Between two blocks: audits a range of the chain and repairs what is indexed wrongly. */
  async audit(): Promise<void> {
    if (!this.#cursor || this.#watchman.isReading || this.#context.signal.aborted) return;
    this.#bloom ??= await openBloom();
    const wrong = await this.#audit.step(this.#bloom, this.#cursor);
    if (wrong === undefined) return;
    this.#cursor = await readAgainFrom(this.#context, this.#cursor, wrong);
    await this.catchUp(undefined);
  }

  /** Tells who used a cold key. */
  watch(): Promise<void> {
    return this.#watchman.look(this.#cursor, this.#firstHead);
  }

  /** How long there is nothing to do but to wait for new blocks. */
  get msUntilMore(): number {
    return this.#watchman.isReading ? 0 : this.#audit.msUntilStep;
  }

  #sawHead(head: Block): void {
    const { status, metrics } = this.#context;
    status.head = head.number;
    this.#firstHead ??= head.number;
    status.headTimestamp = head.timestamp;
    status.headSeenAt = performance.now();
    const behind = Math.max(0, head.number - (this.#cursor?.number ?? head.number));
    metrics.set("head_block", head.number);
    metrics.set("head_timestamp_seconds", head.timestamp);
    metrics.set("head_lag_blocks", behind);
    metrics.set("head_lag_seconds", behind === 0 ? 0 : Math.max(0, head.timestamp - (status.cursorTimestamp ?? 0)));
  }

  /** After a failure: continues from the state in the database. Rethrows what is not temporary. */
  async recover(error: unknown): Promise<void> {
    const { log, database, signal } = this.#context;
    if (error instanceof NotLinkedError) {
      // The next round finds the common ancestor.
      log.debug({ reason: error.message }, "A block does not follow the last indexed one");
    } else if (error instanceof RpcError) {
      if (error.failure === "too-large") this.#sizer.refused(this.#sizer.size, error.message);
      log.warn({ failure: error.failure, reason: error.message }, "The chain could not be read; retrying");
    } else if (error instanceof CursorMovedError) {
      log.warn({ reason: error.message }, "Continuing from the state in the database");
    } else {
      throw error;
    }
    this.#cursor = await readCursor(database);
    await delay(PAUSE_AFTER_FAILURE_MS, undefined, { signal }).catch(() => {});
  }
}

// Reorgs ----------------------------------------------------------------------------------------------------------------

const COMPARED_AT_ONCE = 100;

/**
 * Whether the chain still contains the indexed blocks, according to this node. A node whose newest block is below the
 * cursor but matches the index at that height is only behind.
 */
async function isStillCanonical(
  { database }: Context,
  node: ChainNode,
  cursor: BlockId,
  head: Block,
): Promise<boolean> {
  if (head.number >= cursor.number) {
    const [block] = await node.blocksWhereKnown([cursor.number]);
    return block?.hash === cursor.hash;
  }
  const [nearest] = await readStoredBlocks(database, { highest: head.number, count: 1 });
  if (nearest?.number === head.number) return nearest.hash === head.hash;
  // No hash is kept this low: it is another chain, unless none of our events are on it yet.
  if (!nearest) return false;
  const [block] = await node.blocksWhereKnown([nearest.number]);
  return block?.hash === nearest.hash;
}

/** Rolls back to before a wrongly indexed block, so that it is reread. Returns the new cursor. */
async function readAgainFrom(context: Context, cursor: BlockId, wrong: number): Promise<BlockId | undefined> {
  const { database, lease, source, status } = context;
  const [below] = await readStoredBlocks(database, { highest: wrong - 1, count: 1 });
  const ancestor = below && below.number >= source.startBlock ? below : undefined;
  await rollBack(database, lease, cursor, ancestor);
  status.cursor = ancestor?.number;
  return ancestor;
}

/**
 * Rolls the index back to the highest kept block that is still on the chain, and returns it; undefined if none is left.
 * Asks the other nodes first: if only this node sees another chain, the node is set aside and nothing changes.
 * @throws RpcError if the node's responses contradict each other, ContradictionError if it is of another chain
 */
async function returnToChain(context: Context, node: ChainNode, cursor: BlockId): Promise<BlockId | undefined> {
  const { database, lease, nodes, metrics, log, status } = context;
  const reason = `${node.name} disagrees with the other nodes on block ${cursor.number}`;
  const isOverruled = await nodes.overrule(node, reason, async (other) => {
    return (await other.blocksWhereKnown([cursor.number]))[0]?.hash === cursor.hash;
  });
  if (isOverruled) return cursor;
  const match = await findAncestor(context, node, cursor);
  // One wrong response could discard more than was orphaned, so two searches must agree.
  if ((await findAncestor(context, node, cursor))?.number !== match?.number) {
    throw new RpcError("inconsistent", `${node.name} returned two different chains`);
  }
  await assertOurChain(context, node, match);
  const ancestor = match && match.number >= context.source.startBlock ? match : undefined;
  const depth = cursor.number - (ancestor?.number ?? context.source.startBlock - 1);
  if (depth > KEPT_BLOCKS) status.state = "rebuilding";
  log.warn({ depth, from: cursor, to: ancestor ?? null }, "Reorg: rolling back");
  await rollBack(database, lease, cursor, ancestor);
  metrics.count("reorgs", 1);
  metrics.observe("reorg_depth_blocks", depth);
  status.cursor = ancestor?.number;
  return ancestor;
}

/** A reorg never goes below the witness block that every node must have; otherwise it is another chain. */
async function assertOurChain({ database, nodes }: Context, node: ChainNode, ancestor: BlockId | undefined) {
  const witness = await nodes.witness();
  if (!witness || (ancestor && ancestor.number >= witness.number)) return;
  // The index itself may come from another chain; then the rollback must be allowed.
  const [indexed] = await readStoredBlocks(database, { highest: witness.number, count: 1 });
  if (indexed?.number !== witness.number || indexed.hash !== witness.hash) return;
  throw new ContradictionError(
    "block",
    `The RPC ${node.name} is of another chain: it has another block ${witness.number}`,
  );
}

async function findAncestor({ database }: Context, node: ChainNode, cursor: BlockId): Promise<BlockId | undefined> {
  for (let highest = cursor.number; ; ) {
    const stored = await readStoredBlocks(database, { highest, count: COMPARED_AT_ONCE });
    const last = stored.at(-1);
    if (!last) return undefined;
    const blocks = await node.blocksWhereKnown(stored.map((block) => block.number));
    const match = stored.find((block, index) => blocks[index]?.hash === block.hash);
    if (match) return match;
    highest = last.number - 1;
  }
}
