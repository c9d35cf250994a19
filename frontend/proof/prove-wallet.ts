import type { PublicClient } from "viem";
import { getBlockNumber, getLogs, getTransactionReceipt } from "viem/actions";
import { available } from "../../core/chain/generated/cashback-distributor.ts";
import { isWhole, type ProofChain, readWallet } from "../../core/chain/proof/read-wallet.ts";
import { parseDecimal } from "../../core/rules/money.ts";
import { CHZ_DECIMALS, WEI_PER_GWEI } from "../../core/rules/product.ts";
import { type Outcome, outcomesOf, type ProvenTicket } from "../../core/rules/proof.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { getBooks, getWalletTickets, type WalletTicket } from "../api/calls.ts";
import { deployment } from "../app/deployment.ts";
import { client, readBalance, readContract } from "../chain/client.ts";
import { distributor, purchaseNft } from "../chain/contracts.ts";
import { readWalletBooks } from "../chain/read-books.ts";

export type ProvenPurchase = {
  ticket: ProvenTicket;
  outcome: Outcome;
  /** Whether the api agrees; undefined if it did not respond. */
  agrees: boolean | undefined;
};

type Options = { signal: AbortSignal; onProgress: (done: number) => void };

const ATTEMPTS = 3;
const BEHIND_MS = 2_000;

const proofClient: ProofChain["client"] = {
  readContract,
  getBlockNumber: (options) => getBlockNumber(client, options),
  getLogs: ((options) => getLogs(client, options)) as PublicClient["getLogs"],
  getTransactionReceipt: (options) => getTransactionReceipt(client, options),
};

/**
 * Reads a wallet's tickets and payouts from the chain and recomputes the amounts, newest first. The api only says where
 * to look, and why a payout is lower.
 */
export async function proveWallet(wallet: WalletAddress, options: Options): Promise<ProvenPurchase[]> {
  const chain: ProofChain = {
    client: proofClient,
    purchaseNft: purchaseNft(),
    cashbackDistributor: distributor(),
    firstBlock: BigInt(deployment.start_block),
  };
  const said = await readSaid(chain, wallet, options);
  const tickets = await readWallet(chain, wallet, { ...options, listed: said?.map(toListed) });
  const outcomes = outcomesOf(tickets, await readWalletBooks(wallet, options.signal));
  const saidById = said && new Map(said.map((one) => [BigInt(one.token_id), one]));
  return tickets
    .map((ticket, index) => ({
      ticket,
      outcome: outcomes[index] ?? { kind: "open" as const },
      agrees: saidById && agrees(saidById.get(ticket.id), ticket),
    }))
    .reverse();
}

/** What the api lists; undefined if it does not respond. */
async function readSaid(chain: ProofChain, wallet: WalletAddress, { signal }: Options) {
  for (let attempt = 1; ; attempt++) {
    const said = await getWalletTickets(wallet, { signal }).catch(() => undefined);
    if (!said || attempt === ATTEMPTS || (await isWhole(chain, wallet, said.map(toListed), signal))) return said;
    // The index is a few blocks behind the chain: missing entries may appear shortly.
    await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
  }
}

const toListed = ({ token_id, paid }: WalletTicket) => ({ id: BigInt(token_id), transaction: paid?.tx });

/** The api stores payouts in gwei. */
function agrees(said: WalletTicket | undefined, { payouts: [payout] }: ProvenTicket): boolean {
  if (!said?.paid || !payout) return said?.paid === null && !payout;
  return parseDecimal(said.paid.amount, CHZ_DECIMALS) === payout.amountWei - (payout.amountWei % WEI_PER_GWEI);
}

export type DistributorBooks = {
  balanceWei: bigint;
  availableWei: bigint;
  /** Deposits and payouts according to the api; undefined if it did not respond. */
  flows: { fundedWei: bigint; paidWei: bigint; withdrawnWei: bigint } | undefined;
};

/** The contract's balance from the chain, and its deposits and payouts according to the api. */
export async function readBooks(): Promise<DistributorBooks> {
  const [balanceWei, availableWei, books] = await Promise.all([
    readBalance(distributor()),
    readContract({ address: distributor(), abi: [available], functionName: "available" }),
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
