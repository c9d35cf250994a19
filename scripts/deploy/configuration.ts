import { type Address, getAddress, type Hex, isAddress, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { chainOf, type Network } from "../../chain/chains.ts";
import { DEFAULT_WEI_PER_CENT } from "../../domain/product.ts";

/** anvil's well-known first test key: worthless anywhere but on the local chain. */
const LOCAL_OPERATOR_KEY: Hex = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** Who holds which role; one address may hold several. */
export type RoleHolders = {
  minter: Address;
  confirmer: Address;
  catalogue: Address;
  payer: Address;
  treasurer: Address;
  pauser: Address;
};

export type PayLimits = { maxWeiPerCent: bigint; maxPayout: bigint; dailyCap: bigint };

export type DeployConfiguration = {
  network: Network;
  chainId: number;
  rpcUrl: string;
  /** Signs and pays; the first admin. */
  deployerKey: Hex;
  roles: RoleHolders;
  /** Whom the deployer offers the administration to; the deployer keeps it where this is undefined. */
  admin: Address | undefined;
  adminDelaySeconds: number;
  siteUrl: string;
  limits: PayLimits;
};

const addressText = z
  .string()
  .refine((text) => isAddress(text), "must be an address with a right checksum, or all in lower case")
  .transform((text) => getAddress(text));
const keyText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hexadecimal digits")
  .transform((text) => text as Hex);
const chzText = z
  .string()
  .regex(/^\d+(\.\d{1,18})?$/, "must be an amount of CHZ such as 1000")
  .transform((text) => parseEther(text));

const environmentSchema = z.object({
  RPC_URLS: z
    .string()
    .transform((text) => text.split(",").map((url) => url.trim()))
    // WebSocket addresses are for the indexer.
    .transform((urls) => urls.find((url) => /^https?:\/\//.test(url) && URL.canParse(url)))
    .refine((url) => url !== undefined, "must hold an http(s):// address")
    .optional(),
  CHAIN_PORT: z.coerce.number().int().min(1).max(65_535).default(8545),
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  OPERATOR_PRIVATE_KEY: keyText.optional(),
  DEPLOYER_PRIVATE_KEY: keyText.optional(),
  MINTER_ADDRESS: addressText.optional(),
  CONFIRMER_ADDRESS: addressText.optional(),
  CATALOGUE_ADDRESS: addressText.optional(),
  PAYER_ADDRESS: addressText.optional(),
  TREASURER_ADDRESS: addressText.optional(),
  PAUSER_ADDRESS: addressText.optional(),
  ADMIN_ADDRESS: addressText.optional(),
  ADMIN_DELAY_SECONDS: z.coerce.number().int().min(0).max(2_592_000).optional(),
  SITE_URL: z.url({ protocol: /^https?$/ }).optional(),
  MAX_WEI_PER_CENT: z.coerce.bigint().positive().optional(),
  MAX_PAYOUT_CHZ: chzText.optional(),
  DAILY_CAP_CHZ: chzText.optional(),
});

const DAY_SECONDS = 86_400;
/** Bounds for the first days; an admin sets others with `setLimits`. On the local chain any purchase can be paid. */
const LIMITS_CHZ: Record<Network, { maxPayout: string; dailyCap: string }> = {
  localhost: { maxPayout: "1000000", dailyCap: "100000000" },
  spicy: { maxPayout: "10000", dailyCap: "100000" },
  chiliz: { maxPayout: "1000", dailyCap: "10000" },
};
const ADMIN_DELAY_SECONDS: Record<Network, number> = { localhost: 0, spicy: 3_600, chiliz: 2 * DAY_SECONDS };
/** How far above the usual rate the admin's bound lies, so that a change of rate needs no new bound at once. */
const RATE_HEADROOM = 4n;

type Environment = z.output<typeof environmentSchema>;

/** What a look at a deployment needs. */
export type CheckConfiguration = Pick<DeployConfiguration, "network" | "chainId" | "rpcUrl" | "admin"> & {
  /** Undefined where nobody said who should hold the roles: anyone may look, without a key. */
  roles: RoleHolders | undefined;
};

/**
 * Reads from the environment what a look at a deployment needs.
 * @throws Error that names every wrong variable
 */
export function readCheckConfiguration(network: Network, environment: NodeJS.ProcessEnv): CheckConfiguration {
  const env = parse(environment);
  const key = operatorKey(network, env);
  return {
    ...connection(network, env),
    admin: env.ADMIN_ADDRESS,
    roles: key && roleHolders(env, privateKeyToAccount(key).address),
  };
}

/**
 * Reads a deployment's configuration from the environment.
 * @throws Error that names every wrong variable
 */
export function readDeployConfiguration(network: Network, environment: NodeJS.ProcessEnv): DeployConfiguration {
  const env = parse(environment);
  const key = operatorKey(network, env);
  const deployerKey = env.DEPLOYER_PRIVATE_KEY ?? key;
  if (!key || !deployerKey) {
    throw new Error(
      `OPERATOR_PRIVATE_KEY: must be set for ${network}; the operator holds the roles that have no address`,
    );
  }
  if (network !== "localhost" && [key, deployerKey].some((one) => one.toLowerCase() === LOCAL_OPERATOR_KEY)) {
    throw new Error(`OPERATOR_PRIVATE_KEY, DEPLOYER_PRIVATE_KEY: everyone knows this test key; use one of your own`);
  }
  const siteUrl = env.SITE_URL ?? (network === "localhost" ? `http://localhost:${env.PORT}/dashboard` : undefined);
  if (!siteUrl) throw new Error(`SITE_URL: must be set for ${network}; every receipt links to it`);
  return {
    ...connection(network, env),
    deployerKey,
    roles: roleHolders(env, privateKeyToAccount(key).address),
    admin: env.ADMIN_ADDRESS,
    adminDelaySeconds: env.ADMIN_DELAY_SECONDS ?? ADMIN_DELAY_SECONDS[network],
    siteUrl,
    limits: {
      maxWeiPerCent: env.MAX_WEI_PER_CENT ?? DEFAULT_WEI_PER_CENT * RATE_HEADROOM,
      maxPayout: env.MAX_PAYOUT_CHZ ?? parseEther(LIMITS_CHZ[network].maxPayout),
      dailyCap: env.DAILY_CAP_CHZ ?? parseEther(LIMITS_CHZ[network].dailyCap),
    },
  };
}

function parse(environment: NodeJS.ProcessEnv): Environment {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const parsed = environmentSchema.safeParse(set);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
}

function operatorKey(network: Network, env: Environment): Hex | undefined {
  return env.OPERATOR_PRIVATE_KEY ?? (network === "localhost" ? LOCAL_OPERATOR_KEY : undefined);
}

function connection(network: Network, env: Environment): Pick<DeployConfiguration, "network" | "chainId" | "rpcUrl"> {
  const chain = chainOf(network, `http://127.0.0.1:${env.CHAIN_PORT}`);
  return { network, chainId: chain.id, rpcUrl: env.RPC_URLS ?? String(chain.rpcUrls.default.http[0]) };
}

function roleHolders(env: Environment, operator: Address): RoleHolders {
  return {
    minter: env.MINTER_ADDRESS ?? operator,
    confirmer: env.CONFIRMER_ADDRESS ?? operator,
    catalogue: env.CATALOGUE_ADDRESS ?? operator,
    payer: env.PAYER_ADDRESS ?? operator,
    treasurer: env.TREASURER_ADDRESS ?? operator,
    pauser: env.PAUSER_ADDRESS ?? operator,
  };
}
