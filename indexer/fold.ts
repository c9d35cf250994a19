import { WEI_PER_GWEI } from "../core/rules/product.ts";
import { CHAIN_STATUS } from "../core/rules/purchase/life.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import { type ChainEvent, type EventKind, INT64_MAX } from "./events.ts";

export type Nft = {
  tokenId: bigint;
  owner: WalletAddress;
  storeId: number;
  valueCents: number;
  cashbackBps: number;
  bonusBps: number;
  saleRef: bigint;
  /** Null: the first tickets' contract. */
  contract: WalletAddress | null;
  mintTransaction: string;
  mintedBlock: number;
  mintedAtMs: number;
} & NftStatus &
  NftEnd;

export type NftStatus = {
  status: number;
  statusTransaction: string | null;
  statusBlock: number | null;
  statusAtMs: number | null;
};

/** Where its owner burnt it; null: it is not burnt. */
export type NftEnd = { burntTransaction: string | null; burntAtMs: number | null };

export type Payout = {
  tokenId: bigint;
  recipient: WalletAddress;
  amountGwei: bigint;
  /** The rate of its transaction; null if it is not known. */
  weiPerCent: bigint | null;
  state: "paid" | "deferred";
  transactionHash: string;
  blockNumber: number;
  logIndex: number;
  paidAtMs: number;
};

export type Changes = {
  /** Tokens minted by these events, in their latest state. */
  nfts: Map<bigint, Nft>;
  /** The latest status of tokens minted earlier. */
  statuses: Map<bigint, NftStatus>;
  /** Those of them that were burnt. */
  ends: Map<bigint, NftEnd>;
  payouts: Map<bigint, Payout>;
};

/**
 * Folds events in chain order. The last event of a token wins, so the result does not depend on how the chain is split
 * into chunks.
 * @param timestamps Seconds, by block number; must contain the block of every event.
 */
export function fold(events: readonly ChainEvent[], timestamps: ReadonlyMap<number, number>): Changes {
  const changes: Changes = { nfts: new Map(), statuses: new Map(), ends: new Map(), payouts: new Map() };
  for (const event of events) {
    const atMs = timestampMs(timestamps, event.blockNumber);
    switch (event.kind) {
      case "PurchaseMinted":
        changes.statuses.delete(event.tokenId);
        changes.ends.delete(event.tokenId);
        changes.nfts.set(event.tokenId, mintedBy(event, atMs));
        break;
      case "StatusUpdated": {
        if (event.to < CHAIN_STATUS.pending || event.to > CHAIN_STATUS.returned) break;
        const status: NftStatus = {
          status: event.to,
          statusTransaction: event.transactionHash,
          statusBlock: event.blockNumber,
          statusAtMs: atMs,
        };
        const minted = changes.nfts.get(event.tokenId);
        if (minted) Object.assign(minted, status);
        else changes.statuses.set(event.tokenId, status);
        break;
      }
      // Its record stays with whom it was.
      case "Burnt": {
        const end: NftEnd = { burntTransaction: event.transactionHash, burntAtMs: atMs };
        const minted = changes.nfts.get(event.tokenId);
        if (minted) Object.assign(minted, end);
        else changes.ends.set(event.tokenId, end);
        break;
      }
      case "CashbackPaid":
      case "CashbackDeferred":
        changes.payouts.set(event.tokenId, payoutBy(event, atMs));
        break;
    }
  }
  return changes;
}

function mintedBy(event: EventOf<"PurchaseMinted">, mintedAtMs: number): Nft {
  return {
    tokenId: event.tokenId,
    owner: event.buyer,
    storeId: event.storeId,
    valueCents: event.valueCents,
    cashbackBps: event.cashbackBps,
    bonusBps: event.bonusBps,
    saleRef: event.saleRef,
    contract: event.contract ?? null,
    mintTransaction: event.transactionHash,
    mintedBlock: event.blockNumber,
    mintedAtMs,
    status: CHAIN_STATUS.pending,
    statusTransaction: null,
    statusBlock: null,
    statusAtMs: null,
    burntTransaction: null,
    burntAtMs: null,
  };
}

function payoutBy(event: EventOf<"CashbackPaid" | "CashbackDeferred">, paidAtMs: number): Payout {
  return {
    tokenId: event.tokenId,
    recipient: event.recipient,
    amountGwei: gweiOf(event.amountWei),
    weiPerCent: event.weiPerCent,
    state: event.kind === "CashbackPaid" ? "paid" : "deferred",
    transactionHash: event.transactionHash,
    blockNumber: event.blockNumber,
    logIndex: event.logIndex,
    paidAtMs,
  };
}

type EventOf<Kind extends EventKind> = Extract<ChainEvent, { kind: Kind }>;

/**
 * Capped to the column; the event keeps the exact wei. Rounded up: rounded down, a payout that is not ours would leave
 * the distributor short of a part of a gwei for ever.
 */
function gweiOf(wei: bigint): bigint {
  const gwei = (wei + WEI_PER_GWEI - 1n) / WEI_PER_GWEI;
  return gwei > INT64_MAX ? INT64_MAX : gwei;
}

function timestampMs(timestamps: ReadonlyMap<number, number>, blockNumber: number): number {
  const seconds = timestamps.get(blockNumber);
  if (seconds === undefined) throw new Error(`The timestamp of block ${blockNumber} is unknown`);
  return seconds * 1_000;
}
