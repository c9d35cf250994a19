import { distributorsOf } from "../core/chain/deployment.ts";
import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import type { Bloom } from "./bloom.ts";
import type { Block, ChainNode } from "./chain-node.ts";
import type { Context } from "./context.ts";
import { decodeLogs } from "./decode-logs.ts";
import type { RpcLog } from "./events.ts";
import type { BlockId, Chunk } from "./store/index-store.ts";

/** The block does not follow the last indexed one, so there was a reorg. */
export class NotLinkedError extends TorcidaError {
  override readonly docs = "docs/product.md#reorg";
}

/** For up to this many blocks, all logs of each block are requested by hash and checked against its bloom. */
const EXACT_BLOCKS = 64;

type LinkedRange = {
  previous: BlockId | undefined;
  from: number;
  to: number;
  head?: Block;
  blocksPerRequest?: number;
};

/**
 * Reads the blocks after the cursor up to `to`, each linked to the previous one by its parent hash. Invariant: the first
 * one's parent is the cursor. Without a bloom, logs are checked only against the blocks' hashes.
 * @param blocksPerRequest For how many blocks logs are requested at once.
 * @throws NotLinkedError, RpcError
 */
export async function readLinked(
  context: Pick<Context, "log" | "metrics" | "source">,
  node: ChainNode,
  bloom: Bloom | undefined,
  { previous, from, to, head, blocksPerRequest = to - from + 1 }: LinkedRange,
): Promise<Chunk> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const isHead = head?.number === to && from === to;
  // Before the logs: those of a fork that replaces these headers in between are noticed by their block's hash. Logs read
  // first would be noticed only if there are any, and the new fork's would be missing.
  const blocks = isHead ? [head] : await node.blocks(numbers);
  assertLinked(previous, blocks);
  const candidates = bloom ? blocks.filter((block) => mayHoldOurs(context, bloom, block)) : blocks;
  const logs =
    bloom && candidates.length <= EXACT_BLOCKS
      ? (await Promise.all(candidates.map((block) => node.exactLogsOf(block, bloom)))).flat()
      : assertOfBlocks(node, await logsOfRange(node, { from, to, blocksPerRequest }), blocks, candidates);
  const last = blocks.at(-1);
  if (!last) throw new Error(`No block from ${from} to ${to}`);
  return {
    previous,
    cursor: { number: last.number, hash: last.hash },
    events: decodeLogs(context, node, logs),
    blocks: blocks.map(({ number, hash, timestamp }) => ({ number, hash, timestamp })),
  };
}

function assertLinked(previous: BlockId | undefined, blocks: readonly Block[]): void {
  let parent = previous;
  for (const block of blocks) {
    if (parent && block.parentHash !== parent.hash) {
      throw new NotLinkedError(`Block ${block.number} follows ${block.parentHash}, not ${parent.hash}`);
    }
    parent = block;
  }
}

function mayHoldOurs({ source }: Pick<Context, "source">, bloom: Bloom, block: Block): boolean {
  const addresses = [source.purchaseNft, ...distributorsOf(source)];
  return addresses.some((address) => bloom.mayHold(block.logsBloom, address));
}

async function logsOfRange(
  node: ChainNode,
  { from, to, blocksPerRequest }: { from: number; to: number; blocksPerRequest: number },
): Promise<RpcLog[]> {
  const requests: Promise<RpcLog[]>[] = [];
  for (let at = from; at <= to; at += blocksPerRequest) {
    requests.push(node.logs(at, Math.min(to, at + blocksPerRequest - 1)));
  }
  return (await Promise.all(requests)).flat();
}

/** Checks the logs of a range against the hashes of its blocks and, by the candidates, against their blooms. */
function assertOfBlocks(
  node: ChainNode,
  logs: readonly RpcLog[],
  blocks: readonly Block[],
  candidates: readonly Block[],
): readonly RpcLog[] {
  const first = blocks[0]?.number ?? 0;
  const mayHoldLogs = new Set(candidates.map((block) => block.number));
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (log.blockHash !== blocks[number - first]?.hash) {
      throw new RpcError("inconsistent", `${node.name} returned logs of a different block ${number} than its header`);
    }
    if (!mayHoldLogs.has(number)) {
      throw new RpcError("inconsistent", `${node.name} returned logs that block ${number} cannot contain`);
    }
  }
  return logs;
}
