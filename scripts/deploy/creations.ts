import { type Address, encodeDeployData, type Hex, type PublicClient, zeroAddress } from "viem";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { purchaseNftBytecode } from "../../core/chain/generated/purchase-nft-bytecode.ts";
import type { DeployConfiguration, PayLimits } from "./configuration.ts";

/** Of a successor, which takes over its predecessor's. */
export const NO_LIMITS: PayLimits = { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n };

/** The constructor arguments of CashbackDistributor, as in the record; without a predecessor it is the zero address. */
export function distributorArguments(
  { adminDelaySeconds, limits }: DeployConfiguration,
  admin: Address,
  purchaseNft: Address,
  predecessor: Address,
): Deployment["cashbackDistributor"]["constructorArguments"] {
  const { maxWeiPerCent, maxPayout, dailyCap } = limits;
  const texts = { maxWeiPerCent: `${maxWeiPerCent}`, maxPayout: `${maxPayout}`, dailyCap: `${dailyCap}` };
  return [admin, adminDelaySeconds, purchaseNft, texts, predecessor];
}

/** The creation code of PurchaseNFT with its arguments, and with the tickets that it continues, if any. */
export function purchaseNftCreation({
  constructorArguments,
  predecessor = zeroAddress,
}: Pick<Deployment["purchaseNft"], "constructorArguments" | "predecessor">): Hex {
  const args = [...constructorArguments, predecessor] as const;
  return encodeDeployData({ abi: purchaseNftAbi, bytecode: purchaseNftBytecode, args });
}

/** The creation code of CashbackDistributor with its arguments. */
export function distributorCreation(args: Deployment["cashbackDistributor"]["constructorArguments"]): Hex {
  const [admin, adminDelaySeconds, purchaseNft, limits, predecessor] = args;
  const bounds = {
    maxWeiPerCent: BigInt(limits.maxWeiPerCent),
    maxPayout: BigInt(limits.maxPayout),
    dailyCap: BigInt(limits.dailyCap),
  };
  return encodeDeployData({
    abi: cashbackDistributorAbi,
    bytecode: cashbackDistributorBytecode,
    args: [admin, adminDelaySeconds, purchaseNft, bounds, predecessor],
  });
}

/** The code that a creation would deploy, with immutables: the node runs it without a transaction. */
export async function runtimeCode(client: PublicClient, creation: Hex): Promise<Hex | undefined> {
  return (await client.call({ data: creation })).data;
}
