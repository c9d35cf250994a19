import { isIPv6 } from "node:net";
import type { Request } from "express";
import type { LRUCache } from "lru-cache";

/**
 * The unit of purses: an IPv4 address, or the first 64 bits of an IPv6 address, which providers assign to one customer.
 */
export function originOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groupsOf = (text: string | undefined) => (text ? text.split(":") : []);
  const [before, after] = [groupsOf(head), groupsOf(tail)];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after];
  return `${groups.slice(0, 4).map(normalGroup).join(":")}::/64`;
}

/** So many /64 of one /48 that call at once are one caller. */
const NETWORK_FROM = 8;

/**
 * The addresses that share one turn: the unit of purses (`origin`), or its /48 once eight units of it call. `networks` remembers
 * those of the last minute.
 */
export function blockOf(origin: string, networks: LRUCache<string, Set<string>>): string {
  if (!origin.endsWith("::/64")) return origin;
  const network = `${origin.split(":").slice(0, 3).join(":")}::/48`;
  const seen = networks.get(network) ?? new Set();
  if (seen.size === 0) networks.set(network, seen);
  if (seen.size < NETWORK_FROM) seen.add(origin);
  return seen.size < NETWORK_FROM ? origin : network;
}

const normalGroup = (group: string) => Number.parseInt(group, 16).toString(16);

/** What proxies add, each in its own way. */
const PROXY_HEADER = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** The names of this machine as its own programs call it. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const HOST_LENGTH = 30;

/**
 * Whether the caller is on this machine. A request through a proxy is not, also if the proxy adds no header of its own: it
 * passes on the site's name, or speaks the old HTTP of proxies.
 */
export function isFromThisMachine(request: Request): boolean {
  const from = request.socket.remoteAddress ?? "";
  const isLocal = from === "::1" || from.startsWith("127.") || from.startsWith("::ffff:127.");
  const { host = "" } = request.headers;
  const asksUs = host.length <= HOST_LENGTH && LOOPBACK_HOST.test(host) && request.httpVersion !== "1.0";
  return isLocal && asksUs && !Object.keys(request.headers).some((name) => PROXY_HEADER.test(name));
}
