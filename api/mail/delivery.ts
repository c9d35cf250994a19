import { setTimeout as delay } from "node:timers/promises";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { assertLease, type Lease, leadWhileHeld, newLeaseHolder } from "../../core/process/lease.ts";
import { type EventRow, listMailable, setMailAt } from "../../core/purchases/events.ts";
import { TOPIC_OF } from "../../core/rules/events.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { languageFrom } from "../../core/rules/languages.ts";
import { idsOf, isRecord } from "../../core/rules/records.ts";
import { fromSaoPaulo, toSaoPaulo } from "../../core/rules/sao-paulo-time.ts";
import { messageOf } from "../../core/rules/unknown-error.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Services } from "../services.ts";
import {
  claimMail,
  countMails,
  dropMail,
  type Failure,
  insertMail,
  listDueMails,
  type MailRow,
  putBack,
  recordFailure,
  recordSent,
} from "./queue.ts";
import { findReader, isLinkValid, topicsOf } from "./subscriptions.ts";
import { composeEvents, messageId } from "./templates.ts";
import { type Post, SENDING_LIMITS } from "./transport.ts";
import { unsubscribeKeys, unsubscribeToken } from "./unsubscribe-tokens.ts";

const LEASE = "mail";
const LEASE_MS = 60_000;
/**
 * Whoever sends an e-mail claims it for longer than it takes until the server has all of it, and then for longer than the
 * answer takes. So what a killed process did not hand over waits a short time, and what may have arrived a long one.
 */
const CLAIM_MS = BigInt(SENDING_LIMITS.handOver + 90_000);
const ANSWER_CLAIM_MS = BigInt(SENDING_LIMITS.answer + 60_000);
const LOOK_EVERY_MS = 1_000;
const EVENTS_AT_ONCE = 500;
const SENT_AT_ONCE = 50;
const WRITE_AGAIN_MS = 900_000;
/** After so many failures in a row a round ends: the server is away, not one address. */
const FAILURES_A_ROUND = 3;

/**
 * Sends e-mails in a loop of its own, in one api process at a time, until the returned function is called, which waits
 * a moment for an answer that is due. Whoever is killed before it is recorded sends that e-mail again, with the same
 * Message-ID.
 */
export function startMailer(services: Services): () => Promise<void> {
  const { post, database, log } = services;
  if (!post) return async () => {};
  const ending = new AbortController();
  const { signal } = ending;
  const onError = (error: unknown) => log.warn({ reason: messageOf(error) }, "The mailer's lease could not be renewed");
  const lead = () =>
    leadWhileHeld(
      { database, name: LEASE, holder: newLeaseHolder("mail"), ttlMs: LEASE_MS, signal, onError },
      async (lease, held) => {
        while (!held.aborted) {
          await mailRound(services, post, lease, held).catch((error: unknown) =>
            log.warn({ reason: messageOf(error) }, "E-mails could not be sent; they are tried again"),
          );
          await delay(LOOK_EVERY_MS, undefined, { signal: held }).catch(() => {});
        }
      },
    );
  const leading = lead().catch((error: unknown) => log.error({ reason: messageOf(error) }, "The mailer ended"));
  return () => {
    ending.abort();
    return leading;
  };
}

/** Writes the e-mails of new events, and sends those that are due, until `held` aborts. */
export async function mailRound(
  services: Pick<Services, "database" | "log" | "environment">,
  post: Post,
  lease: Lease | undefined,
  held: AbortSignal,
): Promise<void> {
  const { kysely } = services.database;
  const mailable = await listMailable(kysely, BigInt(Date.now()), EVENTS_AT_ONCE);
  const keys = mailable.size > 0 ? await unsubscribeKeys(kysely, services.environment) : [];
  for (const [wallet, events] of mailable) {
    if (held.aborted) return;
    const write = inTransaction(kysely, async (queries) => {
      if (lease) await assertLease(queries, lease);
      await writeMails(queries, wallet, events, { from: post.from, site: post.site, keys });
    });
    await write.catch((error: unknown) => putOff(services, events, error));
  }
  let failures = 0;
  for (const mail of await listDueMails(kysely, BigInt(Date.now()), SENT_AT_ONCE)) {
    if (held.aborted || failures >= FAILURES_A_ROUND) return;
    failures = (await sendOne(services, post, mail, held)) ? 0 : failures + 1;
  }
}

/** So that one wallet's events keep no other's waiting. */
async function putOff({ database, log }: Pick<Services, "database" | "log">, events: EventRow[], error: unknown) {
  log.warn({ events: events.length, reason: messageOf(error) }, "An e-mail could not be written");
  const ids = idsOf(events);
  await setMailAt(database.kysely, ids, BigInt(Date.now() + WRITE_AGAIN_MS));
}

