import { join } from "node:path";
import { z } from "zod";
import { CHILIZ_CHAIN_ID, SPICY_CHAIN_ID } from "../domain/product.ts";
import { isAddressShaped } from "../domain/wallet-address.ts";
import type { Source } from "./rpc/node.ts";

export type IndexerEnvironment = {
  databaseUrl: string;
  rpcUrls: string[];
  /** WebSocket URLs where new blocks may be announced. */
  webSocketUrls: string[];
  source: Source;
  port: number;
  /** The address of this machine that health and metrics answer on. */
  host: string;
  pollIntervalMs: number;
  logLevel: string;
};

/** A variable is missing or wrong; the message names it, one line each. */
export class EnvironmentError extends Error {
  override readonly name = "EnvironmentError";
}

const LOCAL_POLL_INTERVAL_MS = 100;
/** Chiliz makes a block every three seconds. */
const POLL_INTERVAL_MS = 1_000;

const wholeNumber = (least: number, most: number) =>
  z.coerce
    .number("must be a whole number")
    .int("must be a whole number")
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

const address = z
  .string()
  .refine(isAddressShaped, "must be an address: 0x and 40 hexadecimal digits")
  .refine(hasRightChecksum, "has a wrong checksum; copy the address again, or write it in lower case")
  .transform((text) => text.toLowerCase());

const rpcUrls = z
  .string()
  .transform((text) =>
    text
      .split(",")
      .map((url) => url.trim())
      .filter(Boolean),
  )
  .refine((urls) => urls.every(isRpcUrl), "must be http(s):// or ws(s):// addresses, comma separated")
  .refine((urls) => urls.some((url) => url.startsWith("http")), "needs at least one http(s):// address");

const schema = z.object({
  DATA_DIR: z.string().default("data"),
  DATABASE_URL: z.string().optional(),
  RPC_URLS: rpcUrls.optional(),
  CHAIN_PORT: wholeNumber(1, 65_535).default(8545),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(SPICY_CHAIN_ID),
  INDEXER_PORT: wholeNumber(1, 65_535).default(3001),
  INDEXER_HOST: z.string().min(1).default("127.0.0.1"),
  PURCHASE_NFT_ADDRESS: address.optional(),
  CASHBACK_DISTRIBUTOR_ADDRESS: address.optional(),
  START_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  POLL_INTERVAL_MS: wholeNumber(10, 60_000).optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

/**
 * Reads and checks the process's variables; an empty one counts as unset. What they leave open comes from the network's
 * deployment record.
 * @throws EnvironmentError
 */
export async function readEnvironment(variables: Record<string, string | undefined>): Promise<IndexerEnvironment> {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const result = await schema.safeParseAsync(present);
  if (!result.success) {
    throw new EnvironmentError(
      result.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join("\n"),
    );
  }
  const read = result.data;
  const urls = read.RPC_URLS ?? [`http://127.0.0.1:${read.CHAIN_PORT}`];
  const http = urls.filter((url) => url.startsWith("http"));
  const isLocal = http.every(isOnThisMachine);
  return {
    databaseUrl: read.DATABASE_URL ?? join(read.DATA_DIR, "torcida.db"),
    rpcUrls: http,
    // A node on this machine announces its blocks on the port that it answers on.
    webSocketUrls: [...urls.filter((url) => url.startsWith("ws")), ...http.filter(isOnThisMachine).map(toWebSocket)],
    source: await readSource(read, isLocal),
    port: read.INDEXER_PORT,
    host: read.INDEXER_HOST,
    pollIntervalMs: read.POLL_INTERVAL_MS ?? (isLocal ? LOCAL_POLL_INTERVAL_MS : POLL_INTERVAL_MS),
    logLevel: read.LOG_LEVEL,
  };
}

async function readSource(read: z.infer<typeof schema>, isLocalChain: boolean): Promise<Source> {
  const { PURCHASE_NFT_ADDRESS: nft, CASHBACK_DISTRIBUTOR_ADDRESS: distributor, START_BLOCK: startBlock } = read;
  const chainId = read.CHAIN_ID;
  if (nft && distributor)
    return { chainId, purchaseNft: nft, cashbackDistributor: distributor, startBlock: startBlock ?? 0 };
  // Loaded only where it is needed: it brings the whole of viem along.
  const { readDeployment } = await import("../chain/deployment.ts");
  const network = isLocalChain ? "localhost" : chainId === CHILIZ_CHAIN_ID ? "chiliz" : "spicy";
  try {
    const record = readDeployment(network);
    return {
      chainId,
      purchaseNft: nft ?? record.purchaseNft.address.toLowerCase(),
      cashbackDistributor: distributor ?? record.cashbackDistributor.address.toLowerCase(),
      startBlock: startBlock ?? record.block,
    };
  } catch (error) {
    throw new EnvironmentError(error instanceof Error ? error.message : String(error));
  }
}

async function hasRightChecksum(text: string): Promise<boolean> {
  if (!isAddressShaped(text) || text === text.toLowerCase()) return true;
  const { isAddress } = await import("viem/utils");
  return isAddress(text);
}

function isRpcUrl(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:", "ws:", "wss:"].includes(new URL(url).protocol);
}

function isOnThisMachine(url: string): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}

function toWebSocket(url: string): string {
  return url.replace(/^http/, "ws");
}
