import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex, keccak256, toBytes } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { cashbackDistributorAbi } from "../../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../../core/chain/generated/purchase-nft.ts";
import { until } from "../../testing/until.ts";
import type { FaultSystem } from "./fault-system.ts";

/** anvil's third account: it deploys and so administers the contracts; the first is the operator. */
export const CONTRACTS_ADMIN_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
export const CONTRACTS_ADMIN = privateKeyToAddress(CONTRACTS_ADMIN_KEY);

const CHZ = 10n ** 18n;
const CENT_IN_WEI = 10n ** 16n;
/** The limits of a local deployment, above any purchase of the tests. */
export const WIDE_LIMITS = { maxWeiPerCent: CENT_IN_WEI, maxPayout: 1_000_000n * CHZ, dailyCap: 100_000_000n * CHZ };

export type Limits = typeof WIDE_LIMITS;
type Where = Pick<FaultSystem, "anvil" | "deployment">;

export const roleOf = (name: string): Hex => keccak256(toBytes(name));

/** Sends a transaction from an account of the node, and waits until it has succeeded. */
export async function sendMined(
  { anvil }: Pick<FaultSystem, "anvil">,
  call: { from: string; to?: string; data?: Hex; value?: Hex },
) {
  const hash = await anvil.request<Hex>("eth_sendTransaction", call);
  await until("the transaction has succeeded", async () => {
    const receipt = await anvil.request<{ status: string } | null>("eth_getTransactionReceipt", hash);
    return receipt?.status === "0x1";
  });
}

/** The admin of the contracts calls the distributor. */
export async function administer(where: Where, functionName: string, args: readonly unknown[] = []): Promise<void> {
  const data = encodeFunctionData({ abi: cashbackDistributorAbi as Abi, functionName, args });
  await sendMined(where, { from: CONTRACTS_ADMIN, to: where.deployment.cashbackDistributor.address, data });
}

/** Sets the distributor's limits; those that are left out are wide. */
export function setLimits(where: Where, limits: Partial<Limits> = {}): Promise<void> {
  return administer(where, "setLimits", [{ ...WIDE_LIMITS, ...limits }]);
}

/** Reads an amount in wei from the distributor. */
export async function readAmount({ anvil, deployment }: Where, functionName: "spentToday" | "available") {
  const data = encodeFunctionData({ abi: cashbackDistributorAbi, functionName });
  return BigInt(await anvil.request<Hex>("eth_call", { to: deployment.cashbackDistributor.address, data }));
}

const LAST_SAMPLE_STORE = 8;

/** If the deployer is not the operator, the api registers the store names on chain; only then can they sell. */
export async function storesNamed({ anvil, deployment, url }: Where & { url: string }): Promise<void> {
  const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "storeName", args: [LAST_SAMPLE_STORE] });
  await until("every store has its name on the chain and is on offer", async () => {
    const answer = await anvil.request<Hex>("eth_call", { to: deployment.purchaseNft.address, data });
    const name = decodeFunctionResult({ abi: purchaseNftAbi, functionName: "storeName", data: answer });
    const { stores } = (await (await fetch(`${url}/api/stores`)).json()) as { stores: unknown[] };
    return name !== "" && stores.length === LAST_SAMPLE_STORE;
  });
}
