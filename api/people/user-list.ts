import { type SqlBool, sql } from "kysely";
import { type ListPage, readPage } from "../../database/lists/page.ts";
import {
  startsWith,
  startsWithTest,
  walletPrefixOf,
  walletStartsWith,
  walletTest,
} from "../../database/lists/search.ts";
import type { ListSource, PageQuery } from "../../database/lists/source.ts";
import type { Queries } from "../../database/transaction.ts";
import { searchKey } from "../../domain/text.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

export type UserRow = Awaited<ReturnType<typeof readUsers>>[number];

export async function listUsers(queries: Queries, page: PageQuery): Promise<ListPage<UserRow>> {
  return readPage(queries, USERS, page, readUsers, (row) => row.wallet);
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
