import type { Hex } from "viem";
import type { LocalWallet } from "../../wallet/local-wallets.ts";

export type DemoWallet = LocalWallet & { uuid: string; rdns: string; color: string; key: Hex; storage: string };

/** Accounts 3 and 4 of the development chain's published mnemonic, worthless; the shopper's comes first. */
export const DEMO_WALLETS: readonly DemoWallet[] = [
  {
    uuid: "7e9c2f0a-6f5d-4a57-9a35-2f1a0d2c7b11",
    rdns: "app.torcida.demo",
    name: "demo.wallet",
    detail: "demo.wallet.detail",
    color: "#0b3d2e",
    key: "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
    storage: "demo_wallet",
  },
  {
    uuid: "3d1f8a52-90c4-4c1e-8f0b-6a7be5c9d204",
    rdns: "app.torcida.demo.admin",
    name: "demo.admin",
    detail: "demo.admin.detail",
    color: "#5b2333",
    key: "0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
    storage: "demo_admin",
  },
];

const keyOf = ({ storage }: DemoWallet): string => `${storage}_permitted`;

/** Whether the user has allowed the page to see the wallet's account. */
export const isPermitted = (wallet: DemoWallet): boolean => localStorage.getItem(keyOf(wallet)) === "yes";

export function setPermitted(wallet: DemoWallet, isAllowed: boolean): void {
  if (isAllowed) localStorage.setItem(keyOf(wallet), "yes");
  else localStorage.removeItem(keyOf(wallet));
}
