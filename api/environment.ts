import { isIP } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import type { Network } from "../chain/chains.ts";
import { DEMO_ADMIN } from "../domain/demo-wallets.ts";
import { CHILIZ_CHAIN_ID, DEFAULT_WEI_PER_CENT, SPICY_CHAIN_ID } from "../domain/product.ts";
import { isAddressShaped, type WalletAddress } from "../domain/wallet-address.ts";

/** anvil's first well-known key: worth nothing outside a chain on this machine, and refused there. */
const LOCAL_TEST_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** A variable is wrong or missing; the message names each on a line of its own. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

const port = (fallback: number) => wholeNumber(fallback, 1, 65_535);

function wholeNumber(fallback: number, minimum: number, maximum?: number) {
  return wholeNumberIfSet(minimum, maximum).default(fallback);
}

function wholeNumberIfSet(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));
}

const flag = z
  .enum(["true", "false", "1", "0"], { error: "must be true or false" })
  .transform((text) => text === "true" || text === "1");

function list<T>(read: (item: string) => T | undefined, mistake: string) {
  return z.string().transform((text, context): T[] => {
    const items = text.split(",").map((item) => item.trim());
    const values: T[] = [];
    for (const item of items.filter((item) => item !== "")) {
      const value = read(item);
      if (value === undefined) context.addIssue({ code: "custom", message: `${mistake}, not "${item}"` });
      else values.push(value);
    }
    return values;
  });
}

const readUrl = (protocols: readonly string[]) => (item: string) =>
  URL.canParse(item) && protocols.includes(new URL(item).protocol) ? item : undefined;

const readAddress = (item: string) => (isAddressShaped(item) ? (item.toLowerCase() as WalletAddress) : undefined);

const address = z
  .string()
  .refine(isAddressShaped, "must be an address: 0x and 40 hex digits")
  .transform((text) => text.toLowerCase() as WalletAddress);

const secrets = list((item) => (item.length >= 32 ? item : undefined), "must be secrets of at least 32 characters");

const affiliateSecrets = list((item) => {
  const [network = "", ...rest] = item.split(":");
  const secret = rest.join(":");
  return /^[a-z0-9-]{1,32}$/.test(network) && secret.length >= 32 ? { network, secret } : undefined;
}, "must be network:secret pairs, each secret of at least 32 characters");

/** As browsers send it: what has a path would never be met. */
const readOrigin = (item: string) => {
  const url = readUrl(["https:", "http:"])(item);
  return url !== undefined && new URL(url).pathname === "/" ? new URL(url).origin : undefined;
};

const PROXY_NAMES = ["loopback", "linklocal", "uniquelocal"];

function isProxy(item: string): boolean {
  const [address = "", bits, ...rest] = item.split("/");
  const size = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isSubnet = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= size);
  return PROXY_NAMES.includes(item) || (size > 0 && isSubnet && rest.length === 0);
}

