import { sql } from "kysely";
import { databaseNow, engineOf } from "../database/clock.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { type Purchase, selectPurchases } from "./queries.ts";

/**
 * A purchase's row says when it is due: `due_at`, a time, or `due_block`, a block that the index must have
 * reached. Every change of it, of its ticket or of its payout makes it due at once, in the same transaction; a check
 * sets the next due time, or none if only another change can lead to a step.
 */

/** There is no rate: look again soon. */
const NO_RATE_MS = 5_000n;
/** A returned purchase is being confirmed; if that fails, a cancellation can follow. */
const CONTRADICTION_MS = 2_000n;

/** Two lookups in indexes that contain only due purchases. */
export async function isAnyDue(queries: Queries, cursor: bigint): Promise<boolean> {
  const { rows } = await sql<{ is_due: unknown }>`select 1 as is_due where
    exists (select 1 from purchases where due_at is not null and due_at <= ${databaseNow(queries)})
    or exists (select 1 from purchases where due_block is not null and due_block <= ${cursor})`.execute(queries);
  return rows.length > 0;
}

/**
 * Some purchases that are due, locked until the end of the transaction: a change that is being written now is waited for
 * and then seen, a later one makes them due again. Their buyers' rows come first, as everywhere.
 */
export async function takeDue(queries: Queries, cursor: bigint, limit: number): Promise<bigint[]> {
  const select = () => queries.selectFrom("purchases").select(["id", "wallet"]).limit(limit);
  const byTime = await select()
    .where("due_at", "is not", null)
    .where("due_at", "<=", databaseNow(queries))
    .orderBy("due_at")
    .execute();
  const byBlock =
    byTime.length >= limit
      ? []
      : await select()
          .where("due_block", "is not", null)
          .where("due_block", "<=", cursor)
          .orderBy("due_block")
          .execute();
  const rows = [...byTime, ...byBlock].slice(0, limit);
  if (rows.length === 0) return [];
  await touchUsers(queries, new Set(rows.map((row) => row.wallet)));
  const ids = [...new Set(rows.map((row) => row.id))];
  if (engineOf(queries) === "postgres")
    await queries.selectFrom("purchases").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute();
  return ids;
}

type Looked = {
  ids: readonly bigint[];
  deepestBlock: bigint;
  options: { rates: RateSource; payoutConfirmations: number };
};
type NextLook = { at: bigint | null; afterMs: bigint | null; block: bigint | null };

/** Says of each when it is looked at next, now that its step is planned. */
export async function setNextLook(queries: Queries, { ids, deepestBlock, options }: Looked): Promise<void> {
  if (ids.length === 0) return;
  const rows = await selectPurchases(queries).where("purchases.id", "in", ids).execute();
  const operations = await queries
    .selectFrom("operations")
    .select(["subject_id", "kind"])
    .where("subject_id", "in", ids)
    .where("kind", "in", ["pay", "cancel"])
    .execute();
  const asked = new Set(operations.map((row) => `${row.kind} ${row.subject_id}`));
  const groups = new Map<string, { look: NextLook; ids: bigint[] }>();
  for (const row of rows) {
    const look = nextLook(row, {
      isPaymentAsked: asked.has(`pay ${row.id}`),
      isCancellationAsked: asked.has(`cancel ${row.id}`),
      hasRate: options.rates.current().kind === "rate",
      depth: BigInt(options.payoutConfirmations) - 1n,
      deepestBlock,
    });
    const key = `${look.at} ${look.afterMs} ${look.block}`;
    const group = groups.get(key) ?? { look, ids: [] };
    groups.set(key, group);
    group.ids.push(row.id);
  }
  for (const { look, ids: alike } of groups.values()) {
    await queries
      .updateTable("purchases")
      .set({
        due_at: look.afterMs === null ? look.at : sql<bigint>`${databaseNow(queries)} + ${look.afterMs}`,
        due_block: look.block,
      })
      .where("id", "in", alike)
      .execute();
  }
}

const NEVER: NextLook = { at: null, afterMs: null, block: null };
const after = (ms: bigint): NextLook => ({ ...NEVER, afterMs: ms });
const fromBlock = (block: bigint | null, depth: bigint): NextLook => ({ ...NEVER, block: (block ?? 0n) + depth });

function nextLook(
  purchase: Purchase,
  known: {
    isPaymentAsked: boolean;
    isCancellationAsked: boolean;
    hasRate: boolean;
    depth: bigint;
    deepestBlock: bigint;
  },
): NextLook {
  if (purchase.settled_at !== null) return NEVER;
  const isAutomatic = purchase.source === "simulated" || purchase.approved_at !== null;
  switch (Number(purchase.chain_status ?? CHAIN_STATUS.none)) {
    case CHAIN_STATUS.pending:
      if (purchase.reversed_at !== null) return known.isCancellationAsked ? NEVER : after(CONTRADICTION_MS);
      return isAutomatic && !known.hasRate ? after(NO_RATE_MS) : NEVER;
    case CHAIN_STATUS.cancelled:
      return fromBlock(purchase.status_block, known.depth);
    case CHAIN_STATUS.confirmed:
      if (purchase.payout_state !== null) return fromBlock(purchase.payment_block, known.depth);
      // Confirmed after its sale was gone: nothing is left to do once that is final.
      if (purchase.reversed_at !== null && purchase.sale_id !== null) {
        return fromBlock(purchase.status_block, known.depth);
      }
      if (known.isPaymentAsked || purchase.reversed_at !== null || !isAutomatic) return NEVER;
      if (purchase.wei_per_cent === null && !known.hasRate) return after(NO_RATE_MS);
      if ((purchase.status_block ?? 0n) > known.deepestBlock) return fromBlock(purchase.status_block, known.depth);
      return { ...NEVER, at: purchase.payable_at };
    default:
      return NEVER;
  }
}
