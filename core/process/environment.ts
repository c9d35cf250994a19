import { createRequire } from "node:module";
import { join } from "node:path";
import { z } from "zod";
import { hostUrls } from "../database/postgres-url.ts";
import { CHAIN_IDS, NETWORKS, type Network } from "../rules/networks.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { isAddressShaped, toWalletAddress, type WalletAddress } from "../rules/wallet-address.ts";
import { deriveNetwork, type NetworkVariables, networkContradictions } from "./network-rules.ts";
import type { NodeSettings } from "./trusted-nodes.ts";

/** Variables are invalid or missing; the message names each on its own line. */
export class EnvironmentError extends TorcidaError {
  override readonly docs = "docs/operations.md#configuration";
}

export type Problem = { variable: string; message: string };
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads and validates a process's variables; an empty one counts as unset. `rules` gets the valid values and the names
 * of the invalid ones, and returns contradictions between them, so that one run reports every problem.
 * @throws EnvironmentError
 * @example
 * const { PORT, HOST } = checkVariables({ PORT: port(3000), HOST: z.string().optional() }, process.env);
 */
export function checkVariables<Shape extends z.ZodRawShape>(
  shape: Shape,
  source: Variables,
  rules: (values: Partial<z.output<z.ZodObject<Shape>>>, wrong: ReadonlySet<string>) => readonly Problem[] = () => [],
): z.output<z.ZodObject<Shape>> {
  // Filled below, variable by variable, and returned only if it is whole.
  const values = {} as z.output<z.ZodObject<Shape>>;
  const problems: Problem[] = [];
  for (const [variable, schema] of Object.entries(shape)) {
    const result = z.safeParse(schema, source[variable] || undefined);
    if (result.success) Object.assign(values, { [variable]: result.data });
    else problems.push(...result.error.issues.map(({ message }) => ({ variable, message })));
  }
  const wrong = new Set(problems.map(({ variable }) => variable));
  problems.push(...rules(values, wrong).filter(({ variable }) => !wrong.has(variable)));
  const lines = new Set(problems.map(({ variable, message }) => `${variable} ${message}`));
  if (lines.size > 0) throw new EnvironmentError([...lines].join("\n"));
  return values;
}

/** A whole number within inclusive bounds; undefined if the variable is unset. */
export function wholeNumberIfSet(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^-?\d+$/, { error: "must be a whole number", abort: true })
    .transform(Number)
    .pipe(
      z
        .number()
        .min(minimum, { error: `must be at least ${minimum}`, abort: true })
        .max(maximum, { error: `must be at most ${maximum}`, abort: true }),
    )
    .optional();
}

export function wholeNumber(fallback: number, minimum: number, maximum?: number) {
  return wholeNumberIfSet(minimum, maximum).default(fallback);
}

export const port = (fallback: number) => wholeNumber(fallback, 1, 65_535);

/** `true` or `1`, `false` or `0`. */
export const flag = z
  .enum(["true", "false", "1", "0"], { error: "must be true or false" })
  .transform((text) => text === "true" || text === "1");

/** Comma separated items. Quotes an invalid item unless it may be a secret. */
export function list<T>(read: (item: string) => T | undefined, mistake: string, { isSecret = false } = {}) {
  return z.string().transform((text, context): T[] => {
    const items = text.split(",").map((item) => item.trim());
    const values: T[] = [];
    for (const item of items.filter((item) => item !== "")) {
      const value = read(item);
      if (value !== undefined) values.push(value);
      else context.addIssue({ code: "custom", message: isSecret ? mistake : `${mistake}, not "${item}"` });
    }
    return values;
  });
}

/** A name or an address; `URL` takes more, such as the rest of a list with semicolons. */
const HOST = /^([a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\])$/;

/** For `list`: a URL with one of these protocols, such as `https:`. */
export const readUrl = (protocols: readonly string[]) => (item: string) => {
  const url = URL.canParse(item) ? new URL(item) : undefined;
  return url && protocols.includes(url.protocol) && HOST.test(url.hostname.toLowerCase()) ? item : undefined;
};

