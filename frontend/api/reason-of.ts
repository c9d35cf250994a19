import type { MessageId, Translate } from "../i18n/language.tsx";
import { ApiError, UnreachableError } from "./http.ts";

/** What the api refuses in English and by a code, in the reader's language. */
const BY_CODE: Record<string, MessageId> = {
  ALREADY_REGISTERED: "registration.exists",
  CHAIN_UNAVAILABLE: "reason.chainAway",
  DATABASE_UNAVAILABLE: "reason.databaseAway",
  FORBIDDEN: "reason.forbidden",
  INDEX_BEHIND: "reason.indexBehind",
  INTERNAL: "reason.internal",
  NO_CASHBACK: "reason.noCashback",
  NONCE_INVALID: "reason.nonceInvalid",
  NOT_FOUND: "reason.notFound",
  RATE_UNAVAILABLE: "reason.rateAway",
  ROLE_NOT_ALLOWED: "reason.forbidden",
  SIGNATURE_INVALID: "reason.signatureInvalid",
  SLUG_TAKEN: "reason.slugTaken",
  TOO_MANY_REQUESTS: "reason.tooMany",
};

/** Why a call failed, for people: in their language where we know the reason, else in the server's own words. */
export function reasonOf(error: unknown, t: Translate): string {
  if (error instanceof ApiError) {
    const known = BY_CODE[error.code ?? ""];
    if (known) return t(known);
    // A failure of the server is told in its own words to nobody but the log.
    return error.status >= 500 && error.isServersWord ? t("reason.internal") : error.message;
  }
  if (error instanceof UnreachableError) return t(navigator.onLine ? "state.serverAway" : "state.offline");
  return t("state.unknown");
}
