import type { Database } from "../../core/database/connect.ts";
import { readContracts } from "../../core/process/contracts.ts";
import { openLog } from "../../core/process/log.ts";
import { openChain } from "../../core/process/rpc/chain-client.ts";
import type { RpcObserver } from "../../core/process/rpc/json-rpc.ts";
import type { NodePool } from "../../core/process/rpc/node-pool.ts";
import { DatabaseChainMemory } from "../../core/process/rpc/node-proof.ts";
import type { ReconcileOptions } from "../../core/reconcile/reconcile.ts";
import type { ApiEnvironment } from "../environment.ts";

/**
 * Everything a comparison of database and chain needs, with its own chain client; for the api's thread and the command.
 */
export async function openReconcile(
  environment: ApiEnvironment,
  database: Database,
  observe?: RpcObserver,
): Promise<{
  options: ReconcileOptions & { everySeconds: number };
  nodes: Pick<NodePool<unknown>, "refuseWrongChain">;
}> {
  const { startBlock, ...contracts } = readContracts(environment);
  const { client, nodes } = await openChain({
    network: environment.network,
    urls: environment.RPC_URLS,
    chainId: environment.CHAIN_ID,
    contract: contracts.purchaseNft,
    memory: new DatabaseChainMemory(environment.CHAIN_ID, { database, mayWrite: false }),
    log: openLog("silent"),
    lane: "check",
    ...(observe ? { observe } : {}),
  });
  const options = {
    database,
    client,
    contracts,
    keys: environment.keys,
    startBlock: BigInt(startBlock),
    everySeconds: environment.RECONCILE_INTERVAL_SECONDS,
    calls: environment.RECONCILE_CALLS,
  };
  return { options, nodes };
}
