import type { Context } from "./context.ts";
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
  if (chunk.contractEvents.length > 0) status.mayHaveActs = true;
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

/** Reading this many events leaves about 15 MB of garbage; a collection takes about 15 ms. */
const EVENTS_PER_COLLECTION = 15_000;
let eventsSinceCollection = 0;

function collectAfter(events: number): void {
  eventsSinceCollection += events;
  if (eventsSinceCollection < EVENTS_PER_COLLECTION) return;
  eventsSinceCollection = 0;
  collectGarbage();
}
