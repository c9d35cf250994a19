import { type Address, formatEther, getAddress, type Hex, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { chainOf } from "../../core/chain/chains.ts";
import {
  address,
  CHAIN_VARIABLES,
  chainEnvironment,
  checkVariables,
  EnvironmentError,
  type Problem,
  port,
  privateKey,
  type Variables,
  wholeNumberIfSet,
} from "../../core/process/environment.ts";
import { addressOfKey, isKnownKey, LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import { networkContradictions } from "../../core/process/network-rules.ts";
import { keyFile } from "../../core/process/signer.ts";
import { accountOfKey, KEY_VARIABLES, type KeyName, keyProblems } from "../../core/process/signing-keys.ts";
import type { NodeSettings } from "../../core/process/trusted-nodes.ts";
import { DAY_SECONDS } from "../../core/rules/iso-time.ts";
import type { Network } from "../../core/rules/networks.ts";
import { DEFAULT_WEI_PER_CENT } from "../../core/rules/product.ts";
import type { ChainPlace } from "../operator/open-chain.ts";

/** Who holds which role; one address may hold several. */
export type RoleHolders = {
  minter: Address;
  confirmer: Address;
  catalogue: Address;
  payer: Address;
  treasurer: Address;
  pauser: Address;
};

export type ColdRole = "treasurer" | "pauser";

export type PayLimits = { maxWeiPerCent: bigint; maxPayout: bigint; dailyCap: bigint };

export type DeployConfiguration = {
  network: Network;
  chainId: number;
  rpcUrls: readonly string[];
  nodeSettings: NodeSettings;
  /** Signs and pays; the first admin. */
  deployerKey: Hex;
  roles: RoleHolders;
  /** The address that is offered the admin role; undefined if the deployer keeps it. */
  admin: Address | undefined;
  adminDelaySeconds: number;
  siteUrl: string;
  limits: PayLimits;
  /** What the variables say, without defaults: on a standing deployment nothing else can differ. */
  said: Partial<PayLimits> & { siteUrl?: string | undefined; adminDelaySeconds?: number | undefined };
};

const holder = address.transform((text) => getAddress(text)).optional();
const chzText = z
  .string()
  .regex(/^\d+(\.\d{1,18})?$/, "must be an amount of CHZ such as 1000")
  .transform((text) => parseEther(text));

const VARIABLES = {
  ...CHAIN_VARIABLES,
  PORT: port(3000),
  ...KEY_VARIABLES,
  DEPLOYER_PRIVATE_KEY: privateKey.optional(),
  DEPLOYER_KEY_FILE: keyFile.optional(),
  CATALOGUE_ADDRESS: holder,
  TREASURER_ADDRESS: holder,
  PAUSER_ADDRESS: holder,
  ADMIN_ADDRESS: holder,
  ADMIN_DELAY_SECONDS: wholeNumberIfSet(0, 2_592_000),
  SITE_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" }).optional(),
  MAX_WEI_PER_CENT: z
    .string()
    .regex(/^[1-9]\d{0,38}$/, "must be a whole number of wei above 0")
    .transform(BigInt)
    .optional(),
  MAX_PAYOUT_CHZ: chzText.optional(),
  DAILY_CAP_CHZ: chzText.optional(),
};

/** Initial limits; an admin can change them with `setLimits`. On the local chain any purchase can be paid. */
const LIMITS_CHZ: Record<Network, { maxPayout: string; dailyCap: string }> = {
  localhost: { maxPayout: "1000000", dailyCap: "100000000" },
  spicy: { maxPayout: "10000", dailyCap: "100000" },
  chiliz: { maxPayout: "1000", dailyCap: "10000" },
};
const ADMIN_DELAY_SECONDS: Record<Network, number> = { localhost: 0, spicy: 3_600, chiliz: 2 * DAY_SECONDS };
/** Headroom of the maximum rate, so that a rate change does not immediately require a new limit. */
const RATE_HEADROOM = 4n;

type Environment = z.output<z.ZodObject<typeof VARIABLES>>;

/** The settings for `--check`. */
export type CheckConfiguration = Pick<DeployConfiguration, "network" | "chainId" | "rpcUrls" | "admin" | "said"> & {
  /** Undefined if the holders are not configured: anyone can run the check without a key. */
  roles: RoleHolders | undefined;
  /** The cold roles that no variable names, as on a server, which need not know them. */
  unsaid: readonly ColdRole[];
  /** Former tickets that the variables name, besides those of the record. */
  formerTickets: readonly Address[];
};

/** Reads the settings for `--check` from the environment. @throws EnvironmentError that names every problem */
export function readCheckConfiguration(network: Network, source: Variables): CheckConfiguration {
  const read = check(network, source, () => []);
  // An address beats its key: a check signs nothing, and who rotates a key asks for its new address beside the old one.
  const named = (["OPERATOR", "MINTER", "CONFIRMER", "PAYER"] as const).filter((key) => read[`${key}_ADDRESS`]);
  const keys = named.flatMap((key) => [`${key}_PRIVATE_KEY`, `${key}_KEY_FILE`]);
  const env = { ...read, ...Object.fromEntries(keys.map((variable) => [variable, undefined])) };
  const operator = operatorOf(network, env);
  return {
    ...connection(network, env),
    admin: env.ADMIN_ADDRESS,
    said: saidBy(env),
    roles: operator && roleHolders(env, operator),
    unsaid: [
      ...(env.TREASURER_ADDRESS ? [] : (["treasurer"] as const)),
      ...(env.PAUSER_ADDRESS ? [] : (["pauser"] as const)),
    ],
    formerTickets: (env.FORMER_PURCHASE_NFT_ADDRESSES ?? []).map((one) => getAddress(one)),
  };
}

/**
 * Reads a deployment's configuration from the environment.
 * @throws EnvironmentError that names every invalid or missing variable
 */
export function readDeployConfiguration(network: Network, source: Variables): DeployConfiguration {
  const env = check(network, source, (right, wrong) => deployProblems(network, right, wrong));
  const operator = operatorOf(network, env);
  const deployerKey = deployerOf(network, env);
  if (!operator || !deployerKey) throw new EnvironmentError("OPERATOR_ADDRESS is missing");
  // Only scheme and host count: every ticket links to its own page there.
  const siteUrl = new URL(env.SITE_URL ?? `http://localhost:${env.PORT}`).origin;
  return {
    ...connection(network, env),
    deployerKey,
    roles: roleHolders(env, operator),
    admin: env.ADMIN_ADDRESS,
    adminDelaySeconds: env.ADMIN_DELAY_SECONDS ?? ADMIN_DELAY_SECONDS[network],
    siteUrl,
    limits: limitsOf(network, env),
    said: saidBy(env),
  };
}

/** What the variables say, without what they leave to a default. */
function saidBy(env: Environment): DeployConfiguration["said"] {
  return {
    siteUrl: env.SITE_URL && new URL(env.SITE_URL).origin,
    adminDelaySeconds: env.ADMIN_DELAY_SECONDS,
    ...(env.MAX_WEI_PER_CENT === undefined ? {} : { maxWeiPerCent: env.MAX_WEI_PER_CENT }),
    ...(env.MAX_PAYOUT_CHZ === undefined ? {} : { maxPayout: env.MAX_PAYOUT_CHZ }),
    ...(env.DAILY_CAP_CHZ === undefined ? {} : { dailyCap: env.DAILY_CAP_CHZ }),
  };
}

/** `--network` selects the network; variables that name another one are rejected. */
function check(
  network: Network,
  source: Variables,
  rules: (right: Partial<Environment>, wrong: ReadonlySet<string>) => readonly Problem[],
): Environment {
  return checkVariables(VARIABLES, source, (right, wrong) => {
    const isOther = right.NETWORK !== undefined && right.NETWORK !== network;
    const named = { variable: "NETWORK", message: `is ${right.NETWORK}, but --network says ${network}` };
    return [
      ...(isOther ? [named] : []),
      ...networkContradictions({ ...right, NETWORK: network }),
      ...rules(right, wrong),
    ];
  });
}

/** Everything a public network needs that has no default, reported at once. */
function deployProblems(network: Network, env: Partial<Environment>, wrong: ReadonlySet<string>): Problem[] {
  const deployer = DEPLOYER_WAYS.filter((variable) => env[variable] !== undefined);
  const both = { variable: "DEPLOYER_KEY_FILE", message: "must not be set together with DEPLOYER_PRIVATE_KEY" };
  const isOperatorNamed = OPERATOR_WAYS.some((variable) => env[variable] !== undefined || wrong.has(variable));
  const ofKeys = [
    // Without an operator, one sentence says what this command takes, not also what a server takes.
    ...ofSigners(network, env, wrong).filter(({ variable }) => isOperatorNamed || variable !== "OPERATOR_ADDRESS"),
    ...limitProblems(network, env),
    ...(deployer.length > 1 ? [both] : []),
  ];
  if (network === "localhost") return ofKeys;
  const problems: (Problem | false)[] = [
    !isOperatorNamed && {
      variable: "OPERATOR_PRIVATE_KEY",
      message: `is missing: on ${network} the operator holds the roles that have no address, and deploys unless DEPLOYER_KEY_FILE is set, in which case OPERATOR_ADDRESS is enough`,
    },
    accountOfKey("operator", env) !== undefined &&
      operatorKey(network, env) === undefined &&
      deployer.length === 0 &&
      !wrong.has("OPERATOR_PRIVATE_KEY") && {
        variable: "DEPLOYER_KEY_FILE",
        message:
          "is missing: a file with the key that deploys, or DEPLOYER_PRIVATE_KEY, unless the operator's key deploys",
      },
    env.SITE_URL === undefined && {
      variable: "SITE_URL",
      message: `is missing: every ticket of ${network} links to it`,
    },
    ...deployer.map(
      (variable) =>
        isKnownKey(env[variable] ?? "0x") && {
          variable,
          message: "is a test key that everyone knows: use one of your own on a public chain",
        },
    ),
  ];
  const found = [...ofKeys, ...problems.filter((problem) => problem !== false)];
  return network === "chiliz" ? [...found, ...coldProblems(env), ...delayProblems(env)] : found;
}

/** What the contracts would refuse, or could not hold, after others were deployed. */
function limitProblems(network: Network, env: Partial<Environment>): Problem[] {
  const { maxWeiPerCent, maxPayout, dailyCap } = limitsOf(network, env);
  const problems: [boolean, string, string][] = [
    [maxWeiPerCent >= 2n ** 96n, "MAX_WEI_PER_CENT", "must be below 2^96 wei"],
    [maxPayout >= 2n ** 96n, "MAX_PAYOUT_CHZ", "must be below 2^96 wei, about 79 billion CHZ"],
    [dailyCap >= 2n ** 112n, "DAILY_CAP_CHZ", "must be below 2^112 wei"],
    [maxPayout === 0n, "MAX_PAYOUT_CHZ", "must be above 0: nothing could be paid"],
    [
      maxPayout > dailyCap,
      "MAX_PAYOUT_CHZ",
      `must be at most the daily cap: ${formatEther(maxPayout)} CHZ is above ${formatEther(dailyCap)}`,
    ],
  ];
  return problems.filter(([isWrong]) => isWrong).map(([, variable, message]) => ({ variable, message }));
}

/** On mainnet a stolen admin key must be noticed before it is of use. */
function delayProblems({ ADMIN_DELAY_SECONDS: seconds }: Partial<Environment>): Problem[] {
  if (seconds === undefined || seconds >= DAY_SECONDS) return [];
  return [{ variable: "ADMIN_DELAY_SECONDS", message: `must be at least ${DAY_SECONDS} on chiliz, one day` }];
}

function limitsOf(network: Network, env: Partial<Environment>): PayLimits {
  return {
    maxWeiPerCent: env.MAX_WEI_PER_CENT ?? DEFAULT_WEI_PER_CENT * RATE_HEADROOM,
    maxPayout: env.MAX_PAYOUT_CHZ ?? parseEther(LIMITS_CHZ[network].maxPayout),
    dailyCap: env.DAILY_CAP_CHZ ?? parseEther(LIMITS_CHZ[network].dailyCap),
  };
}

const OPERATOR_WAYS = ["OPERATOR_PRIVATE_KEY", "OPERATOR_KEY_FILE", "OPERATOR_SIGNER_URL", "OPERATOR_ADDRESS"] as const;
const DEPLOYER_WAYS = ["DEPLOYER_PRIVATE_KEY", "DEPLOYER_KEY_FILE"] as const;

/** Contradictions between the variables of one key. Here an address is enough, because nothing is signed with it. */
function ofSigners(network: Network, env: Partial<Environment>, wrong: ReadonlySet<string>): Problem[] {
  return keyProblems(
    network,
    { ...env, SENDER_KEYS: ["none"], OPERATOR_ADDRESS: accountOfKey("operator", env) },
    wrong,
  );
}

/**
 * On mainnet, no server key may sweep the pool, pause or unpause payouts, or grant roles: otherwise a compromised
 * server could take the whole pool. The deployer is the admin until another accepts, so it cannot be the operator
 * either.
 */
function coldProblems(env: Partial<Environment>): Problem[] {
  const operator = accountOfKey("operator", env);
  if (operator === undefined) return [];
  const holders = roleHolders(env, operator);
  const hot = new Set([operator, ...HOT_ROLES.map((role) => holders[role])].map((one) => one.toLowerCase()));
  const deployer = deployerOf("chiliz", env);
  const cold: [string, Address | undefined][] = [
    ["TREASURER_ADDRESS", holders.treasurer],
    ["PAUSER_ADDRESS", holders.pauser],
    ["ADMIN_ADDRESS", env.ADMIN_ADDRESS ?? operator],
    [
      env.DEPLOYER_KEY_FILE ? "DEPLOYER_KEY_FILE" : "DEPLOYER_PRIVATE_KEY",
      deployer && privateKeyToAccount(deployer).address,
    ],
  ];
  const isHot = (address: Address | undefined) => address !== undefined && hot.has(address.toLowerCase());
  const held = cold.slice(0, COLD_ROLES).filter(([, address]) => !isHot(address));
  const isShared = ([variable, address]: [string, Address | undefined]) =>
    held.some(([other, one]) => other < variable && one?.toLowerCase() === address?.toLowerCase());
  return [
    ...cold
      .filter(([, address]) => isHot(address))
      .map(([variable]) => ({
        variable,
        message: "must be set, and to another than the operator and the holders of hot roles, on chiliz",
      })),
    ...held.filter(isShared).map(([variable]) => ({
      variable,
      message: "must be another than those of the other cold roles on chiliz: one key would hold them all",
    })),
  ];
}

/** Treasurer, pauser and admin; the deployer only hands over. */
const COLD_ROLES = 3;

/** Held by the server's keys. */
const HOT_ROLES = ["minter", "confirmer", "catalogue", "payer"] as const;

function operatorKey(network: Network, env: Partial<Environment>): Hex | undefined {
  return env.OPERATOR_PRIVATE_KEY ?? env.OPERATOR_KEY_FILE ?? (network === "localhost" ? LOCAL_TEST_KEY : undefined);
}

function operatorOf(network: Network, env: Partial<Environment>): Address | undefined {
  const account = accountOfKey("operator", env) ?? (network === "localhost" ? addressOfKey(LOCAL_TEST_KEY) : undefined);
  return account && getAddress(account);
}

function deployerOf(network: Network, env: Partial<Environment>): Hex | undefined {
  return env.DEPLOYER_PRIVATE_KEY ?? env.DEPLOYER_KEY_FILE ?? operatorKey(network, env);
}

function connection(network: Network, env: Environment): ChainPlace & { nodeSettings: NodeSettings } {
  const chain = chainOf(network, `http://127.0.0.1:${env.CHAIN_PORT}`);
  const rpcUrls = env.RPC_URLS?.filter((url) => url.startsWith("http")) ?? [...chain.rpcUrls.default.http];
  const { nodeSettings } = chainEnvironment({ ...env, NETWORK: network, RPC_URLS: rpcUrls });
  return { network, chainId: chain.id, rpcUrls, nodeSettings };
}

function roleHolders(env: Partial<Environment>, operator: Address): RoleHolders {
  const holderOf = (name: KeyName) => getAddress(accountOfKey(name, env) ?? operator);
  return {
    minter: holderOf("minter"),
    confirmer: holderOf("confirmer"),
    catalogue: env.CATALOGUE_ADDRESS ?? operator,
    payer: holderOf("payer"),
    treasurer: env.TREASURER_ADDRESS ?? operator,
    pauser: env.PAUSER_ADDRESS ?? operator,
  };
}
