import { among } from "../../core/database/among.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { dayText } from "../../core/database/day-totals.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { type Account, nameOf } from "../../core/purchases/account-books.ts";
import { isCreditUnset, type ListedAccount, listAccounts } from "../../core/purchases/account-list.ts";
import { BankFileError, isToCome, readBankFile } from "../../core/purchases/bank-file.ts";
import {
  announceSalesDay,
  type Booking,
  book,
  listBookings,
  type NewBooking,
  reverseBooking,
} from "../../core/purchases/bookings.ts";
import {
  type AccountRow,
  accountsResponseSchema,
  type BookingRow,
  bookingFileRequestSchema,
  bookingFileResponseSchema,
  bookingRequestSchema,
  bookingsResponseSchema,
  reverseRequestSchema,
  salesDayRequestSchema,
} from "../../core/rules/api/admin-accounts.ts";
import { createdSchema, doneSchema } from "../../core/rules/api/common.ts";
import { proposedSchema } from "../../core/rules/api/proposals.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { reaisText } from "../../core/rules/money.ts";
import { CATALOGUE_FILE_BYTES } from "../../core/rules/uploads.ts";
import { readStorePace } from "../../core/sales/store-pace.ts";
import { conflict, invalid, notFound } from "../http/api-error.ts";
import { requireFreshSignIn } from "../http/identity.ts";
import { actorOf, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { askForLarge } from "./large-bookings.ts";
import { proposed } from "./proposing.ts";

const PATH = "/api/admin/accounts/:network/:account";
const LISTED = 200;

/** The books of accounts: what they are paid for, what has arrived. docs/product.md#accounts */
export function accountRoutes(services: Services): Route[] {
  const { kysely, reader } = services.database;
  return [
    route.get("/api/admin/accounts", {
      access: "admin",
      cost: { thread: 4, node: 0, stored: 0, mail: 0 },
      summary: "The books of each account: promised, booked, paid, waiting, and its credit",
      responses: { 200: accountsResponseSchema },
      async handle() {
        const accounts = await listAccounts(reader);
        const rows = await Promise.all(accounts.map(async (one) => toWireAccount(one, await usualDays(reader, one))));
        return { body: { success: true, rows } };
      },
    }),
    route.get(`${PATH}/bookings`, {
      access: "admin",
      cost: { thread: 4, node: 0, stored: 0, mail: 0 },
      summary: `The last ${LISTED} bookings of an account, newest first`,
      failures: { 404: "No such account" },
      responses: { 200: bookingsResponseSchema },
      async handle({ params }) {
        const { id } = await findAccount(reader, params);
        const bookings = await listBookings(reader, id, LISTED);
        const reversed = new Set(bookings.flatMap(({ reverses }) => reverses ?? []));
        return { body: { success: true, rows: bookings.map((row) => toWireBooking(row, reversed.has(row.id))) } };
      },
    }),
    /** What waits for it goes on. docs/product.md#accounts-bookings */
    route.post(`${PATH}/bookings`, {
      access: "fresh_admin",
      permission: "payments",
      cost: { thread: 4, node: 0, stored: 900, mail: 0 },
      summary: "Books money that has arrived from an account",
      body: bookingRequestSchema,
      failures: { 404: "No such account" },
      responses: { 200: createdSchema, 202: proposedSchema },
      async handle({ params, body, identity }) {
        if (isToCome(body.arrived_on)) throw invalid("arrived_on must not be in the future", "arrived_on");
        const actor = actorOf(identity);
        const { id, asked } = await inAuditedTransaction(kysely, actor, async (queries) => {
          const account = await findAccount(queries, params);
          const line = { amountCents: body.amount, arrivedOn: body.arrived_on, reference: body.reference };
          const asked = await askForLarge(services, queries, { identity, account, lines: [line] });
          if (asked) return { id: 0n, asked };
          const [id = 0n] = await bookAudited(queries, account, [{ ...line, accountId: account.id, bookedBy: actor }]);
          return { id, asked };
        });
        if (asked) return { status: 202, body: proposed(asked.id, asked.takesEffectAt, "Nothing is booked yet") };
        services.senders.wake();
        return { status: 200, body: { success: true, message: "Booked", id: Number(id) } };
      },
    }),
    route.post(`${PATH}/bookings/:id/reverse`, {
      access: "fresh_admin",
      permission: "payments",
      cost: { thread: 4, node: 0, stored: 900, mail: 0 },
      summary: "Reverses a booking by another row; what is not sent waits again",
      body: reverseRequestSchema,
      failures: { 404: "No such account or booking", 409: "It is reversed already" },
      responses: { 200: createdSchema },
      async handle({ params, body, identity }) {
        const actor = actorOf(identity);
        const booking = readId(params.id, "Booking");
        const id = await inAuditedTransaction(kysely, actor, async (queries) => {
          const account = await findAccount(queries, params);
          const known = (await listBookings(queries, account.id, 1, booking)).find((row) => row.id === booking);
          if (!known) throw notFound("Booking");
          const change = { accountId: account.id, id: booking, actor, reason: body.reason };
          const reversed = await reverseBooking(queries, change);
          if (reversed === undefined) throw conflict("This booking is reversed already", "DECIDED");
          const detail = { amount: reaisText(known.amount_cents), booking: Number(booking) };
          await appendAudit(queries, {
            actor,
            action: "booking.reverse",
            subject: `account:${nameOf(account)}`,
            detail,
          });
          return reversed;
        });
        services.senders.wake();
        return { body: { success: true, message: "Reversed", id: Number(id) } };
      },
    }),
    route.post(`${PATH}/bookings/file`, {
      access: "admin",
      permission: "payments",
      cost: { thread: 50, node: 0, stored: 10000, mail: 0 },
      summary: "Lists the money in of a bank's CSV, or books each line that is not booked yet",
      bodyLimitBytes: CATALOGUE_FILE_BYTES,
      body: bookingFileRequestSchema,
      failures: { 404: "No such account" },
      responses: { 200: bookingFileResponseSchema, 202: proposedSchema },
      async handle({ params, body, identity }) {
        if (body.apply) requireFreshSignIn(identity);
        const actor = actorOf(identity);
        const { lines, leftOut } = readFile(body.content);
        const { known, asked } = await inAuditedTransaction(kysely, actor, async (queries) => {
          const account = await findAccount(queries, params);
          const booked = await listKnownLines(queries, account.id, lines);
          const fresh = lines.filter(({ lineKey }) => !booked.has(lineKey));
          if (!body.apply || fresh.length === 0) return { known: booked };
          const asked = await askForLarge(services, queries, { identity, account, lines: fresh });
          const of = { accountId: account.id, bookedBy: actor };
          if (!asked)
            await bookAudited(
              queries,
              account,
              fresh.map((one) => ({ ...one, ...of })),
            );
          return { known: booked, asked };
        });
        if (asked) return { status: 202, body: proposed(asked.id, asked.takesEffectAt, "Nothing is booked yet") };
        if (body.apply) services.senders.wake();
        const rows = lines.map(({ line, amountCents, arrivedOn, reference, lineKey }) => ({
          ...{ line, amount: reaisText(amountCents), arrived_on: arrivedOn, reference, is_known: known.has(lineKey) },
        }));
        const fresh = lines.filter(({ lineKey }) => !known.has(lineKey));
        const total = reaisText(fresh.reduce((sum, { amountCents }) => sum + amountCents, 0n));
        return { status: 200, body: { success: true, rows, total, left_out: leftOut, applied: body.apply } };
      },
    }),
    /** What an unusual day stopped goes on. docs/product.md#accounts-unusual */
    route.post(`${PATH}/sales-days`, {
      access: "fresh_admin",
      permission: "payments",
      cost: { thread: 4, node: 0, stored: 900, mail: 0 },
      summary: "Announces a UTC day on which an account may be paid ten times its usual day and more",
      body: salesDayRequestSchema,
      failures: { 404: "No such account" },
      responses: { 200: doneSchema },
      async handle({ params, body: { day }, identity }) {
        const actor = actorOf(identity);
        await inAuditedTransaction(kysely, actor, async (queries) => {
          const account = await findAccount(queries, params);
          await announceSalesDay(queries, { accountId: account.id, dayMs: BigInt(Date.parse(day)), actor });
          const subject = `account:${nameOf(account)}`;
          await appendAudit(queries, { actor, action: "account.sales_day", subject, detail: { day } });
        });
        services.senders.wake();
        return { body: { success: true, message: "The day is announced" } };
      },
    }),
  ];
}

type AccountPath = { network: string; account: string };

async function findAccount(queries: Queries, { network, account }: AccountPath): Promise<Account> {
  const found = await queries
    .selectFrom("account_books")
    .selectAll()
    .where("network", "=", network)
    .where("account", "=", account)
    .executeTakeFirst();
  if (!found) throw notFound("Account");
  return found;
}

async function bookAudited(queries: Queries, account: Account, bookings: readonly NewBooking[]): Promise<bigint[]> {
  const ids = await book(queries, bookings);
  const [first] = bookings;
  const sum = bookings.reduce((total, { amountCents }) => total + amountCents, 0n);
  await appendAudit(queries, {
    actor: first?.bookedBy ?? "",
    action: "booking.create",
    subject: `account:${nameOf(account)}`,
    detail: { amount: reaisText(sum), count: bookings.length, booking: Number(ids[0] ?? 0n) },
  });
  return ids;
}

function readFile(content: string) {
  try {
    return readBankFile(content);
  } catch (error) {
    if (error instanceof BankFileError) throw invalid(`content ${error.message}`, "content");
    throw error;
  }
}

/** The slowest of the account's stores decides when its money has usually arrived. */
async function usualDays(queries: Queries, { network, account }: AccountPath): Promise<number | null> {
  const stores = await queries
    .selectFrom("stores")
    .select("id")
    .where("network", "=", network)
    .where("account", "=", account)
    .where("deleted_at", "is", null)
    .limit(20)
    .execute();
  const paces = await Promise.all(stores.map(({ id }) => readStorePace(queries, id)));
  return paces.reduce<number | null>((most, { pay }) => (pay === null ? most : Math.max(pay, most ?? 0)), null);
}

function toWireAccount(account: ListedAccount, usual_days: number | null): AccountRow {
  const { network, credit_cents, is_credit_set, day_share_percent, stopped_day } = account;
  return {
    network,
    account: account.account,
    promised: reaisText(account.promised),
    booked: reaisText(account.booked),
    paid: reaisText(account.paid),
    waiting: reaisText(account.waiting),
    credit_reais: credit_cents === null ? null : reaisText(credit_cents),
    is_credit_set: is_credit_set === 1n,
    needs_credit: isCreditUnset(account),
    day_share_percent: Number(day_share_percent),
    usual_days,
    stopped_on: stopped_day === null ? null : dayText(stopped_day),
    began_at: isoTime(account.began_at),
  };
}

function toWireBooking(row: Booking, is_reversed: boolean): BookingRow {
  return {
    id: Number(row.id),
    amount: reaisText(row.amount_cents),
    arrived_on: row.arrived_on,
    reference: row.reference,
    reverses: row.reverses === null ? null : Number(row.reverses),
    is_reversed,
    booked_by: row.booked_by,
    agreed_by: row.agreed_by,
    created_at: isoTime(row.created_at),
  };
}

/** Which lines of a file are booked already, by their keys. */
async function listKnownLines(
  queries: Queries,
  accountId: bigint,
  lines: readonly { lineKey: string }[],
): Promise<Set<string>> {
  const rows = await queries
    .selectFrom("account_bookings")
    .select("line_key")
    .where("account_id", "=", accountId)
    .where(
      among(
        queries,
        "line_key",
        lines.map(({ lineKey }) => lineKey),
      ),
    )
    .execute();
  return new Set(rows.flatMap(({ line_key }) => line_key ?? []));
}
