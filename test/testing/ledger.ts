import { createPublicClient, http, type Log, parseEventLogs } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";

type Contracts = { rpcUrl: string; purchaseNft: `0x${string}`; cashbackDistributor: `0x${string}` };

/** Long runs have more events than one response can contain. */
const RANGE_BLOCKS = 200n;

/** Every event of both contracts, read from the chain. */
export async function readEvents({ rpcUrl, purchaseNft, cashbackDistributor }: Contracts): Promise<Log[]> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const head = await client.getBlockNumber();
  const logs: Log[] = [];
  for (let fromBlock = 0n; fromBlock <= head; fromBlock += RANGE_BLOCKS) {
    const toBlock = fromBlock + RANGE_BLOCKS - 1n;
    logs.push(...(await client.getLogs({ address: [purchaseNft, cashbackDistributor], fromBlock, toBlock })));
  }
  return logs;
}

/** Every mint and payout by purchase id, read from the chain and not from the index. */
export async function readLedger(contracts: Contracts) {
  const { rpcUrl, purchaseNft } = contracts;
  const client = createPublicClient({ transport: http(rpcUrl) });
  const logs = await readEvents(contracts);
  const mints = parseEventLogs({ abi: purchaseNftAbi, logs, eventName: "PurchaseMinted" });
  const payments = parseEventLogs({ abi: cashbackDistributorAbi, logs, eventName: "CashbackPaid" });
  return {
    client,
    mintsOf: (id: number) => mints.filter((log) => log.args.tokenId === BigInt(id)),
    paymentsOf: (id: number) => payments.filter((log) => log.args.purchaseId === BigInt(id)),
    tokenUri: (id: number) =>
      client.readContract({ address: purchaseNft, abi: purchaseNftAbi, functionName: "tokenURI", args: [BigInt(id)] }),
  };
}
