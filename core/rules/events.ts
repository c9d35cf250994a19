import { BIG_DAY_MS } from "./iso-time.ts";
import { keysOf } from "./records.ts";

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

/** What e-mails can be about: each topic with its events. docs/product.md#mail */
export const MAIL_TOPICS = {
  tracked: ["tracked"],
  confirmed: ["confirmed"],
  paid: ["paid", "credit"],
  returned: ["declined", "debt"],
  claims: ["claim_accepted", "claim_refused"],
} as const satisfies Record<string, readonly EventKind[]>;
export type MailTopic = keyof typeof MAIL_TOPICS;
export const MAIL_TOPIC_NAMES: readonly MailTopic[] = keysOf(MAIL_TOPICS);

export function topicOf(kind: EventKind): MailTopic {
  const topic = MAIL_TOPIC_NAMES.find((name) => MAIL_TOPICS[name].some((one) => one === kind));
  if (!topic) throw new Error(`${kind} is in no topic`);
  return topic;
}

/** The figures of an event as its reader sees them ("R$ 100,00", "5,00 CHZ"), with what its text chooses by. */
export const eventFigures = (figures: { value: string; amount: string | null; reason: string | null }) => ({
  ...figures,
  isPriced: figures.amount !== null,
  isExplained: Boolean(figures.reason),
});
