import { type PublicClient, zeroAddress } from "viem";
import type { ProvenTicket } from "../../rules/proof.ts";
import { toWalletAddress, type WalletAddress } from "../../rules/wallet-address.ts";
import { readInRanges } from "../block-ranges.ts";
import { CashbackDeferred, CashbackPaid, paidWord, predecessor } from "../generated/cashback-distributor.ts";
import { balanceOf, burntOf, Transfer } from "../generated/purchase-nft.ts";
import { isTransactionHash, type PurchasePayout, payoutsIn } from "./payouts.ts";
import { readTicket } from "./read-ticket.ts";

export type ProofChain = {
  client: Pick<PublicClient, "readContract" | "getBlockNumber" | "getLogs" | "getTransactionReceipt">;
  purchaseNft: WalletAddress;
  /** The current distributor; its predecessors are read from the chain. */
  cashbackDistributor: WalletAddress;
  /** The first block that can contain one of our events. */
  firstBlock: bigint;
};
/** A ticket that a site lists, with the transaction that it says paid it. */
export type ListedTicket = { id: bigint; transaction: string | undefined };

export type ReadWalletOptions = {
  /** Where to look, according to somebody: used only if the chain says that nothing is left out. */
  listed?: readonly ListedTicket[];
  only?: bigint;
  signal?: AbortSignal;
  /** From 0 to 1. */
  onProgress?: (done: number) => void;
};

const PAYOUTS = [CashbackPaid, CashbackDeferred] as const;
/** Upper bound for the chain of distributors; a fake one could be endless. */
const PREDECESSORS_MAX = 20;
/** The blocks that public nodes accept in one call. */
const RANGE = 5_000n;
/** The number of concurrent requests that public nodes accept. */
const AT_ONCE = 12;
/** `paidWord` has the bits of 256 purchases. */
const WORD_BITS = 8n;

/** Ids of tickets, and the transactions that may have paid them. */
type Found = { ids: readonly bigint[]; transactions: readonly string[] };

/**
 * A wallet's tickets and their payouts, each ticket once, ordered by id: from a node's logs and the contracts' views, and
 * from nobody's word.
 * @throws the client's error if the node does not answer
 */
export async function readWallet(
  chain: ProofChain,
  wallet: WalletAddress,
  { listed, only, signal, onProgress }: ReadWalletOptions = {},
): Promise<ProvenTicket[]> {
  const distributors = await readDistributors(chain);
  const isAll = listed !== undefined && (await isWhole(chain, wallet, listed, signal));
  const found = isAll ? foundIn(listed) : await search(chain, { wallet, distributors, only, signal, onProgress });
  const payouts = await readPayouts(chain, found.transactions, distributors, signal);
  let done = 0;
  return inChunks([...new Set(found.ids)].sort(ascending), signal, async (id) => {
    const ticket = await readTicket(chain, id);
    // A burnt one names nobody: its owner was the wallet that it was minted to.
    if (ticket.buyer !== wallet && ticket.buyer !== zeroAddress)
      throw new Error(`The node contradicts itself: ticket ${id} is ${ticket.buyer}'s`);
    onProgress?.(++done / found.ids.length);
    return { ...ticket, buyer: wallet, payouts: payouts.get(id) ?? [] };
  });
}

/**
 * Whether as many tickets are listed as the wallet has, each once, with a payout exactly where the paid bit is set: one
 * that is listed twice would hide another.
 */
