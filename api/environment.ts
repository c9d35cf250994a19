import { isIP } from "node:net";
import { z } from "zod";
import { isPostgres } from "../core/database/connect.ts";
import { hostUrls } from "../core/database/postgres-url.ts";
import {
  address,
  CHAIN_VARIABLES,
  chainEnvironment,
  chainProblems,
  checkVariables,
  DATABASE_VARIABLES,
  databaseUrl,
  databaseUrlOf,
  flag,
  LOG_LEVEL,
  list,
  type Problem,
  port,
  readUrl,
  siteUrl,
  type Variables,
  wholeNumber,
  wholeNumberIfSet,
  withWrongUrls,
} from "../core/process/environment.ts";
import { KNOWN_ADDRESSES } from "../core/process/known-keys.ts";
import { deriveNetwork, isLoopbackHost, NETWORK_RULES } from "../core/process/network-rules.ts";
import { fileWith } from "../core/process/signer.ts";
import { KEY_VARIABLES, keyProblems, signingKeys } from "../core/process/signing-keys.ts";
import { TRACE_VARIABLES } from "../core/process/tracing.ts";
import { DEMO_ADMIN } from "../core/rules/demo-wallets.ts";
import { DAY_SECONDS } from "../core/rules/iso-time.ts";
import { DEFAULT_WEI_PER_CENT } from "../core/rules/product.ts";
import { ROLES, type Role } from "../core/rules/roles.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import { SALE_VARIABLES, saleProblems, saleRefProblems } from "../core/sales/environment.ts";
import { readVapidKeys } from "./push/vapid.ts";

const SECRET = { isSecret: true };

const secrets = list(
  (item) => (item.length >= 32 ? item : undefined),
  "must be secrets of at least 32 characters",
  SECRET,
);

/** An origin as browsers send it; one with a path would never match. */
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

