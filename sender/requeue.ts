import type { Queries } from "../database/transaction.ts";
import type { Encoder } from "./encoder.ts";
import { listAssigned, requeue, requeueReverted, withdrawAssigned } from "./queue.ts";

/** Why a transaction can no longer do its operations. */
export type Failure = "reverted" | "nonce_lost";

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
  const unwanted = (await encoder?.listUnwanted?.(queries, operations, { isFinal: true })) ?? [];
  await withdrawAssigned(queries, unwanted, "Taken back");
  const wanted = operations.filter((operation) => !unwanted.includes(operation));
  if (failure === "reverted") await requeueReverted(queries, wanted);
  else await requeue(queries, wanted, "Its nonce was used by another program");
}
