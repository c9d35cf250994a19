import { BlockList, isIP } from "node:net";
import { CHAIN_IDS, NETWORKS, type Network } from "../domain/networks.ts";
import { CHILIZ_CHAIN_ID } from "../domain/product.ts";

/** What differs from network to network, in every process alike. */
type NetworkRules = {
  /** Blocks after which a transaction is final. Chiliz has no finality in its protocol. */
  confirmations: number;
  payoutConfirmations: number;
  /** How long operations are gathered before they are sent together. */
  batchAgeMs: number;
  /** How often a process asks for what is new. Chiliz makes a block every three seconds. */
  pollMs: number;
};

const PUBLIC_NETWORK: NetworkRules = { confirmations: 15, payoutConfirmations: 30, batchAgeMs: 3_000, pollMs: 1_000 };

export const NETWORK_RULES: Record<Network, NetworkRules> = {
  localhost: { confirmations: 1, payoutConfirmations: 1, batchAgeMs: 150, pollMs: 100 },
  spicy: PUBLIC_NETWORK,
  chiliz: PUBLIC_NETWORK,
};

/** The variables that say which network this is; those that are wrong are left out. */
export type NetworkVariables = {
  NETWORK?: Network | undefined;
  CHAIN_ID?: number | undefined;
  RPC_URLS?: readonly string[] | undefined;
};

/** `NETWORK` decides; without it, no `RPC_URLS` is the local chain, else `CHAIN_ID` says which public one. */
export function deriveNetwork({ NETWORK, CHAIN_ID, RPC_URLS }: NetworkVariables): Network {
  if (NETWORK !== undefined) return NETWORK;
  if (RPC_URLS === undefined) return "localhost";
  return CHAIN_ID === CHILIZ_CHAIN_ID ? "chiliz" : "spicy";
}

/** Where the variables contradict each other: one message each. */
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
    const message = `${said} is a chain of your own, but ${publicHost} in RPC_URLS is a public host; set NETWORK to ${NETWORKS.slice(1).join(" or ")}`;
    problems.push({ variable: "NETWORK", message });
  }
  return problems;
}

/** The host alone: providers put keys into the path. */
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

/** This machine, an address of a private network, or a name that only a private network knows, such as a container's. */
function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  const version = isIP(bare);
  if (version !== 0) return PRIVATE_ADDRESSES.check(bare, version === 4 ? "ipv4" : "ipv6");
  return !bare.includes(".") || /\.(localhost|local|internal)$/.test(bare);
}

/** Whether a URL or a host's name is of this machine. */
export function isLoopbackHost(host: string): boolean {
  return ["localhost", "::1", "[::1]"].includes(host) || (isIP(host) === 4 && host.startsWith("127."));
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(hostOf(url));
}
