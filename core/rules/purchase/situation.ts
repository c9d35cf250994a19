import type { EventKind } from "../events.ts";
import { keysOf } from "../records.ts";
import type { SaleState } from "../sale/facts.ts";
import type { PurchaseLife, PurchaseStatus } from "./life.ts";
import type { PurchaseState } from "./states.ts";

/** The buyer's figures, in which every amount lies exactly once. docs/product.md#statement */
export const FIGURES = ["in_wallet", "on_the_way", "waiting", "to_offset"] as const;
export type Figure = (typeof FIGURES)[number];

/** Who or what makes the next step of a purchase; `nobody`: it is over. */
type Next = "store" | "staff" | "network" | "time" | "system" | "buyer" | "nobody";

type Row = {
  /** The figure that holds its amount. */
  figure: Figure | undefined;
  /** The status of its ticket; undefined: any. */
  status: PurchaseStatus | undefined;
  /** The states under which the panel lists it. */
  panel: readonly PurchaseState[];
  next: Next;
  /** What its buyer is told when it gets there. */
  event: EventKind | undefined;
  /** Nothing is paid for it, ever: its amount is nil. */
  isNil: boolean;
};

/** Where a purchase is, with all that follows from it alone. docs/product.md#situations */
export const SITUATIONS = {
  /** Recorded; its ticket is not issued yet. */
  recorded: {
    figure: "waiting",
    status: "processing",
    panel: ["processing"],
    next: "store",
    event: undefined,
    isNil: false,
  },
  /** It has a ticket; the store has not confirmed it. */
  awaiting_store: {
    figure: "waiting",
    status: "pending",
    panel: ["pending"],
    next: "store",
    event: undefined,
    isNil: false,
  },
  /** It, or its sale, is held for a person. */
  in_review: {
    figure: "waiting",
    status: undefined,
    panel: ["held", "processing", "pending", "confirmed"],
    next: "staff",
    event: undefined,
    isNil: false,
  },
  /** Confirmed; the network has not said when it pays, or its account has no room. */
  awaiting_network: {
    figure: "on_the_way",
    status: "confirmed",
    panel: ["confirmed"],
    next: "network",
    event: undefined,
    isNil: false,
  },
  /** Confirmed; the waiting period ends on a known day. */
  waiting_period: {
    figure: "on_the_way",
    status: "confirmed",
    panel: ["confirmed"],
    next: "time",
    event: undefined,
    isNil: false,
  },
  /** Confirmed; a second person has not agreed to its payout yet. */
  awaiting_approval: {
    figure: "waiting",
    status: "confirmed",
    panel: ["confirmed"],
    next: "staff",
    event: undefined,
    isNil: false,
  },
  /** Confirmed; a second person refused its payout, and nobody has decided again. */
  payout_refused: {
    figure: "waiting",
    status: "confirmed",
    panel: ["confirmed"],
    next: "staff",
    event: undefined,
    isNil: false,
  },
  /** The payout is being prepared, sent or made final. */
  paying: {
    figure: "on_the_way",
    status: "confirmed",
    panel: ["confirmed", "paid"],
    next: "system",
    event: undefined,
    isNil: false,
  },
  /** The payout should be sent, and stands: told when it is shown, and counted as `paying`. docs/product.md#situations */
  payout_delayed: {
    figure: "on_the_way",
    status: "confirmed",
    panel: ["confirmed"],
    next: "system",
    event: undefined,
    isNil: false,
  },
  /** The wallet refused the payout, which is now a credit to withdraw. */
  credit: {
    figure: "on_the_way",
    status: "confirmed",
    panel: ["confirmed", "settled"],
    next: "buyer",
    event: "credit",
    isNil: false,
  },
  paid: { figure: "in_wallet", status: "confirmed", panel: ["paid"], next: "nobody", event: "paid", isNil: false },
  /** Paid, then returned: a debt stands against it. */
  paid_then_returned: {
    figure: "in_wallet",
    status: "confirmed",
    panel: ["paid"],
    next: "nobody",
    event: "paid",
    isNil: false,
  },
  /** Kept in full for a debt. */
  netted: {
    figure: undefined,
    status: "confirmed",
    panel: ["settled"],
    next: "nobody",
    event: undefined,
    isNil: false,
  },
  /** Simulated before the switch to live purchases; it is never paid. */
  never_paid: {
    figure: undefined,
    status: undefined,
    panel: ["processing", "pending", "confirmed"],
    next: "nobody",
    event: undefined,
    isNil: true,
  },
  declined: {
    figure: undefined,
    status: "cancelled",
    panel: ["cancelled", "held"],
    next: "nobody",
    event: "declined",
    isNil: true,
  },
  /** Cancelled by its buyer before its ticket was sent. */
  withdrawn: {
    figure: undefined,
    status: "cancelled",
    panel: ["cancelled", "held"],
    next: "nobody",
    event: undefined,
    isNil: true,
  },
} as const satisfies Record<string, Row>;
export type Situation = keyof typeof SITUATIONS;
/** A situation as it is stored and counted: what changes without a change of the purchase is not. */
export type CountedSituation = Exclude<Situation, "payout_delayed">;
export const COUNTED_SITUATIONS = keysOf(SITUATIONS).filter((one) => one !== "payout_delayed");

