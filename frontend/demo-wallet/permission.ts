const PERMISSION_STORAGE = "demo_wallet_permitted";

/** Whether the reader has let the page see the demo wallet's account. */
export const isPermitted = (): boolean => localStorage.getItem(PERMISSION_STORAGE) === "yes";

export function setPermitted(isAllowed: boolean): void {
  if (isAllowed) localStorage.setItem(PERMISSION_STORAGE, "yes");
  else localStorage.removeItem(PERMISSION_STORAGE);
}
