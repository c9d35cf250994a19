/**
 * Verifies a wallet's cashback from the chain alone: `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL]
 * [--network NAME]`. Reads the deployment record and a public node, never the database. Prints each purchase's value ×
 * percent × rate next to the amount paid, then one line of JSON: `{ purchases, expected, paid, matches }`, CHZ as
 * decimals.
 */
import { parseArgs } from "node:util";
import { BaseError, getAddress, isAddress } from "viem";
import { chainOf } from "../chain/chains.ts";
import { readDeployment } from "../chain/deployment.ts";
import { NETWORKS, type Network } from "../domain/networks.ts";
import { openCommandChain } from "./operator/open-chain.ts";
import { proofLines, proofSummary } from "./prove/proof.ts";
import { readTickets } from "./prove/read-tickets.ts";

const USAGE = `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL] [--network ${NETWORKS.join("|")}]`;

try {
  await main();
} catch (error) {
  // Leaves out the node's URL, which may contain a provider's key.
  if (error instanceof BaseError) console.error(`${error.shortMessage} ${error.details ?? ""}`.trim());
  else console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { wallet: text, purchase: text, rpc: text, network: text } });
  const network = NETWORKS.find((one) => one === (values.network ?? "localhost"));
  if (!network) throw new Error(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  if (!values.wallet || !isAddress(values.wallet, { strict: false })) {
    throw new Error(`--wallet must be an address, 0x and 40 hexadecimal digits: ${USAGE}`);
  }
  if (values.purchase !== undefined && !/^[1-9]\d*$/.test(values.purchase)) {
    throw new Error(`--purchase must be the number of a ticket: ${USAGE}`);
  }
  const deployment = readDeployment(network);
  const { chainId, purchaseNft } = deployment;
  const place = { network, chainId, rpcUrls: values.rpc ? [values.rpc] : rpcUrlsOf(network) };
  const client = await openCommandChain(place, purchaseNft.address);
  const wallet = getAddress(values.wallet);
  const only = values.purchase === undefined ? undefined : BigInt(values.purchase);
  const tickets = await readTickets({ client, deployment, wallet, only });
  if (only !== undefined && tickets.length === 0) throw new Error(`Ticket ${only} is not ${wallet}'s`);
  for (const line of proofLines(tickets)) console.log(line);
  console.log(JSON.stringify(proofSummary(tickets)));
}

function rpcUrlsOf(network: Network): readonly string[] {
  const given = (process.env.RPC_URLS ?? "").split(",").map((one) => one.trim());
  const urls = given.filter((one) => one.startsWith("http"));
  const local = `http://127.0.0.1:${process.env.CHAIN_PORT || 8545}`;
  return urls.length > 0 ? urls : chainOf(network, local).rpcUrls.default.http;
}
