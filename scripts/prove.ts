/**
 * Verifies a wallet's cashback from the chain alone: `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL]
 * [--network NAME]`. Reads the deployment record and a public node, never the database. Prints each purchase's value ×
 * percent × rate next to the amount paid, then one line of JSON: `{ purchases, expected, paid, less, more, missing,
 * matches }`, CHZ as decimals.
 */
import { parseArgs } from "node:util";
import { getAddress, isAddress } from "viem";
import { chainOf } from "../chain/chains.ts";
import { readDeployment } from "../chain/deployment.ts";
import { NETWORKS, type Network } from "../domain/networks.ts";
import type { Variables } from "../platform/environment.ts";
import { failureText } from "../platform/failure-text.ts";
import { UsageError } from "../platform/usage-error.ts";
import type { Terminal } from "./operator/environment.ts";
import { openCommandChain } from "./operator/open-chain.ts";
import { proofLines, proofSummary } from "./prove/proof.ts";
import { readTickets } from "./prove/read-tickets.ts";

const USAGE = `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL] [--network ${NETWORKS.join("|")}]`;

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
  const options = { wallet: text, purchase: text, rpc: text, network: text };
  const { values } = parseArgs({ args: [...args], options });
  const network = NETWORKS.find((one) => one === (values.network ?? "localhost"));
  if (!network) throw new UsageError(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  if (!values.wallet || !isAddress(values.wallet, { strict: false })) {
    throw new UsageError(`--wallet must be an address, 0x and 40 hexadecimal digits: ${USAGE}`);
  }
  if (values.purchase !== undefined && !/^[1-9]\d*$/.test(values.purchase)) {
    throw new UsageError(`--purchase must be the number of a ticket: ${USAGE}`);
  }
  const deployment = readDeployment(network);
  const { chainId, purchaseNft } = deployment;
  const place = { network, chainId, rpcUrls: values.rpc ? [values.rpc] : rpcUrlsOf(network, env) };
  const client = await openCommandChain(place, purchaseNft.address);
  const wallet = getAddress(values.wallet);
  const only = values.purchase === undefined ? undefined : BigInt(values.purchase);
  const tickets = await readTickets({ client, deployment, wallet, only });
  if (only !== undefined && tickets.length === 0) throw new UsageError(`Ticket ${only} is not ${wallet}'s`);
  return [...proofLines(tickets), JSON.stringify(proofSummary(tickets))];
}

function rpcUrlsOf(network: Network, env: Variables): readonly string[] {
  const given = (env.RPC_URLS ?? "").split(",").map((one) => one.trim());
  const urls = given.filter((one) => one.startsWith("http"));
  const local = `http://127.0.0.1:${env.CHAIN_PORT || 8545}`;
  return urls.length > 0 ? urls : chainOf(network, local).rpcUrls.default.http;
}

if (import.meta.main) process.exitCode = await runProve(process.argv.slice(2), process.env, console);
