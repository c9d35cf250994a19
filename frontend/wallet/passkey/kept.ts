import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import { parseJson } from "../../api/http.ts";
import { readStored, STORAGE_KEYS, store } from "../../app/storage.ts";
import { newWallets } from "../local-wallets.ts";

/** What this browser knows of its passkey wallet: nothing secret. `credential_id` in base64url, as WebAuthn tells it. */
export type PasskeyWallet = { version: 1; address: WalletAddress; credential_id: string };

/** For a browser that forbids storage: then the wallet is known until the page is closed. */
let known: PasskeyWallet | undefined;

export function keptWallet(): PasskeyWallet | undefined {
  const kept = parseJson<PasskeyWallet>(readStored(STORAGE_KEYS.passkeyWallet) ?? "");
  return kept?.version === 1 ? kept : known;
}

export function keepWallet(wallet: PasskeyWallet, isNew: boolean): void {
  known = wallet;
  if (isNew) newWallets.add(wallet.address);
  store(STORAGE_KEYS.passkeyWallet, JSON.stringify(wallet));
}
