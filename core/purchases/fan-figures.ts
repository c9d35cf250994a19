import { among } from "../database/among.ts";
import { engineOf, readClock } from "../database/clock.ts";
import type { Queries } from "../database/transaction.ts";
import { FANS_TOLD, type Figures, isMonthOpen, toldFigures } from "../rules/fan-figures.ts";
import { DAY_MS, monthOf } from "../rules/iso-time.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/*
 * What the fans of a club were paid in a month, counted in the transaction of each change: nothing is ever added up. Locks are
 * taken in one order: the fans' rows of `fan_clubs`, and at the end those of `club_months`. docs/product.md#fans
 */

/** After payments of these purchases were written into the index, or taken out of it, in the transaction that did. */
export async function countFanPayments(queries: Queries, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await queries
    .selectFrom("purchases")
    .leftJoin("payouts", (join) =>
      join
        .onRef("payouts.token_id", "=", "purchases.id")
        .onRef("payouts.recipient", "=", "purchases.wallet")
        .on("payouts.state", "=", "paid"),
    )
    .select(["purchases.id", "purchases.wallet", "payouts.amount_gwei", "payouts.paid_at"])
    .where(among(queries, "purchases.id", ids))
    .orderBy("purchases.id")
    .execute();
  const fans = await lockFans(queries, new Set(rows.map(({ wallet }) => wallet)));
  if (fans.length === 0) return;
  const clubs = new Map(fans.map(({ wallet, club }) => [wallet, club]));
  const counted = await queries
    .selectFrom("fan_payments")
    .selectAll()
    .where(among(queries, "purchase_id", ids))
    .execute();
  const now = await readClock(queries);
  const moves: Move[] = [];
  for (const { id, wallet, amount_gwei, paid_at } of rows) {
    const club = clubs.get(wallet);
    const known = counted.find(({ purchase_id }) => purchase_id === id);
    if (known && isMonthOpen(known.month, now)) moves.push(await takeAway(queries, known));
    if (club === undefined || amount_gwei === null || paid_at === null) continue;
    const month = monthOf(paid_at);
    if (isMonthOpen(month, now))
      moves.push(await add(queries, { purchase_id: id, wallet, month, club, gwei: amount_gwei }));
  }
  await moveMonths(queries, moves);
}

/** The whole index was deleted: what it has again is counted again. */
export async function forgetOpenMonths(queries: Queries): Promise<void> {
  const open = monthOf((await readClock(queries)) - DAY_MS);
  await queries.deleteFrom("fan_payments").where("month", ">=", open).execute();
  await queries.deleteFrom("club_months").where("month", ">=", open).execute();
}

/**
 * From now on a wallet counts for this club, and takes what the open months have of it along; null: for none, and they have
 * nothing of it any more. docs/product.md#fans
 */
export async function setFanClub(queries: Queries, wallet: WalletAddress, club: string | null): Promise<void> {
  const [before] = await lockFans(queries, new Set([wallet]));
  if ((before?.club ?? null) === club) return;
  if (club === null) await queries.deleteFrom("fan_clubs").where("wallet", "=", wallet).execute();
  else {
    await queries
      .insertInto("fan_clubs")
      .values({ wallet, club })
      .onConflict((conflict) => conflict.column("wallet").doUpdateSet({ club }))
      .execute();
  }
  const own = queries.selectFrom("fan_payments").selectAll().where("wallet", "=", wallet).orderBy("purchase_id");
  const now = await readClock(queries);
  const moves: Move[] = [];
  for (const row of await own.execute()) {
    if (!isMonthOpen(row.month, now)) continue;
    moves.push(await takeAway(queries, row));
    if (club !== null) moves.push(await add(queries, { ...row, club }));
  }
  await moveMonths(queries, moves);
  // What a closed month counted of a person is of no use.
  if (club === null) await queries.deleteFrom("fan_payments").where("wallet", "=", wallet).execute();
}

export async function readFanClub(queries: Queries, wallet: WalletAddress): Promise<string | null> {
  const row = await queries.selectFrom("fan_clubs").select("club").where("wallet", "=", wallet).executeTakeFirst();
  return row?.club ?? null;
}

/** Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteClosedPayments(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const old = await queries
    .selectFrom("fan_payments")
    .select(["purchase_id", "month"])
    .where("month", "<", monthOf(now))
    .orderBy("month")
    .limit(limit)
    .execute();
  const closed = old.flatMap(({ purchase_id, month }) => (isMonthOpen(month, Number(now)) ? [] : [purchase_id]));
  if (closed.length === 0) return false;
  await queries
    .deleteFrom("fan_payments")
    .where(among(queries, "purchase_id", closed))
    .execute();
  return closed.length === limit;
}

/** Those of these wallets that count for a club, in the order in which everybody locks them. */
async function lockFans(queries: Queries, wallets: ReadonlySet<WalletAddress>) {
  if (wallets.size === 0) return [];
  const rows = queries
    .selectFrom("fan_clubs")
    .selectAll()
    .where(among(queries, "wallet", wallets))
    .orderBy("wallet");
  return engineOf(queries) === "sqlite" ? rows.execute() : rows.forUpdate().execute();
}

type Counted = { purchase_id: bigint; wallet: WalletAddress; month: string; club: string; gwei: bigint };

/** By how much a month of a club changes. */
type Move = Pick<Counted, "month" | "club"> & Record<"fans" | "purchases" | "gwei", bigint>;

async function add(queries: Queries, row: Counted): Promise<Move> {
  const isNew = !(await isFanOf(queries, row));
  await queries.insertInto("fan_payments").values(row).execute();
  return { month: row.month, club: row.club, fans: isNew ? 1n : 0n, purchases: 1n, gwei: row.gwei };
}

async function takeAway(queries: Queries, row: Counted): Promise<Move> {
  await queries.deleteFrom("fan_payments").where("purchase_id", "=", row.purchase_id).execute();
  const isOver = !(await isFanOf(queries, row));
  return { month: row.month, club: row.club, fans: isOver ? -1n : 0n, purchases: -1n, gwei: -row.gwei };
}

/** Whether the club's month counts anything of this wallet. */
async function isFanOf(queries: Queries, { wallet, month, club }: Counted): Promise<boolean> {
  const one = queries.selectFrom("fan_payments").select("purchase_id").where("wallet", "=", wallet);
  return (await one.where("month", "=", month).where("club", "=", club).limit(1).executeTakeFirst()) !== undefined;
}

/** In one order everywhere: two fans who change sides with each other never wait for one another. */
async function moveMonths(queries: Queries, moves: readonly Move[]): Promise<void> {
  const byMonth = Map.groupBy(moves, ({ month, club }) => `${month} ${club}`);
  for (const [, ofMonth] of [...byMonth].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (const change of ofMonth) {
      await queries
        .insertInto("club_months")
        .values(change)
        .onConflict((conflict) =>
          conflict.columns(["month", "club"]).doUpdateSet((set) => ({
            fans: set("club_months.fans", "+", change.fans),
            purchases: set("club_months.purchases", "+", change.purchases),
            gwei: set("club_months.gwei", "+", change.gwei),
          })),
        )
        .execute();
    }
  }
}

// What is told of them ------------------------------------------------------------------------------------------------------

/** What is told of a club's closed month; null if it is not. docs/product.md#fans */
export async function readFigures(queries: Queries, club: string, month: string) {
  const row = await queries
    .selectFrom("club_months")
    .selectAll()
    .where("month", "=", month)
    .where("club", "=", club)
    .executeTakeFirst();
  const told = row && toldFigures(row);
  return told ? { ...wireFigures(told), month } : null;
}

/** The clubs of a closed month whose figures are told, most cashback a fan first. docs/product.md#fans */
export async function listFigures(queries: Queries, month: string) {
  const rows = await queries
    .selectFrom("club_months")
    .innerJoin("clubs", "clubs.slug", "club_months.club")
    .select(["club_months.club", "clubs.name", "club_months.fans", "club_months.purchases", "club_months.gwei"])
    .where("club_months.month", "=", month)
    .where("club_months.fans", ">=", FANS_TOLD)
    .where("clubs.deleted_at", "is", null)
    .execute();
  return rows
    .flatMap(({ club, name, ...counted }) => {
      const told = toldFigures(counted);
      return told ? [{ slug: club, name, told }] : [];
    })
    .sort((one, other) => other.told.perFan - one.told.perFan || (one.name < other.name ? -1 : 1))
    .map(({ slug, name, told }) => ({
      ...{ slug, name, ...wireFigures(told), month },
      cashback_per_fan: String(told.perFan),
    }));
}

const wireFigures = ({ fans, purchases, cashback }: Figures) => ({ fans, purchases, cashback: String(cashback) });
