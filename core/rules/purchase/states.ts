/**
 * The state of a purchase as the panel lists it; each purchase has exactly one. `confirmed` waits for its payout,
 * `paid` has one, `settled` will have none: its cashback is a credit to withdraw, or was offset by a debt. `held` was
 * stopped by an admin. docs/product.md#panel-purchase
 */
export const PURCHASE_STATES = [
  ...(["held", "processing", "pending", "confirmed", "paid", "settled", "cancelled"] as const),
] as const;
export type PurchaseState = (typeof PURCHASE_STATES)[number];

/** The states that nothing leaves but a return: there is nothing to hold any more. */
const OVER: readonly string[] = ["paid", "settled", "cancelled"] satisfies PurchaseState[];
export const isOver = (state: string): boolean => OVER.includes(state);

/** What a purchase waits for; null if it waits for nothing. */
export const WAITS = [
  "release",
  "sale_release",
  /** It was simulated, and only what networks report is paid now. */
  "simulated",
  /** A second person must agree to its payout. */
  "second_person",
  /** A second person refused its payout: somebody decides again. */
  "second_decision",
  /** The store's network has not approved the sale. */
  "approval",
  /** The network has approved the sale but not yet reported it as payable. */
  "network_payment",
  /** Its waiting period has not ended. */
  "hold",
  /** Its confirmation is not deep enough. */
  "depth",
  "payouts_paused",
  "rate",
  "transaction",
  /** Its next transaction was set aside; `wait_reason` names why. */
  "set_aside",
  /** Its next transaction failed and needs a person; `wait_reason` names why. */
  "person",
  /** Its next step is planned within seconds. */
  "planning",
] as const;
export type Wait = (typeof WAITS)[number];

export const STEP_KINDS = [
  ...(["registered", "invited", "approved", "reversed", "settled", "held", "queued", "signed", "bumped"] as const),
  ...(["mined", "final", "reverted", "lost_nonce", "chain_event", "owed_back", "credited"] as const),
] as const;
export type StepKind = (typeof STEP_KINDS)[number];