/** Returns whether the next can be tried: false if the server is away or busy. */
async function sendOne(
  { database: { kysely }, log }: Pick<Services, "database" | "log">,
  post: Post,
  mail: MailRow,
  held: AbortSignal,
): Promise<boolean> {
  if (!(await isWanted(kysely, mail))) {
    await dropMail(kysely, mail.id);
    return true;
  }
  // Before it is sent: while nothing can be recorded, nothing is sent, and so nothing twice.
  const claimed = BigInt(Date.now()) + CLAIM_MS;
  if (!(await claimMail(kysely, mail, claimed))) return true;
  const claimAnswer = () => {
    // While nothing can be recorded, the lease is lost, and with it the wait for the answer.
    claimMail(kysely, { id: mail.id, due_at: claimed }, BigInt(Date.now()) + ANSWER_CLAIM_MS).catch(() => {});
  };
  let failure: Failure;
  let reason: string;
  try {
    if ((await post.send(mail, held, claimAnswer)) === "sent") {
      await recordSent(kysely, mail.id);
      return true;
    }
    [failure, reason] = ["unanswered", "unanswered"];
  } catch (error) {
    if (held.aborted) {
      await putBack(kysely, mail);
      return false;
    }
    [failure, reason] = [isRefusal(error) ? "refused" : "failed", reasonOf(error)];
  }
  log.warn({ mail: Number(mail.id), reason, failure }, "An e-mail was not sent");
  await recordFailure(kysely, mail, failure, reason);
  return failure === "refused";
}

/** Whether its reader still wants it, at this address: they may have unsubscribed, changed it or left since. */
async function isWanted(queries: Queries, { wallet, kind, address }: MailRow): Promise<boolean> {
  const reader = await findReader(queries, wallet);
  if (kind === "verify") return reader?.verify_address === address && isLinkValid(reader);
  return reader?.mail_address === address && reader.mail_topics !== "";
}

/** Without the server's words, which may contain an address. */
function reasonOf(error: unknown): string {
  const { code, responseCode }: Record<string, unknown> = isRecord(error) ? error : {};
  const name = code === "EABORT" ? "ETIMEDOUT" : code;
  return [name ?? "unknown", responseCode].filter((part) => part !== undefined).join(" ");
}

/** Of the sender, the server's state or its rules, not of one e-mail. RFC 3463 */
const OF_ALL = /\b5\.[347]\.\d/;

/** The server refuses this address or message for good; anything else passes. */
function isRefusal(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const { command, responseCode, response } = error;
  if (command !== "RCPT TO" && command !== "DATA") return false;
  // 503: a session that went wrong.
  return Number(responseCode) >= 500 && responseCode !== 503 && !OF_ALL.test(String(response));
}

/** A reader gets at most so many e-mails in a day of São Paulo; docs/product.md#mail */
const MAILS_A_DAY = 5;
const DIGEST_HOUR = "08:00";

/** Writes the e-mails of a wallet's events, each event in exactly one, in the transaction of the caller. */
async function writeMails(
  queries: Queries,
  wallet: WalletAddress,
  all: readonly EventRow[],
  post: Pick<Post, "from" | "site"> & { keys: readonly string[] },
): Promise<void> {
  const now = Date.now();
  const ids = idsOf(all);
  const reader = await findReader(queries, wallet);
  const address = reader?.mail_address;
  const topics = topicsOf(reader);
  const events = all.filter(({ kind }) => topics.includes(TOPIC_OF[kind]));
  // They unsubscribed, chose other topics or changed their address since it happened.
  if (!reader || !address || events.length === 0) return setMailAt(queries, ids, null);
  const [today, tomorrow] = [now, now + Number(BIG_DAY_MS)].map((at) => toSaoPaulo(at).slice(0, 10));
  const free = MAILS_A_DAY - (await countMails(queries, wallet, "events", momentOf(`${today}T00:00`)));
  if (free <= 0) return setMailAt(queries, ids, momentOf(`${tomorrow}T${DIGEST_HOUR}`));
  const token = unsubscribeToken(wallet, post.keys);
  const links = { site: post.site, unsubscribeToken: token };
  const wasPutOff = events.some((event) => (event.mail_at ?? 0n) > event.created_at);
  const isDigest = wasPutOff || events.length > free;
  for (const some of isDigest ? [events] : events.map((event) => [event])) {
    const names = some.map(({ wallet, kind, subject_id, part }) => `${wallet} ${kind} ${subject_id} ${part}`);
    await insertMail(queries, {
      wallet,
      kind: "events",
      address,
      unsubscribe_token: token,
      message_id: messageId([post.site, ...names], post.from),
      ...composeEvents(some, languageFrom(reader.language), links),
    });
  }
  await setMailAt(queries, ids, null);
}

function momentOf(wallClock: string): bigint {
  return BigInt(Date.parse(fromSaoPaulo(wallClock) ?? ""));
}
