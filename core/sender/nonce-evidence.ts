import { type Hex, keccak256, type PublicClient, recoverTransactionAddress, serializeTransaction } from "viem";
import { rpcErrorOf } from "../process/rpc/chain-client.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** The transaction that used a nonce, as its sender signed it. */
export type SpentNonce = { hash: Hex; blockNumber: bigint; to: Hex | null; input: Hex; valueWei: bigint };

/** A node's evidence of who used a nonce. */
export type NonceEvidence =
  | ({ kind: "spent" } & SpentNonce)
  /** The node counts the nonce as used, but has no transaction with it. */
  | { kind: "contradiction" }
  /** The node no longer has the history that would contain the transaction. */
  | { kind: "history is gone" };

/** How many blocks are searched one by one if the node has no state to bisect with. */
const SCANNED_BLOCKS = 5_000n;
const BLOCKS_AT_ONCE = 50n;

/**
 * Finds the transaction with which `address` used `nonce`, up to a block at which the node counts it as used. The
 * transaction's signature is the proof, which no node can forge.
 */
export async function findSpender(
  node: PublicClient,
  { address, nonce, highest }: { address: WalletAddress; nonce: bigint; highest: bigint },
): Promise<NonceEvidence> {
  const { block: first, isWhole } = await firstBlockAbove(node, { address, nonce, highest });
  const isOurs = (spent: SpentNonce | undefined) => spent && ({ kind: "spent", ...spent } as const);
  const found = isOurs(await spenderIn(await readBlocks(node, first, first), address, nonce));
  if (found) return found;
  if (isWhole) return { kind: "contradiction" };
  const lowest = first > SCANNED_BLOCKS ? first - SCANNED_BLOCKS : 0n;
  for (let to = first - 1n; to >= lowest; to -= BLOCKS_AT_ONCE) {
    const from = to - BLOCKS_AT_ONCE + 1n > lowest ? to - BLOCKS_AT_ONCE + 1n : lowest;
    const earlier = isOurs(await spenderIn(await readBlocks(node, from, to), address, nonce));
    if (earlier) return earlier;
  }
  return { kind: "history is gone" };
}

/** The first block after which the nonce counts as used, as far back as the node has state. */
async function firstBlockAbove(
  node: PublicClient,
  { address, nonce, highest }: { address: WalletAddress; nonce: bigint; highest: bigint },
): Promise<{ block: bigint; isWhole: boolean }> {
  let low = 0n;
  let high = highest;
  let isWhole = true;
  while (low < high) {
    const middle = (low + high) / 2n;
    const count = await countAt(node, address, middle);
    if (count === undefined) isWhole = false;
    if (count !== undefined && BigInt(count) > nonce) high = middle;
    else low = middle + 1n;
  }
  return { block: high, isWhole };
}

async function countAt(node: PublicClient, address: WalletAddress, blockNumber: bigint): Promise<number | undefined> {
  try {
    return await node.getTransactionCount({ address, blockNumber });
  } catch (error) {
    if (isStateGone(error)) return undefined;
    throw error;
  }
}

/** Whether the node reported that it has no state for the requested block. */
function isStateGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const failed = rpcErrorOf(cause);
    if (failed) return failed.failure === "no-state";
  }
  return false;
}

type FullBlock = Awaited<ReturnType<typeof readBlocks>>[number];

function readBlocks(node: PublicClient, from: bigint, to: bigint) {
  const numbers = Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  return Promise.all(numbers.map((blockNumber) => node.getBlock({ blockNumber, includeTransactions: true })));
}

async function spenderIn(
  blocks: readonly FullBlock[],
  address: WalletAddress,
  nonce: bigint,
): Promise<SpentNonce | undefined> {
  for (const { transactions, number } of blocks) {
    for (const transaction of transactions) {
      const isMeant = transaction.from.toLowerCase() === address && BigInt(transaction.nonce) === nonce;
      if (!isMeant || !(await isSignedBy(transaction, address))) continue;
      const { hash, to, input, value } = transaction;
      return { hash, blockNumber: number, to, input, valueWei: value };
    }
  }
  return undefined;
}

type FullTransaction = FullBlock["transactions"][number];

async function isSignedBy(transaction: FullTransaction, address: WalletAddress): Promise<boolean> {
  const { r, s, v, yParity, input, ...rest } = transaction;
  const signature = { r, s, v, ...(yParity === undefined ? {} : { yParity }) };
  // The transaction type drops unsigned fields of the block.
  const serialized = serializeTransaction({ ...rest, data: input }, signature);
  if (keccak256(serialized) !== transaction.hash) return false;
  const signer = await recoverTransactionAddress({ serializedTransaction: serialized });
  return signer.toLowerCase() === address;
}
