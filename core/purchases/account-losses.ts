import { sql } from "kysely";
import { readClock } from "../database/clock.ts";
import { actingIn, noteAuthor } from "../database/deciders.ts";
import { writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { monthOf } from "../rules/iso-time.ts";
import type { SaleDecision, SaleFacts } from "../rules/sale/facts.ts";
import { lossLimitOf, shareLosses } from "../rules/sale/margin-losses.ts";
import type { AccountKey, SaleRules } from "../rules/sale/rules.ts";
import type { SaleRow } from "./sale-row.ts";

/*
 * What the shop loses by each account, by month of the sale: `account_losses` is the sum of what the rows of its sales say.
 * docs/product.md#margin-loss
 */

const monthOfSale = (row: SaleRow): string => monthOf(row.occurred_at ?? row.created_at);

/** Replaces what the months of its account contain of a sale. Returns what its row says of it then. */
export async function moveLoss(
  queries: Queries,
  row: SaleRow,
  lostCentBps: bigint,
): Promise<Pick<SaleRow, "lost_month" | "lost_cent_bps">> {
  const after = { lost_month: lostCentBps === 0n ? null : monthOfSale(row), lost_cent_bps: lostCentBps };
  if (after.lost_month === row.lost_month && after.lost_cent_bps === row.lost_cent_bps) return after;
  if (row.lost_month !== null) await add(queries, { ...row, month: row.lost_month }, -row.lost_cent_bps);
  if (after.lost_month !== null) await add(queries, { ...row, month: after.lost_month }, lostCentBps);
  return after;
}

/** Adds to what an account lost in a month, and returns the sum. The month is locked until the transaction ends. */
async function add(
  queries: Queries,
  { network, account, month }: AccountKey & { month: string },
  centBps: bigint,
): Promise<bigint> {
  const { lost_cent_bps } = await queries
    .insertInto("account_losses")
    .values({ network, account, month, lost_cent_bps: centBps })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "month"])
        .doUpdateSet({ lost_cent_bps: sql<bigint>`account_losses.lost_cent_bps + ${centBps}` }),
    )
    .returning("lost_cent_bps")
    .executeTakeFirstOrThrow();
  return lost_cent_bps;
}

type Losing = { row: SaleRow; facts: SaleFacts };

/**
 * Sales with whether they may lose more than they do, of all that one decision is about; undefined: none of them needs it.
 * Locks the months of what is lost more or less, in one order. Where a month comes to have room again, what is held for it
 * is decided anew. docs/product.md#margin-loss
 */
export async function takeLosses<Sale extends Losing>(
  queries: Queries,
  decided: readonly { sale: Sale; decision: Pick<SaleDecision, "lostCentBps" | "needsLoss"> }[],
  rules: SaleRules,
  now: bigint,
): Promise<Sale[] | undefined> {
  const keyOf = ({ network, account }: SaleRow, month: string) => JSON.stringify([network, account, month]);
  const losing = decided.map(({ sale, decision }) => {
    const to = monthOfSale(sale.row);
    const { lost_month: from, lost_cent_bps: lost } = sale.row;
    const isMoving = decision.needsLoss || decision.lostCentBps !== lost || (from !== null && from !== to);
    const { facts, row } = sale;
    return { sale, isMoving, facts, from: keyOf(row, from ?? to), to: keyOf(row, to) };
  });
  const months = new Set(losing.flatMap(({ isMoving, from, to }) => (isMoving ? [from, to] : [])));
  if (months.size === 0) return undefined;
  const before = new Map<string, bigint>();
  for (const key of [...months].sort()) {
    const [network = "", account = "", month = ""]: string[] = JSON.parse(key);
    before.set(key, await add(queries, { network, account, month }, 0n));
  }
  const { mayLose, lost } = shareLosses(losing, before, rules, now);
  const limit = lossLimitOf(rules);
  for (const [key, sum] of before) {
    if (sum < limit || (lost.get(key) ?? 0n) >= limit) continue;
    const [network, account]: string[] = JSON.parse(key);
    await writeSetting(queries, "held_changed_at", String(await readClock(queries)));
    const by = actingIn(queries)?.by;
    if (by !== undefined) await noteAuthor(queries, by, `account:${network}/${account}`);
  }
  if (!mayLose.includes(true)) return undefined;
  return losing.map(({ sale, facts }, index) => ({ ...sale, facts: { ...facts, mayLose: mayLose[index] ?? false } }));
}
