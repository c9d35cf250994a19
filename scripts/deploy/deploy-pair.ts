import { type Address, encodeFunctionData, getAbiItem, getAddress, isAddressEqual } from "viem";
import { readInRanges } from "../../core/chain/block-ranges.ts";
import { type Deployment, deploymentPath, deploymentSchema, readDeployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { purchaseNftBytecode } from "../../core/chain/generated/purchase-nft-bytecode.ts";
import { ticketDescriptorBytecode } from "../../core/chain/generated/ticket-descriptor-bytecode.ts";
import { heldAfter, roleChanges } from "./check-deployment.ts";
import { distributorArguments, distributorCreation, NO_LIMITS, purchaseNftCreation } from "./creations.ts";
import { DeployError } from "./deploy-error.ts";
import { reportLeftOver, requireOnlySuccessor, type SuccessorOptions } from "./deploy-successor.ts";
import { fundingCalls, type StoreName, storeCalls } from "./deploy-torcida.ts";
import { type Call, type DeployerWallet, openDeployerWallet } from "./deployer-wallet.ts";
import { writeWhole } from "./journal.ts";
import { askCalls, grantCalls, handOverCalls, roleId, roleTable } from "./roles.ts";

const SUCCEEDED = getAbiItem({ abi: purchaseNftAbi, name: "Succeeded" });

/** `predecessor` is the PurchaseNFT; `mayRetire` lets the deployer also revoke its minters. */
export type PairOptions = SuccessorOptions & { stores: readonly StoreName[] };

/**
 * Deploys tickets and a distributor that continue the current pair, and writes both pairs into the record. First nobody
 * mints in the old one any more and its distributor is retired: an id that it has is never minted again, and what it
 * paid is never paid again. Its open tickets are confirmed, cancelled and drawn there for ever, and paid by the new
 * distributor. Can be killed at any point and run again.
 * @throws Error with one sentence
 */
export async function deployPair(options: PairOptions): Promise<Deployment> {
  const { configuration, stores, predecessor, report } = options;
  const { network, roles: holders, siteUrl, adminDelaySeconds } = configuration;
  const wallet = await openDeployerWallet(configuration, report);
  await wallet.settled();
  const recorded = readDeployment(network);
  const isKnown = isSucceeded(recorded, predecessor);
  const former = isKnown ? undefined : recorded.cashbackDistributor.address;
  const tickets = `PurchaseNFT after ${predecessor}`;
  const paying = `CashbackDistributor after ${former}`;
  if (former) {
    await endFormer(wallet, options, recorded);
    await requireOnlyTickets(wallet, recorded, predecessor, wallet.pending(tickets));
    await requireOnlySuccessor(wallet, recorded, former, wallet.pending(paying));
  }

  const known = isKnown ? recorded : undefined;
  const drawing = await wallet.create(
    `TicketDescriptor after ${predecessor}`,
    ticketDescriptorBytecode,
    known?.ticketDescriptor,
  );
  const nftArguments: Deployment["purchaseNft"]["constructorArguments"] = known?.purchaseNft.constructorArguments ?? [
    wallet.address,
    adminDelaySeconds,
    siteUrl,
    drawing.address,
  ];
  const nft = await wallet.create(
    tickets,
    purchaseNftCreation({ constructorArguments: nftArguments, predecessor }),
    known?.purchaseNft,
    {
      abi: purchaseNftAbi,
      bytecode: purchaseNftBytecode,
    },
  );
  const asBefore = { ...configuration, limits: NO_LIMITS };
  const values =
    known?.cashbackDistributor.constructorArguments ??
    distributorArguments(asBefore, wallet.address, nft.address, recorded.cashbackDistributor.address);
  const distributor = await wallet.create(paying, distributorCreation(values), known?.cashbackDistributor, {
    abi: cashbackDistributorAbi,
    bytecode: cashbackDistributorBytecode,
  });

  const roles = roleTable(holders, nft.address, distributor.address);
  await wallet.sendAll([
    ...(await grantCalls(wallet, roles)),
    ...(await askCalls(wallet, nft.address, distributor.address, report)),
    // What the new distributor pays of the old tickets is drawn there, and may be burnt.
    ...(await askCalls(wallet, predecessor, distributor.address, report)),
    ...(await storeCalls(wallet, { configuration, stores, report }, nft.address)),
    ...(await fundingCalls(wallet, configuration, distributor.address)),
  ]);
  await wallet.sendAll(await handOverCalls(wallet, configuration, roles));

  const placeOf = async ({ address, transaction }: typeof nft) => {
    return { address, transaction, block: await wallet.blockOf(transaction) };
  };
  const { ticketDescriptor, purchaseNft, cashbackDistributor, build: formerBuild } = recorded;
  const deployment =
    known ??
    deploymentSchema.parse({
      ...recorded,
      ticketDescriptor: { address: drawing.address, transaction: drawing.transaction },
      purchaseNft: { ...(await placeOf(nft)), predecessor, constructorArguments: nftArguments },
      cashbackDistributor: { ...(await placeOf(distributor)), constructorArguments: values },
      formerPurchaseNfts: [{ ...purchaseNft, ticketDescriptor, build: formerBuild }, ...recorded.formerPurchaseNfts],
      formerDistributors: [{ ...cashbackDistributor, build: formerBuild }, ...recorded.formerDistributors],
      build,
      calls: [...recorded.calls, ...wallet.called],
    });
  if (!known) writeWhole(deploymentPath(network), deployment);
  wallet.forget();
  if (former) await reportLeftOver(wallet, former, distributor.address, report);
  return deployment;
}

/** Whether the recorded tickets already continue these. @throws DeployError if the record names neither */
function isSucceeded({ purchaseNft }: Deployment, predecessor: Address): boolean {
  if (isAddressEqual(purchaseNft.address, predecessor)) return false;
  if (purchaseNft.predecessor && isAddressEqual(purchaseNft.predecessor, predecessor)) return true;
  throw new DeployError(
    `The current PurchaseNFT is ${purchaseNft.address}, not ${predecessor}: only that one can be succeeded`,
  );
}

/**
 * Nobody mints in the old tickets, nothing is paid by the old distributor, and what is open there can still be
 * confirmed and cancelled.
 * @throws DeployError naming every call that somebody else must make first
 */
async function endFormer(
  wallet: DeployerWallet,
  { configuration: { roles }, predecessor, mayRetire }: PairOptions,
  { block, cashbackDistributor: { address: distributor } }: Deployment,
): Promise<void> {
  const { client } = wallet;
  const nft = { address: predecessor, abi: purchaseNftAbi } as const;
  const paying = { address: distributor, abi: cashbackDistributorAbi } as const;
  const [isPaused, isRetired, paidFor, held, admin, payingAdmin] = await Promise.all([
    client.readContract({ ...nft, functionName: "paused" }),
    client.readContract({ ...paying, functionName: "isRetired" }),
    client.readContract({ ...paying, functionName: "purchaseNFT" }),
    roleChanges(client, [predecessor], BigInt(block)).then(heldAfter),
    client.readContract({ ...nft, functionName: "defaultAdmin" }),
    client.readContract({ ...paying, functionName: "defaultAdmin" }),
  ]);
  if (!isAddressEqual(paidFor, predecessor)) {
    throw new DeployError(`${distributor} does not pay for the tickets of ${predecessor}`);
  }
  const minters = held.filter(({ role }) => role === roleId("MINTER_ROLE")).map(({ holder }) => holder);
  const isConfirmer = held.some(
    ({ role, holder }) => role === roleId("CONFIRMER_ROLE") && isAddressEqual(holder, roles.confirmer),
  );
  const roleCall = (functionName: "revokeRole" | "grantRole", role: string, holder: Address) => ({
    ...{
      to: predecessor,
      what: `${role} on ${predecessor} ${functionName === "grantRole" ? "granted to" : "revoked from"} ${holder}`,
    },
    call: `${functionName}(${role}, ${holder})`,
    data: encodeFunctionData({ abi: purchaseNftAbi, functionName, args: [roleId(role), holder] }),
  });
  const calls: (Call & { call: string })[] = [
    ...minters.map((minter) => roleCall("revokeRole", "MINTER_ROLE", minter)),
    ...(isConfirmer ? [] : [roleCall("grantRole", "CONFIRMER_ROLE", roles.confirmer)]),
    ...(isPaused
      ? [{ ...callOf(predecessor, "unpause"), what: `${predecessor} resumed: its tickets can be cancelled` }]
      : []),
    ...(isRetired ? [] : [{ ...callOf(distributor, "retire"), what: `${distributor} retired permanently` }]),
  ];
  if (calls.length === 0) return;
  const isAdmin = [admin, payingAdmin].every((one) => isAddressEqual(one, wallet.address));
  // Who paused it had a reason: a person resumes it.
  if (isAdmin && mayRetire && !isPaused) return wallet.sendAll(calls);
  const lines = calls.map(({ to, call, data }) => `  ${to}: ${call}, data ${data}`).join("\n");
  const who =
    isAdmin && !isPaused ? "Add --retire to let the deployer, its admin, make" : `Its admin ${admin} must first make`;
  throw new DeployError(
    `The pair of ${predecessor} is still in use. ${who} these calls${isAdmin && !isPaused ? "" : "; then run this again"}:\n${lines}`,
  );
}

function callOf(to: Address, functionName: "unpause" | "retire"): { to: Address; call: string; data: `0x${string}` } {
  return { to, call: `${functionName}()`, data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName }) };
}

/**
 * An older record must not lead to a second continuation: both would mint the same ids.
 * @throws DeployError naming other tickets than `ours` that continue these
 */
async function requireOnlyTickets(
  { client }: DeployerWallet,
  { block }: Deployment,
  predecessor: Address,
  ours: Address | undefined,
): Promise<void> {
  const logs = await readInRanges(BigInt(block), await client.getBlockNumber(), (fromBlock, toBlock) =>
    client.getLogs({ event: SUCCEEDED, args: { predecessor }, fromBlock, toBlock }),
  );
  const other = logs.find(({ address }) => !ours || !isAddressEqual(address, ours));
  if (!other) return;
  throw new DeployError(
    `${getAddress(other.address)} already continues ${predecessor}, and a second continuation would mint the same ids: use the record that names it`,
  );
}
