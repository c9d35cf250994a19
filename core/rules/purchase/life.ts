import type { AccountWait } from "../account/payout-gate.ts";
import { type CashbackShare, cashbackOf, offsetOf } from "../cashback.ts";
import { isKeyOf, keysOf } from "../records.ts";
import type { WalletAddress } from "../wallet-address.ts";

/**
 * The status of a purchase as its buyer sees it; it only moves forward. `processing`: registered, no ticket yet.
 * `pending`, `confirmed`, `cancelled`: the ticket's status. Each with its number on the chain, and its spelling in the
 * ticket's attribute and in stored records. docs/product.md#purchase-states.
 */
const STATUSES = {
  processing: { chain: 0, ticket: "Pending", stored: "Pendente" },
  pending: { chain: 1, ticket: "Pending", stored: "Pendente" },
  confirmed: { chain: 2, ticket: "Confirmed", stored: "Confirmado" },
  cancelled: { chain: 3, ticket: "Cancelled", stored: "Cancelado" },
} as const;
export type PurchaseStatus = keyof typeof STATUSES;
export const PURCHASE_STATUSES = keysOf(STATUSES);

/** The number by which a purchase is stored as counted (`purchases.counted_status`, and conditions of indexes). */
export const COUNTED_STATUS = { processing: 0, pending: 1, confirmed: 2, cancelled: 3 } as const satisfies Record<
  PurchaseStatus,
  number
>;

/** The contract's number of each status. `IPurchaseNFT.Status`. */
export const CHAIN_STATUS = {
  none: STATUSES.processing.chain,
  pending: STATUSES.pending.chain,
  confirmed: STATUSES.confirmed.chain,
  cancelled: STATUSES.cancelled.chain,
  /** Was Confirmed; its return is final. A status of the ticket alone: its purchase is still a confirmed one. */
  returned: 4,
} as const;

export const CASHBACK_STATES = ["unpaid", "paid", "deferred"] as const;
/** `deferred`: the recipient rejected the CHZ, which is now a credit to withdraw. docs/product.md#payout-deferred. */
export type CashbackState = (typeof CASHBACK_STATES)[number];

/** The purchase's status for a contract status; `processing` until the ticket exists. */
export function purchaseStatusFromChain(status: number | bigint | undefined): PurchaseStatus {
  if (Number(status) === CHAIN_STATUS.returned) return "confirmed";
  return PURCHASE_STATUSES.find((one) => STATUSES[one].chain === Number(status ?? 0)) ?? "processing";
}

/** The spelling in the ticket's `Status` attribute, Pending by default. docs/product.md#purchase-states. */
export function statusAttribute(status: PurchaseStatus) {
  return STATUSES[status].ticket;
}

/** The `Status` attribute of a ticket with this contract status. docs/product.md#ticket-attributes */
export function ticketStatus(status: number | bigint) {
  return Number(status) === CHAIN_STATUS.returned ? "Returned" : statusAttribute(purchaseStatusFromChain(status));
}

/** The spelling in stored records. docs/product.md#purchase-states. */
export function storedStatus(status: PurchaseStatus) {
  return STATUSES[status].stored;
}

/** Who moves a purchase: the system as its next step, or staff on request. */
export type Mover = "itself" | "staff";

/**
 * The life of a purchase: each move leads from one status to the next. A returned purchase has only the moves
 * `ofReturned`. `approval`: who needs the network's approval to move a live purchase. docs/product.md#purchase-steps
 */
export const MOVES = {
  mint: { from: "processing", to: "pending", ofReturned: false, approval: [] },
  confirm: { from: "pending", to: "confirmed", ofReturned: false, approval: ["itself", "staff"] },
  cancel: { from: "pending", to: "cancelled", ofReturned: true, approval: [] },
  // Decided with its sale, once the return is final: docs/product.md#return-final
  return: { from: "confirmed", to: "confirmed", ofReturned: true, approval: [] },
  // For payouts by staff, a sale's purchase is on hold until the network reports it as payable.
  pay: { from: "confirmed", to: "confirmed", ofReturned: false, approval: ["itself"] },
} as const satisfies Record<
  string,
  { from: PurchaseStatus; to: PurchaseStatus; ofReturned: boolean; approval: readonly Mover[] }
>;
export type Move = keyof typeof MOVES;
export const MOVE_NAMES: readonly Move[] = keysOf(MOVES);

export function isMove(kind: string): kind is Move {
  return isKeyOf(MOVES, kind);
}

