import { PRODUCT_NAME } from "./product.ts";
import type { WalletAddress } from "./wallet-address.ts";

/** What a signature is asked for. */
export type SignInPurpose = "register" | "login";

/** docs/product.md#sign-in-messages. Portuguese in every language; the address in lower case. */
export function signInSentence(purpose: SignInPurpose, address: WalletAddress): string {
  const verb = purpose === "register" ? "Cadastro" : "Login";
  return `${verb} ${PRODUCT_NAME} para ${address.toLowerCase()}`;
}
