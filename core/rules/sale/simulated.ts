import type { BonusRead } from "../bonus-read.ts";
import type { WalletAddress } from "../wallet-address.ts";
import { NOTHING_KEPT, type SaleFacts } from "./facts.ts";
import { SIMULATED } from "./rules.ts";

/** What a buyer of a simulated purchase asks for, with the percents of that moment. */
export type SimulatedPurchase = {
  wallet: WalletAddress;
  storeId: bigint;
  storeName: string;
  amountCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  tokenSlug: string | null;
  balanceBlock: bigint | null;
  /** A bonus that is read later. */
  bonusRead?: BonusRead | null;
  /** What an invitation adds now, in basis points, if it carries one. */
  inviteBps?: bigint;
  /** The trace of the request, if it is traced. */
  traceparent?: string | null | undefined;
};

const MICROS_PER_CENT = 10_000n;

/**
 * A simulated purchase as a sale of the network `simulated`, which approves it and pays for it at once. It has no row and
 * no revisions: its buyer's request is all that will ever be reported of it. `mintDelayMs`: until its ticket is minted.
 */
export function simulatedSale(purchase: SimulatedPurchase, at: { now: bigint; mintDelayMs: bigint }): SaleFacts {
  const { wallet, storeId, storeName, tokenSlug, balanceBlock, amountCents, cashbackBps, bonusBps } = purchase;
  const click = {
    id: 0n,
    wallet,
    store: {
      id: storeId,
      network: SIMULATED,
      isLinked: false,
      account: null,
      advertiserIds: [],
      merchant: "",
      mintDelayMs: at.mintDelayMs,
      holdMs: 0n,
    },
    storeName,
    tokenSlug,
    balanceBlock,
    terms: { groups: {}, defaultBps: cashbackBps, bonusBps },
    createdAt: at.now,
    expiresAt: at.now,
  };
  return {
    id: 0n,
    network: SIMULATED,
    account: SIMULATED,
    report: {
      saleKey: "",
      clickRef: null,
      advertiserId: null,
      orderRef: null,
      status: "approved",
      payable: true,
      amountMicros: amountCents * MICROS_PER_CENT,
      currency: "BRL",
      trackedBrlMicros: null,
      commissionMicros: null,
      commissionCurrency: null,
      parts: [],
      occurredAt: at.now,
      changedAt: at.now,
      reason: null,
      drift: null,
    },
    createdAt: at.now,
    approvedAt: at.now,
    knownReturn: { isKnown: false, dueAt: null },
    declined: null,
    released: [],
    letGo: null,
    click,
    named: null,
    kept: NOTHING_KEPT,
    rates: new Map(),
    ordinalOfDay: 1n,
    sameOrder: [],
    orderKeyBefore: null,
    purchases: [],
    tickets: [],
    unclaimed: [],
    debtGwei: 0n,
    lostCentBps: 0n,
  };
}
