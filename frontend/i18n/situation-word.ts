import type { PurchaseStatus } from "../../core/rules/purchase/life.ts";
import { PURCHASE_STATUSES } from "../../core/rules/purchase/life.ts";
import { SITUATIONS, type Situation } from "../../core/rules/purchase/situation.ts";
import { isKeyOf } from "../../core/rules/records.ts";
import type { Claim } from "../api/calls.ts";
import { type Heard, knownOf } from "../api/heard.ts";

/** The place of a word that this build does not know, in every table and text of words. */
export const FOREIGN = "foreign";

type Said = { situation: Heard<Situation> | typeof FOREIGN; situation_detail?: string | null | undefined };

/** The word of where a purchase is: that of its detail where there is one that is known. docs/product.md#situations */
export function situationWord({ situation, situation_detail: detail }: Said) {
  if (detail === "credit_used" || detail === "unusual_day") return detail;
  return isKeyOf(SITUATIONS, situation) ? situation : FOREIGN;
}

export type StatusWord = PurchaseStatus | typeof FOREIGN;

export const statusWord = (status: Heard<PurchaseStatus>): StatusWord => knownOf(PURCHASE_STATUSES, status) ?? FOREIGN;

const CLAIM_STATES = ["open", "matched", "refused"] as const;

/** The word of where a claim stands. */
export const claimWord = (state: Claim["state"]) => knownOf(CLAIM_STATES, state) ?? FOREIGN;
