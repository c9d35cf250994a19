import { type Address, encodeFunctionData, formatEther, getAbiItem, getAddress, isAddressEqual } from "viem";
import { readInRanges } from "../../core/chain/block-ranges.ts";
import { type Deployment, deploymentPath, deploymentSchema, readDeployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import type { DeployConfiguration } from "./configuration.ts";
import { distributorArguments, distributorCreation, NO_LIMITS } from "./creations.ts";
import { DeployError } from "./deploy-error.ts";
import { fundingCalls } from "./deploy-torcida.ts";
import { type DeployerWallet, openDeployerWallet } from "./deployer-wallet.ts";
import { writeWhole } from "./journal.ts";
import { askCalls, grantCalls, handOverCalls, roleTable } from "./roles.ts";

const [RETIRED, LIMITS_SET] = [
  getAbiItem({ abi: cashbackDistributorAbi, name: "Retired" }),
  getAbiItem({ abi: cashbackDistributorAbi, name: "LimitsSet" }),
];

export type SuccessorOptions = {
  configuration: DeployConfiguration;
  /** The contract to succeed. Explicit, so that repeating the command does not succeed the successor. */
  predecessor: Address;
  /** Whether the deployer, if it is the admin, ends the predecessor for ever. */
  mayRetire: boolean;
  report: (line: string) => void;
};

/**
 * Deploys a successor of the current distributor, and writes both into the record. The predecessor is retired first and
 * the successor reads its paid bits, so no purchase is paid by both, and takes over its limits, its pause and the day's
 * spending. Can be killed at any point and run again.
 * @throws Error with one sentence
 */
export async function deploySuccessor({
  configuration,
  predecessor,
  mayRetire,
  report,
}: SuccessorOptions): Promise<Deployment> {
  const { network } = configuration;
  const wallet = await openDeployerWallet(configuration, report);
  await wallet.settled();
  const recorded = readDeployment(network);
  const known = recordedSuccessor(recorded, predecessor);
  const name = `CashbackDistributor after ${predecessor}`;
  if (!known) {
    await retire(wallet, recorded, predecessor, mayRetire);
    await requireOnlySuccessor(wallet, recorded, predecessor, wallet.pending(name));
  }

  const nft = recorded.purchaseNft.address;
  // The contract takes over its predecessor's.
  const asBefore = { ...configuration, limits: NO_LIMITS };
  const values = known?.constructorArguments ?? distributorArguments(asBefore, wallet.address, nft, predecessor);
  const { address, transaction } = await wallet.create(name, distributorCreation(values), known);
  const roles = roleTable(configuration.roles, nft, address).filter(({ contract }) => contract === address);
  await wallet.sendAll([
    ...(await grantCalls(wallet, roles)),
    ...(await askCalls(wallet, nft, address, report)),
    ...(
      await Promise.all(recorded.formerPurchaseNfts.map((one) => askCalls(wallet, one.address, address, report)))
    ).flat(),
    ...(await fundingCalls(wallet, configuration, address)),
  ]);
  await wallet.sendAll(await handOverCalls(wallet, configuration, roles));

  const successor = { address, transaction, block: await wallet.blockOf(transaction), constructorArguments: values };
  const calls = [...recorded.calls, ...wallet.called];
  const deployment = known ? recorded : withSuccessor({ ...recorded, calls }, successor);
  if (!known) writeWhole(deploymentPath(network), deployment);
  wallet.forget();
  await reportLeftOver(wallet, predecessor, address, report);
  return deployment;
}

/** The recorded distributor, if it is already the predecessor's successor. @throws Error if the record names neither */
function recordedSuccessor(
  { cashbackDistributor }: Deployment,
  predecessor: Address,
): Deployment["cashbackDistributor"] | undefined {
  if (isAddressEqual(cashbackDistributor.address, predecessor)) return undefined;
  if (isAddressEqual(cashbackDistributor.constructorArguments[4], predecessor)) return cashbackDistributor;
  throw new DeployError(
    `The current distributor is ${cashbackDistributor.address}, not ${predecessor}: only that one can be succeeded`,
  );
}

function withSuccessor(recorded: Deployment, successor: Deployment["cashbackDistributor"]): Deployment {
  const { cashbackDistributor, formerDistributors, build: formerBuild } = recorded;
  return deploymentSchema.parse({
    ...recorded,
    cashbackDistributor: successor,
    formerDistributors: [{ ...cashbackDistributor, build: formerBuild }, ...formerDistributors],
    build,
  });
}

async function retire(
  wallet: DeployerWallet,
  { purchaseNft }: Deployment,
  predecessor: Address,
  mayRetire: boolean,
): Promise<void> {
  const contract = { address: predecessor, abi: cashbackDistributorAbi } as const;
  const read = (functionName: "isRetired" | "defaultAdmin" | "purchaseNFT") =>
    wallet.client.readContract({ ...contract, functionName });
  if ((await read("purchaseNFT")) !== purchaseNft.address) {
    throw new DeployError(`${predecessor} does not pay for the tickets of ${purchaseNft.address}`);
  }
  if (await read("isRetired")) return;
  const data = encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "retire" });
  const admin = await read("defaultAdmin");
  if (admin !== wallet.address) {
    throw new DeployError(
      `${predecessor} still pays. Its admin ${admin} must first retire it permanently: retire(), data ${data}; then run this again`,
    );
  }
  if (!mayRetire) {
    throw new DeployError(
      `${predecessor} still pays. Add --retire to let the deployer, its admin, retire it permanently first`,
    );
  }
  await wallet.sendAll([{ to: predecessor, data, what: `${predecessor} retired permanently` }]);
}

/**
 * Two successors of one distributor do not read each other, and would pay the same purchases: an older record must not
 * lead to a second one.
 * @throws DeployError naming a successor on the chain other than `ours`
 */
export async function requireOnlySuccessor(
  { client }: DeployerWallet,
  { block }: Deployment,
  predecessor: Address,
  ours: Address | undefined,
): Promise<void> {
  const head = await client.getBlockNumber();
  const [retired] = await readInRanges(BigInt(block), head, (fromBlock, toBlock) =>
    client.getLogs({ address: predecessor, event: RETIRED, fromBlock, toBlock }),
  );
  const logs = await readInRanges(retired?.blockNumber ?? head, head, (fromBlock, toBlock) =>
    client.getLogs({ event: LIMITS_SET, fromBlock, toBlock }),
  );
  for (const address of new Set(logs.map((log) => log.address))) {
    if (ours && isAddressEqual(address, ours)) continue;
    const before = await client
      .readContract({ address, abi: cashbackDistributorAbi, functionName: "predecessor" })
      .catch(() => undefined);
    if (before && isAddressEqual(before, predecessor)) {
      throw new DeployError(
        `${getAddress(address)} already succeeds ${predecessor}, and a second successor would pay the same purchases: use the record that names it`,
      );
    }
  }
}

/** Only the treasurer can move the CHZ that the predecessor does not owe anyone. */
export async function reportLeftOver(
  { client }: DeployerWallet,
  predecessor: Address,
  successor: Address,
  report: (line: string) => void,
): Promise<void> {
  const left = await client.readContract({
    address: predecessor,
    abi: cashbackDistributorAbi,
    functionName: "available",
  });
  if (left === 0n) return;
  report(
    `${predecessor} still holds ${formatEther(left)} CHZ: its treasurer moves them by sweep(${successor}, ${left})`,
  );
}
