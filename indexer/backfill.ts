import type { ContractEvent } from "../core/chain/contract-events.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import type { ChainNode } from "./chain-node.ts";
import { commitChunk } from "./commit.ts";
import type { Context } from "./context.ts";
import { decodeLogs } from "./decode-logs.ts";
import type { ChainEvent } from "./events.ts";
import { growYoungSpace } from "./heap.ts";
import type { BlockId, StoredBlock } from "./store/index-store.ts";

/** A range after reading: only what a chunk needs, without the raw response. */
type Piece = { to: BlockId; events: ChainEvent[]; contractEvents: ContractEvent[]; blocks: StoredBlock[] };

const RANGES_IN_FLIGHT = 3;
/** Large enough to make a commit cheap, small enough to limit memory. */
const EVENTS_PER_COMMIT = 5_000;

/** Reads the blocks after the cursor up to `to` in ranges, several at a time, and commits them in order. */
export async function backfill(
  context: Context,
  sizer: RangeSizer,
  { cursor, to }: { cursor: BlockId | undefined; to: number },
): Promise<BlockId | undefined> {
  const ahead = new ReadAhead(context, sizer, { from: cursor ? cursor.number + 1 : context.source.startBlock, to });
  let last = cursor;
  let waiting: Piece[] = [];
  const commit = async () => {
    const end = waiting.at(-1)?.to;
    if (!end) return;
    const events = waiting.length === 1 ? (waiting[0]?.events ?? []) : waiting.flatMap((piece) => piece.events);
    const contractEvents = waiting.flatMap((piece) => piece.contractEvents);
    const blocks = waiting.flatMap((piece) => piece.blocks);
    waiting = [];
    last = await commitChunk(context, { previous: last, cursor: end, events, contractEvents, blocks });
  };

  try {
    for (ahead.fill(); !ahead.isEmpty && !context.signal.aborted; ahead.fill()) {
      waiting.push(...(await ahead.take()));
      const events = waiting.reduce((sum, piece) => sum + piece.events.length, 0);
      if (events >= EVENTS_PER_COMMIT || ahead.isEmpty) await commit();
    }
    await commit();
  } finally {
    await ahead.settle();
  }
  return last;
}

/** Ranges that are read while earlier ones are committed; taken in their order. */
class ReadAhead {
  readonly #context: Context;
  readonly #sizer: RangeSizer;
  readonly #to: number;
  #next: number;
  readonly #inFlight: Promise<Piece[]>[] = [];

  constructor(context: Context, sizer: RangeSizer, { from, to }: { from: number; to: number }) {
    this.#context = context;
    this.#sizer = sizer;
    this.#next = from;
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#inFlight.length === 0;
  }

