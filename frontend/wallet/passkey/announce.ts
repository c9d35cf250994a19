/**
 * The wallet behind a passkey, announced by EIP-6963 as every wallet is, and no more than that: what it does is loaded when
 * it is asked. docs/product.md#wallet-passkey
 */
import { readStored, STORAGE_KEYS } from "../../app/storage.ts";
import { localWallets, PASSKEY_WALLET } from "../local-wallets.ts";
import type { Request } from "./provider.ts";
import { passkeySupport } from "./support.ts";

let isKnown = readStored(STORAGE_KEYS.passkeyWallet) !== null;

const provider = {
  async request(request: Request): Promise<unknown> {
    isKnown ||= request.method !== "eth_accounts";
    return isKnown ? (await import("./provider.ts")).answer(request) : [];
  },
  // One account on one chain: there is nothing to tell.
  on: () => provider,
  removeListener: () => provider,
};

/** The chooser draws its own. */
const ICON = `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z"/></svg>`;

/** Where the browser has passkeys. Once. */
export async function announcePasskeyWallet(): Promise<void> {
  const { open } = await passkeySupport();
  if (!open || localWallets.has(PASSKEY_WALLET)) return;
  localWallets.set(PASSKEY_WALLET, { name: "passkey.create", detail: "passkey.create.detail" });
  const info = { uuid: crypto.randomUUID(), rdns: PASSKEY_WALLET, name: "Carteira Torcida", icon: ICON };
  const detail = Object.freeze({ info, provider });
  const say = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", say);
  say();
}
