import type { Queries } from "../database/transaction.ts";
import type { Encoder } from "./encoder.ts";
import { listAssigned, requeue, requeueReverted, withdrawAssigned } from "./queue.ts";

/** Why a transaction can no longer do what it was made for. */
export type Failure = "reverted" | "nonce_lost";

/**
 * A transaction came to nothing: its operations are queued again, except those that nobody wants any more. What was bought
 * may have been returned while it was under way.
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
