import { type RawBuilder, type SqlBool, sql } from "kysely";
import { countOf } from "../database/capped-count.ts";
import { inStretch } from "../database/index-range.ts";
import { OPERATION_KINDS, type OperationKind, type OperationStatus } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { ANSWER_TOO_LARGE } from "../process/outside.ts";
import { keysOf, recordOf } from "../rules/records.ts";
import { operationsIn } from "../sender/queue.ts";

const OTHER_KINDS = OPERATION_KINDS.filter((kind) => kind !== "pay");

/** The rows of the open tasks, each from the index that has them. */
function tasksOf(queries: Queries, overdueSince: bigint) {
  const ofState = (table: string, state: string) =>
    sql`select 1 from ${sql.table(table)} ${inStretch(queries, [{ column: sql.ref("state"), value: state }])}`;
  const ofKind = (status: OperationStatus, kind: OperationKind) =>
    sql`select 1 from (select 1 from operations ${inStretch(queries, operationsIn(status, kind))}) as stretch`;
  const parkedOf = (kind: OperationKind) =>
    sql`select 1 from operations where status = 'waiting' and kind = ${kind} and reason = 'refused'`;
  return {
    held_sales: ofState("sales", "held"),
    unmatched_sales: ofState("sales", "unmatched"),
    overdue_sales: overdueSales(overdueSince),
    waiting_accounts: sql`select 1 from account_books
      where exists (select 1 from account_waits where account_waits.account_id = account_books.id)`,
    unset_credits: sql`select 1 from account_books where opening_cents > 0 and is_credit_set = 0`,
    open_claims: ofState("claims", "open"),
    refused_payouts: ofState("approvals", "refused"),
    open_percents: ofState("percent_approvals", "open"),
    // Not what people ask for about their own profile.
    open_proposals: sql`select 1 from proposals where is_own = 0 and state = 'open'`,
    unread_rows: sql`select 1 from unread_rows`,
    withheld_rounds: sql`select 1 from programme_rounds where withheld is not null`,
    large_lists: sql`select 1 from programme_rounds where problem = ${ANSWER_TOO_LARGE}`,
    uncovered_percents: sql`select 1 from store_cashbacks
      where is_by_hand = 1 and cashback_bps > commission_bps and deleted_at is null
      union all select 1 from store_cashbacks where group_gone_at is not null and deleted_at is null`,
    undecided_purchases: sql`select 1 from due_purchases where attempts > 0`,
    doubtful_rates: sql`select 1 from fx_rates where doubted_from is not null and accepted_at is null`,
    failed_payments: ofKind("failed", "pay"),
    waiting_payments: ofKind("waiting", "pay"),
    failed_operations: sql.join(
      OTHER_KINDS.flatMap((kind) => [ofKind("failed", kind), parkedOf(kind)]),
      sql` union all `,
    ),
  };
}

/**
 * Sales that have waited for their network since before this time. The condition is the index's own, which no query for
 * one state can use. docs/product.md#sales-budget
 */
export const overdueSales = (since: bigint) =>
  sql`select 1 from sales where case when state in ('open', 'approved') then 1 end = 1 and created_at < ${since}`;

export type AttentionCounts = Record<
  keyof ReturnType<typeof tasksOf> | "held_purchases" | "draft_stores" | "open_approvals",
  number
>;

/** Counts the open tasks, each through an index. docs/product.md#panel-figures */
export async function countAttention(
  queries: Queries,
  {
    isHeld,
    isDraft,
    isOpenApproval,
    overdueSince,
  }: Record<"isHeld" | "isDraft" | "isOpenApproval", RawBuilder<SqlBool>> & { overdueSince: bigint },
): Promise<AttentionCounts> {
  const all = {
    ...tasksOf(queries, overdueSince),
    held_purchases: sql`select 1 from purchases where ${isHeld}`,
    draft_stores: sql`select 1 from stores where ${isDraft}`,
    open_approvals: sql`select 1 from approvals where ${isOpenApproval}`,
  };
  const names = keysOf(all);
  const columns = names.map((name) => sql`${countOf(all[name])} as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, bigint>>`select ${sql.join(columns)}`.execute(queries);
  return recordOf(names, (name) => Number(rows[0]?.[name]));
}
