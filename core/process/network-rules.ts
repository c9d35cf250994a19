import { BlockList, isIP } from "node:net";
import { CHAIN_IDS, NETWORKS, type Network } from "../rules/networks.ts";

type NetworkRules = {
  /** Blocks after which a transaction is final. Chiliz has no finality in its protocol. */
  confirmations: number;
  payoutConfirmations: number;
  /** How long operations wait to be batched. */
  batchAgeMs: number;
  /** How often a process looks for work in the database. */
  pollMs: number;
  /** How often the chain can change, from which everything that asks a node takes its pace. docs/operations.md#node-calls */
  blockMs: number;
};

const PUBLIC_NETWORK: NetworkRules = {
  confirmations: 15,
  payoutConfirmations: 30,
  batchAgeMs: 3_000,
  pollMs: 1_000,
  // Chiliz has a block every three seconds.
  blockMs: 3_000,
};

/** `CONFIRMATIONS`, `PAYOUT_CONFIRMATIONS`, `BATCH_AGE_MS` and `POLL_INTERVAL_MS` override them. docs/product.md#finality. */
export const NETWORK_RULES: Record<Network, NetworkRules> = {
  // The local chain has a block with each transaction.
  localhost: { confirmations: 1, payoutConfirmations: 1, batchAgeMs: 150, pollMs: 100, blockMs: 100 },
  spicy: PUBLIC_NETWORK,
  chiliz: PUBLIC_NETWORK,
};

/** The variables that determine the network, without invalid ones. */
export type NetworkVariables = {
  NETWORK?: Network | undefined;
  CHAIN_ID?: number | undefined;
  RPC_URLS?: readonly string[] | undefined;
};

/** `NETWORK` decides; without it, the local chain if `RPC_URLS` is unset, otherwise the public one of `CHAIN_ID`. */
export function deriveNetwork({ NETWORK, CHAIN_ID, RPC_URLS }: NetworkVariables): Network {
  if (NETWORK !== undefined) return NETWORK;
  if (RPC_URLS === undefined) return "localhost";
  return CHAIN_ID === CHAIN_IDS.chiliz ? "chiliz" : "spicy";
}

/** One message for each contradiction between the variables. */
export function networkContradictions(variables: NetworkVariables): { variable: string; message: string }[] {
  const network = deriveNetwork(variables);
  const said = variables.NETWORK === undefined ? "without RPC_URLS the network is localhost" : `NETWORK=${network}`;
  const problems = [];
  if (variables.CHAIN_ID !== undefined && variables.CHAIN_ID !== CHAIN_IDS[network]) {
    const message = `${variables.CHAIN_ID} contradicts the network: ${said}, which is chain ${CHAIN_IDS[network]}`;
    problems.push({ variable: "CHAIN_ID", message });
  }
  const publicHost = network === "localhost" && variables.RPC_URLS?.map(hostOf).find((host) => !isPrivateHost(host));
  if (publicHost) {
    const message = `is localhost, a chain of your own, but ${publicHost} in RPC_URLS is a public host; set NETWORK to ${NETWORKS.slice(1).join(" or ")}`;
    problems.push({ variable: "NETWORK", message });
  }
  return problems;
}

/** Only the host: providers put keys into the path. */
function hostOf(url: string): string {
  return new URL(url).hostname;
}

const PRIVATE_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(network, prefix, "ipv6");
}

/** Whether an IP address is of this machine or of a private network. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE_ADDRESSES.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

const SPECIAL_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  SPECIAL_ADDRESSES.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["2001::", 23],
  ["2002::", 16],
] as const) {
  SPECIAL_ADDRESSES.addSubnet(network, prefix, "ipv6");
}
const GLOBAL_ADDRESSES = new BlockList();
GLOBAL_ADDRESSES.addSubnet("2000::", 3, "ipv6");

/**
 * Whether an IP address is one of the public internet: of no private network, no carrier's, and none that stands for
 * another address, as those of 6to4, Teredo, NAT64 and IPv4 within IPv6 do. RFC 6890
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !isPrivateAddress(address) && !SPECIAL_ADDRESSES.check(address);
  return GLOBAL_ADDRESSES.check(address, "ipv6") && !SPECIAL_ADDRESSES.check(address, "ipv6");
}

/** Whether a host is this machine, a private address, or a private name such as a container's. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return isPrivateAddress(bare);
  return !bare.includes(".") || /\.(localhost|local|internal)$/.test(bare);
}

/** Whether a URL or host name is on this machine. */
export function isLoopbackHost(host: string): boolean {
  return ["localhost", "::1", "[::1]"].includes(host) || (isIP(host) === 4 && host.startsWith("127."));
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(hostOf(url));
}