/** The order of secp256k1: a key is below it, and not zero. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function isPrivateKey(text: string): boolean {
  // What is no hex was told already.
  if (!/^0x[0-9a-f]+$/i.test(text)) return true;
  return BigInt(text) > 0n && BigInt(text) < CURVE_ORDER;
}

const schema = z.object({
  PORT: port(3000),
  HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: wholeNumber(0, 0, 65_535),
  DATA_DIR: z.string().default("data"),
  DATABASE_URL: z.string().optional(),
  RPC_URLS: list(readUrl(["http:", "https:", "ws:", "wss:"]), "must be http(s):// or ws(s):// addresses").optional(),
  CHAIN_PORT: port(8545),
  CHAIN_ID: wholeNumber(SPICY_CHAIN_ID, 1).refine(
    (id) => id === SPICY_CHAIN_ID || id === CHILIZ_CHAIN_ID,
    `must be ${SPICY_CHAIN_ID} (Chiliz Spicy) or ${CHILIZ_CHAIN_ID} (Chiliz mainnet)`,
  ),
  OPERATOR_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hex digits")
    .refine(isPrivateKey, "is not a key of the chain's curve")
    .transform((text) => text as `0x${string}`)
    .optional(),
  ADMIN_WALLETS: list(readAddress, "must be wallet addresses").default([]),
  SERVICE_TOKENS: secrets.default([]),
  AFFILIATE_SECRETS: affiliateSecrets.default([]),
  AUTH_MODE: z.enum(["compat", "strict"], { error: "must be compat or strict" }).optional(),
  BONUS_PROGRAM: z.enum(["club", "tiers"], { error: "must be club or tiers" }).default("club"),
  SIMULATED_PURCHASES: flag.optional(),
  SIMULATED_STEP_DELAY_MS: wholeNumber(1_500, 0, 3_600_000),
  HOLD_SECONDS: wholeNumber(30 * 24 * 3_600, 0),
  PAYOUTS_PAUSED: flag.default(false),
  CONFIRMATIONS: wholeNumberIfSet(1, 1_000).optional(),
  PAYOUT_CONFIRMATIONS: wholeNumberIfSet(1, 1_000).optional(),
  BATCH_SIZE: wholeNumber(100, 1, 128),
  BATCH_AGE_MS: wholeNumberIfSet(0, 600_000).optional(),
  MAX_FEE_GWEI: wholeNumber(20_000, 1),
  FEE_BUMP_AFTER_MS: wholeNumber(30_000, 500),
  WEI_PER_CENT: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, "must be a whole number of wei")
    .transform(BigInt)
    .refine((wei) => wei < 2n ** 63n, "must be below 2^63")
    .default(DEFAULT_WEI_PER_CENT),
  RATE_URL: z
    .string()
    .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an https:// address")
    .optional(),
  RATE_REFRESH_SECONDS: wholeNumber(30, 1),
  RATE_MAX_AGE_SECONDS: wholeNumber(900, 1),
  RATE_MAX_JUMP_PERCENT: wholeNumber(20, 1, 1_000),
  RECONCILE_INTERVAL_SECONDS: wholeNumber(600, 1),
  PUBLIC_URL: z
    .string()
    .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an http:// or https:// address")
    .optional(),
  CORS_ORIGINS: list(readOrigin, "must be origins such as https://shop.example").default([]),
  TRUST_PROXY: z
    .string()
    .refine(
      (text) => /^\d{1,3}$/.test(text) || text.split(",").every((item) => isProxy(item.trim())),
      "must be a number of proxies, or their addresses and subnets, or loopback, linklocal, uniquelocal",
    )
    .optional(),
  RATE_LIMIT_SCALE: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a positive number")
    .transform(Number)
    .refine((scale) => scale > 0, "must be more than 0")
    .default(1),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "silent"], {
      error: "must be fatal, error, warn, info, debug or silent",
    })
    .default("info"),
  // What the web app was built with, for the policy that its pages are served under.
  VITE_ANALYTICS_URL: z.string().optional(),
  VITE_WALLETCONNECT_PROJECT_ID: z.string().optional(),
  PURCHASE_NFT_ADDRESS: address.optional(),
  CASHBACK_DISTRIBUTOR_ADDRESS: address.optional(),
  START_BLOCK: wholeNumberIfSet(0).optional(),
});

export type ApiEnvironment = ReturnType<typeof readEnvironment>;

/** Reads and checks what the api is configured by. docs/product.md#configuration. @throws EnvironmentError */
export function readEnvironment(source: NodeJS.ProcessEnv) {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ""));
  const result = schema.safeParse(present);
  if (!result.success) {
    throw new EnvironmentError(
      result.error.issues.map((issue) => `${issue.path[0]?.toString()} ${issue.message}`).join("\n"),
    );
  }
  const values = result.data;
  // WebSockets are for the indexer, which reads the same variable.
  const httpUrls = values.RPC_URLS?.filter((url) => url.startsWith("http"));
  if (values.RPC_URLS?.length && httpUrls?.length === 0) {
    throw new EnvironmentError("RPC_URLS needs at least one http(s):// address");
  }
  const rpcUrls = httpUrls?.length ? httpUrls : [`http://127.0.0.1:${values.CHAIN_PORT}`];
  const isLocal = rpcUrls.every(isLoopback) && values.CHAIN_ID === SPICY_CHAIN_ID;
  const isMainnet = values.CHAIN_ID === CHILIZ_CHAIN_ID;
  const network: Network = isLocal ? "localhost" : isMainnet ? "chiliz" : "spicy";
  return {
    ...values,
    RPC_URLS: rpcUrls,
    isLocal,
    network,
    // The demo admin's key is public: it is an admin only where nobody but this machine can call.
    ADMIN_WALLETS:
      network === "localhost" && isLoopbackHost(values.HOST)
        ? [...values.ADMIN_WALLETS, DEMO_ADMIN as WalletAddress]
        : values.ADMIN_WALLETS,
    DATABASE_URL: values.DATABASE_URL ?? join(values.DATA_DIR, "torcida.db"),
    OPERATOR_PRIVATE_KEY: operatorKey(values.OPERATOR_PRIVATE_KEY, isLocal),
    AUTH_MODE: values.AUTH_MODE ?? (values.CHAIN_ID === SPICY_CHAIN_ID ? ("compat" as const) : ("strict" as const)),
    SIMULATED_PURCHASES: values.SIMULATED_PURCHASES ?? !isMainnet,
    CONFIRMATIONS: values.CONFIRMATIONS ?? (isLocal ? 1 : 15),
    PAYOUT_CONFIRMATIONS: values.PAYOUT_CONFIRMATIONS ?? (isLocal ? 1 : 30),
    BATCH_AGE_MS: values.BATCH_AGE_MS ?? (isLocal ? 150 : 3_000),
  };
}

function operatorKey(given: `0x${string}` | undefined, isLocal: boolean): `0x${string}` {
  if (given === undefined) {
    if (isLocal) return LOCAL_TEST_KEY;
    throw new EnvironmentError(
      "OPERATOR_PRIVATE_KEY is missing: set the key that mints, confirms and pays on this chain",
    );
  }
  if (given.toLowerCase() === LOCAL_TEST_KEY && !isLocal) {
    throw new EnvironmentError(
      "OPERATOR_PRIVATE_KEY is a test key that everyone knows: use one of your own on a public chain",
    );
  }
  return given;
}

const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

function isLoopbackHost(host: string): boolean {
  return ["localhost", "::1", "[::1]"].includes(host) || (isIP(host) === 4 && host.startsWith("127."));
}
