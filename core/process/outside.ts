import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { TorcidaError } from "../rules/torcida-error.ts";
import { isLoopbackHost, isPrivateHost, isPublicAddress } from "./network-rules.ts";

/** The most that is read of an answer from outside, after inflating it. */
const MAXIMUM_BYTES = 8 * 1024 * 1024;
/** The most that a call to the outside takes, its whole answer included. */
const MAXIMUM_MS = 10_000;

/** An answer from outside is larger than this process reads. */
export class AnswerTooLargeError extends TorcidaError {
  override readonly docs = "docs/product.md#answers-from-outside";

  constructor(bytes = MAXIMUM_BYTES) {
    super(`The answer is larger than ${bytes / 1024 / 1024} MiB`);
  }
}

/** What it says of the most that is read; as it is stored. */
export const ANSWER_TOO_LARGE = new AnswerTooLargeError().message;

/** `json` is undefined if the answer is not JSON. */
export type Answer = {
  ok: boolean;
  status: number;
  headers: Headers;
  bytes: Buffer<ArrayBuffer>;
  text: string;
  json: unknown;
};

/**
 * Calls another host: the only way out of this system over HTTP but for the chain's nodes. Reads at most 8 MiB of the
 * inflated answer within 10 seconds, and follows no redirect. docs/product.md#answers-from-outside
 * @throws AnswerTooLargeError
 * @throws TypeError or DOMException of `fetch` if the host does not answer, or not in time
 */
export async function askOutside(url: string | URL, init: Omit<RequestInit, "redirect"> = {}): Promise<Answer> {
  const signals = [AbortSignal.timeout(MAXIMUM_MS), ...(init.signal ? [init.signal] : [])];
  // A redirect could carry a token to another host, or lead into this network.
  const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.any(signals) });
  const bytes = await readBounded(response);
  const { ok, status, headers } = response;
  return {
    ok,
    status,
    headers,
    bytes,
    get text() {
      return bytes.toString("utf8");
    },
    get json() {
      return parse(bytes.toString("utf8"));
    },
  };
}

async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop by an error cancels the body, and with it the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAXIMUM_BYTES) throw new AnswerTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address that a stranger gave leads to where strangers must not lead us. */
export class InsideError extends TorcidaError {
  override readonly docs = "docs/product.md#answers-from-outside";
  readonly code = "EINSIDE";

  constructor() {
    super("The host is none of the public internet");
  }
}

type Reach = {
  signal: AbortSignal;
  /** On the local chain this machine is public. */
  isLocal: boolean;
};

/**
 * Posts to an address that a stranger gave: the address to which its name leads is checked as it is connected to, so that a
 * name cannot lead elsewhere between the two; no redirect is followed, and of the answer only its head is read.
 * docs/product.md#answers-from-outside
 * @throws InsideError
 * @throws the error of the connection
 */
export async function postToStranger(
  url: URL,
  { body, ...call }: Reach & { headers: Record<string, string>; body: Buffer },
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  const response = await callStranger(url, { method: "POST", ...call }, body);
  response.destroy();
  return { status: response.statusCode ?? 0, headers: response.headers };
}

/**
 * What is at an address that a stranger gave, checked as for `postToStranger`; undefined if the answer is another one than
 * 200. docs/product.md#answers-from-outside
 * @throws InsideError
 * @throws AnswerTooLargeError
 * @throws the error of the connection
 */
export async function getFromStranger(
  url: URL,
  { maximumBytes, ...reach }: Reach & { maximumBytes: number },
): Promise<Buffer | undefined> {
  // It is counted as it arrives: no answer may grow while it is unpacked.
  const headers = { "accept-encoding": "identity" };
  const response = await callStranger(url, { method: "GET", headers, ...reach });
  try {
    if (response.statusCode !== 200) return undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > maximumBytes) throw new AnswerTooLargeError(maximumBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}

/** Of each server that is asked for a stranger's name. */
const NAMES = { timeout: 3_000, tries: 2 };

/**
 * Where a stranger's name leads, asked of DNS itself: the system's look-ups share two threads, and names whose servers are
 * silent would keep those of our nodes and databases waiting.
 */
async function addressesOf(name: string, { signal, isLocal }: Reach): Promise<readonly LookupAddress[]> {
  if (isPrivateHost(name)) {
    if (!isLocal) throw new InsideError();
    return lookup(name, { all: true });
  }
  const resolver = new Resolver(NAMES);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length === 0 && four.status === "rejected") throw four.reason;
    return found;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Resolves with the answer's head; whoever asked ends the answer. */
function callStranger(
  url: URL,
  { isLocal, ...options }: Reach & { method: string; headers: Record<string, string> },
  body?: Buffer,
): Promise<IncomingMessage> {
  const isAllowed = (address: string) => isPublicAddress(address) || (isLocal && isLoopbackHost(address));
  const find: LookupFunction = (name, { all }, callback) => {
    addressesOf(name, { isLocal, signal: options.signal }).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isAllowed(address))) return callback(new InsideError(), "");
        if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ""),
    );
  };
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // A name is looked up, and an address is not.
    if (isIP(host) !== 0 && !isAllowed(host)) return reject(new InsideError());
    // Not imported: that would load Node's `fetch` too.
    const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
    // A connection for each: one that was kept open could have been closed by now.
    const call = request(url, { ...options, lookup: find, agent: false }, resolve);
    call.on("error", reject);
    call.end(body);
  });
}
