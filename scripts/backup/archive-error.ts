import { TorcidaError } from "../../core/rules/torcida-error.ts";

/** A backup cannot be written, read or restored; nothing has changed. */
export class ArchiveError extends TorcidaError {
  override readonly docs = "docs/runbook/database-lost.md";
}
