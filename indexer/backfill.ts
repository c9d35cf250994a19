import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { type ReadRange, readRange } from "./chain-node.ts";
import type { Context } from "./context.ts";
import type { Chunk } from "./store/index-store.ts";

const RANGES_IN_FLIGHT = 3;
/** Large enough to make a commit cheap, small enough to limit memory. */
const EVENTS_PER_COMMIT = 5_000;

/**
 * Reads blocks in ranges and yields what makes up a commit, in order. The next ranges are read while one is committed.
 * @throws RpcError, ContradictionError
 */
export async function* backfill(
  context: Context,
  sizer: RangeSizer,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Omit<Chunk, "previous">> {
  const inFlight: Promise<ReadRange[]>[] = [];
  let next = from;
  const readAhead = () => {
    // The first response shows how much a range holds; until then one request is enough.
    const atOnce = sizer.hasLearned ? RANGES_IN_FLIGHT : 1;
    while (inFlight.length < atOnce && next <= to) {
      const end = Math.min(to, next + sizer.size - 1);
      const reading = readWhatFits(context, sizer, next, end);
      // Awaited in order; a rejection before that must not crash the process.
      reading.catch(() => {});
      inFlight.push(reading);
      next = end + 1;
    }
  };

  let waiting: ReadRange[] = [];
  let events = 0;
  try {
    for (readAhead(); inFlight.length > 0 && !context.signal.aborted; ) {
      const ranges = (await inFlight.shift()) ?? [];
      readAhead();
      waiting.push(...ranges);
      events += ranges.reduce((sum, range) => sum + range.events.length, 0);
      const last = waiting.at(-1);
      const isEnough = events >= EVENTS_PER_COMMIT || inFlight.length === 0 || context.signal.aborted;
      if (!last || !isEnough) continue;
      const chunk = {
        cursor: last.to,
        events: waiting.length === 1 ? last.events : waiting.flatMap((range) => range.events),
        contractEvents: waiting.flatMap((range) => range.contractEvents),
        blocks: waiting.flatMap((range) => range.blocks),
      };
      waiting = [];
      events = 0;
      yield chunk;
    }
  } finally {
    await Promise.allSettled(inFlight);
  }
}

/** Reads a range, and halves it as often as the provider requires. */
async function readWhatFits(context: Context, sizer: RangeSizer, from: number, to: number): Promise<ReadRange[]> {
  const { nodes } = context;
  try {
    const witness = await nodes.witness();
    const { read, logs, durationMs } = await nodes.ask((node) => readRange(context, node, { from, to, witness }));
    growYoungSpace();
    sizer.answered({ blocks: to - from + 1, logs, durationMs });
    return [read];
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== "too-large" || from === to) throw error;
    sizer.refused(to - from + 1, error.message);
    const ranges: ReadRange[] = [];
    for (let at = from; at <= to; ) {
      const end = Math.min(to, at + sizer.size - 1);
      ranges.push(...(await readWhatFits(context, sizer, at, end)));
      at = end + 1;
    }
    return ranges;
  }
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
  /** How many to request now. */
  size = FIRST_BLOCKS;
  /** Whether the size comes from a response and not from the initial guess. */
  hasLearned = false;
  /** The limit that the provider stated; it only decreases. */
  #ceiling = MOST_BLOCKS;
  /** A size refused without a stated limit, perhaps for its many logs; retried after some responses. */
  #refused = Number.POSITIVE_INFINITY;
  #answersSinceRefusal = 0;

  answered({ blocks, logs, durationMs }: { blocks: number; logs: number; durationMs: number }): void {
    this.hasLearned = true;
    // A shortened range, or one requested before the last response, says little about the current size.
    if (blocks < this.size / 2) return;
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
    this.size = Math.max(1, Math.min(this.#ceiling, this.#refused - 1, size));
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

/**
 * Memory for young objects. With V8's initial 2 MB they are collected six times as often, and each collection copies
 * what is still in use; with its usual 32 MB, responses are freed so late that the process needs 100 MB more.
 */
const YOUNG_BYTES = 16 * 2 ** 20;

let isYoungSpaceLargeEnough = false;

/** Lets the memory for young objects grow to `YOUNG_BYTES`: at run time V8 accepts a growth factor, but no limit. */
function growYoungSpace(): void {
  if (isYoungSpaceLargeEnough) return;
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  isYoungSpaceLargeEnough = (young?.space_size ?? 0) >= YOUNG_BYTES;
  setFlagsFromString(`--semi-space-growth-factor=${isYoungSpaceLargeEnough ? 1 : 2}`);
}
