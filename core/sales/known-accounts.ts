import { type Selectable, sql } from "kysely";
import { readClock } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import { migrationsOf } from "../database/migrate.ts";
import type { Queries } from "../database/transaction.ts";
import type { SaleState } from "../rules/sale/facts.ts";
import type { AccountKey, AccountTerms, KnownAccount } from "../rules/sale/rules.ts";
import { type AffiliateAccount, identityOf, UnknownAccountError } from "./accounts.ts";

type NameRow = Selectable<Schema["account_names"]>;

/** States in which a sale can still be paid. */
const OPEN = ["held", "open", "approved", "payable"] as const satisfies SaleState[];

export type Accounts = {
  /** As configured, each by the name under which its sales are recorded. */
  configured: AffiliateAccount[];
  /** These and those of before, for decisions. */
  known: KnownAccount[];
};

/**
 * Notes which accounts are configured, at the start of a process: an account is known by what its network calls it, so one
 * with another name is the same. `closed`: those that are gone on purpose. docs/product.md#sales-accounts
 * @throws UnknownAccountError while open sales belong to an account that is gone
 */
export async function noteAccounts(
  queries: Queries,
  accounts: readonly AffiliateAccount[],
  closed: readonly AccountKey[],
): Promise<Accounts> {
  const { names, added } = await namesOf(queries, accounts);
  const isThere = (row: AccountKey) => names.some((one) => isSame(one, row));
  const rows = await queries.selectFrom("account_names").selectAll().orderBy("network").orderBy("name").execute();
  const gone = rows.filter((row) => row.name === row.account && !isThere(row));
  const unnoted = (await listUnnoted(queries, rows)).map((key) => ({ ...key, isOld: false }));
  for (const row of [...gone.map((one) => ({ ...one, isOld: one.identity === null })), ...unnoted]) {
    if (closed.some((one) => isSame(one, row)) || !(await hasOpenSale(queries, row))) continue;
    // It was gone before anybody noted accounts, unless one of its network is new: that may be the same one.
    if (row.isOld && !added.some(({ network }) => network === row.network)) continue;
    throw new UnknownAccountError(row, added.find(({ network }) => network === row.network)?.account);
  }
  const now = BigInt(await readClock(queries));
  for (const { network, account } of gone) await setGone(queries, { network, account }, now);
  for (const key of names) await setGone(queries, key, null);
  const goneAt = (row: NameRow) => (isThere(row) ? null : (row.gone_at ?? now));
  const aliasesOf = (row: NameRow) => rows.filter((one) => one.name !== one.account && isSame(one, row));
  return {
    configured: accounts.map((one, index) => {
      const { account = one.account, aliases = [] } = names[index] ?? {};
      return { ...one, account, aliases };
    }),
    known: rows
      .filter((row) => row.name === row.account)
      .map((row) => {
        const aliases = aliasesOf(row).map(({ name }) => name);
        const terms = termsOf(accounts[names.findIndex((one) => isSame(one, row))]);
        return { network: row.network, account: row.account, aliases, goneAt: goneAt(row), ...terms };
      }),
  };
}

/** Accounts with open sales that are not configured; it notes nothing, and reads a database that is not upgraded too. */
export async function listGoneAccounts(queries: Queries, accounts: readonly AffiliateAccount[]): Promise<AccountKey[]> {
  const isNoted = (await migrationsOf(queries)).includes("0006-facts-of-others");
  const rows = isNoted ? await queries.selectFrom("account_names").selectAll().execute() : [];
  const isConfigured = (key: AccountKey) =>
    accounts.some((one) => isSame(one, key) || rows.some((row) => isSame(row, key) && isNameOf(row, one)));
  const found: AccountKey[] = [];
  for (const key of [...rows.filter((row) => row.name === row.account), ...(await listUnnoted(queries, rows))])
    if (!isConfigured(key) && (await hasOpenSale(queries, key))) found.push(key);
  return found.map(({ network, account }) => ({ network, account }));
}

