import { z } from "zod";
import { readDeployment } from "../core/chain/deployment.ts";
import { readContracts } from "../core/process/contracts.ts";
import {
  CHAIN_VARIABLES,
  chainEnvironment,
  chainProblems,
  checkVariables,
  DATABASE_VARIABLES,
  databaseUrlOf,
  LOG_LEVEL,
  port,
  type Variables,
  wholeNumberIfSet,
  withWrongUrls,
} from "../core/process/environment.ts";
import { isLoopbackUrl, NETWORK_RULES } from "../core/process/network-rules.ts";
import type { NodeSettings } from "../core/process/trusted-nodes.ts";
import type { Network } from "../core/rules/networks.ts";
import type { Source } from "./chain-node.ts";

export type IndexerEnvironment = {
  dataDirectory: string;
  databaseUrl: string;
  network: Network;
  rpcUrls: string[];
  /** WebSocket URLs that may announce new blocks. */
  webSocketUrls: string[];
  nodeSettings: NodeSettings;
  source: Source;
  /** The transactions of the deployment's record, in lower case; none if the addresses are configured. */
  deploymentTransactions: readonly string[];
  port: number;
  host: string;
  /** How long at most after a poll that found no new block. */
  pollIntervalMs: number;
  /** How often a new block is expected; the same, if the polling interval is set. */
  blockMs: number;
  logLevel: string;
};

const VARIABLES = {
  ...DATABASE_VARIABLES,
  ...CHAIN_VARIABLES,
  LOG_LEVEL,
  INDEXER_PORT: port(3001),
  INDEXER_HOST: z.string().default("127.0.0.1"),
  POLL_INTERVAL_MS: wholeNumberIfSet(10, 60_000),
};

/** Reads and checks the process's variables. @throws EnvironmentError that names every problem */
export function readVariables(source: Variables) {
  return checkVariables(VARIABLES, source, (right, wrong) => chainProblems(withWrongUrls(right, wrong)));
}

/**
 * The settings from the variables; contract addresses that are not set come from the network's deployment record.
 * @throws EnvironmentError
 */
export function readEnvironment(source: Variables): IndexerEnvironment {
  const values = readVariables(source);
  const { network, chainId, rpcUrls, webSocketUrls, nodeSettings } = chainEnvironment(values);
  const contracts = { chainId, ...readContracts({ ...values, network }) };
  const isRecorded = !(values.PURCHASE_NFT_ADDRESS && values.CASHBACK_DISTRIBUTOR_ADDRESS);
  const record = isRecorded ? readDeployment(network) : undefined;
  const created = record
    ? [
        ...[record.ticketDescriptor, record.purchaseNft, record.cashbackDistributor],
        ...record.formerPurchaseNfts.flatMap(({ ticketDescriptor, ...tickets }) => [ticketDescriptor, tickets]),
        ...record.formerDistributors,
      ]
    : [];
  const transactions = [...created.map(({ transaction }) => transaction), ...(record?.calls ?? [])];
  return {
    dataDirectory: values.DATA_DIR,
    databaseUrl: databaseUrlOf(values),
    network,
    rpcUrls,
    nodeSettings,
    // A local node announces its blocks on its HTTP port.
    webSocketUrls: [...webSocketUrls, ...rpcUrls.filter(isLoopbackUrl).map((url) => url.replace(/^http/, "ws"))],
    source: contracts,
    deploymentTransactions: transactions.map((hash) => hash.toLowerCase()),
    port: values.INDEXER_PORT,
    host: values.INDEXER_HOST,
    pollIntervalMs: values.POLL_INTERVAL_MS ?? NETWORK_RULES[network].pollMs,
    blockMs: values.POLL_INTERVAL_MS ?? NETWORK_RULES[network].blockMs,
    logLevel: values.LOG_LEVEL,
  };
}
