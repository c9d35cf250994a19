import { BIG_DAY_MS } from "./iso-time.ts";

/** What happened to a buyer's purchase or claim, in the words of code. docs/product.md#events */
export const EVENT_KINDS = [
  "tracked",
  "confirmed",
  "paid",
  /** The wallet refused the payout, which is now a credit to withdraw. */
  "credit",
  "declined",
  /** A paid purchase was returned: it is kept from later cashback. */
  "debt",
  "claim_accepted",
  "claim_refused",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** How long an event is kept; nothing is told about purchases that are older. docs/product.md#events */
export const EVENTS_KEPT_MS = 730n * BIG_DAY_MS;

/** More unread events than this are counted as this many. */
export const UNREAD_MOST = 100;

/** What e-mails can be about, by what happened. docs/product.md#mail */
export const TOPIC_OF = {
  tracked: "tracked",
  confirmed: "confirmed",
  paid: "paid",
  credit: "paid",
  declined: "returned",
  debt: "returned",
  claim_accepted: "claims",
  claim_refused: "claims",
} as const satisfies Record<EventKind, string>;
export type MailTopic = (typeof TOPIC_OF)[EventKind];
export const MAIL_TOPIC_NAMES: readonly MailTopic[] = [...new Set(Object.values(TOPIC_OF))];

/** The figures of an event as its reader sees them ("R$ 100,00", "5,00 CHZ"), with what its text chooses by. */
export const eventFigures = (figures: { value: string; amount: string | null; reason: string | null }) => ({
  ...figures,
  isPriced: figures.amount !== null,
  isExplained: Boolean(figures.reason),
});
