import { type PublicClient, zeroAddress } from "viem";
import type { ProvenTicket } from "../../rules/proof.ts";
import { toWalletAddress, type WalletAddress } from "../../rules/wallet-address.ts";
import { readInRanges } from "../block-ranges.ts";
import { CashbackDeferred, CashbackPaid, paidWord, predecessor } from "../generated/cashback-distributor.ts";
import { balanceOf, burntOf, predecessor as formerTickets, Transfer } from "../generated/purchase-nft.ts";
import { isTransactionHash, type PurchasePayout, payoutsIn } from "./payouts.ts";
import { readTicket } from "./read-ticket.ts";

export type ProofChain = {
  client: Pick<PublicClient, "readContract" | "getBlockNumber" | "getLogs" | "getTransactionReceipt">;
  /** The current tickets; those that they continue are read from the chain. */
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
/** Upper bound for a chain of predecessors; a fake one could be endless. */
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
  const distributors = await withPredecessors(chain, chain.cashbackDistributor, predecessor);
  const isAll = listed !== undefined && (await isWhole(chain, wallet, listed, signal));
  const found = isAll ? foundIn(listed) : await search(chain, { wallet, distributors, only, signal, onProgress });
  const payouts = await readPayouts(chain, found.transactions, distributors, signal);
  let done = 0;
  const ids = [...new Set(found.ids)].sort((a, b) => (a < b ? -1 : 1));
  return inChunks(ids, signal, async (id) => {
    const ticket = await readTicket(chain, id);
    // A burnt one names nobody: its owner was the wallet that it was minted to.
    if (ticket.buyer !== wallet && ticket.buyer !== zeroAddress)
      throw new Error(`The node contradicts itself: ticket ${id} is ${ticket.buyer}'s`);
    onProgress?.(++done / found.ids.length);
    const isBurnt = ticket.buyer === zeroAddress;
    return { ...ticket, buyer: wallet, isBurnt, payouts: payouts.get(id) ?? [] };
  });
}

/**
 * Whether as many tickets are listed as the wallet has, each once, with a payout exactly where the paid bit is set: one
 * that is listed twice would hide another.
 */
export async function isWhole(
  chain: ProofChain,
  wallet: WalletAddress,
  listed: readonly ListedTicket[],
  signal?: AbortSignal,
): Promise<boolean> {
  // Tickets cannot be transferred, so what the wallet has and what it burnt is the number ever minted to it. The first
  // contract burns nothing; without an answer a burnt ticket is missed here, and everything is searched.
  const { client, cashbackDistributor } = chain;
  const contracts = await withPredecessors(chain, chain.purchaseNft, formerTickets);
  const counts = await inChunks(contracts, signal, async (address) => {
    const nft = { address, abi: [balanceOf, burntOf] } as const;
    const held = await client.readContract({ ...nft, functionName: "balanceOf", args: [wallet] });
    return held + (await client.readContract({ ...nft, functionName: "burntOf", args: [wallet] }).catch(() => 0n));
  });
  const count = counts.reduce((sum, one) => sum + one, 0n);
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

/** A contract and all that it continues, the latest first. 1.0.0's tickets continue none, and revert. */
async function withPredecessors(
  { client }: ProofChain,
  current: WalletAddress,
  view: typeof predecessor | typeof formerTickets,
): Promise<WalletAddress[]> {
  const contracts = [current];
  for (let at = current; contracts.length < PREDECESSORS_MAX; ) {
    const said = client.readContract({ address: at, abi: [view], functionName: "predecessor" });
    at = toWalletAddress(await said.catch(nobodyIfReverted));
    if (at === zeroAddress) break;
    contracts.push(at);
  }
  return contracts;
}

function nobodyIfReverted(error: unknown): typeof zeroAddress {
  if (error instanceof Error && /revert/i.test(error.message)) return zeroAddress;
  throw error;
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
  chain: ProofChain,
  { wallet, distributors, only, signal, onProgress }: SearchOptions,
): Promise<Found> {
  const { client, firstBlock } = chain;
  const tickets = await withPredecessors(chain, chain.purchaseNft, formerTickets);
  const head = await client.getBlockNumber();
  const starts: bigint[] = [];
  for (let start = firstBlock; start <= head; start += RANGE) starts.push(start);
  let done = 0;
  const found = await inChunks(starts, signal, async (start) => {
    const end = start + RANGE - 1n < head ? start + RANGE - 1n : head;
    const [minted, ...payouts] = await Promise.all([
      readInRanges(start, end, (fromBlock, toBlock) =>
        client.getLogs({
          ...{ address: tickets, event: Transfer, args: { to: wallet, id: only } },
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
      ids: minted.map(({ args }) => args.id),
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
