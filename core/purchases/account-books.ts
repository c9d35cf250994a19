import { type Selectable, type SqlBool, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { noteChangedFact } from "../database/changed-facts.ts";
import { engineOf, readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { anySlot, dayOf } from "../database/day-totals.ts";
import type { Schema } from "../database/generated/schema.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { ACCOUNT_SUMS, type AccountSum, roomOf, USUAL_DAYS } from "../rules/account/payout-gate.ts";
import { idsOf, recordOf } from "../rules/records.ts";
import type { AccountKey, AccountTerms } from "../rules/sale/rules.ts";
import { makeDue } from "./due.ts";

/**
 * The books of accounts: sums that are kept in the transaction that changes them, each of rows that a recount adds up
 * (`wrong-accounts.ts`). docs/product.md#accounts
 */

export type Account = Selectable<Schema["account_books"]>;
/** A purchase in its account's books. */
export type Drawn = { purchaseId: bigint; accountId: bigint; centBps: bigint };

/** Direct shops are trusted for what has arrived; what a polled network says is checked by reading it. */
export const DIRECT = "direct";

/** The accounts with their books, which are begun where there are none. */
export async function findAccounts(queries: Queries, keys: readonly AccountKey[]): Promise<Account[]> {
  const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  if (wanted.length === 0) return [];
  const read = async () => {
    const rows = await queries.selectFrom("account_books").selectAll().orderBy("id").execute();
    return rows.filter((row) => wanted.some((key) => nameOf(key) === nameOf(row)));
  };
  const known = await read();
  if (known.length === wanted.length) return known;
  await queries
    .insertInto("account_books")
    .values(
      wanted.map(({ network, account }) => ({
        network,
        account,
        credit_cents: network === DIRECT ? 0n : null,
        began_at: BigInt(Date.now()),
      })),
    )
    .onConflict((conflict) => conflict.columns(["network", "account"]).doNothing())
    .execute();
  return read();
}

/**
 * Locks accounts until the transaction ends, in order: whoever judges what may be paid, or changes what may be, comes after
 * the other. Returns them as they are then.
 */
export async function lockAccounts(queries: Queries, ids: readonly bigint[]): Promise<Account[]> {
  const select = queries
    .selectFrom("account_books")
    .selectAll()
    .where(among(queries, "id", ids))
    .orderBy("id");
  // SQLite has one writer.
  return (engineOf(queries) === "sqlite" ? select : select.forUpdate()).execute();
}

/**
 * Locks the accounts of these sales, whose books are begun where there are none. Returns each sale's account as it is
 * then.
 */
export async function lockAccountsOf(
  queries: Queries,
  sales: readonly (AccountKey & { id: bigint })[],
): Promise<ReadonlyMap<bigint, Account>> {
  const accounts = await lockAccounts(queries, idsOf(await findAccounts(queries, sales)));
  const byName = new Map(accounts.map((account) => [nameOf(account), account]));
  return new Map(
    sales.flatMap((sale) => {
      const account = byName.get(nameOf(sale));
      return account ? [[sale.id, account] as const] : [];
    }),
  );
}

export function nameOf({ network, account }: AccountKey): string {
  return `${network}/${account}`;
}

// Sums ------------------------------------------------------------------------------------------------------------------

export type Sums = Record<AccountSum, bigint>;

export async function readSums(queries: Queries, ids: readonly bigint[]): Promise<Map<bigint, Sums>> {
  const rows = await queries
    .selectFrom("account_sums")
    .select(["account_id", "name", "value"])
    .where(among(queries, "account_id", ids))
    .execute();
  const sums = new Map(ids.map((id) => [id, recordOf(ACCOUNT_SUMS, () => 0n)]));
  for (const { account_id, name, value } of rows) {
    const of = sums.get(account_id);
    if (of) of[name] += value;
  }
  return sums;
}

/** Adds to a sum of several accounts; skips zeros. */
export async function addToSums(
  queries: Queries,
  name: AccountSum,
  changes: readonly { accountId: bigint; value: bigint }[],
): Promise<void> {
  const slot = anySlot(queries);
  const values = added(changes.map(({ accountId, value }) => [accountId, value])).map(([account_id, value]) => ({
    account_id,
    name,
    slot,
    value,
  }));
  if (values.length === 0) return;
  await queries
    .insertInto("account_sums")
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(["account_id", "name", "slot"])
        .doUpdateSet({ value: sql<bigint>`account_sums.value + excluded.value` }),
    )
    .execute();
}

/** What an account was paid on a day, and on the last days before it that had payouts, newest first. */
export async function readDays(
  queries: Queries,
  accountId: bigint,
  today: bigint,
): Promise<{ today: bigint; earlier: bigint[] }> {
  const { rows } = await sql<{ day: bigint; cent_bps: bigint | string }>`
    select day, sum(cent_bps) as cent_bps from account_days where account_id = ${accountId} and day <= ${today}
    group by day having sum(cent_bps) > 0 order by day desc limit ${sql.lit(USUAL_DAYS + 1)}`.execute(queries);
  const days = rows.map(({ day, cent_bps }) => ({ day, centBps: BigInt(cent_bps) }));
  return {
    today: days.find(({ day }) => day === today)?.centBps ?? 0n,
    earlier: days.filter(({ day }) => day !== today).map(({ centBps }) => centBps),
  };
}

export async function addToDays(
  queries: Queries,
  changes: readonly { accountId: bigint; day: bigint; centBps: bigint }[],
): Promise<void> {
  const slot = anySlot(queries);
  for (const [day, ofDay] of Map.groupBy(changes, (one) => one.day)) {
    const values = added(ofDay.map(({ accountId, centBps }) => [accountId, centBps])).map(([account_id, cent_bps]) => ({
      account_id,
      day,
      slot,
      cent_bps,
    }));
    if (values.length === 0) continue;
    await queries
      .insertInto("account_days")
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "day", "slot"])
          .doUpdateSet({ cent_bps: sql<bigint>`account_days.cent_bps + excluded.cent_bps` }),
      )
      .execute();
  }
}

