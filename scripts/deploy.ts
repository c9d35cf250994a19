/**
 * Deploys to a network, or continues where an earlier run stopped: `npm run deploy -- --network
 * localhost|spicy|chiliz`. `--dry-run` prints the cost, `--check` compares the network with its record and with this
 * source, `--verify` submits the sources to the explorer. `--successor-of 0x…` deploys a successor of that distributor;
 * with `--retire` the deployer, if it is the admin, first retires that distributor permanently.
 */
import { parseArgs } from "node:util";
import { BaseError, getAddress, isAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { deploymentPath } from "../chain/deployment.ts";
import { SAMPLE_STORES } from "../domain/catalogue-samples.ts";
import { NETWORKS, type Network } from "../domain/networks.ts";
import { checkDeployment, type Finding } from "./deploy/check-deployment.ts";
import { type DeployConfiguration, readCheckConfiguration, readDeployConfiguration } from "./deploy/configuration.ts";
import { deploySuccessor } from "./deploy/deploy-successor.ts";
import { deployTorcida } from "./deploy/deploy-torcida.ts";
import { costReport, estimateCost } from "./deploy/estimate-cost.ts";
import { verifySource } from "./deploy/verify-source.ts";
import { openCommandChain } from "./operator/open-chain.ts";

const FUND_IT = "send it some (--dry-run says how much), and run this again";
const USAGE = `npm run deploy -- --network ${NETWORKS.join("|")} [--dry-run | --check | --verify | --successor-of 0x… [--retire]]`;
/** The sample stores of the local chain. On other networks the api registers the operator's catalogue. */
const storesOf = (network: Network) =>
  network === "localhost" ? SAMPLE_STORES.map(({ name }, index) => ({ id: index + 1, name })) : [];

try {
  await main();
} catch (error) {
  console.error(sentence(error));
  process.exitCode = 1;
}

/** Leaves out the node's URL and the request, which may contain a provider's key. */
function sentence(error: unknown): string {
  if (error instanceof BaseError && /insufficient funds|exceeds the balance/i.test(error.message)) {
    return `The deployer has too little CHZ for gas: ${FUND_IT}`;
  }
  if (error instanceof BaseError) return `${error.shortMessage} ${error.details ?? ""}`.trim();
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      network: { type: "string" },
      "dry-run": { type: "boolean" },
      check: { type: "boolean" },
      verify: { type: "boolean" },
      "successor-of": { type: "string" },
      retire: { type: "boolean" },
    },
  });
  const network = NETWORKS.find((one) => one === values.network);
  if (!network) throw new Error(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  if (values["dry-run"]) return await dryRun(network);
  if (values.check) return await check(network);
  if (values.verify) return show(await verifySource(network, process.env.EXPLORER_API_URL || undefined));
  const predecessor = values["successor-of"];
  if (predecessor !== undefined) return await succeed(network, predecessor, values.retire ?? false);
  if (values.retire) throw new Error(`--retire goes with --successor-of: ${USAGE}`);
  await deploy(network);
}

async function deploy(network: Network): Promise<void> {
  const configuration = readDeployConfiguration(network, process.env);
  if (network !== "localhost") await requireFunds(configuration);
  const report = (line: string) => console.log(line);
  const { purchaseNft, cashbackDistributor } = await deployTorcida({
    configuration,
    stores: storesOf(network),
    report,
  });
  print([
    `PurchaseNFT ${purchaseNft.address}`,
    `CashbackDistributor ${cashbackDistributor.address}`,
    `The record is ${deploymentPath(network)}`,
  ]);
}

async function succeed(network: Network, predecessor: string, mayRetire: boolean): Promise<void> {
  if (!isAddress(predecessor, { strict: false })) {
    throw new Error(`--successor-of must be the address of the distributor in office: ${USAGE}`);
  }
  const configuration = readDeployConfiguration(network, process.env);
  if (network !== "localhost") await requireFunds(configuration);
  const report = (line: string) => console.log(line);
  const { cashbackDistributor } = await deploySuccessor({
    configuration,
    mayRetire,
    report,
    predecessor: getAddress(predecessor.toLowerCase()),
  });
  print([
    `CashbackDistributor ${cashbackDistributor.address} is in office`,
    `The record is ${deploymentPath(network)}: start the indexer and the api again, so that they read it`,
  ]);
}

/** Checked before anything is written. */
async function requireFunds(configuration: DeployConfiguration): Promise<void> {
  const address = privateKeyToAddress(configuration.deployerKey);
  const client = await openCommandChain(configuration);
  if ((await client.getBalance({ address })) > 0n) return;
  throw new Error(`The deployer ${address} has no CHZ: ${FUND_IT}`);
}

async function dryRun(network: Network): Promise<void> {
  print(costReport(await estimateCost(readDeployConfiguration(network, process.env), storesOf(network))));
}

async function check(network: Network): Promise<void> {
  show(await checkDeployment(readCheckConfiguration(network, process.env)));
}

function show(findings: readonly Finding[]): void {
  print(findings.map(({ isGood, text }) => `${isGood ? "✓" : "✗"} ${text}`));
  if (findings.some(({ isGood }) => !isGood)) process.exitCode = 1;
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