const VARIABLES = {
  ...DATABASE_VARIABLES,
  DATABASE_READ_URL: z
    .string()
    .refine(
      (text) => isPostgres(text) && databaseUrl.safeParse(text).success && hostUrls(text).length === 1,
      "must be a standby of PostgreSQL, one host: postgres://user:password@host/name",
    )
    .optional(),
  ...CHAIN_VARIABLES,
  ...SALE_VARIABLES,
  LOG_LEVEL,
  ...TRACE_VARIABLES,
  CLAIM_AFTER_DAYS: wholeNumber(7, 0, 365),
  PORT: port(3000),
  HOST: z.string().default("127.0.0.1"),
  METRICS_PORT: wholeNumber(0, 0, 65_535),
  DRAIN_SECONDS: wholeNumberIfSet(0, 300),
  WEB_DIR: z.string().optional(),
  ...KEY_VARIABLES,
  ADMIN_WALLETS: list(
    readAdmin,
    "must be wallet addresses (mixed case with the right checksum), each alone or with :operator, :catalogue, :support or :auditor; a smart-contract wallet with its role and :contract, such as :owner:contract",
  )
    .refine(isOnceEach, "must name each wallet once")
    .default([]),
  SERVICE_TOKENS: secrets.default([]),
  AUTH_MODE: z.enum(["compat", "strict"], { error: "must be compat or strict" }).optional(),
  BONUS_PROGRAM: z.enum(["club", "tiers"], { error: "must be club or tiers" }).default("club"),
  SIMULATED_PURCHASES: flag.optional(),
  SIMULATED_STEP_DELAY_MS: wholeNumber(1_500, 0, 3_600_000),
  SIMULATED_MAX_REAIS: wholeNumberIfSet(1, 1_000_000_000),
  SIMULATED_DAILY_MAX_REAIS: wholeNumberIfSet(1, 1_000_000_000),
  SIMULATED_TOTAL_DAILY_REAIS: wholeNumberIfSet(1, 1_000_000_000),
  PAYOUTS_PAUSED: flag.default(false),
  CONFIRMATIONS: wholeNumberIfSet(1, 1_000),
  PAYOUT_CONFIRMATIONS: wholeNumberIfSet(1, 1_000),
  BATCH_SIZE: wholeNumber(100, 1, 128),
  BATCH_AGE_MS: wholeNumberIfSet(0, 600_000),
  MAX_FEE_GWEI: wholeNumber(20_000, 1, 10_000_000),
  FEE_BUMP_AFTER_MS: wholeNumber(30_000, 500, 3_600_000),
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
  RATE_REFRESH_SECONDS: wholeNumber(30, 1, DAY_SECONDS),
  RATE_MAX_AGE_SECONDS: wholeNumber(900, 1, 7 * DAY_SECONDS),
  RATE_MAX_JUMP_PERCENT: wholeNumber(20, 1, 1_000),
  ASSETS_URL: z
    .string()
    .refine(
      (text) => {
        const url = readUrl(["https:", "http:"])(text) === undefined ? undefined : new URL(text);
        return url !== undefined && url.username !== "" && url.password !== "" && url.pathname !== "/";
      },
      {
        message: "must be a bucket such as https://KEY:SECRET@s3.example/bucket?region=auto",
        params: { isSecret: true },
      },
    )
    .optional(),
  SALE_OVERDUE_DAYS: wholeNumber(90, 1, 3_650),
  APPROVAL_ABOVE_CHZ: wholeNumberIfSet(0, 1_000_000_000),
  BOOST_APPROVAL_ABOVE_PERCENT: wholeNumber(10, 0, 100),
  BOOST_MAX_PERCENT: wholeNumber(100, 1, 100),
  INVITE_BONUS_PERCENT: wholeNumber(0, 0, 20),
  SMTP_URL: z
    .string()
    .refine((text) => readUrl(["smtp:", "smtps:"])(text) !== undefined, {
      message: "must be a server such as smtps://user:password@mail.example",
      params: { isSecret: true },
    })
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>\r\n"]{1,60} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
      "must be a sender such as Torcida <avisos@shop.example>",
    )
    .optional(),
  VAPID_KEY_FILE: fileWith("a key for messages: make one by npm run key -- --vapid FILE", readVapidKeys).optional(),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(?:mailto:[^\s<>@]+@[^\s<>@]+|https:\/\/[^\s/]\S*)$/, "must be such as mailto:avisos@shop.example")
    .optional(),
  NOTIFY_URL: z
    .string()
    .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, "must be an https:// address")
    .optional(),
  NOTIFY_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  LOW_BALANCE_CHZ: wholeNumber(10, 0, 1_000_000_000),
  RECONCILE_INTERVAL_SECONDS: wholeNumber(600, 1, DAY_SECONDS),
  RECONCILE_CALLS: wholeNumber(60, 20, 100_000),
  NODE_CALLS_PER_SECOND: wholeNumber(25, 1, 100_000),
  PUBLIC_URL: siteUrl.optional(),
  SUPPORT_CONTACT: z
    .union([z.email(), z.string().refine((text) => readUrl(["https:"])(text) !== undefined)], {
      error: "must be an e-mail address or an https:// address",
    })
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
  // The web app's build settings, for the Content Security Policy of its pages.
  VITE_ANALYTICS_URL: z
    .string()
    .refine(
      (text) => text.startsWith("/") || readUrl(["https:", "http:"])(text) !== undefined,
      "must be an https:// address, or a path of this site",
    )
    .optional(),
  VITE_WALLETCONNECT_PROJECT_ID: z.string().optional(),
};

/** `isContract`: its contract signs for it, where others sign with their key. docs/product.md#staff-key */
export type AdminEntry = { wallet: WalletAddress; role: Role; isContract: boolean };

const DEMO_ADMIN_ENTRY: AdminEntry = { wallet: DEMO_ADMIN, role: "owner", isContract: false };

/** `0x…` is an owner, `0x…:support` has that role, `0x…:owner:contract` is a smart-contract wallet. */
function readAdmin(item: string): AdminEntry | undefined {
  const [account = "", named = "owner", kind, ...rest] = item.split(":");
  const wallet = address.safeParse(account).data;
  const role = ROLES.find((one) => one === named);
  if (wallet === undefined || role === undefined || rest.length > 0) return undefined;
  return kind === undefined || kind === "contract" ? { wallet, role, isContract: kind === "contract" } : undefined;
}

function isOnceEach(entries: readonly AdminEntry[]): boolean {
  return new Set(entries.map(({ wallet }) => wallet)).size === entries.length;
}

