import { endSecondRead, requestedSecondRead, type SecondRead } from "../core/database/second-read.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { RangeSizer } from "./backfill.ts";
import type { Bloom } from "./chain-node.ts";
import { compareRange } from "./comparison.ts";
import type { Context } from "./context.ts";
import { type BlockId, KEPT_BLOCKS } from "./store/index-store.ts";

/** At least, the delay between ranges of the second read, so that it does not delay new blocks: a block. */
const PAUSE_MS = 250;
/** At least, and so many blocks. */
const RECENT_EVERY = { ms: 30_000, blocks: 20 };
const RECENT_BLOCKS = 4 * KEPT_BLOCKS;
const WHOLE_EVERY_MS = 3_600_000;
const REQUESTS_MS = 500;

/**
 * Rereads the chain, one range at a time, to find events that a node omitted or invented: the whole chain after each
 * process start and every hour, the newest blocks every 20 blocks, and at once any block that a comparison questions.
 */
export class Audit {
  readonly #context: Context;
  readonly #sizer = new RangeSizer();
  #next: number;
  /** The last block of this pass: those made since are checked as they are read. Undefined until it begins. */
  #end: number | undefined;
  #notBefore = 0;
  #wholeFrom = performance.now();
  /** The request that this pass serves, and when to check for requests next. */
  #request: SecondRead | undefined;
  #lookFrom = 0;

  constructor(context: Context) {
    this.#context = context;
    this.#next = context.source.startBlock;
  }

  get msUntilStep(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  get #pauseMs(): number {
    return Math.max(PAUSE_MS, this.#context.blockMs);
  }

  /** Checks the next range when it is due. Returns the first block that is indexed wrongly. */
  async step(bloom: Bloom, cursor: BlockId): Promise<number | undefined> {
    await this.#takeRequest();
    if (performance.now() < this.#notBefore) return undefined;
    const { database, nodes, log } = this.#context;
    const from = this.#next;
    this.#end ??= cursor.number;
    const to = Math.min(cursor.number, this.#end, from + this.#sizer.size - 1);
    if (from > to) return this.#begin(cursor);
    this.#notBefore = performance.now() + (this.#request ? 0 : this.#pauseMs);
    try {
      const started = performance.now();
      const witness = await nodes.witness();
      const { differences, logs } = await nodes.ask((node) =>
        compareRange({ database, node: node.in("check"), bloom, witness, from, to }),
      );
      this.#sizer.answered({ blocks: to - from + 1, logs, durationMs: performance.now() - started });
      this.#next = to + 1;
      const [first] = differences;
      if (!first) return undefined;
      log.error(
        { differences: differences.slice(0, 10), count: differences.length },
        "The index differs from the chain; repairing it",
      );
      this.#next = first.blockNumber;
      return first.blockNumber;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.failure === "too-large") this.#sizer.refused(to - from + 1, error.message);
      this.#notBefore = performance.now() + this.#pauseMs;
      return undefined;
    }
  }

  /** Requests from a comparison take priority. */
  async #takeRequest(): Promise<void> {
    if (this.#request || performance.now() < this.#lookFrom) return;
    this.#lookFrom = performance.now() + REQUESTS_MS;
    const request = await requestedSecondRead(this.#context.database.kysely);
    if (!request) return;
    this.#request = request;
    this.#next = Math.max(this.#context.source.startBlock, request.from);
    this.#end = undefined;
    this.#notBefore = 0;
  }

  /** End of a pass: the next one reads the newest blocks, or all of them when that is due. */
  async #begin(cursor: BlockId): Promise<undefined> {
    if (this.#request) await endSecondRead(this.#context.database.kysely, this.#request);
    this.#request = undefined;
    const { startBlock } = this.#context.source;
    const isWhole = performance.now() - this.#wholeFrom > WHOLE_EVERY_MS;
    if (isWhole) this.#wholeFrom = performance.now();
    this.#next = isWhole ? startBlock : Math.max(startBlock, cursor.number - RECENT_BLOCKS);
    this.#end = undefined;
    this.#notBefore = performance.now() + Math.max(RECENT_EVERY.ms, RECENT_EVERY.blocks * this.#context.blockMs);
  }
}
