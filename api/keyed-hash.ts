import { createHmac } from "node:crypto";

/**
 * An HMAC-SHA-256 in hexadecimal by `SALE_REF_KEY`, which is not in the database: what is left of personal data after an
 * erasure, who called, the seal of a link. Where no sale is paid, no key is needed. docs/product.md#erase
 */
export function keyedHash(key: string | undefined, text: string): string {
  return createHmac("sha256", (key ?? "").replace(/^0x/, "").toLowerCase())
    .update(text)
    .digest("hex");
}
