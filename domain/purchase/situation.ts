import type { SaleState } from "../sale/state.ts";
import { type PurchaseLife, type PurchaseStatus, shownStatus } from "./life.ts";
import type { PurchaseState } from "./states.ts";

/** The buyer's figures, in which every amount lies exactly once. docs/product.md#statement */
export const FIGURES = ["in_wallet", "on_the_way", "waiting", "to_offset"] as const;
export type Figure = (typeof FIGURES)[number];

/**
 * Where a purchase is, as its buyer reads it, with the figure that holds its amount, the status of its ticket (undefined:
 * any) and the states under which the panel lists it. Declined and netted ones are in no figure. docs/product.md#situations
 */
export const SITUATIONS = {
  /** Recorded; its ticket is not issued yet. */
  recorded: { figure: "waiting", status: "processing", panel: ["processing"] },
  /** It has a ticket; the store has not confirmed it. */
  awaiting_store: { figure: "waiting", status: "pending", panel: ["pending"] },
  /** It, or its sale, is held for a person. */
  in_review: { figure: "waiting", status: undefined, panel: ["held", "processing", "pending", "confirmed"] },
  /** Confirmed; the network has not said when it pays. */
  awaiting_network: { figure: "on_the_way", status: "confirmed", panel: ["confirmed"] },
  /** Confirmed; the waiting period ends on a known day. */
  waiting_period: { figure: "on_the_way", status: "confirmed", panel: ["confirmed"] },
  /** The payout is being prepared, sent or made final. */
  paying: { figure: "on_the_way", status: "confirmed", panel: ["confirmed", "paid"] },
  /** The wallet refused the payout, which is now a credit to withdraw. */
  credit: { figure: "on_the_way", status: "confirmed", panel: ["confirmed", "settled"] },
  paid: { figure: "in_wallet", status: "confirmed", panel: ["paid"] },
  /** Paid, then returned: a debt stands against it. */
  paid_then_returned: { figure: "in_wallet", status: "confirmed", panel: ["paid"] },
  /** Kept in full for a debt. */
  netted: { figure: undefined, status: "confirmed", panel: ["settled"] },
  /** Simulated before the switch to live purchases; it is never paid. */
  never_paid: { figure: undefined, status: undefined, panel: ["processing", "pending", "confirmed"] },
  declined: { figure: undefined, status: "cancelled", panel: ["cancelled", "held"] },
} as const satisfies Record<
  string,
  { figure: Figure | undefined; status: PurchaseStatus | undefined; panel: readonly PurchaseState[] }
>;
export type Situation = keyof typeof SITUATIONS;

/** Nothing is paid for it, ever: its amount is nil. */
export const isWorthless = (situation: Situation): boolean => situation === "declined" || situation === "never_paid";

/** Whether it goes on by itself: neither over, nor waiting for our staff or its buyer. */
export function isMoving(situation: Situation): boolean {
  const { figure } = SITUATIONS[situation];
  return (figure === "waiting" && situation !== "in_review") || (figure === "on_the_way" && situation !== "credit");
}

export type SituationFacts = {
  life: Pick<PurchaseLife, "status" | "source" | "isReturned" | "isPaid" | "isHeld" | "isSettled" | "payableAt">;
  /** Its payout as far as it is final. */
  payout: "paid" | "deferred" | undefined;
  /** The state of its sale; null without one. */
  saleState: SaleState | null;
};

/** The situation of a purchase at a moment (`now` in ms); the first condition that applies decides. */
export function situationOf(
  { life, payout, saleState }: SituationFacts,
  { now, isLive }: { now: bigint; isLive: boolean },
): Situation {
  if (payout === "deferred") return "credit";
  if (payout === "paid") return life.isReturned || saleState === "declined" ? "paid_then_returned" : "paid";
  const status = shownStatus(life.status, life);
  if (status === "cancelled") return "declined";
  if (life.isPaid) return "paying";
  if (life.isSettled) return "netted";
  if (life.source === "simulated" && isLive) return "never_paid";
  if (life.isHeld || saleState === "held") return "in_review";
  if (status !== "confirmed") return status === "processing" ? "recorded" : "awaiting_store";
  if (life.payableAt === null) return "awaiting_network";
  return life.payableAt > now ? "waiting_period" : "paying";
}
