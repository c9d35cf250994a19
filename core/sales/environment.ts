import { createHmac } from "node:crypto";
import { z } from "zod";
import {
  CHAIN_VARIABLES,
  chainEnvironment,
  checkVariables,
  DATABASE_VARIABLES,
  databaseUrlOf,
  LOG_LEVEL,
  list,
  type Problem,
  readUrl,
  type Variables,
  wholeNumber,
  wholeNumberIfSet,
} from "../process/environment.ts";
import { deriveNetwork, networkContradictions } from "../process/network-rules.ts";
import { TRACE_VARIABLES } from "../process/tracing.ts";
import { DEFAULT_SHARE_PERCENT } from "../rules/commission.ts";
import { DAY_SECONDS } from "../rules/iso-time.ts";
import type { AccountKey, KnownAccount, SaleRules } from "../rules/sale/rules.ts";
import { readMicros } from "../rules/sale/value.ts";
import { type AffiliateAccount, accountProblems, readAccounts } from "./accounts.ts";

const affiliateSecrets = list(
  (item) => {
    const [network = "", ...rest] = item.split(":");
    const secret = rest.join(":");
    return /^[a-z0-9-]{1,32}$/.test(network) && secret.length >= 32 ? { network, secret } : undefined;
  },
  "must be network:secret pairs, each secret of at least 32 characters",
  { isSecret: true },
);

const accountKey = list((item) => {
  const [network = "", account = "", ...rest] = item.split(":");
  const isName = [network, account].every((name) => /^[a-z0-9-]{1,32}$/.test(name));
  return isName && rest.length === 0 ? { network, account } : undefined;
}, "must be accounts as network:account, such as awin:br,direct:acme");

const fxRate = list((item) => {
  const [currency = "", text = ""] = item.split(":");
  const micros = readMicros(text);
  return /^[A-Z]{3}$/.test(currency) && micros !== undefined && micros > 0n ? { currency, micros } : undefined;
}, "must be currencies with their price in reais, such as USD:5.00,EUR:6.00");

const KEY_MISTAKE = "must be 32 bytes in hexadecimal";
/** No message quotes it. */
const saleRefKey = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/, KEY_MISTAKE);

/** The local chain's, where nothing is secret. */
const LOCAL_SALE_REF_KEY = "10ca1".padEnd(64, "0");

/** The settings for reading and checking sales, used by the api (pushes and direct reports) and by the network reader. */
export const SALE_VARIABLES = {
  AFFILIATE_ACCOUNTS: z.string().optional(),
  AFFILIATE_SECRETS: affiliateSecrets.default([]),
  AFFILIATE_CLOSED_ACCOUNTS: accountKey.default([]),
  HOLD_SECONDS: wholeNumber(30 * DAY_SECONDS, 0, 366 * DAY_SECONDS),
  MINT_DELAY_SECONDS: wholeNumberIfSet(0, 366 * DAY_SECONDS),
  FX_URL: z
    .string()
    .refine(
      (text) => readUrl(["https:", "http:"])(text.replaceAll(/[{}]/g, "")) !== undefined,
      "must be an https:// address",
    )
    .optional(),
  FX_RATES: fxRate.default([]),
  SALES_PER_DAY_MAX: wholeNumber(10, 1, 1_000_000),
  SALE_MAX_REAIS: wholeNumber(10_000, 1, 1_000_000_000),
  SALE_MIN_SECONDS: wholeNumber(5, 0, DAY_SECONDS),
  MARGIN_LOSS_REAIS: wholeNumber(500, 0, 1_000_000_000),
  CASHBACK_SHARE_PERCENT: wholeNumber(Number(DEFAULT_SHARE_PERCENT), 0, 100),
  SALE_REF_KEY: saleRefKey.optional(),
  SALE_REF_KEYS: list((item) => saleRefKey.safeParse(item).data, KEY_MISTAKE, { isSecret: true }).default([]),
};

type SaleVariables = z.output<z.ZodObject<typeof SALE_VARIABLES>>;

const LIVE_MINT_DELAY_SECONDS = DAY_SECONDS;

