import { type Address, encodeDeployData, encodeFunctionData, type Hex, parseEther, toHex, zeroAddress } from "viem";
import { type Deployment, deploymentPath, deploymentSchema, findDeployment } from "../../core/chain/deployment.ts";
import { build } from "../../core/chain/generated/build.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { purchaseNftBytecode } from "../../core/chain/generated/purchase-nft-bytecode.ts";
import { testFanTokenAbi } from "../../core/chain/generated/test-fan-token.ts";
import { testFanTokenBytecode } from "../../core/chain/generated/test-fan-token-bytecode.ts";
import { ticketDescriptorBytecode } from "../../core/chain/generated/ticket-descriptor-bytecode.ts";
import { DEMO_SHOPPER } from "../../core/rules/demo-wallets.ts";
import { isKeyOf } from "../../core/rules/records.ts";
import type { DeployConfiguration, RoleHolders } from "./configuration.ts";
import { distributorArguments, distributorCreation, purchaseNftCreation } from "./creations.ts";
import { type Call, type DeployerWallet, openDeployerWallet } from "./deployer-wallet.ts";
import { writeWhole } from "./journal.ts";
import { askCalls, grantCalls, handOverCalls, roleTable } from "./roles.ts";

/** A store whose name must be on chain; `id` is the database id. */
export type StoreName = { id: number; name: string };

export type DeployOptions = {
  configuration: DeployConfiguration;
  /** Stores to register; a store that already has a name keeps it. */
  stores: readonly StoreName[];
  /** Reports each step in one line. */
  report?: (line: string) => void;
};

/** Fan tokens on Chiliz have 0 decimals (older ones) or 18 (newer ones); both are used. */
const LOCAL_FAN_TOKENS = [
  { slug: "psg", symbol: "PSG", name: "Paris Saint-Germain", decimals: 0 },
  { slug: "verdao", symbol: "VERDAO", name: "Palmeiras", decimals: 18 },
] as const;

/** On the local chain only: the demo shopper's fan tokens. */
const DEMO_BALANCES = { psg: 35n, verdao: 12n };

/** On the local chain only: the initial funds of the operator and the distributor. */
const LOCAL_OPERATOR_WEI = parseEther("1000000");
const LOCAL_POOL_WEI = parseEther("250000");
const LOCAL_POOL_LOW_WEI = parseEther("25000");

/**
 * Brings a network to the configured state, and returns its record. It does not change anything that already exists, so
 * a second run changes nothing and a run after a crash resumes.
 * @throws Error with one sentence
 */
export async function deployTorcida({ configuration, stores, report = () => {} }: DeployOptions): Promise<Deployment> {
  const { network, chainId } = configuration;
  const wallet = await openDeployerWallet(configuration, report);
  if (network === "localhost") await fillWallets(wallet, configuration.roles);
  await wallet.settled();
  const recorded = findDeployment(network);
  const created = await createContracts(wallet, configuration, recorded);
  const { descriptor, nft, distributor } = created;
  const fanTokens = network === "localhost" ? await createFanTokens(wallet, recorded) : (recorded?.fanTokens ?? []);

  const roles = roleTable(configuration.roles, nft.address, distributor.address);
  await wallet.sendAll([
    ...(await grantCalls(wallet, roles)),
    ...(await askCalls(wallet, nft.address, distributor.address, report)),
    ...(await storeCalls(wallet, { configuration, stores, report }, nft.address)),
    ...(network === "localhost" ? await demoBalanceCalls(wallet, fanTokens) : []),
    ...(await fundingCalls(wallet, configuration, distributor.address)),
  ]);
  await wallet.sendAll(await handOverCalls(wallet, configuration, roles));

  const isFresh = !recorded || nft.isNew || distributor.isNew;
  const deployment = deploymentSchema.parse({
    network,
    chainId,
    block: isFresh ? await wallet.blockOf(nft.transaction) : recorded.block,
    deployer: isFresh ? wallet.address : recorded.deployer,
    ticketDescriptor: { address: descriptor.address, transaction: descriptor.transaction },
    purchaseNft: {
      ...(isFresh ? {} : recorded.purchaseNft),
      address: nft.address,
      transaction: nft.transaction,
      constructorArguments: created.nftArguments,
    },
    formerPurchaseNfts: isFresh ? [] : recorded.formerPurchaseNfts,
    cashbackDistributor: {
      ...(isFresh ? {} : recorded.cashbackDistributor),
      address: distributor.address,
      transaction: distributor.transaction,
      constructorArguments: created.distributorValues,
    },
    formerDistributors: isFresh ? [] : recorded.formerDistributors,
    build: isFresh ? build : recorded.build,
    calls: [...(isFresh ? [] : recorded.calls), ...wallet.called],
    fanTokens,
  });
  if (JSON.stringify(deployment) !== JSON.stringify(recorded)) writeWhole(deploymentPath(network), deployment);
  wallet.forget();
  return deployment;
}