/** What the file says of its money. */
function termsOf(account: AffiliateAccount | undefined): Omit<AccountTerms, keyof AccountKey> {
  const { credit_reais, day_share_percent, cashback_share_percent } = account ?? {};
  return { credit_reais, day_share_percent, cashback_share_percent };
}

type Named = { names: (AccountKey & { aliases: string[] })[]; added: AffiliateAccount[] };

/** The first name of each configured account, and those that nobody has noted before. */
async function namesOf(queries: Queries, accounts: readonly AffiliateAccount[]): Promise<Named> {
  const names: Named["names"] = [];
  const added: AffiliateAccount[] = [];
  for (const account of accounts) {
    const { network, account: name } = account;
    const identity = identityOf(account);
    const rows = await queries.selectFrom("account_names").selectAll().where("network", "=", network).execute();
    const known = rows.find((row) => row.name === name);
    const renamed = rows.find((row) => row.identity === identity && row.name === row.account);
    if (known && (await isStillIt(queries, known, { rows, identity }))) {
      names.push({ network, account: known.account, aliases: [name] });
      continue;
    }
    const first = renamed?.account ?? name;
    const isTwice =
      renamed && accounts.some((one) => one !== account && one.network === network && one.account === first);
    if (isTwice) throw new UnknownAccountError({ network, account: first }, name, "twice");
    if (!renamed) added.push(account);
    await insertName(queries, { network, name, account: first, identity });
    names.push({ network, account: first, aliases: [name] });
  }
  return { names, added };
}

/** A name that has passed to another account of the network is no longer the first one's. */
async function isStillIt(
  queries: Queries,
  known: NameRow,
  { rows, identity }: { rows: readonly NameRow[]; identity: string },
): Promise<boolean> {
  const first = rows.find((row) => row.name === known.account);
  if (first?.identity === identity) return true;
  if (known.name !== known.account) return false;
  if (first?.identity !== null && (await hasOpenSale(queries, known)))
    throw new UnknownAccountError(known, known.name, "other");
  await insertName(queries, { ...known, identity });
  return true;
}

async function insertName(queries: Queries, row: Omit<NameRow, "gone_at">): Promise<void> {
  const { network, name, account, identity } = row;
  await queries
    .insertInto("account_names")
    .values({ network, name, account, identity })
    .onConflict((conflict) => conflict.columns(["network", "name"]).doUpdateSet({ account, identity }))
    .execute();
}

async function setGone(queries: Queries, { network, account }: AccountKey, at: bigint | null): Promise<void> {
  await queries
    .updateTable("account_names")
    .set({ gone_at: at })
    .where("network", "=", network)
    .where("account", "=", account)
    .where("gone_at", at === null ? "is not" : "is", null)
    .execute();
}

/** Accounts with sales that nobody has noted: another version of this program recorded them. */
async function listUnnoted(queries: Queries, rows: readonly NameRow[]): Promise<AccountKey[]> {
  const found: AccountKey[] = [];
  let after: AccountKey = { network: "", account: "" };
  for (;;) {
    const next = await queries
      .selectFrom("sales")
      .select(["network", "account"])
      .where(sql<boolean>`(network, account) > (${after.network}, ${after.account})`)
      .orderBy("network")
      .orderBy("account")
      .limit(1)
      .executeTakeFirst();
    if (!next) return found;
    after = next;
    if (!rows.some((row) => isSame(row, after))) found.push(after);
  }
}

/** By the index that lists an account's sales in a state. */
async function hasOpenSale(queries: Queries, { network, account }: AccountKey): Promise<boolean> {
  for (const state of OPEN) {
    const sale = await queries
      .selectFrom("sales")
      .select("id")
      .where("network", "=", network)
      .where("account", "=", account)
      .where("state", "=", state)
      .limit(1)
      .executeTakeFirst();
    if (sale) return true;
  }
  return false;
}

function isSame(one: AccountKey, other: AccountKey): boolean {
  return one.network === other.network && one.account === other.account;
}

function isNameOf(row: NameRow, account: AffiliateAccount): boolean {
  if (row.network !== account.network) return false;
  return row.name === account.account || (row.identity !== null && row.identity === identityOf(account));
}
