import { databaseErrorCode, type Queries } from "../database/transaction.ts";
import type { Encoder } from "./encoder.ts";
import { finishOperations, listAssigned, type Outcome, takeOut } from "./moves.ts";
import { enqueueAgain, type Operation } from "./queue.ts";

/**
 * A transaction succeeded: its operations are done, except those whose subject changed while it was in flight. These
 * are queued again.
 */
export async function concludeOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  { id, data }: { id: bigint; data: string },
): Promise<Operation[]> {
  const operations = await listAssigned(queries, id);
  const encoder = encoders.find((one) => one.kind === operations[0]?.kind);
  const outdated = await listOutdated(queries, encoder, { operations, data });
  const finished = await finishOperations(queries, id);
  for (const { kind, subject_id } of outdated) await enqueueAgain(queries, { kind, subjectId: subject_id });
  return finished;
}

/** What cannot even be encoded any more is not sent again. */
async function listOutdated(
  queries: Queries,
  encoder: Encoder | undefined,
  { operations, data }: { operations: readonly Operation[]; data: string },
): Promise<readonly Operation[]> {
  try {
    return (await encoder?.listOutdated?.(queries, operations, data)) ?? [];
  } catch (error) {
    if (databaseErrorCode(error) !== undefined) throw error;
    return [];
  }
}

/** Why a transaction can no longer complete its operations. */
export type Failure = Exclude<Outcome, "withdrawn">;

/**
 * A transaction failed: its operations are queued again, except those that are no longer wanted. A purchase
 * may have been returned in the meantime.
 */
export async function requeueOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  transactionId: bigint,
  failure: Failure,
): Promise<void> {
  const operations = await listAssigned(queries, transactionId);
  const encoder = encoders.find((one) => one.kind === operations[0]?.kind);
  await encoder?.lock?.(queries, operations);
  await encoder?.forgetSent?.(queries, operations);
  const unwanted = (await encoder?.listUnwanted?.(queries, operations, { isLocked: true })) ?? [];
  await takeOut(queries, unwanted, "withdrawn");
  const wanted = operations.filter((operation) => !unwanted.includes(operation));
  await takeOut(queries, wanted, failure);
  await encoder?.reconsider?.(queries, operations);
}