/** The known facts about a purchase: its row, its ticket and payout in the index, its operations in the queue. */
export type PurchaseLife = {
  status: PurchaseStatus;
  source: "simulated" | "live";
  isApproved: boolean;
  isReturned: boolean;
  /** Its ticket says Returned: docs/product.md#return-final */
  isReturnFinal: boolean;
  /** An admin holds it. docs/product.md#panel-hold */
  isHeld: boolean;
  /** Its payout waits for a second person, who is asked or has refused. docs/product.md#panel-approvals */
  secondPerson: "asked" | "refused" | null;
  /** Its payout waits for its account; judged anew whenever it is due. docs/product.md#accounts */
  accountWait: AccountWait | null;
  /** Nothing is left to do, permanently. */
  isSettled: boolean;
  isPaid: boolean;
  isRateFrozen: boolean;
  /** When it may be paid; null while its network has not said so. */
  payableAt: bigint | null;
  /** The block of the ticket's status, and of the payout. */
  statusBlock: bigint | null;
  payoutBlock: bigint | null;
  /** Queued or further, and not withdrawn: at least the moves from the current status. */
  queued: ReadonlySet<Move>;
  /** In a transaction that is not final yet. */
  sent: ReadonlySet<Move>;
};

/** The columns of a purchase, its ticket and its payout from which its life is read. */
export type LifeColumns = Pick<PurchaseLife, "source"> & {
  [Column in "approved_at" | "reversed_at" | "held_at" | "settled_at" | "wei_per_cent" | "payable_at"]: bigint | null;
} & {
  chain_status: bigint | number | null;
  status_block: bigint | null;
  payout_state: string | null;
  payout_block: bigint | null;
  approval_state: string | null;
  account_wait: AccountWait | null;
};

/** The state of a purchase, from its row, ticket, payout and operations. */
export function lifeOf(row: LifeColumns, operations: readonly { kind: string; status: string }[] = []): PurchaseLife {
  const kinds = (some: typeof operations) => new Set(some.map(({ kind }) => kind).filter(isMove));
  return {
    status: purchaseStatusFromChain(row.chain_status ?? undefined),
    source: row.source,
    isApproved: row.approved_at !== null,
    isReturned: row.reversed_at !== null,
    isReturnFinal: Number(row.chain_status ?? 0) === CHAIN_STATUS.returned,
    isHeld: row.held_at !== null,
    accountWait: row.account_wait,
    secondPerson: row.approval_state === null ? null : row.approval_state === "refused" ? "refused" : "asked",
    isSettled: row.settled_at !== null,
    isPaid: row.payout_state !== null,
    isRateFrozen: row.wei_per_cent !== null,
    payableAt: row.payable_at,
    statusBlock: row.status_block,
    payoutBlock: row.payout_block,
    queued: kinds(operations),
    sent: kinds(operations.filter(({ status }) => status === "assigned")),
  };
}

/**
 * The time by the database's clock, the deepest block that counts as final, whether there is a rate, and whether only
 * what networks report is paid.
 */
export type Moment = { now: bigint; deepestBlock: bigint; hasRate: boolean; isLive?: boolean | undefined };

/** Why a move is not made. */
export type Obstacle =
  | {
      kind: "returned" | "not_returned" | "status" | "over" | "approval" | "held" | "queued" | "contradiction" | "rate";
    }
  | { kind: "second_person" | "second_decision" | "simulated" }
  | { kind: "depth"; block: bigint }
  /** `at` is null while the end of the hold is not known. */
  | { kind: "hold"; at: bigint | null };

/** The first reason why a move is not made now; undefined if it is. */
export function obstacleTo(
  move: Move,
  purchase: PurchaseLife,
  moment: Moment,
  by: Mover = "itself",
): Obstacle | undefined {
  const { from, ofReturned, approval } = MOVES[move];
  if (purchase.isReturned !== ofReturned) return { kind: purchase.isReturned ? "returned" : "not_returned" };
  if (purchase.status !== from) return { kind: "status" };
  if (purchase.isSettled || (move === "pay" && purchase.isPaid)) return { kind: "over" };
  // Registered before the switch to live purchases: docs/product.md#purchase-simulated
  if (purchase.source === "simulated" && moment.isLive && (move === "confirm" || move === "pay")) {
    return { kind: "simulated" };
  }
  if (!purchase.isApproved && approval.some((mover) => mover === by)) return { kind: "approval" };
  if (purchase.isHeld && (move === "confirm" || move === "pay")) return { kind: "held" };
  if (purchase.queued.has(move)) return { kind: "queued" };
  // Only one move away from Pending can succeed.
  if (move === "cancel" && purchase.sent.has("confirm")) return { kind: "contradiction" };
  if (move === "confirm") return moment.hasRate ? undefined : { kind: "rate" };
  if (move !== "pay") return undefined;
  // Staff may decide again: that is judged anew.
  if (purchase.secondPerson !== null && by === "itself") {
    return { kind: purchase.secondPerson === "asked" ? "second_person" : "second_decision" };
  }
  return obstacleToPayout(purchase, moment);
}

