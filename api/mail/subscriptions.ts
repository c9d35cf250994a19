import { hash, randomBytes } from "node:crypto";
import type { Queries } from "../../core/database/transaction.ts";
import { MAIL_TOPIC_NAMES, type MailTopic } from "../../core/rules/events.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import type { Language } from "../../core/rules/languages.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { dropWaiting } from "./queue.ts";
import { walletOfToken } from "./unsubscribe-tokens.ts";

/* Who wants e-mails about what, and at which verified address. docs/product.md#mail */

export type Reader = NonNullable<Awaited<ReturnType<typeof findReader>>>;

export async function findReader(queries: Queries, wallet: WalletAddress) {
  return queries.selectFrom("event_readers").selectAll().where("wallet", "=", wallet).executeTakeFirst();
}

export function topicsOf(reader: Pick<Reader, "mail_topics"> | undefined): MailTopic[] {
  const chosen = new Set(reader?.mail_topics.split(" "));
  return MAIL_TOPIC_NAMES.filter((name) => chosen.has(name));
}

/** Sets what a wallet wants e-mails about; nothing without topics. */
export async function chooseTopics(
  queries: Queries,
  wallet: WalletAddress,
  { topics, language }: { topics: readonly MailTopic[]; language: Language },
): Promise<Reader> {
  const chosen = { mail_topics: topics.join(" "), mail_chosen_at: BigInt(Date.now()), language };
  return (
    queries
      .insertInto("event_readers")
      // Of no link: 1.0.0 sends no e-mail without one.
      .values({ wallet, ...chosen, unsubscribe_token: hashOf(newToken()) })
      .onConflict((conflict) =>
        conflict.column("wallet").doUpdateSet({
          ...chosen,
          unsubscribe_token: (eb) => eb.fn.coalesce("event_readers.unsubscribe_token", "excluded.unsubscribe_token"),
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
  );
}

/** A new link's token for an address, valid once for 24 hours; an earlier one is void. */
export async function newVerification(queries: Queries, wallet: WalletAddress, address: string): Promise<string> {
  const token = newToken();
  await queries
    .updateTable("event_readers")
    .set({ verify_hash: hashOf(token), verify_address: address, verify_until: BigInt(Date.now()) + BIG_DAY_MS })
    .where("wallet", "=", wallet)
    .execute();
  return token;
}

/** The reader of a link that is still valid, whose address is still the profile's. */
export async function findVerification(queries: Queries, token: string): Promise<Reader | undefined> {
  return queries
    .selectFrom("event_readers")
    .innerJoin("users", "users.wallet", "event_readers.wallet")
    .selectAll("event_readers")
    .where("verify_hash", "=", hashOf(token))
    .where("verify_until", ">", BigInt(Date.now()))
    .whereRef("users.email", "=", "event_readers.verify_address")
    .where("users.erased_at", "is", null)
    .executeTakeFirst();
}

/** Whether a link that was sent to the reader still verifies. */
export function isLinkValid({ verify_until: until }: Reader): boolean {
  return until !== null && until > BigInt(Date.now());
}

/** When the link to an address was written that still verifies; null if there is none. */
export function linkSentAt(reader: Reader, address: string): bigint | null {
  const { verify_address, verify_until: until } = reader;
  return verify_address === address && until !== null && isLinkValid(reader) ? until - BIG_DAY_MS : null;
}

/** Uses the link up. Returns false if another call has, or the profile has another address since. */
export async function verify(queries: Queries, { wallet, verify_hash: hash }: Reader): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("event_readers")
    .set(({ ref }) => ({
      mail_address: ref("verify_address"),
      verify_hash: null,
      verify_address: null,
      verify_until: null,
    }))
    .where("wallet", "=", wallet)
    .where("verify_hash", "=", hash)
    .where("verify_address", "=", (eb) => eb.selectFrom("users").select("email").where("wallet", "=", wallet))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The profile has another address now, which is not verified. */
export async function forgetOtherAddress(queries: Queries, wallet: WalletAddress, address: string): Promise<void> {
  await queries
    .updateTable("event_readers")
    .set({ mail_address: null })
    .where("wallet", "=", wallet)
    .where("mail_address", "<>", address)
    .execute();
}

/** Whoever verified the address may not have been the wallet's owner: it must be verified again. docs/product.md#mail */
export async function forgetVerified(queries: Queries, wallet: WalletAddress): Promise<void> {
  const nothing = { mail_address: null, verify_hash: null, verify_address: null, verify_until: null };
  await queries.updateTable("event_readers").set(nothing).where("wallet", "=", wallet).execute();
  await dropWaiting(queries, wallet);
}

/** The reader of a link that ends e-mails, of 1.0.0 too, whose token is stored as its hash, or not yet. */
export async function findByUnsubscribeToken(
  queries: Queries,
  token: string,
  keys: readonly string[],
): Promise<Reader | undefined> {
  const wallet = walletOfToken(token, keys);
  if (wallet) return findReader(queries, wallet);
  const stored = isTokenOfOld(token) ? [hashOf(token), token] : [hashOf(token)];
  return queries.selectFrom("event_readers").selectAll().where("unsubscribe_token", "in", stored).executeTakeFirst();
}

const TOKEN_BYTES = 24;
const TOKEN_OF_OLD = /^[\w-]{32}$/;
const isTokenOfOld = (token: string): boolean => token.length === 32 && TOKEN_OF_OLD.test(token);
const READERS_A_PAGE = 500;

/**
 * Hashes the tokens that 1.0.0 stored as they are, of one page of readers after a wallet. Returns the last wallet of the
 * page; undefined after the last page.
 */
export async function hashStoredTokens(queries: Queries, after: string): Promise<string | undefined> {
  const rows = await queries
    .selectFrom("event_readers")
    .select(["wallet", "unsubscribe_token"])
    .where("wallet", ">", after as WalletAddress)
    .orderBy("wallet")
    .limit(READERS_A_PAGE)
    .execute();
  for (const { wallet, unsubscribe_token: token } of rows) {
    if (token === null || !isTokenOfOld(token)) continue;
    await queries
      .updateTable("event_readers")
      .set({ unsubscribe_token: hashOf(token) })
      .where("wallet", "=", wallet)
      .execute();
  }
  return rows.at(-1)?.wallet;
}

/** Ends e-mails about everything; the address stays verified. */
export async function unsubscribe(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries.updateTable("event_readers").set({ mail_topics: "" }).where("wallet", "=", wallet).execute();
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

function hashOf(token: string): string {
  return hash("sha256", token);
}
