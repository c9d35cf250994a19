/**
 * Two published test keys of the local chain behind real EIP-1193 providers, announced by EIP-6963, so that a newcomer
 * needs no extension. Only the development entry imports this.
 */
import { deployment } from "../../app/deployment.ts";
import { textsIn } from "../../i18n/language.tsx";
import { localWallets } from "../../wallet/local-wallets.ts";
import { DEMO_WALLETS, type DemoWallet, isPermitted } from "./demo-wallets.ts";

type Request = { method: string; params?: unknown };

// Their keys are public, so they are never announced on a public chain, in any build.
if (deployment.network === "localhost") DEMO_WALLETS.forEach(announce);

/** Announces a demo wallet by EIP-6963, now and on every request. */
function announce(wallet: DemoWallet): void {
  const { rdns, uuid, name, detail, color } = wallet;
  localWallets.set(rdns, { name, detail });
  const info = { uuid, rdns, name: textsIn("pt")(name), icon: `data:image/svg+xml;base64,${btoa(icon(color))}` };
  const announcement = Object.freeze({ info, provider: providerOf(wallet) });
  const answer = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: announcement }));
  window.addEventListener("eip6963:requestProvider", answer);
  answer();
}

function providerOf(wallet: DemoWallet) {
  const provider = {
    async request(request: Request): Promise<unknown> {
      if (request.method === "eth_accounts" && !isPermitted(wallet)) return [];
      // The wallet's code, including its cryptography, is loaded on first use.
      const { answer } = await import("./provider.ts");
      return answer(wallet, request);
    },
    // This wallet has one account on one chain, so it has no events.
    on: () => provider,
    removeListener: () => provider,
  };
  return provider;
}

function icon(color: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><path d="M7 12h18v3a2 2 0 0 0 0 4v3H7v-3a2 2 0 0 0 0-4z" fill="#f7f3e8"/></svg>`;
}