function added(changes: readonly (readonly [accountId: bigint, value: bigint])[]): [bigint, bigint][] {
  const sums = new Map<bigint, bigint>();
  for (const [id, value] of changes) sums.set(id, (sums.get(id) ?? 0n) + value);
  return [...sums].filter(([, value]) => value !== 0n).sort(([one], [other]) => (one < other ? -1 : 1));
}

// What was paid ---------------------------------------------------------------------------------------------------------

/** The purchases of these that are in the books. */
export async function readDraws(
  queries: Queries,
  purchaseIds: readonly bigint[],
): Promise<Map<bigint, { accountId: bigint; centBps: bigint }>> {
  const rows = await queries
    .selectFrom("account_draws")
    .select(["purchase_id", "account_id", "cent_bps"])
    .where(among(queries, "purchase_id", purchaseIds))
    .execute();
  return new Map(rows.map((row) => [row.purchase_id, { accountId: row.account_id, centBps: row.cent_bps }]));
}

/** Adds purchases to what their accounts were paid on a day. */
export async function draw(queries: Queries, drawn: readonly Drawn[], day: bigint): Promise<void> {
  if (drawn.length === 0) return;
  const { list, column } = givenRows(
    queries,
    drawn.map(({ purchaseId, accountId, centBps }) => ({ purchaseId, accountId, day, centBps })),
  );
  await sql`insert into account_draws (purchase_id, account_id, day, cent_bps)
    select ${column.purchaseId}, ${column.accountId}, ${column.day}, ${column.centBps} from ${list}`.execute(queries);
  await addToSums(
    queries,
    "paid_cent_bps",
    drawn.map(({ accountId, centBps }) => ({ accountId, value: centBps })),
  );
  await addToDays(
    queries,
    drawn.map((one) => ({ ...one, day })),
  );
}

/** Takes purchases whose payout is not made after all out of the books, with what was kept of them for other purchases. */
export async function undraw(queries: Queries, purchaseIds: readonly bigint[]): Promise<void> {
  // One that is on its way may still be made.
  const isGone = sql<SqlBool>`not exists (select 1 from operations where operations.kind = 'pay'
    and operations.subject_id = purchase_id and operations.status <> 'withdrawn')`;
  const drawn = await queries
    .deleteFrom("account_draws")
    .where(among(queries, "purchase_id", purchaseIds))
    .where(isGone)
    .returning(["account_id", "day", "cent_bps"])
    .execute();
  const recovered = await queries
    .deleteFrom("account_recoveries")
    .where(among(queries, "purchase_id", purchaseIds))
    .where(isGone)
    .returning(["account_id", "cent_bps"])
    .execute();
  await addToSums(queries, "paid_cent_bps", [
    ...drawn.map(({ account_id, cent_bps }) => ({ accountId: account_id, value: -cent_bps })),
    ...recovered.map(({ account_id, cent_bps }) => ({ accountId: account_id, value: cent_bps })),
  ]);
  await addToDays(
    queries,
    drawn.map(({ account_id, day, cent_bps }) => ({ accountId: account_id, day, centBps: -cent_bps })),
  );
}

/**
 * What is kept of a buyer's purchase comes back to the accounts whose sales were returned after their payout, the oldest
 * first, each at the rate of its own purchase. Only of purchases in the books. docs/product.md#accounts-returns
 */
