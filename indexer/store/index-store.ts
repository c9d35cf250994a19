import type { ContractEvent } from "../../core/chain/contract-events.ts";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import type { ChainEvent } from "../events.ts";

export type BlockId = { number: number; hash: string };
export type StoredBlock = BlockId & { timestamp: number };

export type Chunk = {
  /** The expected cursor; the commit is rejected if it differs. */
  previous: BlockId | undefined;
  cursor: BlockId;
  events: readonly ChainEvent[];
  contractEvents: readonly ContractEvent[];
  /** Blocks whose hash is kept, including every block with one of the events. */
  blocks: readonly StoredBlock[];
};

/** The cursor is not where this writer left it: another process wrote, so this one must read the state again. */
export class CursorMovedError extends TorcidaError {
  override readonly docs = "docs/product.md#indexer-live";
}

/** Writes chunks in order, each in one transaction under the lease, in the fastest way of its database. */
export type ChunkWriter = {
  /** @throws LeaseLostError, CursorMovedError; then nothing was written. */
  commit(chunk: Chunk): Promise<void>;
  close(): Promise<void>;
};

/** How many of the newest blocks keep their hash: a reorg up to this depth is rolled back exactly. */
export const KEPT_BLOCKS = 256;
/** Below those, one block in this many keeps its hash permanently, as does every block with events. */
export const SPARSE_EVERY = 1_024;
