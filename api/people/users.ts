import { type Selectable, type SqlBool, sql } from "kysely";
import { addToDay, dayOf } from "../../core/database/day-totals.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { type ListPage, readPage } from "../../core/database/lists/page.ts";
import {
  startsWith,
  startsWithTest,
  walletPrefixOf,
  walletStartsWith,
  walletTest,
} from "../../core/database/lists/search.ts";
import type { ListSource, PageQuery } from "../../core/database/lists/source.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { addToShop } from "../../core/purchases/shop-totals.ts";
import { searchKey } from "../../core/rules/text.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { forgetOtherAddress } from "../mail/subscriptions.ts";

export type User = Selectable<Schema["users"]>;

export type Profile = { email: string; firstName: string; lastName: string };

/** The row of a registered wallet; undefined if there is none or its profile was erased. */
export async function findUser(queries: Queries, wallet: WalletAddress): Promise<User | undefined> {
  return queries
    .selectFrom("users")
    .selectAll()
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .executeTakeFirst();
}

/** Whether this wallet ever signed in with a nonce, even with an erased profile. */
export async function hasSeenNonce(queries: Queries, wallet: WalletAddress): Promise<boolean> {
  const row = await queries.selectFrom("users").select("nonce_seen").where("wallet", "=", wallet).executeTakeFirst();
  return row?.nonce_seen === 1n;
}

/** Whether this wallet ever signed with its own key, even with an erased profile. docs/product.md#staff-key */
export async function hasSeenOwnKey(queries: Queries, wallet: WalletAddress): Promise<boolean> {
  const row = await queries.selectFrom("users").select("own_key_seen").where("wallet", "=", wallet).executeTakeFirst();
  return row?.own_key_seen === 1n;
}

/** Returns false if the wallet is already registered. */
export async function insertUser(queries: Queries, wallet: WalletAddress, profile: Profile): Promise<boolean> {
  const values = columnsOf(profile);
  const now = BigInt(Date.now());
  const inserted = await queries
    .insertInto("users")
    .values({ wallet, ...values, created_at: now })
    .onConflict((conflict) =>
      conflict
        .column("wallet")
        .doUpdateSet({ ...values, created_at: now, erased_at: null })
        .where("users.erased_at", "is not", null),
    )
    .returning("wallet")
    .executeTakeFirst();
  if (inserted) {
    await addToShop(queries, { users: 1n });
    await addToDay(queries, dayOf(now), { users: 1n });
  }
  return inserted !== undefined;
}

function columnsOf({ email, firstName, lastName }: Profile) {
  return {
    email,
    first_name: firstName,
    last_name: lastName,
    email_key: searchKey(email),
    name_key: searchKey(`${firstName} ${lastName}`),
    last_name_key: searchKey(lastName),
  };
}

export async function updateUser(queries: Queries, wallet: WalletAddress, profile: Profile): Promise<void> {
  await touchUser(queries, wallet);
  await queries
    .updateTable("users")
    .set(columnsOf(profile))
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .execute();
  await forgetOtherAddress(queries, wallet, profile.email);
}

/** What the team calls a wallet from now on; an empty one takes the nickname away. */
export async function setNickname(queries: Queries, wallet: WalletAddress, nickname: string): Promise<void> {
  await queries.updateTable("users").set(nicknameColumns(nickname)).where("wallet", "=", wallet).execute();
}

const nicknameColumns = (nickname: string) => ({ nickname, nickname_key: searchKey(nickname) });

