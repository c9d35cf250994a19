import { entropyToMnemonic } from "@scure/bip39";
import { english, type HDAccount, mnemonicToAccount } from "viem/accounts";

/**
 * From a passkey's answer to its wallet, as docs/passkey-wallet.md writes it down. It never changes: another derivation
 * is another version, with labels of its own.
 */

const ENTROPY_LABEL = "torcida wallet v1 entropy";
const ENTROPY_BITS = 256;
const PRF_BYTES = 32;

/** The 24 words. @throws if `prf` is no answer of PRF, which has 32 bytes */
export async function wordsOf(prf: Uint8Array<ArrayBuffer>): Promise<string> {
  if (prf.length !== PRF_BYTES) throw new Error(`A PRF answer has ${PRF_BYTES} bytes, not ${prf.length}`);
  const secret = await crypto.subtle.importKey("raw", prf, "HKDF", false, ["deriveBits"]);
  const label = new TextEncoder().encode(ENTROPY_LABEL);
  const options = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: label };
  const entropy = new Uint8Array(await crypto.subtle.deriveBits(options, secret, ENTROPY_BITS));
  const words = entropyToMnemonic(entropy, english);
  entropy.fill(0);
  return words;
}

/** `m/44'/60'/0'/0/0`, the first account of every wallet that takes the words. */
export const accountOf = async (prf: Uint8Array<ArrayBuffer>): Promise<HDAccount> =>
  mnemonicToAccount(await wordsOf(prf));
