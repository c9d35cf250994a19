import type { Situation } from "../../core/rules/purchase/situation.ts";

type Said = { situation: Situation; situation_detail?: string | null | undefined };

/** The word of where a purchase is: that of its detail where there is one that is known. docs/product.md#situations */
export function situationWord({ situation, situation_detail: detail }: Said) {
  return detail === "credit_used" || detail === "unusual_day" ? detail : situation;
}
