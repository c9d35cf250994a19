import { createHmac } from "node:crypto";
import type { SaleRules } from "../domain/sale/rules.ts";

/**
 * What the tickets of a sale carry: the first 64 bits of an HMAC-SHA-256 over network, account and sale key, by each key
 * (32 bytes in hexadecimal), as signed integers and never 0. docs/product.md#sale-ref
 */
export function saleRefsBy(keys: readonly string[]): SaleRules["saleRefs"] {
  const secrets = keys.map((key) => Buffer.from(key.replace(/^0x/, ""), "hex"));
  return ({ network, account, saleKey }) =>
    secrets.map((secret) => {
      const digest = createHmac("sha256", secret)
        .update(JSON.stringify([network, account, saleKey]))
        .digest();
      return digest.readBigInt64BE() || 1n;
    });
}
