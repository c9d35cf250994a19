import type { Queries } from "../database/transaction.ts";
import { decideSales } from "../purchases/decide-sales.ts";
import { giveLateBonus } from "../purchases/purchase-rows.ts";
import { readTerms } from "../purchases/sale-row.ts";
import { type BonusRead, encodeBonusRead, parseBonusRead } from "../rules/bonus-read.ts";
import { idsOf, jsonOf } from "../rules/records.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { ClickTerms } from "../rules/sale/value.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/** A click or a simulated purchase whose bonus is to be read, or was read a moment ago. */
export type LateBonus = {
  of: "clicks" | "purchases";
  id: bigint;
  wallet: WalletAddress;
  createdAt: bigint;
  read: BonusRead;
};

/** How a bonus was decided: undefined if no balance could ever be read. */
export type LateOutcome = { bonusBps: bigint | undefined };

/**
 * A sale that was stored while its click's bonus was written may have seen the terms before: its click's sales are decided
 * once more after this time.
 */
const ONCE_MORE_MS = 60_000n;

/** Those that are due, the longest due first; at most `limit` of each kind. */
export async function listLateBonuses(queries: Queries, limit: number): Promise<LateBonus[]> {
  const now = BigInt(Date.now());
  const found = [];
  for (const table of ["clicks", "purchases"] as const) {
    const rows = await queries
      .selectFrom(table)
      .select(["id", "wallet", "created_at", "bonus_read"])
      .where("bonus_due_at", "is not", null)
      .where("bonus_due_at", "<=", now)
      .orderBy("bonus_due_at")
      .limit(limit)
      .execute();
    found.push(...rows.map((row) => ({ ...row, of: table })));
  }
  return found.map(({ of, id, wallet, created_at, bonus_read }) => {
    if (bonus_read === null) throw new Error(`The bonus of ${of} ${id} is due and unknown`);
    return { of, id, wallet, createdAt: created_at, read: parseBonusRead(bonus_read) };
  });
}

/**
 * Writes a bonus that was decided after the click into its terms, and decides anew what follows from them, in the
 * transaction of the caller. docs/product.md#bonus-read
 */
export async function decideLateBonus(
  queries: Queries,
  { of, id, read }: LateBonus,
  { bonusBps }: LateOutcome,
  rules: SaleRules,
): Promise<void> {
  const after = encodeBonusRead({ ...read, state: bonusBps === undefined ? "none" : "known" });
  if (of === "purchases")
    return giveLateBonus(queries, id, {
      bonusBps: bonusBps && least(bonusBps, read.mostBps) + (read.invitedBps ?? 0n),
      after,
    });
  const click = await queries
    .updateTable("clicks")
    .set({ bonus_read: after, bonus_due_at: bonusBps === undefined ? null : BigInt(Date.now()) + ONCE_MORE_MS })
    .where("id", "=", id)
    .where("bonus_due_at", "is not", null)
    .returning("terms")
    .executeTakeFirst();
  if (!click || bonusBps === undefined) return;
  const terms = jsonOf(withBonus(readTerms(click.terms), bonusBps, read));
  await queries.updateTable("clicks").set({ terms }).where("id", "=", id).execute();
  await decideSalesOf(queries, id, rules);
}

/** Decides the sales of a click once more, whose bonus was decided a while ago. */
export async function endLateBonus(queries: Queries, clickId: bigint, rules: SaleRules): Promise<void> {
  await queries.updateTable("clicks").set({ bonus_due_at: null }).where("id", "=", clickId).execute();
  await decideSalesOf(queries, clickId, rules);
}

/** Reads it again later. */
export async function postponeLateBonus(queries: Queries, { of, id }: LateBonus, afterMs: bigint): Promise<void> {
  const due = { bonus_due_at: BigInt(Date.now()) + afterMs };
  if (of === "clicks") await queries.updateTable("clicks").set(due).where("id", "=", id).execute();
  else await giveLateBonus(queries, id, due);
}

async function decideSalesOf(queries: Queries, clickId: bigint, rules: SaleRules): Promise<void> {
  const sales = await queries.selectFrom("sales").select("id").where("click_id", "=", clickId).execute();
  await decideSales(queries, idsOf(sales), rules);
}

function withBonus({ boosted, ...terms }: ClickTerms, bonusBps: bigint, read: BonusRead): ClickTerms {
  const raised = { ...terms, bonusBps: least(bonusBps, read.mostBps) };
  if (!boosted) return raised;
  return { ...raised, boosted: { ...boosted, bonusBps: least(bonusBps, read.mostBoostedBps ?? read.mostBps) } };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
