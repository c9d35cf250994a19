import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/types";
import type { BaseContract, ContractTransactionResponse } from "ethers";
import { network } from "hardhat";

export const CENT_WEI = 10n ** 16n;
export const LIMITS = { maxWeiPerCent: 4n * CENT_WEI, maxPayout: 10n ** 22n, dailyCap: 10n ** 24n };
/** What a successor is given: its predecessor's are taken over. */
export const NO_LIMITS = { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n };
export const SITE_URL = "https://torcida.example/dashboard";
export const ADMIN_DELAY_SECONDS = 86_400;
/** `MAX_BATCH` of both contracts. */
export const MAX_BATCH = 128;
/** What a fresh system can pay from: 1,000 CHZ. */
export const POOL_WEI = 10n ** 21n;
export const STATUS = { none: 0n, pending: 1n, confirmed: 2n, cancelled: 3n, returned: 4n } as const;

export const NFT_ROLES = ["MINTER_ROLE", "CONFIRMER_ROLE", "CATALOGUE_ROLE", "PAUSER_ROLE", "TREASURER_ROLE"] as const;
export const DISTRIBUTOR_ROLES = ["PAYER_ROLE", "TREASURER_ROLE", "PAUSER_ROLE"] as const;

/** Instrumented code takes up to ten times as long, and only has to reach every line. */
export const IS_COVERAGE = process.argv.includes("--coverage");

export const connection = await network.create();
export const { ethers, networkHelpers } = connection;

export type Purchase = {
  buyer: string;
  id: bigint;
  valueCents: bigint;
  baseBps: number;
  bonusBps: number;
  storeId: number;
  saleRef: bigint;
  metadataUri: string;
};

/** As large as a hash is: its bytes cost gas. */
export const SALE_REF = 0xfedcba9876543210n;

/** A purchase of R$ 1.234,50 at store 1 with 5 % cashback and 0.75 % bonus by default. */
export function aPurchase(purchase: Partial<Purchase> & { id: bigint; buyer: string }): Purchase {
  return {
    valueCents: 123_450n,
    baseBps: 500,
    bonusBps: 75,
    storeId: 1,
    saleRef: SALE_REF,
    metadataUri: "",
    ...purchase,
  };
}

/** Every case, or the first three under coverage: for what is slow there, and also tested as it is deployed. */
export function fewerUnderCoverage<T>(cases: readonly T[]): readonly T[] {
  return IS_COVERAGE ? cases.slice(0, 3) : cases;
}

/** Value × (cashback + bonus) at a rate, rounded down: the most that may be paid. */
export function cashbackWei(purchase: Purchase, weiPerCent = CENT_WEI): bigint {
  return (purchase.valueCents * BigInt(purchase.baseBps + purchase.bonusBps) * weiPerCent) / 10_000n;
}

/** The arguments of `mint`. */
export function mintArgs(purchase: Purchase): unknown[] {
  return [purchase, purchase.metadataUri];
}

/** The arguments of `mintBatch`: no URIs at all where no purchase has one. */
export function mintBatchArgs(purchases: readonly Purchase[]): unknown[] {
  const uris = purchases.map(({ metadataUri }) => metadataUri);
  return [purchases, uris.some((uri) => uri !== "") ? uris : []];
}

/** A payout encoded for `payBatch`. */
export function item(purchaseId: bigint, amountWei: bigint): bigint {
  return (purchaseId << 96n) | amountWei;
}

/** Sends a transaction to a contract's function. */
export async function send(
  contract: BaseContract,
  name: string,
  args: readonly unknown[] = [],
  signer?: HardhatEthersSigner,
): Promise<ContractTransactionResponse> {
  const target = signer ? contract.connect(signer) : contract;
  return await target.getFunction(name).send(...args);
}

/** Reads a contract's view. */
export async function read<T = bigint>(contract: BaseContract, name: string, ...args: unknown[]): Promise<T> {
  return (await contract.getFunction(name).staticCall(...args)) as T;
}

/** The gas used by a transaction. */
export async function gasOf(transaction: Promise<ContractTransactionResponse>): Promise<number> {
  return Number((await (await transaction).wait())?.gasUsed);
}

/** Both contracts with a key for each role, store 1 registered, and `POOL_WEI` to pay from. */
export async function deploySystem() {
  const signers = await ethers.getSigners();
  const [admin, minter, confirmer, catalogue, pauser, payer, treasurer, buyer, stranger, other] = signers as [
    HardhatEthersSigner,
    ...HardhatEthersSigner[],
  ] as Signers;
  const descriptor: BaseContract = await ethers.deployContract("TicketDescriptor");
  const descriptorAddress = await descriptor.getAddress();
  const nft: BaseContract = await ethers.deployContract("PurchaseNFT", [
    admin.address,
    ADMIN_DELAY_SECONDS,
    SITE_URL,
    descriptorAddress,
    ethers.ZeroAddress,
  ]);
  const nftAddress = await nft.getAddress();
  const distributor: BaseContract = await ethers.deployContract("CashbackDistributor", [
    admin.address,
    ADMIN_DELAY_SECONDS,
    nftAddress,
    LIMITS,
    ethers.ZeroAddress,
  ]);
  const grants: [BaseContract, string, HardhatEthersSigner][] = [
    [nft, "MINTER_ROLE", minter],
    [nft, "CONFIRMER_ROLE", confirmer],
    [nft, "CATALOGUE_ROLE", catalogue],
    [nft, "PAUSER_ROLE", pauser],
    [nft, "TREASURER_ROLE", treasurer],
    [distributor, "PAYER_ROLE", payer],
    [distributor, "TREASURER_ROLE", treasurer],
    [distributor, "PAUSER_ROLE", pauser],
  ];
  for (const [contract, role, holder] of grants) {
    await send(contract, "grantRole", [await read<string>(contract, role), holder.address]);
  }
  await send(nft, "registerStore", [1, "Verdão Store"], catalogue);
  const distributorAddress = await distributor.getAddress();
  await send(nft, "setDistributor", [distributorAddress], admin);
  await admin.sendTransaction({ to: distributorAddress, value: POOL_WEI });

  const mint = (...purchases: Purchase[]) => send(nft, "mintBatch", mintBatchArgs(purchases), minter);
  const confirm = (...ids: bigint[]) => send(nft, "confirm", [ids], confirmer);
  /** Mints and confirms purchases of `buyerAddress` and returns them. */
  const confirmed = async (buyerAddress: string, ...ids: bigint[]): Promise<Purchase[]> => {
    const purchases = ids.map((id) => aPurchase({ id, buyer: buyerAddress }));
    await mint(...purchases);
    await confirm(...ids);
    return purchases;
  };
  return {
    admin,
    minter,
    confirmer,
    catalogue,
    pauser,
    payer,
    treasurer,
    buyer,
    stranger,
    other,
    descriptor,
    descriptorAddress,
    nft,
    nftAddress,
    distributor,
    distributorAddress,
    mint,
    confirm,
    confirmed,
  };
}
export type System = Awaited<ReturnType<typeof deploySystem>>;

type S = HardhatEthersSigner;
type Signers = [S, S, S, S, S, S, S, S, S, S];

/** A fresh system, from a snapshot. */
export function freshSystem(): Promise<System> {
  return networkHelpers.loadFixture(deploySystem);
}
