import type { Database } from "../../core/database/connect.ts";
import { openLog } from "../../core/process/log.ts";
import { type ChainClient, openChain } from "../../core/process/rpc/chain-client.ts";
import { RpcError } from "../../core/process/rpc/json-rpc.ts";
import { DatabaseChainMemory, RunMemory } from "../../core/process/rpc/node-proof.ts";
import type { Network } from "../../core/rules/networks.ts";

export type ChainPlace = { network: Network; chainId: number; rpcUrls: readonly string[] };

/** A command waits longer for a node than a caller of the api. */
const TIMEOUT_MS = 10_000;
const RETRIES = 3;
const POLLING_MS = { localhost: 50, spicy: 1_000, chiliz: 1_000 } satisfies Record<Network, number>;

/**
 * The chain for a command without a database. Each node is verified before its first response is trusted, and every
 * later response must be from the same chain. `contract`, if given, must have code there.
 * @throws Error with one sentence if no node of the chain responds
 */
export async function openCommandChain(place: ChainPlace, contract?: string): Promise<ChainClient> {
  const { network, chainId, rpcUrls } = place;
  const { client, nodes } = await openChain({
    network,
    chainId,
    urls: rpcUrls,
    contract,
    memory: new RunMemory(),
    log: openLog("silent"),
    patience: { timeoutMs: TIMEOUT_MS, retries: RETRIES, pollingIntervalMs: POLLING_MS[network] },
  });
  await nodes.refuseWrongChain();
  if (!nodes.isReady)
    throw new RpcError("unproven", `No node of ${network} answers: ${nodes.problem}; correct RPC_URLS`);
  return client;
}

/** The chain for a command with a database, whose facts about it must hold. */
export function openKnownChain(
  { network, chainId, rpcUrls }: ChainPlace,
  database: Database,
  contract: string,
): ReturnType<typeof openChain> {
  const memory = new DatabaseChainMemory(chainId, { database, mayWrite: false });
  return openChain({ network, chainId, urls: rpcUrls, contract, memory, log: openLog("silent") });
}
