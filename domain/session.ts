import { PRODUCT_NAME } from "./product.ts";
import type { WalletAddress } from "./wallet-address.ts";

/** How long a sign-in lasts. docs/product.md#session */

export const SESSION_IDLE_MS = 2 * 3_600_000;
/** Maximum age of a session by challenge. */
export const SESSION_MS = 12 * 3_600_000;
/** Maximum age of a session by a bare message. */
export const SENTENCE_SESSION_MS = 3_600_000;
/** Calls that send money require a sign-in this recent. docs/product.md#sign-in-proof */
export const PROOF_MS = 15 * 60_000;
export const CHALLENGE_MS = 5 * 60_000;

export type SignInPurpose = "register" | "login";

/** The sentence that a wallet signs: always Portuguese, the address in lower case. docs/product.md#sign-in-messages. */
export function signInSentence(purpose: SignInPurpose, address: WalletAddress): string {
  const verb = purpose === "register" ? "Cadastro" : "Login";
  return `${verb} ${PRODUCT_NAME} para ${address.toLowerCase()}`;
}
