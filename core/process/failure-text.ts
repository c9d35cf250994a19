import { TorcidaError } from "../rules/torcida-error.ts";
import { codeOf, explanationOf } from "../rules/unknown-error.ts";

/** What a process says as it ends on an error, and where to read on. Never a node's URL or request. */
export function failureText(error: unknown): string {
  if (error instanceof TorcidaError) return `${error.message} (${error.docs})`;
  if (isMissingFile(error)) return `There is no file ${error.path}`;
  if (codeOf(error)?.startsWith("ERR_PARSE_ARGS")) return `${explanationOf(error)} (README.md#commands)`;
  return explanationOf(error);
}

/** A file that was to be read; a program that is not installed has the same code. */
function isMissingFile(error: unknown): error is Error & { path: string } {
  if (!(error instanceof Error) || codeOf(error) !== "ENOENT") return false;
  const { syscall, path }: NodeJS.ErrnoException = error;
  return syscall === "open" && typeof path === "string";
}

/** A command was called with other arguments than it takes; the message says which it takes. */
export class UsageError extends TorcidaError {
  override readonly docs = "README.md#commands";
}
