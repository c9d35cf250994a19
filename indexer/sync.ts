import { setTimeout as delay } from "node:timers/promises";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { refuseWrongContracts } from "../core/process/rpc/refuse-wrong-contracts.ts";
import { Audit } from "./audit.ts";
import { backfill } from "./backfill.ts";
import { type Bloom, openBloom } from "./bloom.ts";
import type { Block, ChainNode } from "./chain-node.ts";
import { commitChunk } from "./commit.ts";
import type { Context } from "./context.ts";
import type { HeadWatcher, NextHead } from "./head-watcher.ts";
import { NotLinkedError, readLinked } from "./linked-step.ts";
import { RangeSizer } from "./range-sizer.ts";
import { isStillCanonical, readAgainFrom, returnToChain } from "./reorg.ts";
import { adoptSource, emptyIndex, isAdopted, readCursor } from "./store/chain-index.ts";
import { type BlockId, CursorMovedError, KEPT_BLOCKS } from "./store/index-store.ts";

const PAUSE_AFTER_FAILURE_MS = 200;
/** How many requests for logs make up one commit while new blocks are read. */
const REQUESTS_AT_ONCE = 3;

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
    log.info({ source }, "A successor distributor was configured: rereading the chain from its first block");
  }
  const follower = new Follower(context, await readCursor(database));
  for (let next: NextHead = { isDue: true, block: undefined }; !signal.aborted; ) {
    try {
      if (next.isDue) heads.looked({ hasFound: await follower.catchUp(next.block) });
      if (reset) return;
      await follower.audit();
      next = await heads.next(signal, follower.msUntilAudit);
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
  readonly #audit: Audit;

  constructor(context: Context, cursor: BlockId | undefined) {
    this.#context = context;
    this.#audit = new Audit(context);
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
        this.#cursor = await backfill(this.#context, this.#sizer, { cursor: this.#cursor, to: linkedFrom - 1 });
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
    this.#cursor = await commitChunk(this.#context, chunk);
    if (to === head.number) {
      status.state = "live";
      this.#context.progress.stop();
    }
    this.#sawHead(head);
  }

  /** Between two blocks: audits a range of the chain and repairs what is indexed wrongly. */
  async audit(): Promise<void> {
    if (!this.#cursor || this.#context.signal.aborted) return;
    this.#bloom ??= await openBloom();
    const wrong = await this.#audit.step(this.#bloom, this.#cursor);
    if (wrong === undefined) return;
    this.#cursor = await readAgainFrom(this.#context, this.#cursor, wrong);
    await this.catchUp(undefined);
  }

  get msUntilAudit(): number {
    return this.#audit.msUntilStep;
  }

  #sawHead(head: Block): void {
    const { status, metrics } = this.#context;
    status.head = head.number;
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
