import { PRODUCT_NAME } from "./product.ts";
import type { WalletAddress } from "./wallet-address.ts";

/** How long a sign-in lasts. docs/product.md#session */

export const SESSION_IDLE_MS = 2 * 3_600_000;
/** Maximum age of a session by challenge. */
export const SESSION_MS = 12 * 3_600_000;
/** Maximum age of a session by a bare message. */
export const SENTENCE_SESSION_MS = 3_600_000;
/** A wallet's open sessions; one more ends the one that was used longest ago. docs/product.md#session */
export const MOST_SESSIONS = 20;
/** Calls that send money require a sign-in this recent. docs/product.md#sign-in-proof */
export const PROOF_MS = 15 * 60_000;
export const CHALLENGE_MS = 5 * 60_000;

/** What a session was opened on. */
export const DEVICES = ["phone", "computer"] as const;
export type Device = (typeof DEVICES)[number];

/** The kind of device that a browser says it runs on; null if it does not say. */
export function deviceOf(userAgent: string | undefined): Device | null {
  if (userAgent === undefined || !userAgent.startsWith("Mozilla/")) return null;
  return /\b(?:Mobile|Mobi|Android|iPhone|iPad)\b/.test(userAgent.slice(0, 500)) ? "phone" : "computer";
}

export type SignInPurpose = "register" | "login" | "erase" | "email";

/** The sentence that a wallet signs: always Portuguese, the address in lower case. docs/product.md#sign-in-messages. */
export function signInSentence(purpose: SignInPurpose, address: WalletAddress): string {
  return `${SENTENCES[purpose]} ${address.toLowerCase()}`;
}

const SENTENCES: Readonly<Record<SignInPurpose, string>> = {
  register: `Cadastro ${PRODUCT_NAME} para`,
  login: `Login ${PRODUCT_NAME} para`,
  erase: `Apagar minha conta ${PRODUCT_NAME} de`,
  email: `Mudar o e-mail da conta ${PRODUCT_NAME} de`,
};

/** How long what is signed for a purpose may be signed: a wish is one of this quarter of an hour. */
export const challengeMs = (purpose: SignInPurpose): number =>
  purpose === "erase" || purpose === "email" ? PROOF_MS : CHALLENGE_MS;
