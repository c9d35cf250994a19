import type { Hex } from "viem";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { Eip1193Provider } from "./network.ts";

/** The signature is from another wallet. docs/product.md#sign-in. */
export class AddressMismatchError extends Error {
  override readonly name = "AddressMismatchError";
}

const SIGNATURE_LENGTH = 132;

/** Signs a message with the connected wallet, and checks that it was that wallet. @throws AddressMismatchError */
export async function signWith(provider: Eip1193Provider, address: WalletAddress, message: string): Promise<string> {
  const [current] = await provider.request({ method: "eth_accounts" });
  if (current !== undefined && current.toLowerCase() !== address) throw new AddressMismatchError();
  const hex: Hex = `0x${Array.from(new TextEncoder().encode(message), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const signature = await provider.request({ method: "personal_sign", params: [hex, address] });
  // The address cannot be recovered from a smart-contract wallet's signature; the server asks the contract (EIP-1271).
  if (signature.length !== SIGNATURE_LENGTH) return signature;
  const { recoverMessageAddress } = await import("viem/utils");
  const signer = await recoverMessageAddress({ message, signature }).catch(() => "");
  if (signer.toLowerCase() !== address && !(await isContract(provider, address))) throw new AddressMismatchError();
  return signature;
}

async function isContract(provider: Eip1193Provider, address: WalletAddress): Promise<boolean> {
  const code = await provider.request({ method: "eth_getCode", params: [address, "latest"] }).catch(() => "0x");
  return typeof code === "string" && code.length > 2;
}