function obstacleToPayout(purchase: PurchaseLife, { now, deepestBlock, hasRate }: Moment): Obstacle | undefined {
  if (!purchase.isRateFrozen && !hasRate) return { kind: "rate" };
  const { statusBlock, payableAt } = purchase;
  if (statusBlock !== null && statusBlock > deepestBlock) return { kind: "depth", block: statusBlock };
  return payableAt !== null && payableAt <= now ? undefined : { kind: "hold", at: payableAt };
}

/** The only move that a purchase can make next; none if it is finished. */
export function moveAhead(purchase: PurchaseLife): Move | undefined {
  if (endBlock(purchase) !== undefined) return undefined;
  return MOVE_NAMES.find(
    (move) => MOVES[move].from === purchase.status && MOVES[move].ofReturned === purchase.isReturned,
  );
}

/**
 * The block whose finality settles a purchase: of its payout, its cancellation, or its confirmation if it was returned.
 */
export function endBlock(purchase: PurchaseLife): bigint | undefined {
  const { status, statusBlock, payoutBlock } = purchase;
  if (purchase.isPaid) return payoutBlock ?? 0n;
  const isGone = status === "confirmed" && purchase.isReturned;
  return status === "cancelled" || isGone ? (statusBlock ?? 0n) : undefined;
}

/** When a purchase is checked again if nothing else changes: from a block on, at a time, after a delay, or never. */
export type NextCheck =
  | { kind: "never" }
  | { kind: "block"; block: bigint }
  | { kind: "at"; at: bigint }
  | { kind: "after"; ms: bigint };

/** There is no rate: check again soon. */
const NO_RATE_MS = 5_000n;
/** A returned purchase is being confirmed; if that fails, a cancellation can follow. */
const CONTRADICTION_MS = 2_000n;

/** When a purchase must be checked again; its own changes make it due anyway. docs/product.md#purchase-steps */
export function nextCheck(purchase: PurchaseLife, moment: Moment): NextCheck {
  if (purchase.isSettled) return { kind: "never" };
  const end = endBlock(purchase);
  if (end !== undefined) return { kind: "block", block: end };
  const move = moveAhead(purchase);
  // Queued with its registration, or by the sale.
  if (move === undefined || move === "mint" || move === "return") return { kind: "never" };
  const obstacle = obstacleTo(move, purchase, moment);
  switch (obstacle?.kind) {
    case undefined:
      // Due again once its account has room.
      return move === "pay" && purchase.accountWait !== null ? { kind: "never" } : { kind: "after", ms: 0n };
    case "rate":
      return { kind: "after", ms: NO_RATE_MS };
    case "contradiction":
      return { kind: "after", ms: CONTRADICTION_MS };
    case "depth":
      return { kind: "block", block: obstacle.block };
    case "hold":
      return obstacle.at === null ? { kind: "never" } : { kind: "at", at: obstacle.at };
    default:
      return { kind: "never" };
  }
}

// The next step ---------------------------------------------------------------------------------------------------------

/** A purchase with what its next step depends on. */
export type StepFacts = {
  row: CashbackShare & { id: bigint; wallet: WalletAddress; source: PurchaseLife["source"]; offset_gwei: bigint };
  life: PurchaseLife;
};

/** What happens to a purchase now; in gwei. */
export type Step = StepFacts["row"] & {
  /** The operation to queue. */
  move: NextMove | undefined;
  /** What was queued before it was held, and is not sent. */
  withdrawn: NextMove | undefined;
  /** Its rate is frozen with it. */
  isRateNew: boolean;
  /** Paid and kept, of a purchase that is paid or wholly kept now. */
  grossGwei: bigint;
  /** Newly kept for the buyer's debt. */
  keptGwei: bigint;
  /** What `pay` pays: the cashback, less all that is kept of it. */
  amountGwei: bigint;
  /** Nothing is left to do: it ended on chain, or all of it was kept. */
  isOver: boolean;
  /** When it is checked again once its step is saved. */
  check: NextCheck;
};