type Values = z.output<z.ZodObject<typeof VARIABLES>>;

export type ApiEnvironment = ReturnType<typeof readEnvironment>;

/**
 * Reads and validates the api's configuration. docs/product.md#configuration.
 * @throws EnvironmentError that names every problem
 */
export function readEnvironment(source: Variables) {
  const values = checkVariables(VARIABLES, source, (right, wrong) => {
    const known = withWrongUrls(right, wrong);
    return [
      ...chainProblems(known),
      ...keyProblems(deriveNetwork(known), known, wrong),
      ...safetyProblems(known),
      ...(right.METRICS_PORT !== undefined && right.METRICS_PORT === right.PORT
        ? [{ variable: "METRICS_PORT", message: "must differ from PORT, or be 0 to serve on PORT" }]
        : []),
      ...depthProblems(known),
      ...missingHalves(right, wrong),
      ...rateProblems(right),
      ...readProblems(right, wrong),
      ...saleProblems(right),
      ...saleRefProblems(right, deriveNetwork(known) !== "localhost" && right.SIMULATED_PURCHASES !== true),
    ];
  });
  const chain = chainEnvironment(values);
  const { isLocal, network } = chain;
  const rules = NETWORK_RULES[network];
  return {
    ...values,
    isLocal,
    network,
    nodeSettings: chain.nodeSettings,
    CHAIN_ID: chain.chainId,
    RPC_URLS: chain.rpcUrls,
    // The demo admin's key is public: it is an admin only if only this machine can call the api.
    ADMIN_WALLETS:
      isLocal && isLoopbackHost(values.HOST)
        ? [...values.ADMIN_WALLETS.filter(({ wallet }) => wallet !== DEMO_ADMIN), DEMO_ADMIN_ENTRY]
        : values.ADMIN_WALLETS,
    DATABASE_URL: databaseUrlOf(values),
    // No balancer is in front of the local chain's api.
    DRAIN_SECONDS: values.DRAIN_SECONDS ?? (isLocal ? 0 : 5),
    keys: signingKeys(values),
    AUTH_MODE: values.AUTH_MODE ?? (network === "chiliz" ? ("strict" as const) : ("compat" as const)),
    SIMULATED_PURCHASES: values.SIMULATED_PURCHASES ?? isLocal,
    ...simulatedLimits(values, isLocal),
    CONFIRMATIONS: values.CONFIRMATIONS ?? rules.confirmations,
    PAYOUT_CONFIRMATIONS: values.PAYOUT_CONFIRMATIONS ?? rules.payoutConfirmations,
    BATCH_AGE_MS: values.BATCH_AGE_MS ?? rules.batchAgeMs,
  };
}

/** Of two settings that are of use only together. */
const PAIRS = [
  ["NOTIFY_URL", "NOTIFY_SECRET", "notices to NOTIFY_URL are signed with it"],
  ["NOTIFY_SECRET", "NOTIFY_URL", "NOTIFY_SECRET signs the notices that are sent there"],
  ["SMTP_URL", "MAIL_FROM", "it is the sender of the e-mails that SMTP_URL takes"],
  ["MAIL_FROM", "SMTP_URL", "it is the server that takes the e-mails of MAIL_FROM"],
  ["VAPID_KEY_FILE", "VAPID_SUBJECT", "push services write to it when something is wrong with our messages"],
  ["VAPID_SUBJECT", "VAPID_KEY_FILE", "it is the key that signs messages to devices"],
] as const;

function missingHalves(values: Partial<Values>, wrong: ReadonlySet<string>): Problem[] {
  return PAIRS.filter(
    ([has, lacks]) => values[has] !== undefined && values[lacks] === undefined && !wrong.has(lacks),
  ).map(([, variable, reason]) => ({ variable, message: `is missing: ${reason}` }));
}

function readProblems(
  { DATABASE_READ_URL: replica, DATABASE_URL: primary }: Partial<Values>,
  wrong: ReadonlySet<string>,
): Problem[] {
  if (replica === undefined || wrong.has("DATABASE_URL") || isPostgres(primary ?? "")) return [];
  return [{ variable: "DATABASE_READ_URL", message: "is of no use without DATABASE_URL: SQLite has no replica" }];
}

