import { type RawBuilder, type SqlBool, sql } from "kysely";
import { countOf } from "../database/counted.ts";
import { OPERATION_KINDS } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";

/** By name: an index has no stretch of "all but payments". */
const OTHER_KINDS = sql.join(OPERATION_KINDS.filter((kind) => kind !== "pay").map((kind) => sql.lit(kind)));

const COUNTS = {
  held_sales: sql`select 1 from sales where state = 'held'`,
  unmatched_sales: sql`select 1 from sales where state = 'unmatched'`,
  open_claims: sql`select 1 from claims where state = 'open'`,
  failed_payments: sql`select 1 from operations where kind = 'pay' and status = 'failed'`,
  waiting_payments: sql`select 1 from operations where kind = 'pay' and status = 'waiting'`,
  failed_operations: sql`select 1 from operations where kind in (${OTHER_KINDS}) and status = 'failed'`,
} satisfies Record<string, RawBuilder<unknown>>;

export type AttentionCounts = Record<
  keyof typeof COUNTS | "held_purchases" | "draft_stores" | "open_approvals",
  number
>;

/** Counts the open tasks, each through an index. docs/product.md#panel-figures */
export async function countAttention(
  queries: Queries,
  { isHeld, isDraft, isOpenApproval }: Record<"isHeld" | "isDraft" | "isOpenApproval", RawBuilder<SqlBool>>,
): Promise<AttentionCounts> {
  const all = {
    ...COUNTS,
    held_purchases: sql`select 1 from purchases where ${isHeld}`,
    draft_stores: sql`select 1 from stores where ${isDraft}`,
    open_approvals: sql`select 1 from approvals where ${isOpenApproval}`,
  };
  const columns = Object.entries(all).map(([name, rows]) => sql`${countOf(rows)} as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, bigint>>`select ${sql.join(columns)}`.execute(queries);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, n]) => [name, Number(n)])) as AttentionCounts;
}
