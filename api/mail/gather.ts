import type { Queries } from "../../database/transaction.ts";
import { topicOf } from "../../domain/events.ts";
import { BIG_DAY_MS } from "../../domain/iso-time.ts";
import { fromSaoPaulo, toSaoPaulo } from "../../domain/sao-paulo-time.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { type EventRow, setMailAt } from "../../purchases/events.ts";
import { composeEvents, messageId } from "./compose.ts";
import { countMails, insertMail } from "./mails.ts";
import type { Post } from "./post.ts";
import { findReader, topicsOf } from "./readers.ts";

/** A reader gets at most so many e-mails in a day of São Paulo; docs/product.md#mail */
export const MAILS_A_DAY = 5;
const DIGEST_HOUR = "08:00";

/** Writes the e-mails of a wallet's events, each event in exactly one, in the transaction of the caller. */
export async function writeMails(
  queries: Queries,
  wallet: WalletAddress,
  all: readonly EventRow[],
  post: Pick<Post, "from" | "site">,
): Promise<void> {
  const now = Date.now();
  const ids = all.map((event) => event.id);
  const reader = await findReader(queries, wallet);
  const { mail_address: address, unsubscribe_token: token } = reader ?? {};
  const topics = topicsOf(reader);
  const events = all.filter(({ kind }) => topics.includes(topicOf(kind)));
  // They unsubscribed, chose other topics or changed their address since it happened.
  if (!reader || !address || !token || events.length === 0) return setMailAt(queries, ids, null);
  const free = MAILS_A_DAY - (await countMails(queries, wallet, "events", startOfDay(now)));
  if (free <= 0) return setMailAt(queries, ids, nextMorning(now));
  const links = { site: post.site, unsubscribeToken: token };
  const wasPutOff = events.some((event) => (event.mail_at ?? 0n) > event.created_at);
  const isDigest = wasPutOff || events.length > free;
  for (const some of isDigest ? [events] : events.map((event) => [event])) {
    await insertMail(queries, {
      wallet,
      kind: "events",
      address,
      unsubscribe_token: token,
      message_id: messageId([post.site, ...some.map(nameOf)], post.from),
      ...composeEvents(some, reader.language, links),
    });
  }
  await setMailAt(queries, ids, null);
}

function nameOf({ wallet, kind, subject_id: subject, part }: EventRow): string {
  return `${wallet} ${kind} ${subject} ${part}`;
}

function startOfDay(now: number): bigint {
  return momentOf(`${toSaoPaulo(now).slice(0, 10)}T00:00`);
}

function nextMorning(now: number): bigint {
  return momentOf(`${toSaoPaulo(now + Number(BIG_DAY_MS)).slice(0, 10)}T${DIGEST_HOUR}`);
}

function momentOf(wallClock: string): bigint {
  return BigInt(Date.parse(fromSaoPaulo(wallClock) ?? ""));
}
