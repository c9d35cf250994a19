import { type ContractEvent, ContradictoryLogsError, decodeContractEvent } from "../core/chain/contract-events.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";

/**
 * The events of a ticket's life. Amounts are wei. `Transfer` is read too: it names the owner, which must match the
 * buyer in the accompanying `PurchaseMinted` (`decodeEvents`). One to nobody is kept as `Burnt`. `Locked` and
 * `MetadataUpdate` only repeat these for explorers.
 */
export type ChainEvent = EventPosition & EventContent;

export type EventPosition = {
  blockNumber: number;
  logIndex: number;
  transactionHash: string;
};

export type EventContent =
  | {
      kind: "PurchaseMinted";
      tokenId: bigint;
      buyer: WalletAddress;
      storeId: number;
      valueCents: number;
      cashbackBps: number;
      bonusBps: number;
      /** Its 64 bits as a signed integer, as databases have it. */
      saleRef: bigint;
      /** The tickets' contract, if it continues the first one. */
      contract?: WalletAddress | undefined;
    }
  | { kind: "StatusUpdated"; tokenId: bigint; to: number }
  /** A `Transfer` to nobody. */
  | { kind: "Burnt"; tokenId: bigint; owner: WalletAddress }
  | ({ kind: "CashbackPaid" } & Payment)
  | ({ kind: "CashbackDeferred" } & Payment);

type Payment = {
  tokenId: bigint;
  recipient: WalletAddress;
  amountWei: bigint;
  /** The rate of its transaction; null if it is not known. */
  weiPerCent: bigint | null;
};

export type EventKind = EventContent["kind"];

/** The contract that emits each event, and the hash of its signature. A test compares them with the ABIs. */
export const EVENT_TOPICS: Record<
  Exclude<EventKind, "Burnt">,
  { contract: "purchaseNft" | "cashbackDistributor"; topic: string }
> = {
  PurchaseMinted: {
    contract: "purchaseNft",
    topic: "0x454947731b3a80b4d004efcad070e18381363e20a2e37b50060906c2170f144b",
  },
  StatusUpdated: {
    contract: "purchaseNft",
    topic: "0x2da7b23ca63c1eb969eee5fae4acb98186abecf5358b0354a82a5183ebca6b2a",
  },
  CashbackPaid: {
    contract: "cashbackDistributor",
    topic: "0xdbca114a71b5f2056f07f0eeb73d01abe1911bffc2061716c148b2e84845b574",
  },
  CashbackDeferred: {
    contract: "cashbackDistributor",
    topic: "0xd22983aeb1acc7a5f7801b98b733b3d48a6bbbc553dfd9fda9cbf9542afaafbf",
  },
};

/**
 * The ERC-721 event from which wallets and explorers derive a token's owner. A mint's is read but not stored: together
 * with the `PurchaseMinted` that follows it, it becomes one event.
 */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** The rate of the payments that follow it in its transaction, each of which has it. docs/decisions/0007-one-rate-a-batch.md */
export const RATE_TOPIC = "0xb4fc9a8a81ef249f8c733b58f6ecaad9f4b25710b602645da4718589beda876b";

/** A log as `eth_getLogs` returns it. */
export type RpcLog = {
  address: string;
  topics: string[];
  data: string;
  blockNumber: string;
  blockHash: string;
  /** Only newer nodes send it; if present, it saves a request for the block. */
  blockTimestamp?: string | null;
  transactionHash: string;
  logIndex: string;
  removed?: boolean;
};

/** The largest id and amount that fit a 64-bit column. */
export const INT64_MAX = 2n ** 63n - 1n;

const NOBODY = `0x${"0".repeat(64)}`;

export type DecodedLogs = { events: ChainEvent[]; contractEvents: ContractEvent[]; ignored: number };

/**
 * Decodes the logs of whole blocks, in order. The owner of a new ticket comes from `Transfer` and must equal the buyer
 * in its `PurchaseMinted`. Ids that cannot be purchases of this shop are counted as ignored.
 * @param first the first tickets' contract, if others continue it: theirs are told by their address
 * @throws ContradictoryLogsError if a ticket has one event without the other, two owners, or moves to another
 */
