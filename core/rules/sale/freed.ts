import { hasPayout } from "./buyer.ts";
import type { PurchaseFacts, SaleDecision } from "./decide.ts";
import type { SaleState } from "./state.ts";

/** A sale as it was decided last. */
export type DecidedBefore = {
  state: SaleState;
  wallet: string | null;
  cashbackCentBps: bigint;
  purchases: readonly PurchaseFacts[];
};

/** `centBps`: so much more may be paid, or is no longer owed back. `isSooner`: it is paid earlier than before. */
export type Freed = { centBps: bigint; isSooner: boolean };

const NOTHING: Freed = { centBps: 0n, isSooner: false };
const STOPPED: ReadonlySet<SaleState> = new Set(["held", "unmatched", "declined"]);

/**
 * What a decision adds to what the sale's buyer was paid, kept or will be paid: pure. What is held counts as nothing but
 * what was paid and kept of it. docs/product.md#who-frees
 */
export function freedBy(
  before: DecidedBefore,
  { click, isHeld, isDeclined, cashbackCentBps, permission: { payableAt } }: SaleDecision,
): Freed {
  if (click === null || isHeld || isDeclined) return NOTHING;
  const own = before.purchases.filter(({ wallet }) => wallet === click.wallet);
  const kept = own.filter(hasPayout).reduce((sum, one) => sum + one.centBps - one.returnedCentBps, 0n);
  const isStopped = STOPPED.has(before.state) || before.wallet !== click.wallet;
  const had = isStopped || before.cashbackCentBps < kept ? kept : before.cashbackCentBps;
  const isSooner = ({ payableAt: was, isWithdrawn }: PurchaseFacts) =>
    !isWithdrawn && was !== null && payableAt !== null && payableAt < was;
  return {
    centBps: cashbackCentBps > had ? cashbackCentBps - had : 0n,
    isSooner: own.some((one) => !hasPayout(one) && isSooner(one)),
  };
}
