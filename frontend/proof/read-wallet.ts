import { type Hex, parseAbiItem } from "viem";
import { parseDecimal } from "../../domain/money.ts";
import { isWhole, type Payout, type Verdict, verdictOn } from "../../domain/payout-verdict.ts";
import { CHZ_DECIMALS, WEI_PER_GWEI } from "../../domain/product.ts";
import { CHAIN_STATUS } from "../../domain/purchase/life.ts";
import { getBooks, getWalletTickets, type WalletTicket } from "../api/calls.ts";
import { deployment } from "../app/deployment.ts";
import { chainClient, contracts, distributors, readPayouts } from "../chain/read-chain.ts";

export type ProvenPurchase = {
  id: bigint;
  valueCents: bigint;
  totalBps: bigint;
  /** Undefined until it is paid. */
  weiPerCent: bigint | undefined;
  paidWei: bigint | undefined;
  verdict: Verdict;
  /** Whether the api agrees; undefined if it did not respond. */
  agrees: boolean | undefined;
};
export type WalletProof = { purchases: ProvenPurchase[]; paidWei: bigint };

type Options = { signal: AbortSignal; onProgress: (done: number) => void };
/** The wallet's tickets, each with the transaction that paid it. */
type Found = Map<bigint, string | undefined>;

/**
 * Reads a wallet's tickets and payouts from the chain and recomputes the amounts. The api only says where to look: its
 * data is verified, and if it left something out, the whole chain is searched.
 */
export async function readWallet(wallet: Hex, options: Options): Promise<WalletProof> {
  for (let attempt = 1; ; attempt++) {
    const said = await getWalletTickets(wallet, options).catch(() => undefined);
    const found = said && (await follow(wallet, said, options));
    if (found || !said || attempt === ATTEMPTS)
      return derive(wallet, found ?? (await search(wallet, options)), said, options);
    // The index is a few blocks behind the chain: missing entries may appear shortly.
    await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
  }
}

const ATTEMPTS = 3;
const BEHIND_MS = 2_000;

/** The tickets listed by the api, if the chain has no other ticket of the wallet and no other payout of them. */
async function follow(wallet: Hex, said: readonly WalletTicket[], { signal }: Options): Promise<Found | undefined> {
  const { nft, distributor } = contracts();
  const client = chainClient();
  // Tickets cannot be transferred, so the wallet's balance is the number ever minted to it.
  const count = await client.readContract({ ...nft, functionName: "balanceOf", args: [wallet] });
  if (!isWhole(said, count)) return undefined;
  const words = [...new Set(said.map((one) => BigInt(one.token_id) >> WORD_BITS))];
  const bits = new Map<bigint, bigint>();
  await inChunks(words, signal, async (word) => {
    bits.set(word, await client.readContract({ ...distributor, functionName: "paidWord", args: [word] }));
  });
  const isPaid = (id: bigint) => (((bits.get(id >> WORD_BITS) ?? 0n) >> (id & WORD_MASK)) & 1n) === 1n;
  if (said.some((one) => isPaid(BigInt(one.token_id)) !== (one.paid !== null))) return undefined;
  return new Map(said.map((one) => [BigInt(one.token_id), one.paid?.tx]));
}

/** `paidWord` has the bits of 256 purchases. */
const WORD_BITS = 8n;
const WORD_MASK = 255n;

const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)");
const payouts = [
  parseAbiItem("event CashbackPaid(uint256 indexed purchaseId, address indexed recipient, uint256 amount)"),
  parseAbiItem("event CashbackDeferred(uint256 indexed purchaseId, address indexed recipient, uint256 amount)"),
] as const;

/** The range that public nodes accept in one call. */
const RANGE = 5_000n;

