/**
 * Verifies a wallet's cashback from the chain: `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL] [--books URL]
 * [--network NAME]`. Reads the deployment record and a public node, never the database; `--books` takes a site's published
 * books (`/api/proof`) as the explanation of lower payouts. Prints each purchase's value × percent × rate next to the
 * amount paid, then one line of JSON: `{ purchases, expected, paid, matches, less, more, missing }`, CHZ as decimals.
 */

import { parseArgs } from "node:util";
import { getAddress, isAddress } from "viem";
import { chainOf } from "../core/chain/chains.ts";
import { readDeployment } from "../core/chain/deployment.ts";
import { type ProofChain, readWallet } from "../core/chain/proof/read-wallet.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { askOutside } from "../core/process/outside.ts";
import { walletBooksSchema } from "../core/rules/api/proof.ts";
import { chzTextFromGwei, chzTextFromWei } from "../core/rules/money.ts";
import { NETWORKS, type Network } from "../core/rules/networks.ts";
import {
  type BookEntry,
  booksOf,
  expectedGwei,
  type Outcome,
  outcomeOf,
  outcomesOf,
  type ProofBooks,
  type ProvenTicket,
  proofTotals,
} from "../core/rules/proof.ts";
import { ticketStatus } from "../core/rules/purchase/life.ts";
import { toWalletAddress, type WalletAddress } from "../core/rules/wallet-address.ts";
import type { Terminal } from "./operator/environment.ts";
import { openCommandChain } from "./operator/open-chain.ts";

const USAGE = `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL] [--books URL] [--network ${NETWORKS.join("|")}]`;

/** Runs `npm run prove` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
export async function runProve(args: readonly string[], env: Variables, terminal: Terminal): Promise<0 | 1> {
  try {
    for (const line of await proveWallet(args, env)) terminal.log(line);
    return 0;
  } catch (error) {
    terminal.error(failureText(error));
    return 1;
  }
}

async function proveWallet(args: readonly string[], env: Variables): Promise<string[]> {
  const text = { type: "string" } as const;
  const options = { wallet: text, purchase: text, rpc: text, books: text, network: text };
  const { values } = parseArgs({ args: [...args], options });
  const network = NETWORKS.find((one) => one === (values.network ?? "localhost"));
  if (!network) throw new UsageError(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  if (!values.wallet || !isAddress(values.wallet, { strict: false })) {
    throw new UsageError(`--wallet must be an address, 0x and 40 hexadecimal digits: ${USAGE}`);
  }
  if (values.purchase !== undefined && !/^[1-9]\d*$/.test(values.purchase)) {
    throw new UsageError(`--purchase must be the number of a ticket: ${USAGE}`);
  }
  if (values.books !== undefined && !/^https?:/.test(values.books)) {
    throw new UsageError(`--books must be the address of a site's /api/proof: ${USAGE}`);
  }
  const { chainId, purchaseNft, cashbackDistributor, block } = readDeployment(network);
  const place = { network, chainId, rpcUrls: values.rpc ? [values.rpc] : rpcUrlsOf(network, env) };
  const chain: ProofChain = {
    client: await openCommandChain(place, purchaseNft.address),
    purchaseNft: toWalletAddress(purchaseNft.address),
    cashbackDistributor: toWalletAddress(cashbackDistributor.address),
    firstBlock: BigInt(block),
  };
  const wallet = toWalletAddress(values.wallet);
  const only = values.purchase === undefined ? undefined : BigInt(values.purchase);
  const books = values.books === undefined ? undefined : await readPublishedBooks(values.books, wallet);
  // Debts are borne out by the wallet's other tickets.
  const tickets = await readWallet(chain, wallet, books ? {} : { only });
  const outcomes = outcomesOf(tickets, books);
  const proven = tickets
    .map((ticket, index) => ({ ticket, outcome: outcomes[index] ?? outcomeOf(ticket) }))
    .filter(({ ticket }) => only === undefined || ticket.id === only);
  if (only !== undefined && proven.length === 0) throw new UsageError(`Ticket ${only} is not ${getAddress(wallet)}'s`);
  return [...proven.flatMap(proofLines), JSON.stringify(proofSummary(proven))];
}

function rpcUrlsOf(network: Network, env: Variables): readonly string[] {
  const given = (env.RPC_URLS ?? "").split(",").map((one) => one.trim());
  const urls = given.filter((one) => one.startsWith("http"));
  const local = `http://127.0.0.1:${env.CHAIN_PORT || 8545}`;
  return urls.length > 0 ? urls : chainOf(network, local).rpcUrls.default.http;
}

/** A wallet's books from a site's `/api/proof`, all pages. @throws UsageError if the address does not answer with books */
async function readPublishedBooks(address: string, wallet: WalletAddress): Promise<ProofBooks> {
  const books = new Map<bigint, BookEntry>();
  for (let before: number | null | undefined; before !== null; ) {
    const url = new URL(address);
    url.searchParams.set("wallet", wallet);
    if (before !== undefined) url.searchParams.set("before", String(before));
    const { status, json } = await askOutside(url);
    const page = walletBooksSchema.safeParse(json);
    if (!page.success) throw new UsageError(`${url} answers ${status}, and not with a wallet's books`);
    for (const [id, entry] of booksOf(page.data.purchases)) books.set(id, entry);
    // Ids fall from page to page: one that does not would never end.
    const next: number | null = page.data.next_before;
    if (next !== null && before !== undefined && next >= before) throw new UsageError(`${url} repeats a page`);
    before = next;
  }
  return books;
}