/** Whether it goes on by itself: neither over, nor waiting for our staff or its buyer. */
export function isMoving(situation: Situation): boolean {
  return !["nobody", "staff", "buyer"].includes(SITUATIONS[situation].next);
}

export type SituationFacts = {
  life: Pick<
    PurchaseLife,
    | "status"
    | "source"
    | "isReturned"
    | "isReturnFinal"
    | "isPaid"
    | "isHeld"
    | "isSettled"
    | "payableAt"
    | "secondPerson"
    | "accountWait"
  >;
  /** Its payout as far as it is final. */
  payout: "paid" | "deferred" | undefined;
  /** The state of its sale; null without one. */
  saleState: SaleState | null;
};

/** The situation of a purchase at a moment (`now` in ms); the first condition that applies decides. */
export function situationOf(
  { life, payout, saleState }: SituationFacts,
  { now, isLive }: { now: bigint; isLive: boolean },
): CountedSituation {
  if (payout === "deferred") return "credit";
  const isReturned = life.isReturned || life.isReturnFinal || saleState === "declined";
  if (payout === "paid") return isReturned ? "paid_then_returned" : "paid";
  const status = shownStatus(life.status, life);
  // No network reports a simulated purchase: only its buyer reverses it.
  if (status === "cancelled") return life.source === "simulated" && life.isReturned ? "withdrawn" : "declined";
  if (life.isPaid) return "paying";
  if (life.isSettled) return "netted";
  if (life.source === "simulated" && isLive) return "never_paid";
  if (life.isHeld || saleState === "held") return "in_review";
  if (status !== "confirmed") return status === "processing" ? "recorded" : "awaiting_store";
  if (life.secondPerson !== null) return life.secondPerson === "asked" ? "awaiting_approval" : "payout_refused";
  if (life.payableAt === null) return "awaiting_network";
  if (life.payableAt > now) return "waiting_period";
  return life.accountWait === null ? "paying" : "awaiting_network";
}

/** Where a ticket is of which no purchase is known; undefined where only its purchase tells. */
export function situationOfTicket(status: PurchaseStatus): Situation | undefined {
  const of = {
    processing: "recorded",
    pending: "awaiting_store",
    confirmed: undefined,
    cancelled: "declined",
  } as const;
  return of[status];
}

/**
 * The status shown to the buyer: a purchase that was returned and never paid is cancelled, whatever its ticket says.
 */
export function shownStatus(ticket: PurchaseStatus, { isReturned, isPaid }: { isReturned: boolean; isPaid: boolean }) {
  return isReturned && !isPaid ? "cancelled" : ticket;
}

/** Where a purchase is: its situation, and the status that its buyer sees. docs/product.md#situations */
export function placeOf(...[facts, moment]: Parameters<typeof situationOf>) {
  return { situation: situationOf(facts, moment), status: shownStatus(facts.life.status, facts.life) };
}
