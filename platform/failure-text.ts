import { TorcidaError } from "../domain/torcida-error.ts";
import { explanationOf } from "../domain/unknown-error.ts";

/** What a process says as it ends on an error, and where to read on. Never a node's URL or request. */
export function failureText(error: unknown): string {
  return error instanceof TorcidaError ? `${error.message} (${error.docs})` : explanationOf(error);
}

/** A command was called with other arguments than it takes; the message says which it takes. */
export class UsageError extends TorcidaError {
  override readonly docs = "README.md#commands";
}