/** The address of a site, without a path: `https://shop.example`. */
export const siteUrl = z
  .string()
  .refine((text) => readUrl(["https:", "http:"])(text) !== undefined, {
    error: "must be an http:// or https:// address",
    abort: true,
  })
  .refine(
    (text) => new URL(text).pathname === "/",
    "must be the site's address without a path, such as https://shop.example",
  )
  .transform((text) => new URL(text).origin);

/** A wallet or contract; a mixed-case one must have the right checksum. Becomes lower case. docs/product.md#wallet-address */
export const address = z
  .string()
  .refine(isAddressShaped, { error: "must be an address: 0x and 40 hexadecimal digits", abort: true })
  .refine(hasRightChecksum, "has a wrong checksum; copy the address again, or write it in lower case")
  .transform(toWalletAddress);

/** viem is loaded only to verify a checksum, because the indexer does without it. */
function hasRightChecksum(text: string): boolean {
  if (text === text.toLowerCase()) return true;
  const viem: typeof import("viem/utils") = createRequire(import.meta.url)("viem/utils");
  return viem.isAddress(text);
}

/** The order of secp256k1: a key is below it, and not zero. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A secp256k1 key. No message quotes it. */
export const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, { error: "must be 0x and 64 hexadecimal digits", abort: true })
  .refine(isOnCurve, "is not a key of the chain's curve");

function isOnCurve(key: string): key is `0x${string}` {
  return BigInt(key) > 0n && BigInt(key) < CURVE_ORDER;
}

export const LOG_LEVEL = z
  .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
    error: "must be fatal, error, warn, info, debug, trace or silent",
  })
  .default("info");

/** libpq's, and the one that our driver adds. */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

export const databaseUrl = z.string().refine((text) => {
  if (/^postgres(ql)?:\/\//.test(text)) {
    return hostUrls(text).every((url) => URL.canParse(url) && isWhole(new URL(url)));
  }
  return !text.includes("://") || /^(sqlite|file):/.test(text);
}, "must be the path of a SQLite file, or postgres://user:password@host[,host…]/name, with # and the like in the password as %23, and only a known sslmode");

/** Whether it names a database, and no way of encryption that nobody knows. */
function isWhole({ pathname, searchParams }: URL): boolean {
  const mode = searchParams.get("sslmode");
  return pathname.length > 1 && (mode === null || SSL_MODES.includes(mode));
}

export const DATABASE_VARIABLES = {
  DATA_DIR: z.string().default("data"),
  DATABASE_URL: databaseUrl.optional(),
  ERASED_FILE: z.string().optional(),
};

/** The database of a process: `DATABASE_URL`, otherwise the SQLite file in `DATA_DIR`. */
export function databaseUrlOf(values: { DATA_DIR: string; DATABASE_URL?: string | undefined }): string {
  return values.DATABASE_URL ?? join(values.DATA_DIR, "torcida.db");
}

/** The list of erased profiles, which must outlive the database. docs/product.md#erase */
export function erasedFileOf(values: { DATA_DIR: string; ERASED_FILE?: string | undefined }): string {
  return values.ERASED_FILE ?? join(values.DATA_DIR, "erased");
}

/** A risk that the operator takes on purpose. */
const accepted = z.literal("accepted", { error: "must be accepted, or unset" }).optional();

const NODE_PROTOCOLS = ["http:", "https:", "ws:", "wss:"];

const addresses = list((item) => address.safeParse(item).data, "must be addresses, comma separated");

/** The chain of a process, its nodes and its contracts. */
export const CHAIN_VARIABLES = {
  NETWORK: z.enum(NETWORKS, { error: "must be localhost, spicy or chiliz" }).optional(),
  CHAIN_ID: wholeNumberIfSet(1).refine(
    (id) => id === undefined || Object.values(CHAIN_IDS).includes(id),
    `must be ${CHAIN_IDS.spicy} (Chiliz Spicy) or ${CHAIN_IDS.chiliz} (Chiliz mainnet)`,
  ),
  RPC_URLS: list(readUrl(NODE_PROTOCOLS), "must be http(s):// or ws(s):// addresses, comma separated", {
    isSecret: true,
  })
    .refine((urls) => urls.some(isHttp), "needs at least one http(s):// address")
    .optional(),
  RPC_PLAINTEXT: accepted,
  ONE_NODE: accepted,
  CHAIN_PORT: port(8545),
  PURCHASE_NFT_ADDRESS: address.optional(),
  CASHBACK_DISTRIBUTOR_ADDRESS: address.optional(),
  FORMER_PURCHASE_NFT_ADDRESSES: addresses.optional(),
  FORMER_DISTRIBUTOR_ADDRESSES: addresses.optional(),
  START_BLOCK: wholeNumberIfSet(0),
};

