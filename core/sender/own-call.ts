import { type Hex, toFunctionSelector } from "viem";
import type { Contracts } from "../chain/deployment.ts";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../chain/generated/purchase-nft.ts";

/** The steps of a purchase, which people do not call by hand. */
const STEPS: ReadonlySet<string> = new Set(["mint", "mintBatch", "confirm", "cancel", "pay", "payBatch"]);

const selectorsOf = (abi: typeof purchaseNftAbi | typeof cashbackDistributorAbi): ReadonlyMap<string, string> =>
  new Map(
    abi.flatMap((item) =>
      item.type === "function" && STEPS.has(item.name) ? [[toFunctionSelector(item), item.name] as const] : [],
    ),
  );
const NFT_CALLS = selectorsOf(purchaseNftAbi);
const DISTRIBUTOR_CALLS = selectorsOf(cashbackDistributorAbi);
const SELECTOR_CHARACTERS = 10;

/** The step of a purchase that a transaction calls on our contracts; undefined if it does anything else. */
export function ownCallOf(
  { purchaseNft, formerPurchaseNfts = [], cashbackDistributor, formerDistributors = [] }: Contracts,
  { to, input }: { to: string | null; input: Hex },
): string | undefined {
  const isOneOf = (...addresses: string[]) => to !== null && addresses.includes(to.toLowerCase());
  const selector = input.slice(0, SELECTOR_CHARACTERS);
  if (isOneOf(purchaseNft, ...formerPurchaseNfts)) return NFT_CALLS.get(selector);
  return isOneOf(cashbackDistributor, ...formerDistributors) ? DISTRIBUTOR_CALLS.get(selector) : undefined;
}
