import { TorcidaError } from "../domain/torcida-error.ts";
import { messageOf } from "../domain/unknown-error.ts";

/** What a process says as it ends on an error, and where to read on. */
export function failureText(error: unknown): string {
  return error instanceof TorcidaError ? `${error.message} (${error.docs})` : messageOf(error);
}
