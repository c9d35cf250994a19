import { isAddress } from "viem";
import { parseDecimal } from "../../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../../core/rules/product.ts";
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

/** CHZ as people type it, "1,5" or "1.5", in wei; undefined if it is no amount above zero. */
export function readChz(text: string): bigint | undefined {
  try {
    const wei = parseDecimal(text.trim().replace(",", "."), CHZ_DECIMALS);
    return wei > 0n ? wei : undefined;
  } catch {
    return undefined;
  }
}
