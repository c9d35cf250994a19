import type { RawBuilder } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import { type Operation, UNSENT } from "./queue.ts";

/** Assigns operations to their transaction. Returns false if one of them changed since it was read. */
export async function assign(
  queries: Queries,
  operations: readonly Operation[],
  transactionId: bigint,
): Promise<boolean> {
  if (operations.length === 0) return true;
  const ids = idsOf(operations);
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({
      status: "assigned" as const,
      transaction_id: transactionId,
      reason: null,
      since: databaseNow(queries),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "in", ids)
    .where("status", "in", UNSENT)
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(ids.length)) return false;
  const amounts = new Map(operations.map((operation) => [operation.id, operation.amount_gwei]));
  return (await listAssigned(queries, transactionId)).every((row) => row.amount_gwei === amounts.get(row.id));
}

/** The operations of a transaction that has no outcome yet, in the order of their ids. */
export async function listAssigned(queries: Queries, transactionId: bigint): Promise<Operation[]> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .orderBy("id")
    .execute();
}

/** Transactions whose operations have no outcome yet. */
export async function listUnfinishedTransactionIds(queries: Queries): Promise<Set<bigint>> {
  const rows = await queries
    .selectFrom("operations")
    .select("transaction_id")
    .distinct()
    .where("status", "=", "assigned")
    .execute();
  return new Set(rows.flatMap((row) => (row.transaction_id === null ? [] : [row.transaction_id])));
}

/** Marks the operations of a transaction as done. Returns those that were not done before. */
export async function finishOperations(queries: Queries, transactionId: bigint): Promise<Operation[]> {
  return queries
    .updateTable("operations")
    .set({ status: "done", error: null, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .returningAll()
    .execute();
}

/** Reopens the operations of a transaction whose block was orphaned. */
export async function reopenOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "assigned", updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "done")
    .execute();
}

/** They are no longer wanted. */
export async function withdrawAssigned(
  queries: Queries,
  operations: readonly Operation[],
  error: string,
): Promise<void> {
  await updateAssigned(queries, operations, { status: "withdrawn", error });
}

type AssignedChange = Partial<
  Pick<Operation, "status" | "reason" | "error" | "attempts" | "batch_limit"> & { not_before: RawBuilder<bigint> }
>;

/** Takes operations out of their transaction, with the outcome. */
export async function updateAssigned(
  queries: Queries,
  operations: readonly Operation[],
  change: AssignedChange,
): Promise<void> {
  if (operations.length === 0) return;
  await queries
    .updateTable("operations")
    .set({ ...change, transaction_id: null, since: databaseNow(queries), updated_at: BigInt(Date.now()) })
    .where("id", "in", idsOf(operations))
    .where("status", "=", "assigned")
    .execute();
}
