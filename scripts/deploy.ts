/**
 * Deploys to a network, or continues where an earlier run stopped: `npm run deploy -- --network
 * localhost|spicy|chiliz`. `--dry-run` prints the cost, `--check` compares the network with its record and with this
 * source, `--verify` submits the sources to the explorer. `--successor-of 0x…` deploys a successor of that distributor,
 * `--successor-of-pair 0x…` one of that PurchaseNFT and its distributor; with `--retire` the deployer, if it is the admin,
 * first ends what they succeed for ever.
 */
import { parseArgs } from "node:util";
import { type Address, BaseError, formatEther, getAddress, isAddress, parseGwei, zeroAddress } from "viem";
import { privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { deploymentPath, findDeployment } from "../core/chain/deployment.ts";
import { ticketDescriptorBytecode } from "../core/chain/generated/ticket-descriptor-bytecode.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { oneNodeProblem, refusePlaintext } from "../core/process/trusted-nodes.ts";
import { SAMPLE_STORES } from "../core/rules/catalogue-samples.ts";
import { NETWORKS, type Network } from "../core/rules/networks.ts";
import { checkDeployment, type Finding } from "./deploy/check-deployment.ts";
import { type DeployConfiguration, readCheckConfiguration, readDeployConfiguration } from "./deploy/configuration.ts";
import { distributorArguments, distributorCreation, purchaseNftCreation } from "./deploy/creations.ts";
import { DeployError } from "./deploy/deploy-error.ts";
import { deployPair } from "./deploy/deploy-pair.ts";
import { deploySuccessor } from "./deploy/deploy-successor.ts";
import { deployTorcida, type StoreName } from "./deploy/deploy-torcida.ts";
import { probeChain } from "./deploy/probe-chain.ts";
import { saidOtherwise } from "./deploy/said-otherwise.ts";
import { verifySource } from "./deploy/verify-source.ts";
import type { Terminal } from "./operator/environment.ts";
import { openCommandChain } from "./operator/open-chain.ts";

/** Rounded up from measurements; these calls cannot be estimated before the contracts exist. */
const GRANT_ROLE_GAS = 55_000n;
const REGISTER_STORE_GAS = 120_000n;
const OFFER_ADMIN_GAS = 55_000n;
const ROLE_COUNT = 8n;
const SET_DISTRIBUTOR_GAS = 60_000n;
/** The lowest gas price of Spicy and of Chiliz. */
const FLOOR_WEI = parseGwei("2500");

type CostLine = { what: string; gas: bigint };
type Cost = {
  lines: CostLine[];
  totalGas: bigint;
  gasPriceWei: bigint;
  totalWei: bigint;
  balanceWei: bigint;
  deployer: Address;
};

type Print = (line: string) => void;

const FUND_IT = "send it some (--dry-run says how much), and run this again";
const USAGE = `npm run deploy -- --network ${NETWORKS.join("|")} [--dry-run | --check | --verify | (--successor-of | --successor-of-pair) 0x… [--retire]]`;
/** The sample stores of the local chain. On other networks the api registers the operator's catalogue. */
const storesOf = (network: Network) =>
  network === "localhost" ? SAMPLE_STORES.map(({ name }, index) => ({ id: index + 1, name })) : [];

/** Runs `npm run deploy` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
export async function runDeploy(args: readonly string[], env: Variables, terminal: Terminal): Promise<0 | 1> {
  try {
    return (await runCommand(args, env, (line) => terminal.log(line))) ? 0 : 1;
  } catch (error) {
    terminal.error(sentence(error));
    return 1;
  }
}

function sentence(error: unknown): string {
  if (error instanceof BaseError && /insufficient funds|exceeds the balance/i.test(error.message)) {
    return `The deployer has too little CHZ for gas: ${FUND_IT}`;
  }
  return failureText(error);
}

/** Returns whether everything is as it should be. */
async function runCommand(args: readonly string[], env: Variables, print: Print): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      network: { type: "string" },
      "dry-run": { type: "boolean" },
      check: { type: "boolean" },
      verify: { type: "boolean" },
      "successor-of": { type: "string" },
      "successor-of-pair": { type: "string" },
      retire: { type: "boolean" },
    },
  });
  const network = NETWORKS.find((one) => one === values.network);
  if (!network) throw new UsageError(`--network must be one of ${NETWORKS.join(", ")}: ${USAGE}`);
  if (values["dry-run"]) return await dryRun(network, env, print);
  if (values.check) return show(await checkDeployment(readCheckConfiguration(network, env)), print);
  if (values.verify) return show(await verifySource(network, env.EXPLORER_API_URL || undefined), print);
  const [distributor, tickets] = [values["successor-of"], values["successor-of-pair"]];
  if (distributor !== undefined && tickets !== undefined)
    throw new UsageError(`--successor-of-pair succeeds the distributor too: ${USAGE}`);
  const predecessor = distributor ?? tickets;
  if (predecessor !== undefined) {
    const [isPair, mayRetire] = [tickets !== undefined, values.retire ?? false];
    return await succeed(network, env, print, { predecessor, isPair, mayRetire });
  }
  if (values.retire) throw new UsageError(`--retire goes with --successor-of or --successor-of-pair: ${USAGE}`);
  return await deploy(network, env, print);
}

