import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import type { Services } from "../services.ts";

const KEPT_MS = 5_000;
const known = new WeakMap<Services, { at: number; wei: Promise<bigint | undefined> }>();

/** Wei available for payouts; undefined if the chain does not respond. Read at most every five seconds. */
export function readDistributorBalance(services: Services): Promise<bigint | undefined> {
  const last = known.get(services);
  if (last && Date.now() - last.at < KEPT_MS) return last.wei;
  const wei = services.client
    .readContract({
      address: services.contracts.cashbackDistributor,
      abi: cashbackDistributorAbi,
      functionName: "available",
    })
    .catch(() => undefined);
  known.set(services, { at: Date.now(), wei });
  return wei;
}