export async function recover(
  queries: Queries,
  { purchaseId, wallet, keptGwei }: { purchaseId: bigint; wallet: string; keptGwei: bigint },
): Promise<void> {
  const owed = await sql<{
    id: bigint;
    account_id: bigint;
    gwei: bigint | string;
    cent_bps: bigint | string;
  }>`select account_draws.purchase_id as id, account_draws.account_id,
      sum(adjustments.amount_gwei) - coalesce((select sum(gwei) from account_recoveries where returned_id = account_draws.purchase_id), 0) as gwei,
      sum(adjustments.cent_bps) - coalesce((select sum(cent_bps) from account_recoveries where returned_id = account_draws.purchase_id), 0) as cent_bps
    from adjustments join account_draws on account_draws.purchase_id = adjustments.purchase_id
    where adjustments.wallet = ${wallet} and adjustments.purchase_id <> ${purchaseId}
    group by account_draws.purchase_id, account_draws.account_id order by account_draws.purchase_id`.execute(queries);
  let left = keptGwei;
  const rows: Selectable<Schema["account_recoveries"]>[] = [];
  for (const { id, account_id, ...one } of owed.rows) {
    const [owedGwei, owedCentBps] = [BigInt(one.gwei), BigInt(one.cent_bps)];
    if (left <= 0n || owedGwei <= 0n || owedCentBps <= 0n) continue;
    const gwei = left < owedGwei ? left : owedGwei;
    left -= gwei;
    const cent_bps = (owedCentBps * gwei) / owedGwei;
    rows.push({ purchase_id: purchaseId, returned_id: id, account_id, gwei, cent_bps });
  }
  if (rows.length === 0) return;
  await queries.insertInto("account_recoveries").values(rows).execute();
  await addToSums(
    queries,
    "paid_cent_bps",
    rows.map(({ account_id, cent_bps }) => ({ accountId: account_id, value: -cent_bps })),
  );
}

// What waits ------------------------------------------------------------------------------------------------------------

/** Those of an account that wait, the oldest first. */
export async function listWaiting(
  queries: Queries,
  accountId: bigint,
  { limit, except = [] }: { limit: number; except?: readonly bigint[] },
): Promise<Selectable<Schema["account_waits"]>[]> {
  // More than those that are left out, so that the index alone says which one is the oldest of the others.
  const rows = await queries
    .selectFrom("account_waits")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("payable_at")
    .orderBy("purchase_id")
    .limit(limit + except.length)
    .execute();
  const left = new Set(except);
  return rows.filter((row) => !left.has(row.purchase_id)).slice(0, limit);
}

async function listAnnounced(queries: Queries, accountId: bigint, ...days: bigint[]): Promise<Map<bigint, string>> {
  const rows = await queries
    .selectFrom("account_sales_days")
    .select(["day", "announced_by"])
    .where("account_id", "=", accountId)
    .where("day", "in", days)
    .execute();
  return new Map(rows.map(({ day, announced_by }) => [day, announced_by]));
}

/**
 * What decides whether an account is paid more today: its sums, its days, what waits longest but these, and who announced
 * this day or the one that stopped it.
 */
export async function readBooks(
  queries: Queries,
  { id, stopped_day }: Account,
  { today, except }: { today: bigint; except: readonly bigint[] },
) {
  const sums = (await readSums(queries, [id])).get(id);
  const paid = await readDays(queries, id, today);
  const [oldest] = await listWaiting(queries, id, { limit: 1, except });
  const announced = await listAnnounced(queries, id, stopped_day ?? today, today);
  return { sums, paid, oldest, announced };
}

/** As many as the planner plans at once. */
const WOKEN = 1_000;

/**
 * Makes those that wait due again, the oldest first, as far as there is room by now: after a booking, a changed credit, a
 * payout that was withdrawn, a purchase that no longer waits. Locks the account, so that none is judged meanwhile.
 */
export async function wakeAccount(queries: Queries, accountId: bigint): Promise<void> {
  const [account] = await lockAccounts(queries, [accountId]);
  if (!account || account.stopped_day !== null) return;
  const sums = (await readSums(queries, [accountId])).get(accountId);
  let room = roomOf({
    bookedCents: sums?.booked_cents ?? 0n,
    creditCents: account.credit_cents,
    paidCentBps: sums?.paid_cent_bps ?? 0n,
  });
  const woken: bigint[] = [];
  for (const { purchase_id, cent_bps } of await listWaiting(queries, accountId, { limit: WOKEN })) {
    if (room !== null && cent_bps > room) break;
    if (room !== null) room -= cent_bps;
    woken.push(purchase_id);
  }
  await makeDue(queries, woken);
}

