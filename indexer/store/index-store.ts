import type { ChainEvent } from "../events.ts";

export type BlockId = { number: number; hash: string };
export type StoredBlock = BlockId & { timestamp: number };

/** A run of blocks that is written at once: all of it or nothing. */
export type Chunk = {
  /** The cursor that this follows; the commit is refused where it is another. */
  previous: BlockId | undefined;
  /** The cursor after it. */
  cursor: BlockId;
  events: readonly ChainEvent[];
  /** Blocks whose hash is kept; among them every block that holds one of the events. */
  blocks: readonly StoredBlock[];
};

/** The cursor is not where this writer left it: somebody else wrote, and this writer must look again. */
export class CursorMovedError extends Error {
  override readonly name = "CursorMovedError";
}

/** Writes chunks in order, each in one transaction under the lease, with whatever is fastest in its database. */
export type ChunkWriter = {
  /** @throws LeaseLostError, CursorMovedError; then nothing was written. */
  commit(chunk: Chunk): Promise<void>;
  close(): Promise<void>;
};

/** How many of the newest blocks keep their hash without a gap: a reorg up to this depth is rolled back exactly. */
export const KEPT_BLOCKS = 256;
/** Below the kept ones, one block in so many keeps its hash for ever, beside those that hold events. */
export const SPARSE_EVERY = 1_024;