/** Returns whether the deployment is as the variables say. */
async function deploy(network: Network, env: Variables, print: Print): Promise<boolean> {
  const configuration = readDeployConfiguration(network, env);
  await requireTrustedNodes(configuration);
  if (network !== "localhost") await requireFunds(configuration);
  if (env.SITE_URL && new URL(env.SITE_URL).href !== new URL("/", env.SITE_URL).href)
    print(`Of SITE_URL only ${configuration.siteUrl} counts: each ticket links to ${configuration.siteUrl}/ticket/…`);
  const deployment = await deployTorcida({ configuration, stores: storesOf(network), report: print });
  print(`PurchaseNFT ${deployment.purchaseNft.address}`);
  print(`CashbackDistributor ${deployment.cashbackDistributor.address}`);
  print(`The record is ${deploymentPath(network)}`);
  const differences = await saidOtherwise(await openCommandChain(configuration), configuration, deployment);
  for (const line of differences) print(`✗ ${line}`);
  // `npm start` goes on with the local contracts as they are.
  return differences.length === 0 || network === "localhost";
}

async function succeed(
  network: Network,
  env: Variables,
  print: Print,
  { predecessor, isPair, mayRetire }: { predecessor: string; isPair: boolean; mayRetire: boolean },
): Promise<true> {
  if (!isAddress(predecessor, { strict: false })) {
    const [option, contract] = isPair ? ["--successor-of-pair", "PurchaseNFT"] : ["--successor-of", "distributor"];
    throw new UsageError(`${option} must be the address of the current ${contract}: ${USAGE}`);
  }
  const configuration = readDeployConfiguration(network, env);
  await requireTrustedNodes(configuration);
  if (network !== "localhost") await requireFunds(configuration);
  const options = { configuration, mayRetire, report: print, predecessor: getAddress(predecessor.toLowerCase()) };
  const { purchaseNft, cashbackDistributor } = isPair
    ? await deployPair({ ...options, stores: storesOf(network) })
    : await deploySuccessor(options);
  if (isPair) print(`PurchaseNFT ${purchaseNft.address} mints from now on`);
  print(`CashbackDistributor ${cashbackDistributor.address} is in office`);
  print(`The record is ${deploymentPath(network)}: start the indexer and the api again, so that they read it`);
  return true;
}

/** On mainnet no single party says what was deployed. docs/product.md#node-trust */
async function requireTrustedNodes({ network, nodeSettings }: DeployConfiguration): Promise<void> {
  await refusePlaintext(nodeSettings);
  const problem = network === "chiliz" ? oneNodeProblem(nodeSettings) : undefined;
  if (problem !== undefined) throw new DeployError(problem);
}

