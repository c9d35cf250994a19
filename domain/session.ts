/** How long a sign-in lasts. docs/product.md#session */

/** A session ends after so long without a call. */
export const SESSION_IDLE_MS = 2 * 3_600_000;
/** A session by a challenge ends after so long in any case. */
export const SESSION_MS = 12 * 3_600_000;
/** A session by a fixed sentence. */
export const SENTENCE_SESSION_MS = 3_600_000;
/** Calls that send money require a sign-in this recent. docs/product.md#sign-in-proof */
export const PROOF_MS = 15 * 60_000;
/** A challenge must be signed within. */
export const CHALLENGE_MS = 5 * 60_000;
