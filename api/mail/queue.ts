import type { Insertable } from "kysely";
import { among } from "../../core/database/among.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
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

/** Ends a wallet's e-mails that wait: all of them, or those of a kind. */
export async function dropWaiting(queries: Queries, wallet: WalletAddress, kind?: MailRow["kind"]): Promise<void> {
  await queries
    .updateTable("mails")
    .set({ ...NO_TEXTS, due_at: null })
    .where("wallet", "=", wallet)
    .where("due_at", "is not", null)
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? "verify"))
    .execute();
}

/** How many e-mails of a kind a wallet was written since a time. */
export async function countMails(queries: Queries, wallet: WalletAddress, kind: MailRow["kind"], since: bigint) {
  const ofWallet = mailsSince(queries, since).where("wallet", "=", wallet).where("kind", "=", kind);
  return (await ofWallet.execute()).length;
}

function mailsSince(queries: Queries, since: bigint) {
  return queries.selectFrom("mails").select("id").where("created_at", ">=", since);
}

/** Who asks for a link: the wallet, its address (`originOf`), and where the link goes. */
export type Asker = { wallet: WalletAddress; origin: string; address: string };
type Counted = { inbox_hash: string; domain_hash: string | null; origin_hash: string };

/** By what a link is counted, whoever asks for it, and whoever of them is erased since. */
export function countedBy({ origin, address }: Omit<Asker, "wallet">, keys: Keys): Counted {
  const [inbox, domain] = [inboxOf(address), domainOf(address)];
  return {
    inbox_hash: hashOf(inbox, keys),
    domain_hash: LARGE_DOMAINS.has(domain) ? null : hashOf(`@${domain}`, keys),
    origin_hash: hashOf(`from ${origin}`, keys),
  };
}

/** Whether one more link would be too many of the last day's, so that nobody has strangers written to by us. */
export async function isLinkRefused(queries: Queries, { wallet }: Asker, counted: Counted): Promise<boolean> {
  const since = BigInt(Date.now()) - COUNTED_MS;
  if ((await countMails(queries, wallet, "verify", since)) >= LINKS_A_DAY.inbox) return true;
  const limits = [
    ["inbox_hash", LINKS_A_DAY.inbox],
    ["domain_hash", LINKS_A_DAY.domain],
    ["origin_hash", LINKS_A_DAY.origin],
  ] as const;
  for (const [column, most] of limits) {
    const by = counted[column];
    if (by === null) continue;
    const found = await mailsSince(queries, since).where(column, "=", by).limit(most).execute();
    if (found.length >= most) return true;
  }
  return false;
}

/** To an inbox, or by a wallet; to a domain; by an address of origin, where a whole office may be. */
const LINKS_A_DAY = { inbox: 5, domain: 50, origin: 50 };

/** Where so many have their inboxes that they are not counted together. */
const LARGE_DOMAINS = new Set(
  "gmail.com googlemail.com hotmail.com outlook.com outlook.com.br live.com msn.com icloud.com yahoo.com yahoo.com.br uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com zipmail.com.br proton.me protonmail.com gmx.com aol.com".split(
    " ",
  ),
);

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** The inbox that an address most likely leads to; only for counting. A plus and what follows, and dots, lead to the same. */
function inboxOf(address: string): string {
  const [name = ""] = address.toLowerCase().split("@");
  const domain = domainOf(address) === "googlemail.com" ? "gmail.com" : domainOf(address);
  return `${name.split("+")[0]?.replaceAll(".", "")}@${domain}`;
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
    .select(["id", "address", "inbox_hash"])
    .where("wallet", "=", wallet)
    .where("kind", "=", "verify")
    .where("created_at", ">=", since)
    .execute();
  for (const { id, address, inbox_hash: known } of links) {
    // 1.0.0 counted by the hash of the address.
    const inbox_hash = known ?? hashOf(inboxOf(address), keys);
    const unnamed = { ...NO_TEXTS, wallet: NOBODY, address: hashOf(address, keys), inbox_hash, due_at: null };
    await queries.updateTable("mails").set(unnamed).where("id", "=", id).execute();
  }
  await queries.deleteFrom("mails").where("wallet", "=", wallet).execute();
}

const hashOf = (what: string, { SALE_REF_KEY: key }: Keys) => keyedHash(key, `link ${what.toLowerCase()}`);

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