/** The ticket's drawing, the ticket, and the distributor, each with what it is constructed with. */
async function createContracts(wallet: DeployerWallet, configuration: DeployConfiguration, recorded?: Deployment) {
  const descriptor = await wallet.create("TicketDescriptor", ticketDescriptorBytecode, recorded?.ticketDescriptor);
  const nftArguments = recorded?.purchaseNft.constructorArguments ?? [
    wallet.address,
    configuration.adminDelaySeconds,
    configuration.siteUrl,
    descriptor.address,
  ];
  if (descriptor.isNew) nftArguments[3] = descriptor.address;
  // A local chain that began anew has nothing to continue.
  const isThere = recorded && (await wallet.client.getCode({ address: recorded.purchaseNft.address })) !== undefined;
  const creation = purchaseNftCreation({
    ...(isThere ? recorded.purchaseNft : {}),
    constructorArguments: nftArguments,
  });
  const nft = await wallet.create("PurchaseNFT", creation, recorded?.purchaseNft, {
    abi: purchaseNftAbi,
    bytecode: purchaseNftBytecode,
  });
  const known = nft.isNew ? undefined : recorded?.cashbackDistributor;
  const distributorValues =
    known?.constructorArguments ?? distributorArguments(configuration, wallet.address, nft.address, zeroAddress);
  const distributor = await wallet.create(
    "CashbackDistributor",
    distributorCreation(distributorValues),
    recorded?.cashbackDistributor,
    { abi: cashbackDistributorAbi, bytecode: cashbackDistributorBytecode },
  );
  return { descriptor, nft, nftArguments, distributor, distributorValues };
}

async function createFanTokens(
  wallet: DeployerWallet,
  recorded: Deployment | undefined,
): Promise<Deployment["fanTokens"]> {
  const tokens: Deployment["fanTokens"] = [];
  for (const { slug, symbol, name, decimals } of LOCAL_FAN_TOKENS) {
    const creation = encodeDeployData({
      abi: testFanTokenAbi,
      bytecode: testFanTokenBytecode,
      args: [name, symbol, decimals],
    });
    const known = recorded?.fanTokens.find((token) => token.slug === slug);
    const { address } = await wallet.create(
      `TestFanToken ${symbol}`,
      creation,
      known && { address: known.address, transaction: "0x" },
    );
    tokens.push({ slug, symbol, decimals, address });
  }
  return tokens;
}

/** Registers the names that the tickets do not know yet. */
export async function storeCalls(
  { client, address: deployer }: DeployerWallet,
  { configuration: { roles }, stores, report }: Required<DeployOptions>,
  purchaseNft: Address,
): Promise<Call[]> {
  const nft = { address: purchaseNft, abi: purchaseNftAbi } as const;
  const calls: Call[] = [];
  for (const { id, name } of stores) {
    if ((await client.readContract({ ...nft, functionName: "storeName", args: [id] })) !== "") continue;
    calls.push({
      to: purchaseNft,
      data: encodeFunctionData({ abi: purchaseNftAbi, functionName: "registerStore", args: [id, name] }),
      what: `store ${id} registered as ${name}`,
    });
  }
  if (calls.length === 0 || roles.catalogue === deployer) return calls;
  report(`${calls.length} stores have no name on chain; ${roles.catalogue} must register them`);
  return [];
}

/** On the local chain only: CHZ for gas and payouts. */
export async function fundingCalls(
  { client }: DeployerWallet,
  { network }: DeployConfiguration,
  distributor: Address,
): Promise<Call[]> {
  if (network !== "localhost") return [];
  if ((await client.getBalance({ address: distributor })) >= LOCAL_POOL_LOW_WEI) return [];
  return [{ to: distributor, value: LOCAL_POOL_WEI, what: "the distributor funded" }];
}

async function demoBalanceCalls({ client }: DeployerWallet, fanTokens: Deployment["fanTokens"]): Promise<Call[]> {
  const calls: Call[] = [];
  for (const { slug, symbol, decimals, address } of fanTokens) {
    if (!isKeyOf(DEMO_BALANCES, slug)) continue;
    const held = DEMO_BALANCES[slug];
    const balance = await client.readContract({
      address,
      abi: testFanTokenAbi,
      functionName: "balanceOf",
      args: [DEMO_SHOPPER],
    });
    if (balance > 0n) continue;
    const args = [DEMO_SHOPPER, held * 10n ** BigInt(decimals)] as const;
    calls.push({
      to: address,
      data: encodeFunctionData({ abi: testFanTokenAbi, functionName: "mint", args }),
      what: `${held} ${symbol} given to the demo wallet`,
    });
  }
  return calls;
}

/** Funds the deployer, and every wallet that signs later. */
async function fillWallets({ client, address: deployer }: DeployerWallet, roles: RoleHolders): Promise<void> {
  const { minter, confirmer, payer, catalogue } = roles;
  for (const address of new Set([deployer, minter, confirmer, payer, catalogue])) {
    if ((await client.getBalance({ address })) >= LOCAL_OPERATOR_WEI / 2n) continue;
    // Supported by anvil and by Hardhat's node; no public node has it.
    await client.request<SetBalance>({ method: "hardhat_setBalance", params: [address, toHex(LOCAL_OPERATOR_WEI)] });
  }
}

type SetBalance = { Method: "hardhat_setBalance"; Parameters: [Address, Hex]; ReturnType: unknown };