/** A mint is queued with its registration, or by the decision about its sale, which also knows whether a return is final. */
export type NextMove = Exclude<Move, "mint" | "return">;

/** The move that is made now, if any. docs/product.md#purchase-steps */
export function nextMove(purchase: PurchaseLife, moment: Moment, by: Mover = "itself"): NextMove | undefined {
  const move = moveAhead(purchase);
  if (move === undefined || move === "mint" || move === "return") return undefined;
  return obstacleTo(move, purchase, moment, by) === undefined ? move : undefined;
}

/**
 * The next steps of purchases in the order in which debts are kept from them; pure. `debts` are those of their buyers in
 * gwei, `weiPerCent` is the current rate. docs/product.md#purchase-steps docs/product.md#debt
 */
export function nextSteps(
  purchases: readonly StepFacts[],
  {
    debts,
    weiPerCent,
    moment,
    by = "itself",
    waiting = new Map(),
    requested = new Set(),
  }: {
    debts: ReadonlyMap<WalletAddress, bigint>;
    weiPerCent: bigint;
    moment: Moment;
    by?: Mover;
    /** Those that wait for their accounts: nothing is paid or kept of them. */
    waiting?: ReadonlyMap<bigint, AccountWait>;
    /** Those that wait for a second person: nothing is kept of them, so that others are paid less. */
    requested?: ReadonlySet<bigint>;
  },
): Step[] {
  const left = new Map(debts);
  const steps = purchases.map(({ row, life }) => {
    const move = waiting.has(row.id) ? undefined : nextMove(life, moment, by);
    const isRateNew = row.wei_per_cent === null && (move === "confirm" || move === "pay");
    const step = {
      ...row,
      move,
      withdrawn: withdrawnMove(life),
      isRateNew,
      grossGwei: 0n,
      keptGwei: 0n,
      amountGwei: 0n,
      isOver: isAtItsEnd(life, moment),
    };
    if (move !== "pay") return step;
    const gross = cashbackOf(row, weiPerCent);
    // Once per purchase: what was kept before stays.
    const keptGwei = row.offset_gwei > 0n ? 0n : offsetOf(gross, left.get(row.wallet) ?? 0n);
    if (requested.has(row.id)) return { ...step, grossGwei: gross, amountGwei: gross - row.offset_gwei - keptGwei };
    left.set(row.wallet, (left.get(row.wallet) ?? 0n) - keptGwei);
    const amountGwei = gross - row.offset_gwei - keptGwei;
    const isPaid = amountGwei > 0n;
    return {
      ...step,
      move: isPaid ? move : undefined,
      grossGwei: gross,
      keptGwei,
      amountGwei: isPaid ? amountGwei : 0n,
      isOver: !isPaid,
    };
  });
  return steps.map((step, index) => {
    const { life } = purchases[index] as StepFacts;
    const waits = { isWaiting: requested.has(step.id), accountWait: waiting.get(step.id) ?? null };
    return { ...step, check: nextCheck(afterStep(life, step, waits), moment) };
  });
}

/** A held purchase is neither confirmed nor paid. docs/product.md#panel-hold */
function withdrawnMove(purchase: PurchaseLife): NextMove | undefined {
  const move = purchase.isHeld ? moveAhead(purchase) : undefined;
  const isUnsent = (move === "confirm" || move === "pay") && purchase.queued.has(move) && !purchase.sent.has(move);
  return isUnsent ? move : undefined;
}

function isAtItsEnd(purchase: PurchaseLife, { deepestBlock }: Moment): boolean {
  const end = endBlock(purchase);
  return !purchase.isSettled && end !== undefined && end <= deepestBlock;
}

/** The purchase once its step is saved. `isWaiting`: its payout waits for a second person; `accountWait`: for its account. */
export function afterStep(
  life: PurchaseLife,
  { move, withdrawn, isOver }: Pick<Step, "move" | "withdrawn" | "isOver">,
  { isWaiting, accountWait }: { isWaiting: boolean; accountWait: PurchaseLife["accountWait"] },
): PurchaseLife {
  const queued = withdrawn === undefined ? life.queued : new Set([...life.queued].filter((one) => one !== withdrawn));
  return {
    ...life,
    isSettled: life.isSettled || isOver,
    secondPerson: isWaiting ? "asked" : life.secondPerson,
    accountWait,
    queued: move === undefined || isWaiting ? queued : new Set([...queued, move]),
  };
}
