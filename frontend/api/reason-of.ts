import type { ErrorCode } from "../../core/rules/api/error-codes.ts";
import type { MessageId, Translate } from "../i18n/language.tsx";
import { ApiError, MalformedAnswer, UnreachableError } from "./http.ts";

/** The api's errors by code, in the user's language: every one that a shopper can meet. */
const BY_CODE: Readonly<Record<string, MessageId>> = {
  ALREADY_REGISTERED: "registration.exists",
  BAD_REQUEST: "reason.outdated",
  BODY_TOO_LARGE: "reason.tooLong",
  CHAIN_UNAVAILABLE: "reason.chainAway",
  CLAIMED: "reason.claimed",
  CLAIM_OPEN: "reason.claimOpen",
  CLAIMS_PER_DAY: "reason.claimsPerDay",
  CLAIM_TOO_EARLY: "reason.claimEarly",
  CLAIM_TOO_LATE: "reason.claimLate",
  DATABASE_UNAVAILABLE: "reason.databaseAway",
  FORBIDDEN: "reason.forbidden",
  INDEX_BEHIND: "reason.indexBehind",
  INTERNAL: "reason.internal",
  INVALID_JSON: "reason.outdated",
  INVALID_REQUEST: "reason.outdated",
  LINK_AMBIGUOUS: "goPage.which",
  LINK_INVALID: "goPage.invalid",
  LINK_UNKNOWN: "goPage.unknown",
  MAIL_UNWANTED: "reason.mailUnwanted",
  METHOD_NOT_ALLOWED: "reason.outdated",
  NO_CASHBACK: "reason.noCashback",
  NO_LINK: "reason.storeNotReady",
  NONCE_INVALID: "reason.nonceInvalid",
  NONCE_REQUIRED: "reason.nonceInvalid",
  NOT_FOUND: "reason.notFound",
  RATE_UNAVAILABLE: "reason.rateAway",
  ROLE_NOT_ALLOWED: "reason.forbidden",
  SIGN_IN_AGAIN: "session.expired.detail",
  SIGNATURE_NEEDED: "reason.signatureNeeded",
  SIGNATURE_INVALID: "reason.signatureInvalid",
  STORE_PAUSED: "reason.storePaused",
  STORE_UNKNOWN: "reason.storeNotReady",
  SLUG_TAKEN: "reason.slugTaken",
  TICKET_SENT: "reason.ticketSent",
  TOO_MANY_CONNECTIONS: "reason.tooMany",
  TOO_MANY_REQUESTS: "reason.tooMany",
  UNAUTHORIZED: "session.expired",
  UNSUPPORTED_MEDIA_TYPE: "reason.outdated",
} satisfies Partial<Record<ErrorCode, MessageId>>;

const BY_LIMIT: Readonly<Record<string, MessageId>> = {
  purchase: "reason.simulatedLimit.purchase",
  wallet: "reason.simulatedLimit.wallet",
  all: "reason.simulatedLimit.all",
};

/** What is wrong with a field of a shopper's form. */
const BY_FIELD: Readonly<Record<string, MessageId>> = {
  amount: "claim.badAmount",
  date: "claim.badDate",
  email: "registration.badEmail",
  first_name: "registration.noFirstName",
  last_name: "registration.noLastName",
  note: "claim.badNote",
  order_ref: "claim.badOrder",
};

/** Why a call failed, in the user's language. A reason without a code we know is the server's own sentence. */
export function reasonOf(error: unknown, t: Translate): string {
  if (error instanceof ApiError) {
    const limit = BY_LIMIT[error.limit?.name ?? ""];
    if (limit) return t(limit, { max: error.limit?.max ?? 0 });
    const field = error.code === "INVALID_REQUEST" ? BY_FIELD[error.field ?? ""] : undefined;
    const known = field ?? BY_CODE[error.code ?? ""];
    if (known) return t(known);
    // The server's message for an internal error is only logged.
    if (error.status >= 500 && error.isServersWord) return t("reason.internal");
    return error.message;
  }
  if (error instanceof UnreachableError) return awayReason("state.serverAway", t);
  if (error instanceof MalformedAnswer) return t("state.malformed");
  // viem's errors, about a node of the chain.
  if (error instanceof Error && "shortMessage" in error) return awayReason("reason.chainAway", t);
  return awayReason("state.unknown", t);
}

const awayReason = (id: MessageId, t: Translate): string => t(navigator.onLine ? id : "state.offline");
