import webPush from "web-push";
import type { EventRow } from "../../core/purchases/events.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { languageFrom } from "../../core/rules/languages.ts";
import { figuresOf } from "../mail/templates.ts";
import { textsIn } from "../texts.ts";
import type { VapidKeys } from "./vapid.ts";

/** What stands on a lock screen, and what a tap opens: for `frontend/public/offline-worker.js`. docs/product.md#push */
export type Message = { title: string; body?: string; tag: string; path: string };
/** Whose keys encrypt it. */
export type Receiver = { endpoint: string; p256dh: string; auth: string };
type Told = Pick<EventRow, "kind" | "store_name" | "amount_cents" | "amount_gwei" | "reason"> & {
  event_id: bigint;
  language: string;
  show_amounts: bigint;
};

/** The words of the bell; of money only if its reader wants it where others may read it. docs/product.md#push */
export function messageOf(told: Told, { isShort }: { isShort: boolean }): Message {
  const language = languageFrom(told.language);
  const t = textsIn(language);
  const what = t(`server.mail.${told.kind}`);
  const link = { tag: tagOf(told), path: told.kind === "claim_refused" ? "/visits" : "/dashboard" };
  if (isShort) return { title: what, ...link };
  const title = `${what}: ${told.store_name}`;
  if (told.show_amounts !== 1n) return { title, ...link };
  return { title, body: t(`events.${told.kind}`, figuresOf(told, language)), ...link };
}

const tagOf = ({ event_id }: Pick<Told, "event_id">) => `event-${event_id}`;

/** The message as its push service takes it: encrypted for the device alone, and signed. RFC 8030, 8291, 8292; docs/product.md#push */
export function seal(message: Message, { endpoint, p256dh, auth }: Receiver, vapid: VapidKeys & { subject: string }) {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(message),
    {
      vapidDetails: vapid,
      TTL: Number(BIG_DAY_MS) / 1_000,
      // One that waits at its service takes the place of itself.
      topic: message.tag,
      contentEncoding: "aes128gcm",
    },
  );
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { headers: Object.fromEntries(texts), body };
}
