import { RpcError } from "../platform/rpc/json-rpc.ts";
import type { ChainNode } from "./chain-node.ts";
import type { Context } from "./context.ts";
import { type ChainEvent, ContradictoryLogsError, decodeEvents, type RpcLog } from "./events.ts";
import { collectGarbage } from "./heap.ts";
import type { BlockId, Chunk } from "./store/index-store.ts";

/** Writes a chunk and reports it to metrics and progress. Returns the new cursor. */
export async function commitChunk(context: Context, chunk: Chunk): Promise<BlockId> {
  const { writer, metrics, status, progress, source } = context;
  const started = performance.now();
  await writer.commit(chunk.previous ? chunk : await withGenesis(context, chunk));
  metrics.committed({
    blocks: chunk.cursor.number - (chunk.previous?.number ?? source.startBlock - 1),
    events: chunk.events.length,
    durationMs: performance.now() - started,
  });
  metrics.set("cursor_block", chunk.cursor.number);
  collectAfter(chunk.events.length);
  status.cursor = chunk.cursor.number;
  if (status.state !== "live" && status.head !== undefined) {
    progress.update({
      blocks: chunk.cursor.number - source.startBlock + 1,
      ofBlocks: status.head - source.startBlock + 1,
      events: metrics.total("torcida_indexer_events_total"),
    });
  }
  status.cursorTimestamp = chunk.blocks.at(-1)?.timestamp ?? status.cursorTimestamp;
  return chunk.cursor;
}

/** The first block is always kept: it distinguishes a node that is far behind from a new chain. */
async function withGenesis({ nodes }: Context, chunk: Chunk): Promise<Chunk> {
  const [genesis] = await nodes.ask((node) => node.blocks([0]));
  if (!genesis || chunk.blocks.some((block) => block.number === 0)) return chunk;
  return { ...chunk, blocks: [genesis, ...chunk.blocks] };
}

/** Reading this many events leaves about 10 MB of garbage; a collection takes about 15 ms. */
const EVENTS_PER_COLLECTION = 10_000;
let eventsSinceCollection = 0;

function collectAfter(events: number): void {
  eventsSinceCollection += events;
  if (eventsSinceCollection < EVENTS_PER_COLLECTION) return;
  eventsSinceCollection = 0;
  collectGarbage();
}

/**
 * Decodes a node's logs. Ids that cannot be purchases of ours are skipped with a warning.
 * @throws RpcError if the logs contradict each other, so that the request is retried, perhaps on another node
 */
export function decodeLogs(
  { log, metrics }: Pick<Context, "log" | "metrics">,
  node: Pick<ChainNode, "name">,
  logs: readonly RpcLog[],
): ChainEvent[] {
  const { events, ignored } = decodeOrRefuse(node, logs);
  if (ignored > 0) {
    metrics.ignored(ignored);
    const from = Number(logs[0]?.blockNumber);
    log.warn({ ignored, from }, "Ignored events with an id above 2^63 - 1, which cannot be a purchase of this shop");
  }
  return events;
}

function decodeOrRefuse({ name }: Pick<ChainNode, "name">, logs: readonly RpcLog[]): ReturnType<typeof decodeEvents> {
  try {
    return decodeEvents(logs);
  } catch (error) {
    if (!(error instanceof ContradictoryLogsError)) throw error;
    throw new RpcError("inconsistent", `${name} returned contradictory logs: ${error.message}`);
  }
}
