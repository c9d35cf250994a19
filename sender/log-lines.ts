import type { Logger } from "pino";
import { chzTextFromGwei } from "../domain/money.ts";
import type { Operation } from "./queue.ts";

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
