import { setTimeout as delay } from "node:timers/promises";
import { inTransaction, type Queries } from "../../database/transaction.ts";
import { isRecord } from "../../domain/records.ts";
import { messageOf } from "../../domain/unknown-error.ts";
import { assertLease, type Lease, leadWhileHeld, newLeaseHolder } from "../../platform/lease.ts";
import { type EventRow, listMailable, setMailAt } from "../../purchases/events.ts";
import type { Services } from "../services.ts";
import { writeMails } from "./gather.ts";
import { dropMail, listDueMails, type MailRow, recordFailure, recordSent } from "./mails.ts";
import type { Post } from "./post.ts";
import { findReader } from "./readers.ts";

const LEASE = "mail";
/** Longer than an attempt to send takes. */
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 1_000;
const EVENTS_AT_ONCE = 500;
const SENT_AT_ONCE = 50;
const WRITE_AGAIN_MS = 900_000;
/** After so many failures in a row a round ends: the server is away, not one address. */
const FAILURES_A_ROUND = 3;

/**
 * Sends e-mails in a loop of its own, in one api process at a time, until the returned function is called. Whoever is
 * killed between the server's answer and the record of it sends that e-mail again, with the same Message-ID.
 */
export function startMailer(services: Services): () => void {
  const { post, database, log } = services;
  if (!post) return () => {};
  const ending = new AbortController();
  const { signal } = ending;
  const onError = (error: unknown) => log.warn({ reason: messageOf(error) }, "The mailer's lease could not be renewed");
  const lead = () =>
    leadWhileHeld(
      { database, name: LEASE, holder: newLeaseHolder("mail"), ttlMs: LEASE_MS, signal, onError },
      async (lease, held) => {
        while (!held.aborted) {
          await mailRound(services, post, lease).catch((error: unknown) =>
            log.warn({ reason: messageOf(error) }, "E-mails could not be sent; they are tried again"),
          );
          await delay(LOOK_EVERY_MS, undefined, { signal: held }).catch(() => {});
        }
      },
    );
  void lead().catch((error: unknown) => log.error({ reason: messageOf(error) }, "The mailer ended"));
  return () => ending.abort();
}

/** Writes the e-mails of new events, and sends those that are due. */
export async function mailRound(
  services: Pick<Services, "database" | "log">,
  post: Post,
  lease: Lease | undefined,
): Promise<void> {
  const { kysely } = services.database;
  const mailable = await listMailable(kysely, BigInt(Date.now()), EVENTS_AT_ONCE);
  for (const [wallet, events] of mailable) {
    const write = inTransaction(kysely, async (queries) => {
      if (lease) await assertLease(queries, lease);
      await writeMails(queries, wallet, events, post);
    });
    await write.catch((error: unknown) => putOff(services, events, error));
  }
  let failures = 0;
  for (const mail of await listDueMails(kysely, BigInt(Date.now()), SENT_AT_ONCE)) {
    if (failures >= FAILURES_A_ROUND) return;
    failures = (await sendOne(services, post, mail)) ? 0 : failures + 1;
  }
}

/** So that one wallet's events keep no other's waiting. */
async function putOff({ database, log }: Pick<Services, "database" | "log">, events: EventRow[], error: unknown) {
  log.warn({ events: events.length, reason: messageOf(error) }, "An e-mail could not be written");
  const ids = events.map((event) => event.id);
  await setMailAt(database.kysely, ids, BigInt(Date.now() + WRITE_AGAIN_MS));
}

/** Returns whether the next can be tried: false if the server is away or busy. */
async function sendOne({ database, log }: Pick<Services, "database" | "log">, post: Post, mail: MailRow) {
  const { kysely } = database;
  if (!(await isWanted(kysely, mail))) {
    await dropMail(kysely, mail.id);
    return true;
  }
  try {
    await post.send(mail);
  } catch (error) {
    const isFinal = isRefusal(error);
    const reason = reasonOf(error);
    log.warn({ mail: Number(mail.id), reason, isFinal }, "An e-mail was not sent");
    await recordFailure(kysely, mail, reason, isFinal);
    return isFinal;
  }
  await recordSent(kysely, mail.id);
  return true;
}

/** Whether its reader still wants it, at this address: they may have unsubscribed, changed it or left since. */
async function isWanted(queries: Queries, { wallet, kind, address }: MailRow): Promise<boolean> {
  const reader = await findReader(queries, wallet);
  if (kind === "verify") return reader?.verify_address === address;
  return reader?.mail_address === address && reader.mail_topics !== "";
}

/** Without the server's words, which may contain an address. */
function reasonOf(error: unknown): string {
  const { code, responseCode }: Record<string, unknown> = isRecord(error) ? error : {};
  return [code ?? "unknown", responseCode].filter((part) => part !== undefined).join(" ");
}

/** The server refuses this address or message for good; anything else passes. */
function isRefusal(error: unknown): boolean {
  if (!isRecord(error)) return false;
  const { code, responseCode } = error;
  return (code === "EENVELOPE" || code === "EMESSAGE") && typeof responseCode === "number" && responseCode >= 500;
}
