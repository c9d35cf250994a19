import { type Insertable, sql } from "kysely";
import { among } from "../../database/among.ts";
import type { Schema } from "../../database/generated/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import { BIG_DAY_MS } from "../../domain/iso-time.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { keyedHash } from "../keyed-hash.ts";

/* The queue of e-mails. An e-mail is written before it is sent, and its texts are deleted afterwards. docs/product.md#mail */

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 900_000;
/** One that may have arrived is sent eight times in three days at most. */
const UNANSWERED_RETRY_MS = 1_800_000;
const UNANSWERED_LONGEST_MS = 86_400_000;
/** An e-mail that could not be sent for longer is given up. */
const GIVEN_UP_MS = 3n * BIG_DAY_MS;
/** So that the same events are not sent again after a restore of an older index. */
const KEPT_MS = 90n * BIG_DAY_MS;
const NO_TEXTS = { subject: "", text: "", html: "", unsubscribe_token: null };

/** Of an erased profile. */
const NOBODY = "" as WalletAddress;
/** Links are counted by the day. */
const COUNTED_MS = BIG_DAY_MS;
type Keys = { SALE_REF_KEY?: string | undefined };

export type MailRow = Awaited<ReturnType<typeof listDueMails>>[number];
export type NewMail = Omit<Insertable<Schema["mails"]>, "created_at" | "due_at">;

/** Writes an e-mail to be sent; one with the same id stays as it is. */
export async function insertMail(queries: Queries, mail: NewMail): Promise<void> {
  const now = BigInt(Date.now());
  await queries
    .insertInto("mails")
    .values({ ...mail, created_at: now, due_at: now })
    .onConflict((conflict) => conflict.column("message_id").doNothing())
    .execute();
}

export async function listDueMails(queries: Queries, now: bigint, limit: number) {
  return queries.selectFrom("mails").selectAll().where("due_at", "<=", now).orderBy("due_at").limit(limit).execute();
}

export async function recordSent(queries: Queries, id: bigint): Promise<void> {
  const sent = { ...NO_TEXTS, due_at: null, error: null, sent_at: BigInt(Date.now()) };
  await queries.updateTable("mails").set(sent).where("id", "=", id).execute();
}

/**
 * Keeps an e-mail from being sent by anybody else until a time: then whoever has it must be gone. Returns false if
 * somebody else has it, or its reader left.
 */
export async function claimMail(
  queries: Queries,
  { id, due_at }: Pick<MailRow, "id" | "due_at">,
  until: bigint,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("mails")
    .set({ due_at: until })
    .where("id", "=", id)
    .where("due_at", "=", due_at)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** It was not tried: it is due as before. */
export async function putBack(queries: Queries, { id, due_at }: MailRow): Promise<void> {
  await queries.updateTable("mails").set({ due_at }).where("id", "=", id).where("due_at", "is not", null).execute();
}

/** `refused` for good, `unanswered` although the server has all of it, or `failed` otherwise. */
export type Failure = "refused" | "unanswered" | "failed";

export async function recordFailure(queries: Queries, mail: MailRow, failure: Failure, error: string): Promise<void> {
  const now = BigInt(Date.now());
  const isGivenUp = failure === "refused" || now - mail.created_at > GIVEN_UP_MS;
  const [first, longest] =
    failure === "unanswered" ? [UNANSWERED_RETRY_MS, UNANSWERED_LONGEST_MS] : [FIRST_RETRY_MS, LONGEST_RETRY_MS];
  const retryMs = Math.min(first * 2 ** Math.min(Number(mail.attempts), 20), longest);
  await queries
    .updateTable("mails")
    .set({
      ...(isGivenUp && NO_TEXTS),
      due_at: isGivenUp ? null : now + BigInt(retryMs),
      attempts: mail.attempts + 1n,
      error,
    })
    .where("id", "=", mail.id)
    .where("due_at", "is not", null)
    .execute();
}

export async function dropMail(queries: Queries, id: bigint): Promise<void> {
  await queries.deleteFrom("mails").where("id", "=", id).execute();
}

/** Ends a wallet's links that wait: a newer one makes them void. */
export async function dropLinks(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("mails")
    .set({ ...NO_TEXTS, due_at: null })
    .where("wallet", "=", wallet)
    .where("kind", "=", "verify")
    .where("due_at", "is not", null)
    .execute();
}

/** How many e-mails of a kind a wallet was written since a time. */
export function countMails(queries: Queries, wallet: WalletAddress, kind: MailRow["kind"], since: bigint) {
  return countOf(mailsSince(queries, since).where("wallet", "=", wallet).where("kind", "=", kind));
}

/** How many links an address was sent since a time, whoever asked for them, and whoever of them is erased since. */
export function countLinksTo(queries: Queries, address: string, since: bigint, keys: Keys): Promise<number> {
  const isTo = sql<boolean>`lower(address) in (${address.toLowerCase()}, ${hashOf(address, keys)})`;
  return countOf(mailsSince(queries, since).where("kind", "=", "verify").where(isTo));
}

function mailsSince(queries: Queries, since: bigint) {
  return queries.selectFrom("mails").select("id").where("created_at", ">=", since);
}

async function countOf(mails: ReturnType<typeof mailsSince>): Promise<number> {
  return (await mails.execute()).length;
}

/** Deletes some of the oldest e-mails, and the erased ones that no longer count; false if no other is too old. */
export async function deleteOldMails(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  await queries
    .deleteFrom("mails")
    .where("wallet", "=", NOBODY)
    .where("created_at", "<", now - COUNTED_MS)
    .execute();
  const oldest = await queries.selectFrom("mails").select(["id", "created_at"]).orderBy("id").limit(limit).execute();
  const old = oldest.filter((row) => row.created_at < now - KEPT_MS).map((row) => row.id);
  if (old.length === 0) return false;
  await queries
    .deleteFrom("mails")
    .where(among(queries, "id", old))
    .execute();
  return old.length === limit;
}

/**
 * Of the last day's links a hash of the address stays, so that who registers anew sends it no more than others.
 * docs/product.md#erase
 */
export async function eraseMails(queries: Queries, wallet: WalletAddress, keys: Keys): Promise<void> {
  const since = BigInt(Date.now()) - COUNTED_MS;
  const links = await queries
    .selectFrom("mails")
    .select(["id", "address"])
    .where("wallet", "=", wallet)
    .where("kind", "=", "verify")
    .where("created_at", ">=", since)
    .execute();
  for (const { id, address } of links) {
    const unnamed = { ...NO_TEXTS, wallet: NOBODY, address: hashOf(address, keys), due_at: null };
    await queries.updateTable("mails").set(unnamed).where("id", "=", id).execute();
  }
  await queries.deleteFrom("mails").where("wallet", "=", wallet).execute();
}

const hashOf = (address: string, { SALE_REF_KEY: key }: Keys) => keyedHash(key, `link ${address.toLowerCase()}`);

/** When the oldest e-mail that waits was written; undefined if none waits. */
export async function oldestWaiting(queries: Queries): Promise<bigint | undefined> {
  const row = await queries
    .selectFrom("mails")
    .select("created_at")
    .where("due_at", "is not", null)
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}
