import { type CashbackShare, cashbackOf, offsetOf } from "../cashback.ts";
import type { WalletAddress } from "../wallet-address.ts";
import { endBlock, type Moment, type Move, type Mover, moveAhead, obstacleTo, type PurchaseLife } from "./life.ts";

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
};

/** A mint is queued with its registration, or by the decision about its sale, which knows whether the sale is held. */
export type NextMove = Exclude<Move, "mint">;

/** The move that is made now, if any. docs/product.md#purchase-steps */
export function nextMove(purchase: PurchaseLife, moment: Moment, by: Mover = "itself"): NextMove | undefined {
  const move = moveAhead(purchase);
  if (move === undefined || move === "mint") return undefined;
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
    waiting?: ReadonlyMap<bigint, unknown>;
    /** Those that wait for a second person: nothing is kept of them, so that others are paid less. */
    requested?: ReadonlySet<bigint>;
  },
): Step[] {
  const left = new Map(debts);
  return purchases.map(({ row, life }) => {
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
  { move, withdrawn, isOver }: Step,
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
