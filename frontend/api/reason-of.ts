import type { ErrorCode } from "../../domain/api/error-codes.ts";
import type { MessageId, Translate } from "../i18n/language.tsx";
import { ApiError, UnreachableError } from "./http.ts";

/** The api's errors by code, in the user's language. */
const BY_CODE: Readonly<Record<string, MessageId>> = {
  ALREADY_REGISTERED: "registration.exists",
  CHAIN_UNAVAILABLE: "reason.chainAway",
  CLAIMED: "reason.claimed",
  CLAIM_TOO_EARLY: "reason.claimEarly",
  CLAIM_TOO_LATE: "reason.claimLate",
  DATABASE_UNAVAILABLE: "reason.databaseAway",
  FORBIDDEN: "reason.forbidden",
  INDEX_BEHIND: "reason.indexBehind",
  INTERNAL: "reason.internal",
  NO_CASHBACK: "reason.noCashback",
  NO_LINK: "reason.storeNotReady",
  NONCE_INVALID: "reason.nonceInvalid",
  NOT_FOUND: "reason.notFound",
  RATE_UNAVAILABLE: "reason.rateAway",
  ROLE_NOT_ALLOWED: "reason.forbidden",
  SIGNATURE_INVALID: "reason.signatureInvalid",
  STORE_UNKNOWN: "reason.storeNotReady",
  SLUG_TAKEN: "reason.slugTaken",
  TOO_MANY_REQUESTS: "reason.tooMany",
} satisfies Partial<Record<ErrorCode, MessageId>>;

/** Why a call failed: in the user's language if the reason is known, otherwise the server's message. */
export function reasonOf(error: unknown, t: Translate): string {
  if (error instanceof ApiError) {
    const known = BY_CODE[error.code ?? ""];
    if (known) return t(known);
    // The server's message for an internal error is only logged.
    return error.status >= 500 && error.isServersWord ? t("reason.internal") : error.message;
  }
  if (error instanceof UnreachableError) return t(navigator.onLine ? "state.serverAway" : "state.offline");
  return t("state.unknown");
}
