import { type Address, getAbiItem, isAddressEqual, type PublicClient } from "viem";
import { readInRanges } from "../../core/chain/block-ranges.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import type { Finding } from "./check-deployment.ts";

/** What a person changed later is not compared. */
const CHANGES = (["LimitsSet", "Paused", "Unpaused"] as const).map((name) =>
  getAbiItem({ abi: cashbackDistributorAbi, name }),
);

type Distributor = Deployment["cashbackDistributor"] & { block: number };
type View = "isRetired" | "predecessor" | "limits" | "paused" | "spentToday";

/**
 * Whether each former distributor is retired, and its successor names it and took over its limits, its pause and what it
 * spent that day.
 */
export async function successionFindings(client: PublicClient, deployment: Deployment): Promise<Finding[]> {
  const { cashbackDistributor, formerDistributors } = deployment;
  const successors = [cashbackDistributor, ...formerDistributors];
  const findings = await Promise.all(
    formerDistributors.map(({ address }, index) => {
      const successor = successors[index];
      return successor ? findingsOf(client, address, { ...successor, block: successor.block ?? deployment.block }) : [];
    }),
  );
  return findings.flat();
}

async function findingsOf(client: PublicClient, former: Address, successor: Distributor): Promise<Finding[]> {
  // One block for all: at midnight both spent nothing.
  const blockNumber = await client.getBlockNumber();
  const read = <Name extends View>(address: Address, functionName: Name) =>
    client.readContract({ address, abi: cashbackDistributorAbi, functionName, blockNumber }).catch(() => undefined);
  const both = <Name extends View>(name: Name) => Promise.all([read(successor.address, name), read(former, name)]);
  const [before, isRetired, limits, pauses, spent, changed] = await Promise.all([
    read(successor.address, "predecessor"),
    read(former, "isRetired"),
    both("limits"),
    both("paused"),
    both("spentToday"),
    changedSince(client, former, successor, blockNumber),
  ]);
  const takenOver = (isTaken: boolean, isChanged: boolean, what: string): Finding => {
    const verdict = isTaken ? "as" : isChanged ? "changed since it took over from" : "not as";
    return { isGood: isTaken || isChanged, text: `${what} of ${successor.address}: ${verdict} ${former}` };
  };
  return [
    {
      isGood: before !== undefined && isAddressEqual(before, former) && isRetired === true,
      text: `${former} ${isRetired ? "is retired" : "is not retired"}, and the predecessor of ${successor.address} is ${before ?? "unknown"}`,
    },
    takenOver(isSame(limits), changed.has("LimitsSet"), "limits"),
    takenOver(isSame(pauses), changed.has("Paused") || changed.has("Unpaused"), "pause"),
    takenOver(spent[0] !== undefined && spent[0] >= (spent[1] ?? 0n), false, "spent today"),
  ];
}

/** The events by which either was changed after the successor's creation. */
async function changedSince(client: PublicClient, former: Address, successor: Distributor, head: bigint) {
  const logs = await readInRanges(BigInt(successor.block), head, (fromBlock, toBlock) =>
    client.getLogs({ address: [former, successor.address], events: CHANGES, fromBlock, toBlock, strict: true }),
  );
  const later = logs.filter(({ transactionHash }) => transactionHash !== successor.transaction);
  return new Set<string>(later.map(({ eventName }) => eventName));
}

function isSame([one, other]: [unknown, unknown]): boolean {
  const text = (value: unknown) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
  return one !== undefined && text(one) === text(other);
}
