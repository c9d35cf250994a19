import { sql } from "kysely";
import { noteChangedFact } from "../database/changed-facts.ts";
import { readClock } from "../database/clock.ts";
import { dayOf } from "../database/day-totals.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountTerms } from "../rules/sale/rules.ts";
import { type Account, addToDays, DIRECT, lockAccounts, nameOf } from "./account-books.ts";
import { wakeAccount } from "./account-gate.ts";

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
    const books = known.find((row) => nameOf(row) === nameOf(terms)) ?? (await openBooks(queries, terms));
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
  if (!books) throw new Error(`The books of ${nameOf(terms)} could not be opened`);
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
