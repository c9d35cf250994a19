import type { PurchaseLife } from "../../core/rules/purchase/life.ts";

/** A simulated purchase whose confirmation is final, with its frozen rate. */
export const CONFIRMED_LIFE: PurchaseLife = {
  status: "confirmed",
  source: "simulated",
  isApproved: true,
  isReturned: false,
  isReturnFinal: false,
  isHeld: false,
  secondPerson: null,
  accountWait: null,
  isSettled: false,
  isPaid: false,
  isRateFrozen: true,
  payableAt: 1n,
  statusBlock: 50n,
  payoutBlock: null,
  queued: new Set(),
  sent: new Set(),
};
