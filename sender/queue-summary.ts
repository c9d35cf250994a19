import { COUNTED } from "../database/counted.ts";
import type { OperationKind, OperationReason, OperationStatus } from "../database/schema/outbox.ts";
import type { Queries } from "../database/transaction.ts";
import type { FaultName, SystemFault } from "../domain/system-faults.ts";
import { summarizeQueue } from "./due.ts";

/** Unfinished operations of one kind, status and reason. */
export type QueueSummary = {
  kind: OperationKind;
  status: OperationStatus;
  reason: OperationReason | null;
  /** Counted up to 10,000; one more means more. */
  count: number;
  /** The age of the oldest. */
  oldestMs: number;
  /** A readable reason, from one of them. */
  error: string | null;
};

const KEPT_MS = 1_000;

/** Reads the state of the operations, at most once a second. */
export function queueSummaryReader(queries: Queries): () => Promise<QueueSummary[]> {
  let known: { at: number; summary: Promise<QueueSummary[]> } | undefined;
  return () => {
    if (!known || Date.now() - known.at >= KEPT_MS) known = { at: Date.now(), summary: summarizeQueue(queries) };
    return known.summary;
  };
}

/** One sentence per kind and reason for which operations wait or failed. */
export function queueFaults(summary: readonly QueueSummary[]): SystemFault[] {
  return summary
    .filter(({ status }) => status === "waiting" || status === "failed")
    .map((one) => {
      const { kind, status, reason, count, oldestMs, error } = one;
      const many = count > COUNTED ? `more than ${COUNTED}` : count;
      const what = `${kind}: ${many} ${count === 1 ? "operation" : "operations"} ${status} (${reason})`;
      return { name: nameOf(one), text: `${what}, the oldest for ${Math.round(oldestMs / 1_000)} s: ${error}` };
    });
}

function nameOf({ kind, status, reason }: QueueSummary): FaultName {
  if (status === "failed") return "operations_failed";
  if (reason === "refused") return "operations_refused";
  return kind === "pay" ? "payouts_wait" : "operations_wait";
}