/** Every block since the contracts were deployed. */
async function search(wallet: Hex, { signal, onProgress }: Options): Promise<Found> {
  const client = chainClient();
  const head = await client.getBlockNumber();
  const start = BigInt(deployment.start_block);
  const ranges: bigint[] = [];
  for (let from = start; from <= head; from += RANGE) ranges.push(from);
  const ids = new Set<bigint>();
  const paid: Found = new Map();
  let done = 0;
  await inChunks(ranges, signal, async (fromBlock) => {
    const toBlock = fromBlock + RANGE - 1n < head ? fromBlock + RANGE - 1n : head;
    const range = { fromBlock, toBlock };
    const [received, ...paidLogs] = await Promise.all([
      client.getLogs({ address: contracts().nft.address, event: transfer, args: { to: wallet }, ...range }),
      ...payouts.map((event) =>
        client.getLogs({ address: distributors(), event, args: { recipient: wallet }, ...range }),
      ),
    ]);
    for (const log of received) if (log.args.tokenId !== undefined) ids.add(log.args.tokenId);
    for (const { args, transactionHash } of paidLogs.flat())
      if (args.purchaseId !== undefined) paid.set(args.purchaseId, transactionHash);
    done += 1;
    onProgress(done / ranges.length);
  });
  return new Map([...ids].map((id) => [id, paid.get(id)]));
}

async function derive(
  wallet: Hex,
  found: Found,
  said: readonly WalletTicket[] | undefined,
  { signal, onProgress }: Options,
): Promise<WalletProof> {
  const { nft } = contracts();
  const transactions = new Set([...found.values()].filter((tx) => tx !== undefined));
  const paid = new Map<string, Payout>();
  await inChunks([...transactions], signal, async (tx) => {
    for (const [id, payout] of await readPayouts(tx)) paid.set(`${tx}:${id}`, payout);
  });
  const saidById = said && new Map(said.map((one) => [BigInt(one.token_id), one]));
  const purchases: ProvenPurchase[] = [];
  let done = 0;
  await inChunks([...found], signal, async ([id, tx]) => {
    const record = await chainClient().readContract({ ...nft, functionName: "purchaseOf", args: [id] });
    done += 1;
    onProgress(done / found.size);
    if (record.status === CHAIN_STATUS.cancelled) return;
    const payout = paid.get(`${tx}:${id}`);
    const ticket = {
      valueCents: BigInt(record.valueCents),
      totalBps: BigInt(record.cashbackBps) + BigInt(record.bonusBps),
    };
    const buyer = record.buyer.toLowerCase();
    const verdict = verdictOn({ ...ticket, buyer, isPaid: tx !== undefined, payout });
    purchases.push({
      id,
      ...ticket,
      weiPerCent: payout?.weiPerCent,
      paidWei: payout?.amountWei,
      // A payout that is missing from its transaction is wrong.
      verdict: buyer !== wallet || verdict.kind === "unread" ? { kind: "wrong" } : verdict,
      agrees: saidById && agrees(saidById.get(id), payout?.amountWei),
    });
  });
  purchases.sort((a, b) => (a.id < b.id ? 1 : -1));
  return {
    purchases,
    paidWei: purchases.reduce((sum, one) => sum + (one.paidWei ?? 0n), 0n),
  };
}

/** The api stores payouts in gwei. */
function agrees(said: WalletTicket | undefined, paidWei: bigint | undefined): boolean {
  if (!said) return false;
  if (!said.paid || paidWei === undefined) return said.paid === null && paidWei === undefined;
  return parseDecimal(said.paid.amount, CHZ_DECIMALS) === paidWei - (paidWei % WEI_PER_GWEI);
}

export type DistributorBooks = {
  balanceWei: bigint;
  availableWei: bigint;
  /** Deposits and payouts according to the api; undefined if it did not respond. */
  flows: { fundedWei: bigint; paidWei: bigint; withdrawnWei: bigint } | undefined;
};

/** The contract's balance from the chain, and its deposits and payouts according to the api. */
export async function readBooks(): Promise<DistributorBooks> {
  const { distributor } = contracts();
  const [balanceWei, availableWei, books] = await Promise.all([
    chainClient().getBalance({ address: distributor.address }),
    chainClient().readContract({ ...distributor, functionName: "available" }),
    getBooks().catch(() => undefined),
  ]);
  const wei = (chz: string) => parseDecimal(chz, CHZ_DECIMALS);
  return {
    balanceWei,
    availableWei,
    flows: books && {
      fundedWei: wei(books.funded),
      paidWei: wei(books.paid),
      withdrawnWei: wei(books.withdrawn),
    },
  };
}

/** The number of concurrent requests that public nodes accept. */
const AT_ONCE = 12;

/** Runs work on all items, a few at a time; stops between them when aborted. @throws the first failure */
export async function inChunks<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const runner = async () => {
    for (const item of remaining) {
      signal.throwIfAborted();
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, runner));
}
