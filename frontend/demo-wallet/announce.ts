/**
 * The demo wallet: a well-known test key of the local chain behind a true EIP-1193 provider, announced by EIP-6963,
 * so that a newcomer needs no extension. Only a build for the local chain contains it.
 */
import { isPermitted } from "./permission.ts";

type Request = { method: string; params?: unknown };

/** The wallet's own code, with its cryptography, is fetched when it is first used. */
const provider = {
  async request(request: Request): Promise<unknown> {
    if (request.method === "eth_accounts" && !isPermitted()) return [];
    const { answer } = await import("./provider.ts");
    return answer(request);
  },
  // This wallet has one account on one chain: it has nothing to tell.
  on: () => provider,
  removeListener: () => provider,
};

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b3d2e"/><path d="M7 12h18v3a2 2 0 0 0 0 4v3H7v-3a2 2 0 0 0 0-4z" fill="#f7f3e8"/></svg>';

/** Tells the page of the demo wallet by EIP-6963, now and whenever it asks. */
export function announceDemoWallet(): void {
  const detail = Object.freeze({
    info: {
      uuid: "7e9c2f0a-6f5d-4a57-9a35-2f1a0d2c7b11",
      name: "Torcida demo",
      icon: `data:image/svg+xml;base64,${btoa(ICON)}`,
      rdns: "app.torcida.demo",
    },
    provider,
  });
  const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
