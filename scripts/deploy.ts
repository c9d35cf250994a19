/** Deploys to a network, or goes on where an earlier run stopped: `npm run deploy -- --network localhost|spicy|chiliz`. */
import { parseArgs } from "node:util";
import { BaseError } from "viem";
import { NETWORKS, type Network } from "../chain/chains.ts";
import { deploymentPath } from "../chain/deployment.ts";
import { SAMPLE_STORES } from "../domain/catalogue-samples.ts";
import { readDeployConfiguration } from "./deploy/configuration.ts";
import { deployTorcida } from "./deploy/deploy-torcida.ts";

const USAGE = `npm run deploy -- --network ${NETWORKS.join("|")}`;

try {
  const { values } = parseArgs({ options: { network: { type: "string" } } });
  const network = NETWORKS.find((one) => one === values.network);
  if (!network) throw new Error(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  await deploy(network);
} catch (error) {
  console.error(
    error instanceof BaseError ? error.shortMessage : error instanceof Error ? error.message : String(error),
  );
  process.exitCode = 1;
}

async function deploy(network: Network): Promise<void> {
  const configuration = readDeployConfiguration(network, process.env);
  const stores = SAMPLE_STORES.map(({ name }, index) => ({ id: index + 1, name }));
  const deployment = await deployTorcida({ configuration, stores, report: (line) => console.log(line) });
  console.log(`PurchaseNFT ${deployment.purchaseNft.address}`);
  console.log(`CashbackDistributor ${deployment.cashbackDistributor.address}`);
  console.log(`The record is ${deploymentPath(network)}`);
}
