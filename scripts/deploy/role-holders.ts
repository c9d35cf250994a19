import { type Address, getAbiItem, getAddress, type Hex, type PublicClient } from "viem";
import { readInRanges } from "../../chain/block-ranges.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";

export type RoleHolding = { contract: Address; role: Hex; holder: Address };

/** OpenZeppelin's events are the same in both contracts. */
const EVENTS = [
  getAbiItem({ abi: purchaseNftAbi, name: "RoleGranted" }),
  getAbiItem({ abi: purchaseNftAbi, name: "RoleRevoked" }),
] as const;

/** All holders of roles on these contracts, from their events since `fromBlock`. */
export async function roleHolders(
  client: PublicClient,
  contracts: readonly Address[],
  fromBlock: bigint,
): Promise<RoleHolding[]> {
  const holdings = new Map<string, RoleHolding>();
  const logs = await readInRanges(fromBlock, await client.getBlockNumber(), (from, to) =>
    client.getLogs({ address: [...contracts], events: EVENTS, fromBlock: from, toBlock: to, strict: true }),
  );
  for (const { address, eventName, args } of logs) {
    const contract = getAddress(address);
    const key = `${contract} ${args.role} ${args.account}`;
    if (eventName === "RoleRevoked") holdings.delete(key);
    else holdings.set(key, { contract, role: args.role, holder: args.account });
  }
  return [...holdings.values()];
}