export async function isWhole(
  { client, purchaseNft, cashbackDistributor }: ProofChain,
  wallet: WalletAddress,
  listed: readonly ListedTicket[],
  signal?: AbortSignal,
): Promise<boolean> {
  // Tickets cannot be transferred, so what the wallet has and what it burnt is the number ever minted to it. The first
  // contract burns nothing; without an answer a burnt ticket is missed here, and everything is searched.
  const nft = { address: purchaseNft, abi: [balanceOf, burntOf] } as const;
  const [held, burnt] = await Promise.all([
    client.readContract({ ...nft, functionName: "balanceOf", args: [wallet] }),
    client.readContract({ ...nft, functionName: "burntOf", args: [wallet] }).catch(() => 0n),
  ]);
  const count = held + burnt;
  if (BigInt(listed.length) !== count || new Set(listed.map(({ id }) => id)).size !== listed.length) return false;
  const words = [...new Set(listed.map(({ id }) => id >> WORD_BITS))];
  const distributor = { address: cashbackDistributor, abi: [paidWord] } as const;
  const bits = await inChunks(words, signal, (word) =>
    client.readContract({ ...distributor, functionName: "paidWord", args: [word] }),
  );
  const wordOf = new Map(words.map((word, index) => [word, bits[index] ?? 0n]));
  const isPaid = (id: bigint) => (((wordOf.get(id >> WORD_BITS) ?? 0n) >> (id & 255n)) & 1n) === 1n;
  return listed.every(({ id, transaction }) => isPaid(id) === (transaction !== undefined));
}

async function readDistributors({ client, cashbackDistributor }: ProofChain): Promise<WalletAddress[]> {
  const distributors = [cashbackDistributor];
  for (let at = cashbackDistributor; distributors.length < PREDECESSORS_MAX; ) {
    const distributor = { address: at, abi: [predecessor] } as const;
    at = toWalletAddress(await client.readContract({ ...distributor, functionName: "predecessor" }));
    if (at === zeroAddress) break;
    distributors.push(at);
  }
  return distributors;
}

function foundIn(listed: readonly ListedTicket[]): Found {
  const transactions = listed.flatMap(({ transaction }) => transaction ?? []);
  return { ids: listed.map(({ id }) => id), transactions: [...new Set(transactions)] };
}

type SearchOptions = Pick<ReadWalletOptions, "only" | "signal" | "onProgress"> & {
  wallet: WalletAddress;
  distributors: readonly WalletAddress[];
};

async function search(
  { client, purchaseNft, firstBlock }: ProofChain,
  { wallet, distributors, only, signal, onProgress }: SearchOptions,
): Promise<Found> {
  const head = await client.getBlockNumber();
  const starts: bigint[] = [];
  for (let start = firstBlock; start <= head; start += RANGE) starts.push(start);
  let done = 0;
  const found = await inChunks(starts, signal, async (start) => {
    const end = start + RANGE - 1n < head ? start + RANGE - 1n : head;
    const [tickets, ...payouts] = await Promise.all([
      readInRanges(start, end, (fromBlock, toBlock) =>
        client.getLogs({
          ...{ address: purchaseNft, event: Transfer, args: { to: wallet, id: only } },
          ...{ fromBlock, toBlock, strict: true },
        }),
      ),
      ...PAYOUTS.map((event) =>
        readInRanges(start, end, (fromBlock, toBlock) =>
          client.getLogs({
            ...{ address: [...distributors], event, args: { recipient: wallet, purchaseId: only } },
            ...{ fromBlock, toBlock, strict: true },
          }),
        ),
      ),
    ]);
    onProgress?.(++done / starts.length);
    return {
      ids: tickets.map(({ args }) => args.id),
      transactions: payouts.flat().map(({ transactionHash }) => transactionHash),
    };
  });
  return {
    ids: found.flatMap(({ ids }) => ids),
    transactions: [...new Set(found.flatMap(({ transactions }) => transactions))],
  };
}

async function readPayouts(
  { client }: ProofChain,
  transactions: readonly string[],
  distributors: readonly WalletAddress[],
  signal: AbortSignal | undefined,
): Promise<Map<bigint, PurchasePayout[]>> {
  const receipts = await inChunks(transactions, signal, (hash) => client.getTransactionReceipt({ hash: toHash(hash) }));
  const payouts = receipts.flatMap(({ logs }) => payoutsIn(logs, distributors));
  return Map.groupBy(payouts, ({ purchaseId }) => purchaseId);
}

function toHash(text: string): `0x${string}` {
  if (!isTransactionHash(text)) throw new Error(`The site names ${text} as a payout, which is not a transaction`);
  return text;
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1;
}

/**
 * Runs work on all items, a few at a time, and returns the results in order; stops between them when aborted.
 * @throws the first failure
 */
async function inChunks<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const runner = async () => {
    for (const [index, item] of remaining) {
      signal?.throwIfAborted();
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runner));
  return results;
}
