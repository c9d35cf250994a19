import { type Selectable, sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { noteChangedFact } from "../database/changed-facts.ts";
import { readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { dayOf } from "../database/day-totals.ts";
import type { Schema } from "../database/generated/schema.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { type AccountWait, type Candidate, dayLimitOf, judge, roomOf } from "../rules/account/payout-gate.ts";
import { type Moment, type Mover, nextMove, type PurchaseLife } from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import type { AccountTerms } from "../rules/sale/rules.ts";
import {
  type Account,
  addToDays,
  addToSums,
  DIRECT,
  type Drawn,
  draw,
  lockAccounts,
  lockAccountsOf,
  readDays,
  readDraws,
  readSums,
  type Sums,
  undraw,
} from "./account-books.ts";
import { setDecider } from "./approvals.ts";
import { makeDue } from "./due.ts";
import { recountPurchases } from "./purchase-rows.ts";
import type { PurchaseWithLife } from "./queries.ts";

type Wait = Drawn & { reason: AccountWait; payableAt: bigint };

/** What accounts let pass of some purchases whose payouts are planned. */
export type Passed = {
  /** These wait, and are not paid now. */
  waiting: ReadonlyMap<bigint, AccountWait>;
  /** These are paid, queued or asked for from now on: `draw` writes them once that is so. */
  drawn: readonly Drawn[];
  /** Whose books contain a purchase, with those of `drawn`. */
  accounts: ReadonlyMap<bigint, bigint>;
  day: bigint;
  /** Whose situation is another one. */
  changed: ReadonlySet<bigint>;
};

const NOTHING: Passed = { waiting: new Map(), drawn: [], accounts: new Map(), day: 0n, changed: new Set() };

/**
 * The gate that every payout of a sale passes before it is queued: an account's sales are paid as far as its money has
 * arrived or its credit goes, the oldest payable first, each whole or not at all. Purchases without a sale cost nothing.
 * Locks the accounts until the transaction ends. docs/product.md#accounts
 */
export async function passAccounts(
  queries: Queries,
  purchases: readonly PurchaseWithLife[],
  moment: Moment,
  by: Mover = "itself",
): Promise<Passed> {
  const looked = purchases.filter(({ row, life }) => row.sale_id !== null && mayBeInBooks(life));
  if (looked.length === 0) return NOTHING;
  const ids = idsOf(looked.map(({ row }) => row));
  const draws = await readDraws(queries, ids);
  const isPayable = new Set(looked.filter(({ life }) => nextMove(life, moment, by) === "pay").map(({ row }) => row.id));
  // Asked for already, or decided anew for another amount.
  const isKnown = ({ row }: PurchaseWithLife) => draws.get(row.id)?.centBps === row.cashback_cent_bps;
  const undue = looked.filter(
    (one) => draws.has(one.row.id) && !isInBooks(one) && !(isPayable.has(one.row.id) && isKnown(one)),
  );
  if (undue.length > 0) await undraw(queries, idsOf(undue.map(({ row }) => row)));
  const candidates = looked.filter((one) => isPayable.has(one.row.id) && !isKnown(one));
  const missing = looked.filter((one) => isInBooks(one) && !draws.has(one.row.id));
  const stopped = looked.filter(({ row, life }) => life.accountWait !== null && !isPayable.has(row.id));
  const known = new Map([...draws].map(([id, { accountId }]) => [id, accountId]));
  if (candidates.length + missing.length + stopped.length === 0) return { ...NOTHING, accounts: known };
  const accounts = new Accounts(queries, [...candidates, ...missing, ...stopped]);
  await accounts.lock();
  await accounts.drawMissing(missing, moment);
  const passed = await accounts.judge(candidates, moment);
  const changed = await setWaits(queries, idsOf([...candidates, ...stopped].map(({ row }) => row)), passed.waits);
  await recountPurchases(queries, changed);
  return {
    waiting: new Map(passed.waits.map(({ purchaseId, reason }) => [purchaseId, reason])),
    drawn: passed.drawn,
    accounts: new Map([...known, ...passed.drawn.map((one) => [one.purchaseId, one.accountId] as const)]),
    day: dayOf(moment.now),
    changed: new Set(changed),
  };
}

/** A purchase that was never confirmed has neither been paid nor waited. */
function mayBeInBooks({ status, accountWait }: PurchaseLife): boolean {
  return status === "confirmed" || accountWait !== null;
}

/** Its payout is queued or made, something is kept of it, or a second person is asked. */
function isInBooks({ row, life }: PurchaseWithLife): boolean {
  return life.isPaid || life.queued.has("pay") || row.offset_gwei > 0n || life.secondPerson === "asked";
}

class Accounts {
  readonly #queries: Queries;
  readonly #purchases: readonly PurchaseWithLife[];
  #accountOf: ReadonlyMap<bigint, Account> = new Map();
  #sums: ReadonlyMap<bigint, Sums> = new Map();

  constructor(queries: Queries, purchases: readonly PurchaseWithLife[]) {
    this.#queries = queries;
    this.#purchases = purchases;
  }

  async lock(): Promise<void> {
    const sales = await this.#queries
      .selectFrom("sales")
      .select(["id", "network", "account"])
      .where(among(this.#queries, "id", new Set(this.#purchases.flatMap(({ row }) => row.sale_id ?? []))))
      .execute();
    const bySale = await lockAccountsOf(this.#queries, sales);
    this.#accountOf = new Map(
      this.#purchases.flatMap(({ row }) => {
        const account = bySale.get(row.sale_id ?? 0n);
        return account ? [[row.id, account] as const] : [];
      }),
    );
  }

  /**
   * What was queued or paid without the gate: by the version before, or before a backup was restored. It is a fact, also
   * above the limit. What is older than the books is not in them.
   */
  async drawMissing(missing: readonly PurchaseWithLife[], { now }: Moment): Promise<void> {
    if (missing.length === 0) return;
    const { rows } = await sql<{ id: bigint; at: bigint | null }>`select purchases.id, coalesce(
        (select payouts.paid_at from payouts where payouts.token_id = purchases.id),
        (select operations.created_at from operations where operations.kind = 'pay' and operations.subject_id = purchases.id),
        purchases.settled_at, ${now}) as at
      from purchases where ${among(this.#queries, "purchases.id", idsOf(missing.map(({ row }) => row)))}`.execute(
      this.#queries,
    );
    const at = new Map(rows.map((row) => [row.id, row.at]));
    const drawn = missing.filter(({ row }) => (at.get(row.id) ?? now) >= (this.#accountOf.get(row.id)?.began_at ?? 0n));
    await draw(
      this.#queries,
      drawn.flatMap((one) => this.#drawnOf(one)),
      dayOf(now),
    );
  }

  async judge(candidates: readonly PurchaseWithLife[], { now }: Moment): Promise<{ waits: Wait[]; drawn: Drawn[] }> {
    const result = { waits: [] as Wait[], drawn: [] as Drawn[] };
    if (candidates.length === 0) return result;
    this.#sums = await readSums(this.#queries, idsOf([...new Set(this.#accountOf.values())]));
    const ofAccounts = Map.groupBy(candidates, ({ row }) => this.#accountOf.get(row.id));
    for (const [account, own] of ofAccounts) {
      if (!account) continue;
      const asked = own.map(({ row, life }): Candidate => {
        return { id: row.id, payableAt: life.payableAt ?? 0n, centBps: row.cashback_cent_bps };
      });
      const { room, unannounced, announcedBy } = await this.#roomOf(account, idsOf(asked), dayOf(now));
      const { waiting, passed, stops } = judge(asked, room);
      if (announcedBy !== undefined) await this.#decide(own, passed, judge(asked, unannounced).waiting, announcedBy);
      if (stops) await stopAccount(this.#queries, account.id, dayOf(now));
      for (const one of own) {
        const reason = waiting.get(one.row.id);
        const [drawn] = this.#drawnOf(one);
        if (drawn === undefined) continue;
        if (reason === undefined) result.drawn.push(drawn);
        else result.waits.push({ ...drawn, reason, payableAt: one.life.payableAt ?? 0n });
      }
    }
    return result;
  }

  /** What only an announced day lets pass is paid by the decision of who announced it. docs/product.md#who-frees */
  async #decide(
    own: readonly PurchaseWithLife[],
    passed: readonly bigint[],
    otherwise: ReadonlyMap<bigint, unknown>,
    announcedBy: string,
  ): Promise<void> {
    const freed = new Set(passed.filter((id) => otherwise.has(id)));
    const sales = new Set(own.flatMap(({ row }) => (freed.has(row.id) ? (row.sale_id ?? []) : [])));
    for (const id of sales) await setDecider(this.#queries, id, announcedBy);
  }

  #drawnOf({ row }: PurchaseWithLife): Drawn[] {
    const account = this.#accountOf.get(row.id);
    return account ? [{ purchaseId: row.id, accountId: account.id, centBps: row.cashback_cent_bps }] : [];
  }

  async #roomOf(account: Account, except: readonly bigint[], today: bigint) {
    const queries = this.#queries;
    const sums = this.#sums.get(account.id);
    const paid = await readDays(queries, account.id, today);
    const [oldest] = await listWaiting(queries, account.id, { limit: 1, except });
    const stopped = account.stopped_day;
    const announced = await listAnnounced(queries, account.id, stopped ?? today, today);
    const unannounced = {
      centBps: roomOf({
        bookedCents: sums?.booked_cents ?? 0n,
        creditCents: account.credit_cents,
        paidCentBps: sums?.paid_cent_bps ?? 0n,
      }),
      dayCentBps: dayLimitOf(paid.earlier) - paid.today,
      isStopped: stopped !== null,
      oldestWaiting: oldest && { id: oldest.purchase_id, payableAt: oldest.payable_at },
    };
    const room = {
      ...unannounced,
      ...(announced.has(today) && { dayCentBps: null }),
      ...(stopped !== null && { isStopped: !announced.has(stopped) }),
    };
    return { room, unannounced, announcedBy: announced.get(stopped ?? today) ?? announced.get(today) };
  }
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

async function stopAccount(queries: Queries, id: bigint, day: bigint): Promise<void> {
  await queries
    .updateTable("account_books")
    .set({ stopped_day: day })
    .where("id", "=", id)
    .where("stopped_day", "is", null)
    .execute();
}

// Going on --------------------------------------------------------------------------------------------------------------

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

// What waits ------------------------------------------------------------------------------------------------------------

/** Sets which of these purchases wait, and for what; those that are not named in `waits` no longer do. Returns whose changed. */
async function setWaits(queries: Queries, purchaseIds: readonly bigint[], waits: readonly Wait[]): Promise<bigint[]> {
  const known = await queries
    .selectFrom("account_waits")
    .selectAll()
    .where(among(queries, "purchase_id", purchaseIds))
    .execute();
  const isSame = (row: (typeof known)[number], one: Wait) =>
    row.reason === one.reason && row.cent_bps === one.centBps && row.payable_at === one.payableAt;
  const stays = known.filter((row) => waits.some((one) => one.purchaseId === row.purchase_id && isSame(row, one)));
  const gone = known.filter((row) => !stays.includes(row));
  const fresh = waits.filter((one) => !stays.some((row) => row.purchase_id === one.purchaseId));
  if (gone.length > 0) {
    await queries
      .deleteFrom("account_waits")
      .where(
        among(
          queries,
          "purchase_id",
          gone.map((row) => row.purchase_id),
        ),
      )
      .execute();
  }
  if (fresh.length > 0) {
    const since = (id: bigint) => known.find((row) => row.purchase_id === id)?.since ?? BigInt(Date.now());
    const { list, column } = givenRows(
      queries,
      fresh.map(({ purchaseId, accountId, reason, payableAt, centBps }) => ({
        ...{ purchaseId, accountId, reason, payableAt, centBps },
        since: since(purchaseId),
      })),
    );
    await sql`insert into account_waits (purchase_id, account_id, reason, payable_at, cent_bps, since)
      select ${column.purchaseId}, ${column.accountId}, ${column.reason}, ${column.payableAt}, ${column.centBps}, ${column.since} from ${list}`.execute(
      queries,
    );
  }
  await addToSums(queries, "waiting_cent_bps", [
    ...gone.map((row) => ({ accountId: row.account_id, value: -row.cent_bps })),
    ...fresh.map((one) => ({ accountId: one.accountId, value: one.centBps })),
  ]);
  const reasonOf = new Map(known.map((row) => [row.purchase_id, row.reason]));
  const changed = fresh
    .filter((one) => reasonOf.get(one.purchaseId) !== one.reason)
    .map(({ purchaseId }) => purchaseId);
  const released = gone.filter((row) => !fresh.some((one) => one.purchaseId === row.purchase_id));
  return [...changed, ...released.map((row) => row.purchase_id)];
}

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
