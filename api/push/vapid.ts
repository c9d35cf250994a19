import { createECDH } from "node:crypto";

/** By which push services know who sends. RFC 8292; docs/product.md#push */
export type VapidKeys = { publicKey: string; privateKey: string };

/** Both keys of a private one, base64url; undefined of a text that is none. docs/product.md#push */
export function readVapidKeys(text: string): VapidKeys | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined;
  const pair = createECDH("prime256v1");
  try {
    pair.setPrivateKey(text, "base64url");
  } catch {
    return undefined;
  }
  return { publicKey: pair.getPublicKey("base64url"), privateKey: text };
}
