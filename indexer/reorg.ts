import type { Context } from "./context.ts";
import { RpcError } from "./rpc/json-rpc.ts";
import type { Block, ChainNode } from "./rpc/node.ts";
import { readStoredBlock, readStoredBlocks, rollBack } from "./store/chain-index.ts";
import { type BlockId, KEPT_BLOCKS } from "./store/index-store.ts";

const COMPARED_AT_ONCE = 100;

/**
 * Whether the chain still has what was indexed, as far as this node can tell. A node whose newest block is below the
 * cursor, but which agrees on that block, is only behind.
 */
export async function isStillCanonical(
  { database }: Context,
  node: ChainNode,
  cursor: BlockId,
  head: Block,
): Promise<boolean> {
  if (head.number >= cursor.number) {
    const [block] = await node.blocksWhereKnown([cursor.number]);
    return block?.hash === cursor.hash;
  }
  const exact = await readStoredBlock(database, head.number);
  if (exact) return exact.hash === head.hash;
  const [nearest] = await readStoredBlocks(database, { highest: head.number, count: 1 });
  // Nothing is known that low: this is not the chain that was indexed, unless there is nothing of ours on it yet.
  if (!nearest) return false;
  const [block] = await node.blocksWhereKnown([nearest.number]);
  return block?.hash === nearest.hash;
}

/** Takes everything from a wrongly indexed block on back, so that it is read again; answers the new cursor. */
export async function readAgainFrom(context: Context, cursor: BlockId, wrong: number): Promise<BlockId | undefined> {
  const { database, lease, source, status } = context;
  const [below] = await readStoredBlocks(database, { highest: wrong - 1, count: 1 });
  const ancestor = below && below.number >= source.startBlock ? below : undefined;
  await rollBack(database, lease, cursor, ancestor);
  status.cursor = ancestor?.number;
  return ancestor;
}

/**
 * Takes the index back to the highest kept block that the chain still has, and answers it; undefined where none is left.
 * Other nodes are heard first: a node that alone sees another chain is put back instead, and nothing changes.
 */
export async function returnToChain(context: Context, node: ChainNode, cursor: BlockId): Promise<BlockId | undefined> {
  const { database, lease, nodes, metrics, log, status } = context;
  const others = await nodes.askOthers(node, async (other) => (await other.blocksWhereKnown([cursor.number]))[0]);
  if (others.some((block) => block?.hash === cursor.hash)) {
    nodes.distrust(node, `${node.name} has another block ${cursor.number} than the other nodes`);
    return cursor;
  }
  const match = await findAncestor(context, node, cursor);
  // A wrong answer on the way would throw away more than was orphaned: the same must come out twice.
  if ((await findAncestor(context, node, cursor))?.number !== match?.number) {
    throw new RpcError("inconsistent", `${node.name} answered two different chains`);
  }
  const ancestor = match && match.number >= context.source.startBlock ? match : undefined;
  const depth = cursor.number - (ancestor?.number ?? context.source.startBlock - 1);
  if (depth > KEPT_BLOCKS) status.state = "rebuilding";
  log.warn({ depth, from: cursor, to: ancestor ?? null }, "The chain was reorganised; rolling back");
  await rollBack(database, lease, cursor, ancestor);
  metrics.rolledBack(depth);
  status.cursor = ancestor?.number;
  return ancestor;
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
