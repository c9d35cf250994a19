import { isAddress } from "viem";
import { isAddressShaped } from "../../../core/rules/wallet-address.ts";

export type AddressCheck = "right" | "bad" | "mistyped" | "own" | "zero" | "unchecked";

/**
 * What is known of an address before it is sent to. Capitals in it are its checksum: one wrong letter is `mistyped`. An
 * address without capitals is `unchecked`, which its sender must compare.
 */
export function checkAddress(text: string, own: string): AddressCheck {
  if (!isAddressShaped(text)) return "bad";
  if (text.toLowerCase() === own) return "own";
  if (/^0x0{40}$/.test(text)) return "zero";
  const hasNone = text.slice(2) === text.slice(2).toLowerCase() || text.slice(2) === text.slice(2).toUpperCase();
  if (hasNone) return "unchecked";
  return isAddress(text) ? "right" : "mistyped";
}
