import type { MessageId } from "../../i18n/language.tsx";
import { hasCode, REJECTED } from "../errors.ts";
import { PasskeyError } from "./passkey.ts";

/** What a passkey or its owner said, as the id of its text; undefined for any other error. */
export function passkeyProblem(error: unknown): MessageId | undefined {
  const told = error instanceof Error && error.cause instanceof PasskeyError ? error.cause : error;
  if (told instanceof PasskeyError) return `passkey.${told.reason}`;
  return hasCode(error, REJECTED) ? "passkey.refused" : undefined;
}
