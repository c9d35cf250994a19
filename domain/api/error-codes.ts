/** The codes of error responses, for programs. docs/product.md#error-codes */
export const ERROR_CODES = [
  // The request
  "INVALID_REQUEST",
  "INVALID_JSON",
  "BAD_REQUEST",
  "BODY_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "METHOD_NOT_ALLOWED",
  "NOT_FOUND",
  "TOO_MANY_REQUESTS",
  "TOO_MANY_CONNECTIONS",
  "IDEMPOTENCY_KEY_REUSED",
  // Who may call
  "UNAUTHORIZED",
  "FORBIDDEN",
  "ROLE_NOT_ALLOWED",
  "SIGN_IN_AGAIN",
  "NONCE_REQUIRED",
  "NONCE_INVALID",
  "SIGNATURE_INVALID",
  "TIMESTAMP_OUT_OF_WINDOW",
  "ALREADY_REGISTERED",
  // Two people for a payout
  "APPROVAL_NEEDED",
  "OWN_REQUEST",
  "DECIDED",
  "LAPSED",
  // The catalogue
  "SLUG_TAKEN",
  "STORE_NAME_TAKEN",
  "CONTRACT_TAKEN",
  "GROUP_TAKEN",
  "CATALOGUE_FILE",
  "NOT_A_TOKEN",
  "NOT_A_PICTURE",
  // Buying
  "NO_CASHBACK",
  "NO_LINK",
  "STORE_UNKNOWN",
  // A purchase's next step
  "REVERSED",
  "CANCELLED",
  "NOT_MINTED",
  "NOT_APPROVED",
  "NOT_DUE",
  "HELD",
  "NOT_HELD",
  "OVER",
  "PAID",
  "WRONG_AMOUNT",
  "NOTHING_PAYABLE",
  "NOT_STUCK",
  // Sales and claims
  "DECISION_REFUSED",
  "CLAIMED",
  "CLAIM_TOO_EARLY",
  "CLAIM_TOO_LATE",
  // What is not available now
  "INDEX_BEHIND",
  "RATE_UNAVAILABLE",
  "PAYOUTS_PAUSED",
  "CHAIN_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "ASSETS_UNAVAILABLE",
  "INTERNAL",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];
