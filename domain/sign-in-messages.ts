import { PRODUCT_NAME } from "./product.ts";
import type { WalletAddress } from "./wallet-address.ts";

/** What the signature is for. */
export type SignInPurpose = "register" | "login";

/** The sentence that a wallet signs: always Portuguese, the address in lower case. docs/product.md#sign-in-messages. */
export function signInSentence(purpose: SignInPurpose, address: WalletAddress): string {
  const verb = purpose === "register" ? "Cadastro" : "Login";
  return `${verb} ${PRODUCT_NAME} para ${address.toLowerCase()}`;
}
