import { COUNTED } from "../database/counted.ts";
import type { OperationKind, OperationReason, OperationStatus } from "../database/schema/outbox.ts";
import type { Queries } from "../database/transaction.ts";
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

/** One sentence per reason for which operations wait or failed. */
export function warningsOf(summary: readonly QueueSummary[]): string[] {
  return summary
    .filter(({ status }) => status === "waiting" || status === "failed")
    .map(({ kind, status, reason, count, oldestMs, error }) => {
      const many = count > COUNTED ? `more than ${COUNTED}` : count;
      const what = `${kind}: ${many} ${count === 1 ? "operation" : "operations"} ${status} (${reason})`;
      return `${what}, the oldest for ${Math.round(oldestMs / 1_000)} s: ${error}`;
    });
}
