import { randomBytes, timingSafeEqual } from "node:crypto";
import { readSetting, type SettingName, writeSettingOnce } from "../../core/database/settings.ts";
import type { Queries } from "../../core/database/transaction.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { keyedHash } from "../keyed-hash.ts";

const WALLET_BYTES = 20;
const SEAL_BYTES = 16;
const KEY_BYTES = 32;
const KEY_NAME: SettingName = "unsubscribe_key";

type Keys = { SALE_REF_KEY?: string | undefined; SALE_REF_KEYS: readonly string[] };

/**
 * By which links that end e-mails are made, and were made: `SALE_REF_KEY`, which is not in the database, and the former
 * ones. Where there is none, one of the database.
 */
export async function unsubscribeKeys(queries: Queries, { SALE_REF_KEY, SALE_REF_KEYS }: Keys): Promise<string[]> {
  const random = randomBytes(KEY_BYTES).toString("base64url");
  const stored = SALE_REF_KEY
    ? await readSetting(queries, KEY_NAME)
    : await writeSettingOnce(queries, KEY_NAME, random);
  return [SALE_REF_KEY, ...SALE_REF_KEYS, stored].flatMap((key) => (key === undefined ? [] : [key]));
}

/** Ends a wallet's e-mails without a login, at any time: the wallet and its seal. Nothing of it is stored. */
export function unsubscribeToken(wallet: WalletAddress, [key = ""]: readonly string[]): string {
  const bytes = Buffer.from(wallet.slice(2), "hex");
  return Buffer.concat([bytes, sealOf(bytes, key)]).toString("base64url");
}

/** Whose token it is; undefined if we did not make it so. */
export function walletOfToken(token: string, keys: readonly string[]): WalletAddress | undefined {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== WALLET_BYTES + SEAL_BYTES) return undefined;
  const [wallet, seal] = [bytes.subarray(0, WALLET_BYTES), bytes.subarray(WALLET_BYTES)];
  if (!keys.some((key) => timingSafeEqual(seal, sealOf(wallet, key)))) return undefined;
  return `0x${wallet.toString("hex")}`;
}

function sealOf(wallet: Uint8Array, key: string): Buffer {
  const text = `torcida unsubscribe 0x${Buffer.from(wallet).toString("hex")}`;
  return Buffer.from(keyedHash(key, text), "hex").subarray(0, SEAL_BYTES);
}
