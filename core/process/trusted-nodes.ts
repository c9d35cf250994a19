import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Network } from "../rules/networks.ts";
import { EnvironmentError } from "./environment.ts";
import { isPrivateAddress, isPrivateHost } from "./network-rules.ts";

/** The nodes of a process, and what its operator accepts about them. */
export type NodeSettings = {
  network: Network;
  /** http, https, ws and wss. */
  urls: readonly string[];
  /** `RPC_PLAINTEXT=accepted`: a tunnel encrypts. */
  isPlaintextAccepted: boolean;
  /** `ONE_NODE=accepted`. */
  isOneNodeAccepted: boolean;
};

/** The addresses of a host; none if it cannot be resolved. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveHost: Resolve = async (host) => {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/**
 * Which nodes are asked over a public network without encryption, where anybody on the way can answer for them. A host
 * counts by all its addresses, and by its name while it has none. docs/product.md#node-plaintext
 */
export async function plainNodes(urls: readonly string[], resolve = resolveHost): Promise<string[]> {
  const plain = urls.filter((url) => /^(http|ws):/.test(url)).map((url) => new URL(url));
  const areSafe = await Promise.all(plain.map((url) => isOnPrivateNetwork(url.hostname, resolve)));
  return plain.filter((_, index) => !areSafe[index]).map(({ protocol, host }) => `${protocol}//${host}`);
}

async function isOnPrivateNetwork(hostname: string, resolve: Resolve): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return isPrivateAddress(host);
  const addresses = await resolve(host);
  return addresses.length > 0 ? addresses.every(isPrivateAddress) : isPrivateHost(host);
}

/** One sentence; undefined if there is nothing to say. */
export async function plaintextProblem(
  { urls, isPlaintextAccepted }: NodeSettings,
  resolve?: Resolve,
): Promise<string | undefined> {
  if (isPlaintextAccepted) return undefined;
  const found = await plainNodes(urls, resolve);
  if (found.length === 0) return undefined;
  return `${found.join(" and ")} would be asked over a public network without encryption, where anybody on the way can answer: use https:// and wss://, or set RPC_PLAINTEXT=accepted where a tunnel encrypts`;
}

/** @throws EnvironmentError before anything is asked */
export async function refusePlaintext(settings: NodeSettings): Promise<void> {
  const problem = await plaintextProblem(settings);
  if (problem !== undefined) throw new EnvironmentError(`RPC_URLS ${problem}`);
}

/** One sentence if a single party could say anything about a public chain; undefined otherwise, and if that is accepted. */
export function oneNodeProblem({ network, urls, isOneNodeAccepted }: NodeSettings): string | undefined {
  if (network === "localhost" || isOneNodeAccepted) return undefined;
  const hosts = new Set(urls.filter((url) => url.startsWith("http")).map((url) => new URL(url).hostname));
  if (hosts.size > 1) return undefined;
  return `All nodes of RPC_URLS are on one host, ${[...hosts].join()}: whoever answers there decides alone which contract wallets sign in and which balances give a bonus; add a node of another provider, or set ONE_NODE=accepted`;
}
