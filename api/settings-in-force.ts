import { formatDecimal } from "../core/rules/money.ts";
import { jsonOf } from "../core/rules/records.ts";
import type { ApiEnvironment } from "./environment.ts";

/**
 * Never shown, not even in part. A new variable with such a word in its name is a secret unless listed as an exception.
 */
const SECRET = /KEY|SECRET|TOKEN|PASSWORD|ACCOUNTS|DATABASE_(?:READ_)?URL|SIGNER|NOTIFY_URL|ASSETS_URL/;
/** Names of keys, and no key. */
const NOT_SECRET = new Set(["SENDER_KEYS"]);
const HIDDEN = new Set(["keys", "isLocal", "network", "nodeSettings"]);
/** URLs of nodes and feeds may contain a key in their path, query or user name. */
const ADDRESSES = /_URLS?$/;

export type Setting = { name: string; value: string | null; is_secret: boolean; is_set: boolean };

/** Every variable with its effective value, by name. docs/product.md#panel-configuration */
export function listSettings(
  environment: ApiEnvironment,
  source: Record<string, string | undefined> = process.env,
): Setting[] {
  const admins = environment.ADMIN_WALLETS.map(({ wallet, role, isContract }) =>
    [wallet, role, ...(isContract ? ["contract"] : [])].join(":"),
  );
  const rates = environment.FX_RATES.map(({ currency, micros }) => `${currency}:${formatDecimal(micros, 6, 2)}`);
  return Object.entries({ ...environment, ADMIN_WALLETS: admins, FX_RATES: rates })
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => {
      const is_secret = SECRET.test(name) && !NOT_SECRET.has(name);
      return {
        name,
        value: is_secret || value === undefined ? null : textOf(name, value),
        is_secret,
        is_set: Boolean(source[name]),
      };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function textOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(", ");
  if (ADDRESSES.test(name) && typeof value === "string" && URL.canParse(value)) return new URL(value).origin;
  if (value instanceof Map) return [...value].map(([key, one]) => `${key}:${one}`).join(", ");
  return typeof value === "object" ? jsonOf(value) : String(value);
}
