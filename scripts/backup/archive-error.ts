import { TorcidaError } from "../../domain/torcida-error.ts";

/** A backup cannot be read or restored; nothing was written. */
export class ArchiveError extends TorcidaError {
  override readonly name = "ArchiveError";
  override readonly docs = "docs/runbook/database-lost.md";
}
