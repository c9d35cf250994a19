import { parseDecimal } from "../../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../../core/rules/product.ts";

/** CHZ as people type it, "1,5" or "1.5", in wei; undefined if it is no amount above zero. */
export function readChz(text: string): bigint | undefined {
  try {
    const wei = parseDecimal(text.trim().replace(",", "."), CHZ_DECIMALS);
    return wei > 0n ? wei : undefined;
  } catch {
    return undefined;
  }
}
