import type { DemoWallet } from "./demo-wallets.ts";

const keyOf = ({ storage }: DemoWallet): string => `${storage}_permitted`;

/** Whether the user has allowed the page to see the wallet's account. */
export const isPermitted = (wallet: DemoWallet): boolean => localStorage.getItem(keyOf(wallet)) === "yes";

export function setPermitted(wallet: DemoWallet, isAllowed: boolean): void {
  if (isAllowed) localStorage.setItem(keyOf(wallet), "yes");
  else localStorage.removeItem(keyOf(wallet));
}
