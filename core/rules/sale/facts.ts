import type { Payment } from "../cashback.ts";
import type { SaleInvite } from "../invites.ts";
import { DAY_MS } from "../iso-time.ts";
import type { Move } from "../purchase/life.ts";
import type { WalletAddress } from "../wallet-address.ts";
import type { Hold, Release } from "./holds.ts";
import type { SaleAction, SalePurchase, Tier } from "./plan.ts";
import type { SaleReport } from "./report.ts";
import type { AccountKey } from "./rules.ts";
import type { ClickTerms, SaleValue, TrackedAmount } from "./value.ts";

/* All that decides about a sale, and all that is decided. docs/product.md#sales-decision */

/**
 * The state of a sale as the panel shows it. `held`: waits for a person. `unmatched`: its buyer is unknown. `open`: not
 * approved yet. `payable`: the network pays us for it. `settled`: nothing is left to pay. docs/product.md#sales-words
 */
export const SALE_STATES = ["held", "unmatched", "open", "approved", "payable", "declined", "settled"] as const;
export type SaleState = (typeof SALE_STATES)[number];

/** A person's no to a sale: nothing of it is confirmed or paid. docs/product.md#panel-hold */
export type StaffHold = { by: string; at: bigint; reason: string | null };

/** A hold that a person ended, for the click that the sale had and no higher cashback. */
export type LetGo = { hold: StaffHold; clickId: bigint; centBps: bigint };

/** The sale's time and the click's window come from different clocks, so allow a day. */
export const WINDOW_GRACE_MS = 86_400_000n;

/** The longest time during which a network that is polled may still change a sale. docs/product.md#sales-budget */
export const CHANGEABLE_MS = 120 * DAY_MS;

/** A store, as far as its sales depend on it. */
export type StoreFacts = {
  id: bigint;
  /** Null: nobody has said where its sales are reported, so none is decided. */
  network: string | null;
  /** Somebody has said it, and it does not follow from the store's being older. */
  isLinked: boolean;
  /** Null: the network's only account. */
  account: string | null;
  /** The ids by which reports name it; empty if they name none. */
  advertiserIds: readonly string[];
  /** Orders are told apart by merchant and number. */
  merchant: string;
  mintDelayMs: bigint | null;
  holdMs: bigint | null;
};

export type ClickFacts = {
  id: bigint;
  wallet: WalletAddress;
  store: StoreFacts;
  storeName: string;
  tokenSlug: string | null;
  balanceBlock: bigint | null;
  terms: ClickTerms;
  createdAt: bigint;
  expiresAt: bigint;
};

/** What a sale keeps of what was once decided. */
export type Kept = {
  /** The rate of each currency that it was reported in, in millionths of a real. */
  rates: ReadonlyMap<string, bigint>;
  tracked: TrackedAmount | null;
  tiers: readonly Tier[];
  /** The terms that staff assigned it at, if they are not its click's. */
  terms: ClickTerms | null;
  /** The click reference, or "", over which staff assigned it; null if the network did. */
  assignedOver: string | null;
  /** How often the network moved it to another click; `MOST_MOVES`: it no longer moves. */
  moves: number;
  /** The order that is its own: the merchant, and the number in its compared form. */
  order: string | null;
  /**
   * No debt is lifted for it: a person let it go on above what they may alone, so what it gives back is a purchase of its
   * own, which is kept for the debt once a second person has agreed.
   */
  liftsNone: boolean;
};

export const NOTHING_KEPT: Kept = {
  rates: new Map(),
  tracked: null,
  tiers: [],
  terms: null,
  assignedOver: null,
  moves: 0,
  order: null,
  liftsNone: false,
};

/** A purchase of a sale, with what is queued for it. */
export type PurchaseFacts = SalePurchase & {
  wallet: WalletAddress;
  storeId: bigint;
  createdAt: bigint;
  approvedAt: bigint | null;
  payableAt: bigint | null;
  offsetGwei: bigint;
  /** Queued and not withdrawn. */
  queued: ReadonlySet<Move>;
  /** The same, and not sent yet. */
  unsent: ReadonlySet<Move>;
  heldByStaff: StaffHold | null;
  /** The last request about it that a second person refused, and that nobody has decided again since. */
  refusedRequest: bigint | null;
  /** On the chain, by the index. */
  isTicketConfirmed: boolean;
  /** On the chain. */
  payment?: Payment | null;
};

/** A ticket on chain that carries the sale's reference, and is none of its purchases. */
export type TicketFacts = {
  id: bigint;
  ref: bigint;
  owner: WalletAddress;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  isCancelled: boolean;
  payment: Payment | null;
  /** Whether another purchase has its id. */
  isTaken: boolean;
};

/** A ticket of a buyer on chain that no purchase has, and that carries a reference of some sale. */
export type UnclaimedTicket = Pick<TicketFacts, "id" | "owner" | "storeId" | "valueCents"> & { mintedAt: bigint };

/** Of what is decided at another time, no purchases are read. `isEntitled`: undefined if nobody knows now. */
export type OtherOfOrder = Omit<SameOrder, "isKeeping"> & {
  purchases: readonly PurchaseFacts[];
  isEntitled: boolean | undefined;
};

