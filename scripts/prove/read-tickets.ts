import {
  type Address,
  decodeEventLog,
  encodeEventTopics,
  getAbiItem,
  isAddressEqual,
  type Log,
  type PublicClient,
  zeroAddress,
} from "viem";
import { readInRanges } from "../../chain/block-ranges.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import type { ProvenPayout, ProvenTicket } from "./proof.ts";

const TRANSFER = getAbiItem({ abi: purchaseNftAbi, name: "Transfer" });
const PAYOUTS = [
  getAbiItem({ abi: cashbackDistributorAbi, name: "CashbackPaid" }),
  getAbiItem({ abi: cashbackDistributorAbi, name: "CashbackDeferred" }),
] as const;
const [RATE_TOPIC] = encodeEventTopics({ abi: cashbackDistributorAbi, eventName: "RateApplied" });
/** Upper bound for the chain of distributors; a fake one could be endless. */
const PREDECESSORS_MAX = 20;
const CALLS_AT_ONCE = 20;

export type ReadTicketsParameters = {
  client: PublicClient;
  deployment: Deployment;
  wallet: Address;
  /** Reads only this ticket. */
  only: bigint | undefined;
};

/** A wallet's tickets and their payouts, from a node's logs and the contracts' views, ordered by id. */
export async function readTickets({
  client,
  deployment,
  wallet,
  only,
}: ReadTicketsParameters): Promise<ProvenTicket[]> {
  const [from, to] = [BigInt(deployment.block), await client.getBlockNumber()];
  const transfers = await readInRanges(from, to, (fromBlock, toBlock) =>
    client.getLogs({
      address: deployment.purchaseNft.address,
      event: TRANSFER,
      args: { to: wallet, id: only },
      fromBlock,
      toBlock,
      strict: true,
    }),
  );
  const ids = transfers.map(({ args }) => args.id).sort((a, b) => (a < b ? -1 : 1));
  const payouts = await readPayouts(client, deployment, wallet);
  return readEach(ids, async (id): Promise<ProvenTicket> => {
    const { buyer, status, valueCents, cashbackBps, bonusBps } = await client.readContract({
      address: deployment.purchaseNft.address,
      abi: purchaseNftAbi,
      functionName: "purchaseOf",
      args: [id],
    });
    if (!isAddressEqual(buyer, wallet)) throw new Error(`The node contradicts itself: ticket ${id} is ${buyer}'s`);
    const totalBps = BigInt(cashbackBps + bonusBps);
    return { id, status, valueCents: BigInt(valueCents), totalBps, payouts: payouts.get(id) ?? [] };
  });
}

/** The wallet's payouts by purchase, from the distributor and all its predecessors. */
async function readPayouts(client: PublicClient, { block, cashbackDistributor }: Deployment, wallet: Address) {
  const distributors = await readDistributors(client, cashbackDistributor.address);
  const to = await client.getBlockNumber();
  const read = (event: (typeof PAYOUTS)[number]) =>
    readInRanges(BigInt(block), to, (fromBlock, toBlock) =>
      client.getLogs({ address: distributors, event, args: { recipient: wallet }, fromBlock, toBlock, strict: true }),
    );
  const logs = (await Promise.all(PAYOUTS.map(read))).flat();
  const transactions = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
  const receipts = await readEach(transactions, (hash) => client.getTransactionReceipt({ hash }));
  const logsOf = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt.logs]));
  const payouts = new Map<bigint, ProvenPayout[]>();
  for (const { address, eventName, args, transactionHash, logIndex } of logs) {
    const payout: ProvenPayout = {
      kind: eventName === "CashbackPaid" ? "paid" : "deferred",
      amountWei: args.amount,
      weiPerCent: rateBefore(logsOf.get(transactionHash) ?? [], address, logIndex),
      transaction: transactionHash,
    };
    payouts.set(args.purchaseId, [...(payouts.get(args.purchaseId) ?? []), payout]);
  }
  return payouts;
}

async function readDistributors(client: PublicClient, newest: Address): Promise<Address[]> {
  const distributors = [newest];
  for (let at = newest; distributors.length < PREDECESSORS_MAX; ) {
    // A distributor of the first version has no predecessor.
    const before = await client
      .readContract({ address: at, abi: cashbackDistributorAbi, functionName: "predecessor" })
      .catch(() => zeroAddress);
    if (before === zeroAddress) break;
    distributors.push(before);
    at = before;
  }
  return distributors;
}

/** The rate of a payout: the last one its distributor emitted before it in the same transaction. */
function rateBefore(logs: readonly Log[], distributor: Address, logIndex: number): bigint | undefined {
  const told = logs.findLast(
    (log) =>
      log.logIndex !== null &&
      log.logIndex < logIndex &&
      log.topics[0] === RATE_TOPIC &&
      isAddressEqual(log.address, distributor),
  );
  return told && decodeEventLog({ abi: cashbackDistributorAbi, eventName: "RateApplied", ...told }).args.weiPerCent;
}

/** Reads each item, in order, with a few concurrent calls: public nodes refuse many. */
async function readEach<Item, Answer>(
  items: readonly Item[],
  read: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < items.length; at += CALLS_AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(at, at + CALLS_AT_ONCE).map(read))));
  }
  return answers;
}
