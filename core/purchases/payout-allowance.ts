import { keccak256, toHex } from "viem";
import { cashbackDistributorAbi } from "../chain/generated/cashback-distributor.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import type { Allowance } from "../sender/allowance.ts";
import type { PurchaseEncoderOptions } from "./encoders.ts";

const PAYER_ROLE = keccak256(toHex("PAYER_ROLE"));
const CLOSED_RETRY_MS = 30_000n;

/** The distributor's current limits, with its daily cap in gwei. */
export async function readPayoutAllowance({
  client,
  contracts,
  payer,
}: Omit<PurchaseEncoderOptions, "rules">): Promise<Omit<Allowance, "shares"> & { dailyCap: bigint }> {
  const distributor = { address: contracts.cashbackDistributor, abi: cashbackDistributorAbi } as const;
  const [limits, spentToday, available, isRetired, isPaused, isPayer] = await Promise.all([
    client.readContract({ ...distributor, functionName: "limits" }),
    client.readContract({ ...distributor, functionName: "spentToday" }),
    client.readContract({ ...distributor, functionName: "available" }),
    client.readContract({ ...distributor, functionName: "isRetired" }),
    client.readContract({ ...distributor, functionName: "paused" }),
    client.readContract({ ...distributor, functionName: "hasRole", args: [PAYER_ROLE, payer] }),
  ]);
  return {
    ...closedBy({ isRetired, isPaused, isPayer, payer }),
    maxWeiPerCent: limits.maxWeiPerCent,
    maxPayout: limits.maxPayout / WEI_PER_GWEI,
    dayLeft: (limits.dailyCap - spentToday) / WEI_PER_GWEI,
    dayEndsInMs: BIG_DAY_MS - (BigInt(Date.now()) % BIG_DAY_MS),
    pool: available / WEI_PER_GWEI,
    dailyCap: limits.dailyCap / WEI_PER_GWEI,
  };
}

function closedBy({
  isRetired,
  isPaused,
  isPayer,
  payer,
}: Record<"isRetired" | "isPaused" | "isPayer", boolean> & { payer: string }): Pick<Allowance, "closed"> {
  const closed = (reason: "retired" | "paused" | "role_missing", text: string) => {
    return { closed: { kind: "later" as const, reason, text, afterMs: CLOSED_RETRY_MS } };
  };
  if (isRetired) return closed("retired", "DistributorRetired: start the api with the successor's address");
  if (isPaused) return closed("paused", "EnforcedPause: the distributor is paused");
  if (!isPayer)
    return closed("role_missing", `AccessControlUnauthorizedAccount: the payer's wallet ${payer} lacks PAYER_ROLE`);
  return {};
}
