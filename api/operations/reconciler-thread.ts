import { parentPort } from "node:worker_threads";
import { connect } from "../../database/connect.ts";
import { readContracts } from "../../platform/contracts.ts";
import { openLog } from "../../platform/log.ts";
import { openChain } from "../../platform/rpc/chain-client.ts";
import { DatabaseChainMemory } from "../../platform/rpc/chain-memory.ts";
import { type Reconciliation, reconcile } from "../../reconcile/reconcile.ts";
import { readEnvironment } from "../environment.ts";

/** The thread behind `reconciler.ts`: compares once for each message. */

export type ReconcilerAnswer = { result: Reconciliation } | { message: string };

const environment = readEnvironment(process.env);
const { startBlock, ...contracts } = readContracts(environment);
const database = await connect(environment.DATABASE_URL, { mustExist: true });
const { client } = await openChain({
  network: environment.network,
  urls: environment.RPC_URLS,
  chainId: environment.CHAIN_ID,
  contract: contracts.purchaseNft,
  memory: new DatabaseChainMemory(environment.CHAIN_ID, { database, mayWrite: false }),
  log: openLog("silent"),
});

parentPort?.on("message", async () => {
  const answer = await compare().catch((error: unknown) => ({
    message: error instanceof Error ? error.message : String(error),
  }));
  parentPort?.postMessage(answer satisfies ReconcilerAnswer);
});

async function compare(): Promise<ReconcilerAnswer> {
  const result = await reconcile({
    database,
    client,
    contracts,
    keys: environment.keys,
    startBlock: BigInt(startBlock),
    everySeconds: environment.RECONCILE_INTERVAL_SECONDS,
    calls: environment.RECONCILE_CALLS,
  });
  return { result };
}
