/** Why a decision on a sale or claim does not fit its state. `why` of DECISION_REFUSED. */
export const DECISION_REFUSALS = [
  "not_held",
  "no_rate",
  "no_amount",
  "other_store",
  "other_ticket",
  "declined",
  "has_buyer",
  "paid",
  "no_click",
  "no_sale",
  "of_another_buyer",
  "claim_decided",
] as const;

export type DecisionRefusal = (typeof DECISION_REFUSALS)[number];
