import { TorcidaError } from "../domain/torcida-error.ts";

/** A command was called with other arguments than it takes; the message says which it takes. */
export class UsageError extends TorcidaError {
  override readonly name = "UsageError";
  override readonly docs = "docs/operations.md#routine-tasks";
}