/** The same for all accounts of which something waits, now and then: whatever made room was not told here. */
export async function wakeAccounts(
  { kysely }: Database,
  assertLease: (queries: Queries) => Promise<void>,
): Promise<void> {
  const waiting = await kysely
    .selectFrom("account_books")
    .select("id")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("account_waits").select("purchase_id").whereRef("account_waits.account_id", "=", "account_books.id"),
      ),
    )
    .orderBy("id")
    .execute();
  for (const { id } of waiting) {
    await inTransaction(kysely, async (queries) => {
      await assertLease(queries);
      await wakeAccount(queries, id);
    });
  }
}

// By which terms --------------------------------------------------------------------------------------------------------

/** An account's credit before a person has set one: what its largest so many days paid. */
const OPENING_DAYS = 30n;
/** The days of an account that is not limited, by which an unusual one is known. */
const KNOWN_DAYS = 120n;
const BPS = 10_000n;
const DEFAULT_SHARE = 25n;

/**
 * Opens the books of configured accounts, and takes over what the configuration says of their money: that of the api that
 * sends is in force everywhere. What is queued by other terms is judged anew. docs/product.md#accounts
 */
export async function noteAccountTerms(queries: Queries, accounts: readonly AccountTerms[]): Promise<void> {
  const known = await queries.selectFrom("account_books").selectAll().execute();
  let isTighter = false;
  for (const terms of accounts) {
    const books =
      known.find((row) => row.network === terms.network && row.account === terms.account) ??
      (await openBooks(queries, terms));
    isTighter = (await takeOver(queries, books, terms)) || isTighter;
  }
  if (isTighter) await noteChangedFact(queries, "payouts");
}

/** Returns whether less may be paid than before. */
async function takeOver(queries: Queries, books: Account, terms: AccountTerms): Promise<boolean> {
  const set = terms.credit_reais === undefined ? undefined : BigInt(Math.round(terms.credit_reais * 100));
  const credit_cents = set ?? (terms.network === DIRECT ? books.opening_cents : null);
  const is_credit_set = set === undefined ? 0n : 1n;
  const day_share_percent = terms.day_share_percent === undefined ? DEFAULT_SHARE : BigInt(terms.day_share_percent);
  const isSame =
    books.credit_cents === credit_cents &&
    books.is_credit_set === is_credit_set &&
    books.day_share_percent === day_share_percent;
  if (isSame) return false;
  await lockAccounts(queries, [books.id]);
  await queries
    .updateTable("account_books")
    .set({ credit_cents, is_credit_set, day_share_percent })
    .where("id", "=", books.id)
    .execute();
  await wakeAccount(queries, books.id);
  return credit_cents !== null && (books.credit_cents === null || credit_cents < books.credit_cents);
}

/**
 * Begins the books of an account, with its days until now. A direct shop that had paid sales starts with the credit of
 * its largest 30 days. Read once in the life of an account.
 */
async function openBooks(queries: Queries, terms: AccountTerms): Promise<Account> {
  const { network, account } = terms;
  const now = BigInt(await readClock(queries));
  const since = network === DIRECT ? 0n : now - KNOWN_DAYS * 86_400_000n;
  const { rows } = await sql<{ day: bigint; cent_bps: bigint | string }>`
    select purchases.settled_at / 86400000 as day, sum(purchases.cashback_cent_bps) as cent_bps
    from purchases join sales on sales.id = purchases.sale_id
    where purchases.settled_at >= ${since} and purchases.settled_at is not null and purchases.reversed_at is null
      and purchases.store_id in (select id from stores where coalesce(network, ${DIRECT}) = ${network})
      and sales.network = ${network} and sales.account = ${account}
    group by purchases.settled_at / 86400000 order by 1`.execute(queries);
  const days = rows.map(({ day, cent_bps }) => ({ day, centBps: BigInt(cent_bps) }));
  const opening_cents = network === DIRECT ? largest(days) / BPS : 0n;
  // Null until it is taken over: what was queued before the books must pass the gate.
  const [books] = await queries
    .insertInto("account_books")
    .values({ network, account, credit_cents: null, opening_cents, began_at: now })
    .returningAll()
    .execute();
  if (!books) throw new Error(`The books of ${network}/${account} could not be opened`);
  await addToDays(
    queries,
    days.filter(({ day }) => day > dayOf(now) - KNOWN_DAYS).map((one) => ({ ...one, accountId: books.id })),
  );
  return books;
}

/** The most that was paid in so many days one after the other. */
function largest(days: readonly { day: bigint; centBps: bigint }[]): bigint {
  const sums = days.map(({ day: first }) =>
    days
      .filter(({ day }) => day >= first && day < first + OPENING_DAYS)
      .reduce((sum, { centBps }) => sum + centBps, 0n),
  );
  return sums.reduce((most, one) => (one > most ? one : most), 0n);
}
