import { TorcidaError } from "../domain/torcida-error.ts";
import { explanationOf } from "../domain/unknown-error.ts";

/** What a process says as it ends on an error, and where to read on. Never a node's URL or request. */
export function failureText(error: unknown): string {
  return error instanceof TorcidaError ? `${error.message} (${error.docs})` : explanationOf(error);
}
