/** Compares the database with the chain and lists every difference. With any difference, pauses payouts and exits with 1. */
import { readEnvironment } from "../api/environment.ts";
import { readContracts } from "../platform/contracts.ts";
import { openLog } from "../platform/log.ts";
import { openChain } from "../platform/rpc/chain-client.ts";
import { DatabaseChainMemory } from "../platform/rpc/chain-memory.ts";
import { pausingReason, reconcile } from "../reconcile/reconcile.ts";
import { PayoutSwitch } from "../sender/payout-switch.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

try {
  const environment = readEnvironment(process.env);
  const { startBlock, ...contracts } = readContracts(environment);
  const database = await openDatabase(readOperatorEnvironment(process.env));
  const { client, nodes } = await openChain({
    network: environment.network,
    urls: environment.RPC_URLS,
    chainId: environment.CHAIN_ID,
    contract: contracts.purchaseNft,
    memory: new DatabaseChainMemory(environment.CHAIN_ID, { database, mayWrite: false }),
    log: openLog("silent"),
  });
  await nodes.refuseWrongChain();
  const { differences, tokens, block } = await reconcile({
    database,
    client,
    contracts,
    sender: environment.operator.address,
    startBlock: BigInt(startBlock),
  });
  const [first] = differences;
  if (first !== undefined) await new PayoutSwitch(database, false).pause(pausingReason(first));
  await database.close();
  for (const difference of differences) console.log(`✗ ${difference}`);
  console.log(
    differences.length === 0
      ? `✓ Database and chain agree: ${tokens} tokens at block ${block}`
      : `${differences.length} differences among ${tokens} tokens at block ${block}; payments are paused until you resume them`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
