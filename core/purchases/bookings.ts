import type { Selectable } from "kysely";
import { noteChangedFact } from "../database/changed-facts.ts";
import { readClock } from "../database/clock.ts";
import { dayOf } from "../database/day-totals.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { addToSums, lockAccounts, wakeAccount } from "./account-books.ts";

export type Booking = Selectable<Schema["account_bookings"]>;

/** What arrived from an account; `lineKey` identifies the line of a bank's file that says so. */
export type NewBooking = {
  accountId: bigint;
  amountCents: bigint;
  /** `YYYY-MM-DD`. */
  arrivedOn: string;
  reference: string;
  lineKey?: string;
  bookedBy: string;
  agreedBy?: string | null;
};

/**
 * Books what has arrived from accounts, each line of a file once, and lets what waited for it go on. Returns the ids; none
 * for a line that is booked already. docs/product.md#accounts-bookings
 */
export async function book(queries: Queries, bookings: readonly NewBooking[]): Promise<bigint[]> {
  const accounts = new Set(bookings.map(({ accountId }) => accountId));
  await lockAccounts(queries, [...accounts]);
  const created_at = BigInt(await readClock(queries));
  const inserted = await queries
    .insertInto("account_bookings")
    .values(
      bookings.map((one) => ({
        account_id: one.accountId,
        amount_cents: one.amountCents,
        arrived_on: one.arrivedOn,
        reference: one.reference,
        line_key: one.lineKey ?? null,
        booked_by: one.bookedBy,
        agreed_by: one.agreedBy ?? null,
        created_at,
      })),
    )
    .onConflict((conflict) => conflict.columns(["account_id", "line_key"]).doNothing())
    .returning(["id", "account_id", "amount_cents"])
    .execute();
  await addToSums(
    queries,
    "booked_cents",
    inserted.map((row) => ({ accountId: row.account_id, value: row.amount_cents })),
  );
  for (const id of [...accounts].sort((one, other) => (one < other ? -1 : 1))) await wakeAccount(queries, id);
  return inserted.map(({ id }) => id);
}

/**
 * Reverses a booking by another row. What it let pass and is not sent is judged anew. Returns the id of that row;
 * undefined if there is no such booking, or it is one that reverses, or is reversed already.
 */
export async function reverseBooking(
  queries: Queries,
  { accountId, id, actor, reason }: { accountId: bigint; id: bigint; actor: string; reason: string },
): Promise<bigint | undefined> {
  // Before the account: who works it off holds it while payouts are taken out of the books.
  await noteChangedFact(queries, "payouts");
  await lockAccounts(queries, [accountId]);
  const booking = await queries
    .selectFrom("account_bookings")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("reverses", "is", null)
    .executeTakeFirst();
  if (!booking) return undefined;
  const row = await queries
    .insertInto("account_bookings")
    .values({
      account_id: accountId,
      amount_cents: -booking.amount_cents,
      arrived_on: booking.arrived_on,
      reference: reason,
      reverses: id,
      booked_by: actor,
      created_at: BigInt(Date.now()),
    })
    .onConflict((conflict) => conflict.column("reverses").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!row) return undefined;
  await addToSums(queries, "booked_cents", [{ accountId, value: -booking.amount_cents }]);
  return row.id;
}

/** Of an account, newest first; of one id and older with `from`. */
export async function listBookings(
  queries: Queries,
  accountId: bigint,
  limit: number,
  from?: bigint,
): Promise<Booking[]> {
  const rows = queries
    .selectFrom("account_bookings")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("id", "desc")
    .limit(limit);
  return (from === undefined ? rows : rows.where("id", "<=", from)).execute();
}

/**
 * Announces a day of any sum for an account: what an unusual day stopped goes on. docs/product.md#accounts-unusual
 */
export async function announceSalesDay(
  queries: Queries,
  { accountId, dayMs, actor }: { accountId: bigint; dayMs: bigint; actor: string },
): Promise<void> {
  const day = dayOf(dayMs);
  await lockAccounts(queries, [accountId]);
  await queries
    .insertInto("account_sales_days")
    .values({ account_id: accountId, day, announced_by: actor, created_at: BigInt(Date.now()) })
    .onConflict((conflict) => conflict.columns(["account_id", "day"]).doNothing())
    .execute();
  await queries
    .updateTable("account_books")
    .set({ stopped_day: null })
    .where("id", "=", accountId)
    .where("stopped_day", "<=", day)
    .execute();
  await wakeAccount(queries, accountId);
}
