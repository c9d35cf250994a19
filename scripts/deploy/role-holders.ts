import { type Address, getAbiItem, getAddress, type Hex, type PublicClient } from "viem";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";

export type RoleHolding = { contract: Address; role: Hex; holder: Address };

/** OpenZeppelin's events are the same in both contracts. */
const EVENTS = [
  getAbiItem({ abi: purchaseNftAbi, name: "RoleGranted" }),
  getAbiItem({ abi: purchaseNftAbi, name: "RoleRevoked" }),
] as const;
/** A node that refuses even this few blocks has another reason. */
const BLOCKS_MIN = 1_000n;

/** All holders of roles on these contracts, from their events since `fromBlock`. */
export async function roleHolders(
  client: PublicClient,
  contracts: readonly Address[],
  fromBlock: bigint,
): Promise<RoleHolding[]> {
  const holdings = new Map<string, RoleHolding>();
  const ranges = [{ from: fromBlock, to: await client.getBlockNumber() }];
  for (let range = ranges.shift(); range; range = ranges.shift()) {
    const { from, to } = range;
    try {
      const logs = await client.getLogs({
        address: [...contracts],
        events: EVENTS,
        fromBlock: from,
        toBlock: to,
        strict: true,
      });
      for (const { address, eventName, args } of logs) {
        const contract = getAddress(address);
        const key = `${contract} ${args.role} ${args.account}`;
        if (eventName === "RoleRevoked") holdings.delete(key);
        else holdings.set(key, { contract, role: args.role, holder: args.account });
      }
    } catch (error) {
      if (to - from < BLOCKS_MIN) throw error;
      // Nodes limit the blocks of one call: split into halves, the older one first.
      const middle = (from + to) / 2n;
      ranges.unshift({ from, to: middle }, { from: middle + 1n, to });
    }
  }
  return [...holdings.values()];
}
