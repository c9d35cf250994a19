import { sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { dayOf } from "../database/day-totals.ts";
import type { Queries } from "../database/transaction.ts";
import { type AccountWait, type Candidate, dayLimitOf, judge, roomOf } from "../rules/account/payout-gate.ts";
import { type Moment, type Mover, nextMove, type PurchaseLife } from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import {
  type Account,
  addToSums,
  type Drawn,
  draw,
  lockAccountsOf,
  readBooks,
  readDraws,
  undraw,
} from "./account-books.ts";
import { setDecider } from "./approvals.ts";
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
    const stopped = account.stopped_day;
    const { sums, paid, oldest, announced } = await readBooks(this.#queries, account, { today, except });
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

async function stopAccount(queries: Queries, id: bigint, day: bigint): Promise<void> {
  await queries
    .updateTable("account_books")
    .set({ stopped_day: day })
    .where("id", "=", id)
    .where("stopped_day", "is", null)
    .execute();
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