function rateProblems({ RATE_REFRESH_SECONDS: refresh = 0, RATE_MAX_AGE_SECONDS: age = Infinity }: Partial<Values>) {
  if (age > refresh) return [];
  const message = `must be more than RATE_REFRESH_SECONDS (${refresh}), or each rate is too old before the next`;
  return [{ variable: "RATE_MAX_AGE_SECONDS", message }];
}

/** A purchase is settled once its payout is `PAYOUT_CONFIRMATIONS` deep, and by then its buyer has to see it as paid. */
function depthProblems(values: Partial<Values>): Problem[] {
  const rules = NETWORK_RULES[deriveNetwork(values)];
  const shown = values.CONFIRMATIONS ?? rules.confirmations;
  const isDeep = (values.PAYOUT_CONFIRMATIONS ?? rules.payoutConfirmations) >= shown;
  return isDeep ? [] : [{ variable: "PAYOUT_CONFIRMATIONS", message: `must be at least CONFIRMATIONS (${shown})` }];
}

/** On the local chain they apply once one is set: its CHZ is worth nothing. docs/product.md#simulated-limits */
function simulatedLimits(values: Values, isLocal: boolean) {
  const { SIMULATED_MAX_REAIS, SIMULATED_DAILY_MAX_REAIS, SIMULATED_TOTAL_DAILY_REAIS } = values;
  const isNoneSet = (SIMULATED_MAX_REAIS ?? SIMULATED_DAILY_MAX_REAIS ?? SIMULATED_TOTAL_DAILY_REAIS) === undefined;
  if (isLocal && isNoneSet) return {};
  return {
    SIMULATED_MAX_REAIS: SIMULATED_MAX_REAIS ?? 10_000,
    SIMULATED_DAILY_MAX_REAIS: SIMULATED_DAILY_MAX_REAIS ?? 20_000,
    SIMULATED_TOTAL_DAILY_REAIS: SIMULATED_TOTAL_DAILY_REAIS ?? 100_000,
  };
}

/** The floor of the base fee on both public networks. */
const LEAST_FEE_GWEI = 2_500;

/** Settings that put money or accounts at risk; the local chain allows them. docs/product.md#production-refusals */
function safetyProblems(values: Partial<Values>): Problem[] {
  const network = deriveNetwork(values);
  if (network === "localhost") return [];
  const knownAdmin = values.ADMIN_WALLETS?.find(({ wallet }) => KNOWN_ADDRESSES.has(wallet))?.wallet;
  const problems: [boolean, variable: string, message: string][] = [
    [
      knownAdmin !== undefined,
      "ADMIN_WALLETS",
      `must not have ${knownAdmin}: it is a test account whose key everyone knows`,
    ],
    [
      (values.MAX_FEE_GWEI ?? LEAST_FEE_GWEI) < LEAST_FEE_GWEI,
      "MAX_FEE_GWEI",
      `must be at least ${LEAST_FEE_GWEI}: the base fee of ${network} is never lower, so nothing would be sent`,
    ],
    [
      values.PUBLIC_URL === undefined,
      "PUBLIC_URL",
      `is missing: on ${network} the address of the site is what wallets bind sign-in messages to`,
    ],
    ...(network === "chiliz" ? mainnetProblems(values) : []),
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, variable, message]) => ({ variable, message }));
}

function mainnetProblems(values: Partial<Values>): [boolean, string, string][] {
  return [
    [
      values.PUBLIC_URL !== undefined && !values.PUBLIC_URL.startsWith("https:"),
      "PUBLIC_URL",
      "must be an https:// address on chiliz",
    ],
    [
      values.SIMULATED_PURCHASES === true,
      "SIMULATED_PURCHASES",
      "must not be true on chiliz: whatever a buyer registers would be paid",
    ],
    [values.AUTH_MODE === "compat", "AUTH_MODE", "must be strict on chiliz: a fixed sentence can be replayed"],
    [
      values.RATE_URL === undefined,
      "RATE_URL",
      "is missing: on chiliz cashback is paid at a rate from a feed, never at a fixed one",
    ],
  ];
}