  fill(): void {
    // The first response shows how much a range holds; until then one request is enough.
    const atOnce = this.#sizer.hasLearned ? RANGES_IN_FLIGHT : 1;
    while (this.#inFlight.length < atOnce && this.#next <= this.#to) {
      const from = this.#next;
      const end = Math.min(this.#to, from + this.#sizer.size - 1);
      this.#next = end + 1;
      const reading = readRange(this.#context, this.#sizer, from, end);
      // Awaited in order; a rejection before that must not crash the process.
      reading.catch(() => {});
      this.#inFlight.push(reading);
    }
  }

  /** The oldest range; the next one is requested before it is used. */
  async take(): Promise<Piece[]> {
    const pieces = (await this.#inFlight.shift()) ?? [];
    this.fill();
    return pieces;
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }
}

/** Reads a range, and halves it as often as the provider requires. */
async function readRange(context: Context, sizer: RangeSizer, from: number, to: number): Promise<Piece[]> {
  try {
    return [await context.nodes.ask((node) => readPiece(context, node, sizer, from, to))];
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== "too-large" || from === to) throw error;
    sizer.refused(to - from + 1, error.message);
    const pieces: Piece[] = [];
    for (let at = from; at <= to; ) {
      const end = Math.min(to, at + sizer.size - 1);
      pieces.push(...(await readRange(context, sizer, at, end)));
      at = end + 1;
    }
    return pieces;
  }
}

async function readPiece(
  context: Context,
  node: ChainNode,
  sizer: RangeSizer,
  from: number,
  to: number,
): Promise<Piece> {
  const started = performance.now();
  const { logs, end } = await node.range(from, to, await context.nodes.witness());
  growYoungSpace();
  sizer.answered({ blocks: to - from + 1, logs: logs.length, durationMs: performance.now() - started });
  const blocks = new Map<number, StoredBlock>();
  const untimed: number[] = [];
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (blocks.has(number)) continue;
    const timestamp = log.blockTimestamp ? Number(log.blockTimestamp) : -1;
    if (timestamp < 0) untimed.push(number);
    blocks.set(number, { number, hash: log.blockHash, timestamp });
  }
  for (const block of await node.blocks(untimed)) {
    const known = blocks.get(block.number);
    if (known?.hash !== block.hash) {
      throw new RpcError(
        "inconsistent",
        `${node.name} returned logs of a different block ${block.number} than its header`,
      );
    }
    known.timestamp = block.timestamp;
  }
  const sameAsEnd = blocks.get(to);
  if (sameAsEnd && sameAsEnd.hash !== end.hash) {
    throw new RpcError("inconsistent", `${node.name} returned logs of a different block ${to} than its header`);
  }
  blocks.set(to, { number: to, hash: end.hash, timestamp: end.timestamp });
  return { to: { number: to, hash: end.hash }, ...decodeLogs(context, node, logs), blocks: [...blocks.values()] };
}

// How many blocks at once -----------------------------------------------------------------------------------------------

const FIRST_BLOCKS = 32;
const MOST_BLOCKS = 500_000;
/** Target number of logs per response: enough to be worth a request, small enough that several fit in memory. */
const LOGS_AIMED_AT = 2_000;
const QUICK_MS = 1_000;
const MOST_GROWTH = 8;
const FORGIVEN_AFTER_ANSWERS = 50;

/** How many blocks to request at once. Adapts to the responses and remembers the sizes that the provider refused. */
export class RangeSizer {
  #size = FIRST_BLOCKS;
  /** The limit that the provider stated; it only decreases. */
  #ceiling = MOST_BLOCKS;
  /** A size refused without a stated limit, perhaps for its many logs; retried after some responses. */
  #refused = Number.POSITIVE_INFINITY;
  #answersSinceRefusal = 0;

  #hasLearned = false;

  /** Whether the size comes from a response and not from the initial guess. */
  get hasLearned(): boolean {
    return this.#hasLearned;
  }

  get size(): number {
    return this.#size;
  }

  answered({ blocks, logs, durationMs }: { blocks: number; logs: number; durationMs: number }): void {
    this.#hasLearned = true;
    // A shortened range, or one requested before the last response, says little about the current size.
    if (blocks < this.#size / 2) return;
    this.#answersSinceRefusal += 1;
    if (this.#answersSinceRefusal > FORGIVEN_AFTER_ANSWERS) this.#refused = Number.POSITIVE_INFINITY;
    const byLogs = logs === 0 ? MOST_GROWTH : LOGS_AIMED_AT / logs;
    const byTime = durationMs === 0 ? MOST_GROWTH : QUICK_MS / durationMs;
    const growth = Math.min(MOST_GROWTH, byLogs, byTime);
    this.#set(Math.floor(blocks * Math.max(1 / MOST_GROWTH, growth)));
  }

  /** The provider refused the size. A limit in its message can only tighten ours. */
  refused(blocks: number, message: string): void {
    const named = limitIn(message);
    this.#answersSinceRefusal = 0;
    if (named !== undefined && named < blocks) {
      this.#ceiling = Math.min(this.#ceiling, named);
      this.#set(named);
    } else {
      this.#refused = Math.min(this.#refused, blocks);
      this.#set(Math.floor(blocks / 2));
    }
  }

  #set(size: number): void {
    this.#size = Math.max(1, Math.min(this.#ceiling, this.#refused - 1, size));
  }
}

/** For example "limited to a 10,000 blocks range", "max range: 2000", "query exceeds 5k blocks". */
function limitIn(message: string): number | undefined {
  const found = /(\d[\d,._]*)\s*(k)?[\s-]*(?:blocks?\b)|(?:range|blocks)\D{0,20}?(\d[\d,._]*)\s*(k)?/i.exec(message);
  const digits = found?.[1] ?? found?.[3];
  if (!digits) return undefined;
  const limit = Number(digits.replaceAll(/[,._]/g, "")) * (found?.[2] || found?.[4] ? 1_000 : 1);
  return limit >= 1 ? limit : undefined;
}