/** What the last decision knew of a sale's return. */
export type KnownReturn = {
  /** Whether it was declined then. */
  isKnown: boolean;
  /** When it is to be decided again; 0: not known yet; null: nothing is left to say. */
  dueAt: bigint | null;
};

/** A purchase as far as its ticket can say that its return is final. */
export type ReturnablePurchase = Pick<SalePurchase, "id" | "stage" | "isSettled" | "isReturnFinal"> & {
  queued: ReadonlySet<string>;
  /** By the index; not only sent. */
  isTicketConfirmed: boolean;
};

/** What decides whether a return is final. docs/product.md#return-final */
export type DeclinedSale = {
  isDeclined: boolean;
  network: string;
  /** From approval to payout, of its store. */
  holdMs: bigint;
  /** When its network changed it last, in ms. */
  changedAt: bigint;
  known: KnownReturn;
  purchases: readonly ReturnablePurchase[];
};

/** Everything that decides about a sale. */
export type SaleFacts = AccountKey & {
  id: bigint;
  /** The last read. */
  report: SaleReport;
  createdAt: bigint;
  /** When its current approval was first read. */
  approvedAt: bigint | null;
  /** What its last decision knew of its return. */
  knownReturn: KnownReturn;
  /** Staff declined it for good. */
  declined: { reason: string | null } | null;
  released: readonly Release[];
  letGo: LetGo | null;
  /** The click that it belongs to, and the known click that the last read names. */
  click: ClickFacts | null;
  named: ClickFacts | null;
  kept: Kept;
  /** What its buyer's click carries. */
  invite?: SaleInvite | null;
  /** The rates of the sale's day. */
  rates: ReadonlyMap<string, bigint>;
  /** The number of this sale among its buyer's sales of the day, from 1. */
  ordinalOfDay: bigint;
  sameOrder: readonly OtherOfOrder[];
  /** Its order number at its last decision, in its compared form; the one that it names, if this is the first. */
  orderKeyBefore: string | null;
  purchases: readonly PurchaseFacts[];
  tickets: readonly TicketFacts[];
  /** Of the buyer, while the sale has no purchase. */
  unclaimed: readonly UnclaimedTicket[];
  /** Of the buyer, now: what other purchases pay, also those whose payouts are not sent. */
  debtGwei: bigint;
  /** What the shop was decided to lose by it. docs/product.md#margin-loss */
  lostCentBps: bigint;
  /** Whether it may lose more: what its account has lost in the sale's month leaves room. */
  mayLose?: boolean;
};

export type Permission = { approvedAt: bigint | null; payableAt: bigint | null };

/** What happens to a purchase that exists already: `withdrawn` before its action, the rest after it. */
export type PurchaseStep = Permission & {
  id: bigint;
  mintAfterMs: bigint | null;
  withdrawn: readonly Move[];
  /** From now on its ticket says that it was returned. */
  isReturned: boolean;
};

export type SaleDecision = {
  click: ClickFacts | null;
  kept: Kept;
  state: SaleState;
  /** Undefined while an amount is not known. */
  value: SaleValue | undefined;
  cashbackCentBps: bigint;
  /** What its buyers were paid or kept, less what they owe back. */
  paidCentBps: bigint;
  /** By how much its cashback is above its commission, as far as it goes on all the same. docs/product.md#margin-loss */
  lostCentBps: bigint;
  /** It goes on if its account may lose that. */
  needsLoss: boolean;
  unknownGroups: readonly string[];
  holds: readonly Hold[];
  isHeld: boolean;
  isDeclined: boolean;
  orderKey: string | null;
  actions: readonly SaleAction[];
  /** For purchases that are created. */
  permission: Permission & { mintAfterMs: bigint | null };
  steps: readonly PurchaseStep[];
  /** When it is to be decided again for its return, as `KnownReturn`. */
  returnDueAt: bigint | null;
  /** What people said no to, for all its purchases. */
  stops: { hold: StaffHold | null; refusedRequest: bigint | null };
};

/** Another sale of the same order of one merchant that is not declined. */
export type SameOrder = AccountKey & {
  id: bigint;
  clickId: bigint | null;
  createdAt: bigint;
  /** As of `OrderFacts`. */
  had: string | null;
  keyBefore: string | null;
  isKeeping: boolean;
};

/** A sale, as far as it depends on others of its order. */
export type OrderFacts = AccountKey & {
  id: bigint;
  createdAt: bigint;
  clickId: bigint;
  merchant: string;
  orderRef: string | null;
  /** Its order number at its last decision; the one that it names, if this is the first. */
  keyBefore: string | null;
  sameOrder: readonly SameOrder[];
  /** The order that it had by then. */
  had: string | null;
  /** Something of it is paid, or kept, and not owed back; or its payout is queued. */
  isKeeping: boolean;
  /** Undefined while its amount is not known. */
  isEntitled: boolean | undefined;
};

/** A sale as it was decided last. */
export type DecidedBefore = {
  state: SaleState;
  wallet: string | null;
  cashbackCentBps: bigint;
  purchases: readonly PurchaseFacts[];
};

/** `centBps`: so much more may be paid, or is no longer owed back. `isSooner`: it is paid earlier than before. */
export type Freed = { centBps: bigint; isSooner: boolean };
