import type { Logger } from "pino";
import { LIMIT_REASONS } from "../database/operations.ts";
import type { OperationRecord } from "../rules/api/operations.ts";
import { isoTime } from "../rules/iso-time.ts";
import { chzTextFromGwei } from "../rules/money.ts";
import type { Operation } from "./queue.ts";

const LATEST_DATE = 8_640_000_000_000_000n;

/** What the limit that an operation waits for allows; null if it waits for none. The column outlives its reason. */
export const limitOf = ({ reason, limit_chz }: Pick<Operation, "reason" | "limit_chz">): string | null =>
  LIMIT_REASONS.includes(reason) ? limit_chz : null;

/** An operation as admins see it. */
export function toOperationRecord(operation: Operation): OperationRecord {
  const isTried = ["queued", "waiting", "failed"].includes(operation.status) && operation.not_before < LATEST_DATE;
  return {
    id: Number(operation.id),
    kind: operation.kind,
    subject_id: Number(operation.subject_id),
    amount: operation.amount_gwei === null ? null : chzTextFromGwei(operation.amount_gwei),
    state: operation.status,
    reason: operation.reason,
    limit: limitOf(operation),
    error: operation.error,
    attempts: Number(operation.attempts),
    since: isoTime(operation.since),
    next_try_at: isTried ? isoTime(operation.not_before) : null,
  };
}

/** The subject of an operation, as fields of a log line. */
export function subjectOf({ kind, subject_id, amount_gwei }: Operation): Record<string, unknown> {
  const subject = kind.endsWith("_store") ? { store: Number(subject_id) } : { purchase: Number(subject_id) };
  return { kind, ...subject, ...(amount_gwei === null ? {} : { chz: chzTextFromGwei(amount_gwei) }) };
}

/** Logs one line for each operation that is final on chain. */
export function logDone(
  log: Logger,
  operations: readonly Operation[],
  { hash, block }: { hash: string | null; block: bigint | null },
): void {
  for (const operation of operations)
    log.info({ ...subjectOf(operation), hash, block: Number(block) }, "Done on chain");
}