export function decodeEvents(logs: readonly RpcLog[], first?: WalletAddress): DecodedLogs {
  const events: ChainEvent[] = [];
  const contractEvents: ContractEvent[] = [];
  let ignored = 0;
  let transfer: RpcLog | undefined;
  let rate: RpcLog | undefined;
  for (const log of logs) {
    const topic = log.topics[0];
    if (topic === TRANSFER_TOPIC) {
      if (transfer) throw contradiction(transfer, "comes into being without `PurchaseMinted`");
      if (log.topics[1] === NOBODY) {
        transfer = log;
        continue;
      }
      if (log.topics[2] !== NOBODY) throw contradiction(log, "moves from one wallet to another");
      const burnt = decodeLog(log);
      if (burnt) events.push(burnt);
      else ignored += 1;
      continue;
    }
    if (topic === EVENT_TOPICS.PurchaseMinted.topic) assertSameOwner(transfer, log);
    else if (transfer) throw contradiction(transfer, "comes into being without `PurchaseMinted`");
    transfer = undefined;
    if (topic === RATE_TOPIC) rate = log;
    const said = decodeContractEvent(log);
    if (said) {
      if ((said.tokenId ?? 0n) <= INT64_MAX) contractEvents.push(said);
      else ignored += 1;
      continue;
    }
    const event = decodeLog(log, rateOf(log, rate));
    if (event?.kind === "PurchaseMinted" && first !== undefined) {
      const contract: WalletAddress = `0x${log.address.slice(2).toLowerCase()}`;
      if (contract !== first) event.contract = contract;
    }
    if (event) events.push(event);
    else ignored += 1;
  }
  if (transfer) throw contradiction(transfer, "comes into being without `PurchaseMinted`");
  return { events, contractEvents, ignored };
}

/** The last rate that the same contract applied in the same transaction. */
function rateOf({ address, transactionHash }: RpcLog, rate: RpcLog | undefined): bigint | null {
  if (rate?.transactionHash !== transactionHash || rate.address.toLowerCase() !== address.toLowerCase()) return null;
  const weiPerCent = wordOf(rate.data);
  return weiPerCent > 0n && weiPerCent <= INT64_MAX ? weiPerCent : null;
}

function assertSameOwner(transfer: RpcLog | undefined, minted: RpcLog): void {
  const [, tokenId, buyer] = minted.topics;
  if (transfer?.transactionHash !== minted.transactionHash || transfer.topics[3] !== tokenId) {
    throw contradiction({ ...minted, topics: ["", "", "", tokenId ?? ""] }, "is minted without `Transfer`");
  }
  if (transfer.topics[2]?.toLowerCase() !== buyer?.toLowerCase()) {
    throw contradiction(transfer, "has another owner by `Transfer` than by `PurchaseMinted`");
  }
}

function contradiction({ topics, blockNumber }: RpcLog, what: string): ContradictoryLogsError {
  return new ContradictoryLogsError(`Ticket ${BigInt(topics[3] || 0)} ${what} in block ${Number(blockNumber)}`);
}

/**
 * Decodes a log, with the rate that applies to a payment. Undefined: its id does not fit the column, and therefore cannot
 * be ours.
 */
export function decodeLog(log: RpcLog, weiPerCent: bigint | null = null): ChainEvent | undefined {
  const position: EventPosition = {
    blockNumber: Number(log.blockNumber),
    logIndex: Number(log.logIndex),
    transactionHash: log.transactionHash,
  };
  const content = decodeContent(log.topics, log.data, weiPerCent);
  return content && content.tokenId <= INT64_MAX ? { ...position, ...content } : undefined;
}

function decodeContent(topics: string[], data: string, weiPerCent: bigint | null): EventContent | undefined {
  const [topic, first = "", second = "", third = ""] = topics;
  switch (topic) {
    case EVENT_TOPICS.PurchaseMinted.topic:
      return {
        kind: "PurchaseMinted",
        tokenId: BigInt(first),
        buyer: addressIn(second),
        storeId: Number(third),
        valueCents: numberAt(data, 0),
        cashbackBps: numberAt(data, 1),
        bonusBps: numberAt(data, 2),
        saleRef: BigInt.asIntN(64, BigInt(`0x${data.slice(-16)}`)),
      };
    case EVENT_TOPICS.StatusUpdated.topic:
      return { kind: "StatusUpdated", tokenId: BigInt(first), to: numberAt(data, 0) };
    case TRANSFER_TOPIC:
      return { kind: "Burnt", tokenId: BigInt(third), owner: addressIn(first) };
    case EVENT_TOPICS.CashbackPaid.topic:
      return { kind: "CashbackPaid", ...paymentIn() };
    case EVENT_TOPICS.CashbackDeferred.topic:
      return { kind: "CashbackDeferred", ...paymentIn() };
    default:
      return undefined;
  }

  function paymentIn(): Payment {
    return { tokenId: BigInt(first), recipient: addressIn(second), amountWei: wordOf(data), weiPerCent };
  }
}

/** With its `0x`. */
const WORD_LENGTH = 66;
const WORD = /^0x[0-9a-f]{64}$/i;

/** The only word of an event's data. @throws ContradictoryLogsError if it is anything else: our contracts emit no such */
function wordOf(data: string): bigint {
  if (data.length !== WORD_LENGTH || !WORD.test(data))
    throw new ContradictoryLogsError(`An event's data is no number: ${data.slice(0, WORD_LENGTH)}`);
  return BigInt(data);
}

/** The last 20 of a word's 32 bytes. Lower-cased, because some test nodes send mixed case. */
function addressIn(word: string): WalletAddress {
  return `0x${word.slice(26).toLowerCase()}`;
}

function numberAt(data: string, word: number): number {
  return Number(`0x${data.slice(2 + word * 64, 66 + word * 64)}`);
}