/** For rules: an invalid `RPC_URLS` must not count as unset, which would mean the local chain. */
export function withWrongUrls<Values extends NetworkVariables>(values: Values, wrong: ReadonlySet<string>): Values {
  return wrong.has("RPC_URLS") ? { ...values, RPC_URLS: [] } : values;
}

type ContractVariables = {
  PURCHASE_NFT_ADDRESS?: WalletAddress | undefined;
  FORMER_PURCHASE_NFT_ADDRESSES?: readonly WalletAddress[] | undefined;
  CASHBACK_DISTRIBUTOR_ADDRESS?: WalletAddress | undefined;
  FORMER_DISTRIBUTOR_ADDRESSES?: readonly WalletAddress[] | undefined;
};

/** Each contract has an address of its own. */
function contractProblems({
  PURCHASE_NFT_ADDRESS: nft,
  FORMER_PURCHASE_NFT_ADDRESSES: formerTickets = [],
  CASHBACK_DISTRIBUTOR_ADDRESS: distributor,
  FORMER_DISTRIBUTOR_ADDRESSES: former = [],
}: ContractVariables): Problem[] {
  const problems: Problem[] = [];
  if (distributor !== undefined && distributor === nft) {
    const message = "must differ from PURCHASE_NFT_ADDRESS: they are two contracts";
    problems.push({ variable: "CASHBACK_DISTRIBUTOR_ADDRESS", message });
  }
  const isInUse = (one: WalletAddress) => one === distributor || one === nft;
  if (formerTickets.some(isInUse)) {
    const message = "must not name a contract in use: it has the tickets that PURCHASE_NFT_ADDRESS continues";
    problems.push({ variable: "FORMER_PURCHASE_NFT_ADDRESSES", message });
  }
  if (former.some((one) => isInUse(one) || formerTickets.includes(one))) {
    const message = "must not name a contract in use: it has the retired predecessors of the distributor";
    problems.push({ variable: "FORMER_DISTRIBUTOR_ADDRESSES", message });
  }
  return problems;
}

/** Contradictions between the variables of the chain, for a process that uses a node. */
export function chainProblems(values: NetworkVariables & ContractVariables): Problem[] {
  const network = deriveNetwork(values);
  const problems: Problem[] = [...networkContradictions(values), ...contractProblems(values)];
  if (network !== "localhost" && values.RPC_URLS === undefined) {
    problems.push({ variable: "RPC_URLS", message: `is missing: set the addresses of nodes of ${network}` });
  }
  return problems;
}

export type ChainEnvironment = {
  network: Network;
  /** Whether it is the local chain, where keys are worthless. */
  isLocal: boolean;
  chainId: number;
  rpcUrls: string[];
  webSocketUrls: string[];
  /** For the checks of core/process/trusted-nodes.ts. */
  nodeSettings: NodeSettings;
};

/** The settings derived from the variables of the chain, the same in every process. */
export function chainEnvironment(
  values: NetworkVariables & {
    CHAIN_PORT: number;
    RPC_PLAINTEXT?: "accepted" | undefined;
    ONE_NODE?: "accepted" | undefined;
  },
): ChainEnvironment {
  const network = deriveNetwork(values);
  const urls = values.RPC_URLS ?? [`http://127.0.0.1:${values.CHAIN_PORT}`];
  return {
    network,
    isLocal: network === "localhost",
    chainId: CHAIN_IDS[network],
    rpcUrls: urls.filter(isHttp),
    webSocketUrls: urls.filter((url) => !isHttp(url)),
    nodeSettings: {
      network,
      urls,
      isPlaintextAccepted: values.RPC_PLAINTEXT === "accepted",
      isOneNodeAccepted: values.ONE_NODE === "accepted",
    },
  };
}

function isHttp(url: string): boolean {
  return /^https?:/.test(url);
}