/** Checked before anything is written. */
async function requireFunds(configuration: DeployConfiguration): Promise<void> {
  const address = privateKeyToAddress(configuration.deployerKey);
  const client = await openCommandChain(configuration);
  if ((await client.getBalance({ address })) > 0n) return;
  throw new DeployError(`The deployer ${address} has no CHZ: ${FUND_IT}`);
}

async function dryRun(network: Network, env: Variables, print: Print): Promise<true> {
  const cost = await estimateCost(readDeployConfiguration(network, env), storesOf(network));
  for (const line of costReport(cost)) print(line);
  return true;
}

function show(findings: readonly Finding[], print: Print): boolean {
  for (const { isGood, text } of findings) print(`${isGood ? "✓" : "✗"} ${text}`);
  return findings.every(({ isGood }) => isGood);
}

/** The cost of a first deployment at the current gas price. Signs and sends nothing. */
async function estimateCost(configuration: DeployConfiguration, stores: readonly StoreName[]): Promise<Cost> {
  const { network, adminDelaySeconds, siteUrl, deployerKey, admin } = configuration;
  const client = await openCommandChain(configuration);
  await probeChain(client, network);
  const deployer = privateKeyToAccount(deployerKey).address;
  const lines: CostLine[] = [];
  if (!findDeployment(network)) {
    const nft = purchaseNftCreation({ constructorArguments: [deployer, adminDelaySeconds, siteUrl, zeroAddress] });
    const distributor = distributorCreation(distributorArguments(configuration, deployer, zeroAddress, zeroAddress));
    // From the zero address, so that a deployer without funds can get an estimate too.
    lines.push({ what: "TicketDescriptor", gas: await client.estimateGas({ data: ticketDescriptorBytecode }) });
    lines.push({ what: "PurchaseNFT", gas: await client.estimateGas({ data: nft }) });
    lines.push({ what: "CashbackDistributor", gas: await client.estimateGas({ data: distributor }) });
    lines.push({ what: `${ROLE_COUNT} roles`, gas: ROLE_COUNT * GRANT_ROLE_GAS });
    lines.push({ what: "the distributor named", gas: SET_DISTRIBUTOR_GAS });
    lines.push({ what: `${stores.length} stores`, gas: BigInt(stores.length) * REGISTER_STORE_GAS });
    if (admin) lines.push({ what: "administration offered", gas: 2n * OFFER_ADMIN_GAS });
  }
  const totalGas = lines.reduce((sum, { gas }) => sum + gas, 0n);
  const quoted = await client.getGasPrice();
  // A node of one's own says less than the public chain takes.
  const gasPriceWei = network === "localhost" || quoted > FLOOR_WEI ? quoted : FLOOR_WEI;
  const balanceWei = await client.getBalance({ address: deployer });
  return { lines, totalGas, gasPriceWei, totalWei: totalGas * gasPriceWei, balanceWei, deployer };
}

/** The estimate as readable lines. */
function costReport({ lines, totalGas, gasPriceWei, totalWei, balanceWei, deployer }: Cost): string[] {
  if (lines.length === 0) return ["There is already a record: a run would only add what is missing. Nothing was sent."];
  const chz = (wei: bigint) => Number(formatEther(wei)).toFixed(2);
  return [
    ...lines.map(
      ({ what, gas }) => `${what.padEnd(24)}${String(gas).padStart(12)} gas${chz(gas * gasPriceWei).padStart(10)} CHZ`,
    ),
    `${"in all".padEnd(24)}${String(totalGas).padStart(12)} gas${chz(totalWei).padStart(10)} CHZ at ${gasPriceWei / 10n ** 9n} gwei`,
    `The deployer ${deployer} has ${chz(balanceWei)} CHZ${balanceWei < totalWei ? ": too little" : ""}. Nothing was sent.`,
  ];
}

if (import.meta.main) process.exitCode = await runDeploy(process.argv.slice(2), process.env, console);