type Proven = { ticket: ProvenTicket; outcome: Outcome };

const MORE_TEXTS = {
  "not-confirmed": "paid, and not Confirmed",
  repeated: "paid more than once",
  "another-wallet": "paid to another wallet",
  "no-rate": "the distributor emitted no rate for this payout",
  above: "paid more than value × percent × rate",
};

/** The last line of `npm run prove`, before it is JSON. */
function proofSummary(proven: readonly Proven[]) {
  const { purchases, expectedGwei, paidWei, ...others } = proofTotals(
    proven.map(({ ticket }) => ticket),
    proven.map(({ outcome }) => outcome),
  );
  return { purchases, expected: chzTextFromGwei(expectedGwei), paid: chzTextFromWei(paidWei), ...others };
}

/** A line for a ticket, and one for its difference, if it has one. */
function proofLines({ ticket, outcome }: Proven): string[] {
  const [payout] = ticket.payouts;
  const value = `R$ ${(Number(ticket.valueCents) / 100).toFixed(2)} × ${Number(ticket.totalBps) / 100} %`;
  const rate = payout?.weiPerCent === undefined ? "" : ` × ${chzTextFromWei(payout.weiPerCent * 100n)} CHZ per R$`;
  const product = expectedGwei(ticket);
  const expected = product === undefined ? "" : ` = ${chzTextFromGwei(product)} CHZ`;
  const paid = ticket.payouts.map(
    ({ kind, amountWei, transaction }) =>
      `${kind === "paid" ? "paid" : "credited"} ${chzTextFromWei(amountWei)} CHZ in ${transaction}`,
  );
  const head = `Ticket ${ticket.id}, ${ticketStatus(ticket.status)}: ${value}${rate}${expected}`;
  const difference = differenceText(outcome);
  return [[head, ...paid].join("; "), ...(difference ? [`  ${difference}`] : [])];
}

function differenceText(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "kept":
      return `✓ ${explanationText(outcome)}, by the published books`;
    case "less":
      return `✗ paid ${chzTextFromWei(outcome.differenceWei)} CHZ less than value × percent × rate, not explained`;
    case "more":
      return `✗ ${MORE_TEXTS[outcome.reason]}`;
    case "missing":
      return "✗ Confirmed, and not paid yet";
    default:
      return undefined;
  }
}

function explanationText({ keptWei, lowerWei, debtOf }: Extract<Outcome, { kind: "kept" }>): string {
  const parts = [
    ...(keptWei > 0n ? [`kept back ${chzTextFromWei(keptWei)} CHZ for the debt of ticket ${debtOf.join(", ")}`] : []),
    ...(lowerWei > 0n ? [`${chzTextFromWei(lowerWei)} CHZ less because the sale itself is lower`] : []),
  ];
  return parts.join(", and ") || "nothing is due, because the sale was declined";
}

if (import.meta.main) process.exitCode = await runProve(process.argv.slice(2), process.env, console);