/** As a rule of a process's schema. */
export const saleProblems = (values: Partial<SaleVariables>): Problem[] => [
  ...accountProblems(() => accountsOf(values)),
  ...closedProblems(values),
  ...(values.FX_URL !== undefined && (values.FX_RATES ?? []).length > 0
    ? [{ variable: "FX_RATES", message: "must not be set together with FX_URL: use the feed, or fixed rates" }]
    : []),
];

function closedProblems(values: Partial<SaleVariables>): Problem[] {
  if (accountProblems(() => accountsOf(values)).length > 0) return [];
  const isConfigured = (one: AccountKey) =>
    accountsOf(values).some(({ network, account }) => network === one.network && account === one.account);
  return (values.AFFILIATE_CLOSED_ACCOUNTS ?? []).filter(isConfigured).map(({ network, account }) => ({
    variable: "AFFILIATE_CLOSED_ACCOUNTS",
    message: `names ${network}:${account}, which is configured: take it out of one of the two`,
  }));
}

/** Missing where sales of affiliate accounts are paid. docs/product.md#sale-ref */
export function saleRefProblems(values: Partial<SaleVariables>, isLive: boolean): Problem[] {
  const hasAccounts = values.AFFILIATE_ACCOUNTS !== undefined || (values.AFFILIATE_SECRETS ?? []).length > 0;
  if (!isLive || !hasAccounts || values.SALE_REF_KEY !== undefined) return [];
  return [
    { variable: "SALE_REF_KEY", message: "is missing: make one with openssl rand -hex 32, and keep it with the keys" },
  ];
}

export function accountsOf(values: Partial<SaleVariables>): AffiliateAccount[] {
  return readAccounts(values.AFFILIATE_ACCOUNTS, values.AFFILIATE_SECRETS ?? []);
}

/**
 * The rules for sales from a process's variables: delays in milliseconds, limits in cents. docs/product.md#sales-held
 */
export function saleRules(values: SaleVariables, accounts: readonly KnownAccount[], isLocal: boolean): SaleRules {
  return {
    limits: {
      salesPerDay: BigInt(values.SALES_PER_DAY_MAX),
      maximumCents: BigInt(values.SALE_MAX_REAIS) * 100n,
      minimumSeconds: BigInt(values.SALE_MIN_SECONDS),
      marginLossCents: BigInt(values.MARGIN_LOSS_REAIS) * 100n,
    },
    mintDelayMs: BigInt(values.MINT_DELAY_SECONDS ?? (isLocal ? 0 : LIVE_MINT_DELAY_SECONDS)) * 1_000n,
    holdMs: BigInt(values.HOLD_SECONDS) * 1_000n,
    sharePercent: BigInt(values.CASHBACK_SHARE_PERCENT),
    accounts,
    fx: { url: values.FX_URL, fixed: new Map(values.FX_RATES.map(({ currency, micros }) => [currency, micros])) },
    saleRefs: saleRefsBy([values.SALE_REF_KEY ?? (isLocal ? LOCAL_SALE_REF_KEY : []), values.SALE_REF_KEYS].flat()),
  };
}

const VARIABLES = {
  ...DATABASE_VARIABLES,
  ...CHAIN_VARIABLES,
  ...SALE_VARIABLES,
  AFFILIATES_PORT: wholeNumber(3002, 0, 65_535),
  AFFILIATES_HOST: z.string().default("127.0.0.1"),
  LOG_LEVEL,
  ...TRACE_VARIABLES,
};

/** The variables of the network reader. @throws EnvironmentError that lists every problem */
export function readEnvironment(source: Variables) {
  const values = checkVariables(VARIABLES, source, (known) => [
    ...networkContradictions(known),
    ...saleProblems(known),
    ...saleRefProblems(known, deriveNetwork(known) !== "localhost"),
  ]);
  const accounts = accountsOf(values);
  const { isLocal, network } = chainEnvironment(values);
  return {
    dataDirectory: values.DATA_DIR,
    databaseUrl: databaseUrlOf(values),
    logLevel: values.LOG_LEVEL,
    traces: values,
    port: values.AFFILIATES_PORT,
    host: values.AFFILIATES_HOST,
    network,
    accounts,
    closedAccounts: values.AFFILIATE_CLOSED_ACCOUNTS,
    rulesOf: (known: readonly KnownAccount[]) => saleRules(values, known, isLocal),
  };
}

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