/** Notes that a wallet signed a nonce, or with a key of its own. Returns whether it is the first time. */
export async function markSeen(
  queries: Queries,
  wallet: WalletAddress,
  what: "nonce_seen" | "own_key_seen",
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("users")
    .set(what, 1n)
    .where("wallet", "=", wallet)
    .where(what, "=", 0n)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Takes what a person typed out of a row, which counts as no user from then on. */
export async function clearProfile(queries: Queries, wallet: WalletAddress): Promise<void> {
  const { numUpdatedRows } = await queries
    .updateTable("users")
    .set({
      ...columnsOf({ email: "", firstName: "", lastName: "" }),
      ...nicknameColumns(""),
      erased_at: BigInt(Date.now()),
    })
    .where("wallet", "=", wallet)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  await addToShop(queries, { users: -numUpdatedRows });
}

export type UserRow = Awaited<ReturnType<typeof readUsers>>[number];

/** Who may not read names and e-mails whole finds them by whole words only: prefixes would spell them out. */
export async function listUsers(
  queries: Queries,
  page: PageQuery,
  { isWhole = true }: { isWhole?: boolean } = {},
): Promise<ListPage<UserRow>> {
  return readPage(queries, isWhole ? USERS : USERS_BY_WORDS, page, readUsers, (row) => row.wallet);
}

const SEARCHED = ["email_key", "name_key", "last_name_key", "nickname_key"] as const;

const USERS: ListSource = {
  table: "users",
  key: "wallet",
  keyType: "text",
  sorts: {
    created_at: { column: "created_at", type: "number", followsState: true },
    name: { column: "name_key", type: "text" },
    email: { column: "email_key", type: "text" },
  },
  state: (state) => (state === "erased" ? sql<SqlBool>`erased_at is not null` : sql<SqlBool>`erased_at is null`),
  matches(term, queries) {
    const wallet = walletPrefixOf(term);
    if (wallet !== undefined) {
      const keys = sql`select wallet as key from users where ${walletStartsWith("wallet", wallet)}`;
      return [{ keys, test: walletTest("users.wallet", wallet) }];
    }
    const key = searchKey(term);
    if (key === "") return [];
    return SEARCHED.map((column) => ({
      keys: sql`select wallet as key from users where ${startsWith(queries, column, key)}`,
      test: startsWithTest(queries, `users.${column}`, key),
    }));
  },
};

const USERS_BY_WORDS: ListSource = {
  ...USERS,
  matches(term, queries) {
    if (walletPrefixOf(term) !== undefined) return USERS.matches(term, queries);
    const key = searchKey(term);
    if (key === "") return [];
    const whole = SEARCHED.map((column) => ({
      keys: sql`select wallet as key from users where ${sql.ref(column)} = ${key}`,
      test: sql<SqlBool>`(${sql.ref(`users.${column}`)} || '') = ${key}`,
    }));
    const first = `${key} `;
    const byFirst = {
      keys: sql`select wallet as key from users where ${startsWith(queries, "name_key", first)}`,
      test: startsWithTest(queries, "users.name_key", first),
    };
    return [...whole, byFirst];
  },
};

export async function readNames(queries: Queries, wallets: readonly WalletAddress[]) {
  const names = queries.selectFrom("users").select(["wallet", "first_name", "last_name", "nickname"]);
  return names.where("wallet", "in", wallets).execute();
}

export async function readUsers(queries: Queries, wallets: readonly WalletAddress[]) {
  return queries
    .selectFrom("users")
    .leftJoin("buyer_totals", "buyer_totals.wallet", "users.wallet")
    .select([
      ...(["users.wallet", "users.email", "users.first_name", "users.last_name", "users.nickname"] as const),
      ...([
        "users.nonce_seen",
        "users.created_at",
        "users.erased_at",
        "buyer_totals.processing",
        "buyer_totals.pending",
      ] as const),
      ...(["buyer_totals.confirmed", "buyer_totals.cancelled", "buyer_totals.pending_gwei"] as const),
      ...(["buyer_totals.pending_cent_bps", "buyer_totals.confirmed_gwei"] as const),
      ...(["buyer_totals.confirmed_cent_bps", "buyer_totals.paid_gwei"] as const),
    ])
    .where("users.wallet", "in", wallets)
    .execute();
}
