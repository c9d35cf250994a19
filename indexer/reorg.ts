import { RpcError } from "../core/process/rpc/json-rpc.ts";
import { ContradictionError } from "../core/process/rpc/node-proof.ts";
import type { Block, ChainNode } from "./chain-node.ts";
import type { Context } from "./context.ts";
import { readStoredBlock, readStoredBlocks, rollBack } from "./store/chain-index.ts";
import { type BlockId, KEPT_BLOCKS } from "./store/index-store.ts";

const COMPARED_AT_ONCE = 100;

/**
 * Whether the chain still contains the indexed blocks, according to this node. A node whose newest block is below the
 * cursor but matches the index at that height is only behind.
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
  // No hash is kept this low: it is another chain, unless none of our events are on it yet.
  if (!nearest) return false;
  const [block] = await node.blocksWhereKnown([nearest.number]);
  return block?.hash === nearest.hash;
}

/** Rolls back to before a wrongly indexed block, so that it is reread. Returns the new cursor. */
export async function readAgainFrom(context: Context, cursor: BlockId, wrong: number): Promise<BlockId | undefined> {
  const { database, lease, source, status } = context;
  const [below] = await readStoredBlocks(database, { highest: wrong - 1, count: 1 });
  const ancestor = below && below.number >= source.startBlock ? below : undefined;
  await rollBack(database, lease, cursor, ancestor);
  status.cursor = ancestor?.number;
  return ancestor;
}

/**
 * Rolls the index back to the highest kept block that is still on the chain, and returns it; undefined if none is left.
 * Asks the other nodes first: if only this node sees another chain, the node is set aside and nothing changes.
 * @throws RpcError if the node's responses contradict each other, ContradictionError if it is of another chain
 */
export async function returnToChain(context: Context, node: ChainNode, cursor: BlockId): Promise<BlockId | undefined> {
  const { database, lease, nodes, metrics, log, status } = context;
  const others = await nodes.askOthers(node, async (other) => (await other.blocksWhereKnown([cursor.number]))[0]);
  if (others.some((block) => block?.hash === cursor.hash)) {
    nodes.distrust(node, `${node.name} disagrees with the other nodes on block ${cursor.number}`);
    return cursor;
  }
  const match = await findAncestor(context, node, cursor);
  // One wrong response could discard more than was orphaned, so two searches must agree.
  if ((await findAncestor(context, node, cursor))?.number !== match?.number) {
    throw new RpcError("inconsistent", `${node.name} returned two different chains`);
  }
  await assertOurChain(context, node, match);
  const ancestor = match && match.number >= context.source.startBlock ? match : undefined;
  const depth = cursor.number - (ancestor?.number ?? context.source.startBlock - 1);
  if (depth > KEPT_BLOCKS) status.state = "rebuilding";
  log.warn({ depth, from: cursor, to: ancestor ?? null }, "Reorg: rolling back");
  await rollBack(database, lease, cursor, ancestor);
  metrics.rolledBack(depth);
  status.cursor = ancestor?.number;
  return ancestor;
}

/** A reorg never goes below the witness block that every node must have; otherwise it is another chain. */
async function assertOurChain({ database, nodes }: Context, node: ChainNode, ancestor: BlockId | undefined) {
  const witness = await nodes.witness();
  if (!witness || (ancestor && ancestor.number >= witness.number)) return;
  // The index itself may come from another chain; then the rollback must be allowed.
  if ((await readStoredBlock(database, witness.number))?.hash !== witness.hash) return;
  throw new ContradictionError(
    "block",
    `The RPC ${node.name} is of another chain: it has another block ${witness.number}`,
  );
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
