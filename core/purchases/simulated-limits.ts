import { type RawBuilder, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import { TorcidaError } from "../rules/torcida-error.ts";

/** The row of all wallets together; no wallet's address. */
const ALL = "";

/** Most that simulated purchases may be worth, in cents: one alone, a wallet's and all wallets' of a UTC day. */
export type SimulatedLimits = { purchase: bigint; wallet: bigint; all: bigint };
export type SimulatedLimit = keyof SimulatedLimits;

/** A purchase that passes a limit, and when there is room again; null if never. */
export class SimulatedLimitError extends TorcidaError {
  override readonly docs = "docs/product.md#simulated-limits";
  readonly limit: SimulatedLimit;
  readonly opensAt: Date | null;

  constructor(limit: SimulatedLimit, opensAt: Date | null) {
    super(`The purchase passes the limit of simulated purchases: ${limit}`);
    this.limit = limit;
    this.opensAt = opensAt;
  }
}

/**
 * Counts purchases towards the day, in order; one that passes a limit is not counted, and its refusal returned in its
 * place. The day's rows stay locked until the transaction ends, so that no two of them read the same sum. A purchase
 * that is withdrawn later keeps its place. docs/product.md#simulated-limits
 */
export async function admitSimulated(
  queries: Queries,
  purchases: readonly { wallet: string; amountCents: bigint }[],
  limits: SimulatedLimits,
  now = Date.now(),
): Promise<(SimulatedLimitError | undefined)[]> {
  const day = BigInt(Math.floor(now / DAY_MS));
  const tomorrow = new Date((Number(day) + 1) * DAY_MS);
  // In one order, so that transactions wait for each other instead of deadlocking.
  const wallets = [ALL, ...new Set(purchases.map(({ wallet }) => wallet))].sort();
  const before = await addToDay(queries, day, new Map(wallets.map((wallet) => [wallet, 0n])));
  const spent = new Map(before);
  const refusals = purchases.map(({ wallet, amountCents }) => {
    const own = (spent.get(wallet) ?? 0n) + amountCents;
    const all = (spent.get(ALL) ?? 0n) + amountCents;
    if (amountCents > limits.purchase) return new SimulatedLimitError("purchase", null);
    if (own > limits.wallet) return new SimulatedLimitError("wallet", tomorrow);
    if (all > limits.all) return new SimulatedLimitError("all", tomorrow);
    spent.set(wallet, own).set(ALL, all);
    return undefined;
  });
  const added = wallets.map((wallet) => [wallet, (spent.get(wallet) ?? 0n) - (before.get(wallet) ?? 0n)] as const);
  if (added.some(([, cents]) => cents > 0n)) await addToDay(queries, day, new Map(added));
  return refusals;
}

/** Adds to the day's sums and returns them. */
async function addToDay(queries: Queries, day: bigint, cents: Map<string, bigint>): Promise<Map<string, bigint>> {
  const sum: RawBuilder<bigint> = sql`simulated_days.cents + excluded.cents`;
  const rows = await queries
    .insertInto("simulated_days")
    .values([...cents].map(([wallet, added]) => ({ day, wallet, cents: added })))
    .onConflict((conflict) => conflict.columns(["day", "wallet"]).doUpdateSet({ cents: sum }))
    .returning(["wallet", "cents"])
    .execute();
  return new Map(rows.map((row) => [row.wallet, row.cents]));
}

/** Deletes some sums of earlier days. Returns whether there may be more. */
export async function deleteSimulatedDays(queries: Queries, limit: number, now = Date.now()): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("simulated_days")
    .where(
      ({ refTuple, selectFrom }) =>
        sql<boolean>`${refTuple("day", "wallet")} in ${selectFrom("simulated_days")
          .select(["day", "wallet"])
          .where("day", "<", BigInt(Math.floor(now / DAY_MS)))
          .limit(limit)}`,
    )
    .executeTakeFirst();
  return numDeletedRows >= limit;
}
