import { Agent, createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { between, seededRandom } from "./random.ts";

/** The faults that the proxy can inject. */
export const FAULTS = [
  /** The connection breaks before the node receives the request. */
  "drop",
  /** The response is delayed by up to `delayMs`. */
  "delay",
  /** The node executes the request, and the connection breaks before the response. */
  "lose-answer",
  /** Heads are `staleBlocks` behind. */
  "stale",
  /** Another chain's id. */
  "wrong-chain",
  /** Nothing happens for `hangMs`, then the connection breaks. */
  "hang",
  /** The node does not know the receipt (yet). */
  "no-receipt",
  /** The node is overloaded: 503 with an HTML page. */
  "unavailable",
  /** A node of `others.genesis` responds: the same chain id and contracts, another genesis block. */
  "other-genesis",
  /** A node of `others.chain` responds: another chain id. */
  "other-chain",
  /** Everything is as it was `oldBlocks` ago. */
  "old-head",
  /** The count of an account's transactions is some too high, or one too low. */
  "other-nonce",
  /** The second half of the logs is missing. */
  "truncated-logs",
  /** The node has blocks and none of their logs. */
  "no-logs",
] as const;
export type Fault = (typeof FAULTS)[number];

/** The lies of a node, each a complete, well-formed response. */
export const LIES = ["other-genesis", "other-chain", "old-head", "other-nonce", "truncated-logs"] as const;

/** Ways in which a node says no to one call, while it answers all others. */
export const REFUSALS = ["unknown words", "an empty error", "HTTP 500", "silence"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** A proxy that lies with this probability, by each lie as often. */
export function lying(probability: number): FaultRates {
  return Object.fromEntries(LIES.map((lie) => [lie, probability / LIES.length]));
}

/** The probability of each fault, from 0 to 1; their sum is at most 1. */
export type FaultRates = Partial<Record<Fault, number>>;

export type ChaosProxyOptions = {
  /** The node behind it. */
  target: string;
  seed?: number;
  rates?: FaultRates;
  port?: number;
  delayMs?: number;
  hangMs?: number;
  staleBlocks?: number;
  oldBlocks?: number;
  /** Nodes of other chains that respond instead of the target. */
  others?: { genesis: string; chain: string };
};

export type ChaosProxy = {
  url: string;
  port: number;
  /** Changes the faults; releases hanging requests. */
  set(rates: FaultRates): void;
  /** Runs a callback once at the next request with this method, before the node receives it or after it responded. */
  at(method: string, moment: "before" | "after", act: () => Promise<void>): void;
  /** Refuses every request with a call that matches, in one of the ways, until it is called without arguments. */
  refuse(matches?: (call: Call) => boolean, way?: Refusal): void;
  /** How many calls were refused so. */
  refused(): number;
  /** How often each fault was injected, and how many requests passed untouched. */
  counts: Record<Fault | "passed", number>;
  /** Every requested method, in order. */
  methods: string[];
  stop(): Promise<void>;
};

export type Call = { id?: unknown; method?: string; params?: unknown[] };
type Answer = { result?: unknown; error?: { code: number; message: string } };

const OTHER_CHAIN_ID = "0x1";
const METHODS_KEPT = 10_000;

/** A JSON-RPC proxy that injects faults by a seed: one random number per request, in order. */
export async function startChaosProxy(options: ChaosProxyOptions): Promise<ChaosProxy> {
  const { target, delayMs = 300, hangMs = 30_000, staleBlocks = 5, oldBlocks = 20, others } = options;
  const random = seededRandom(options.seed ?? 1);
  let rates = options.rates ?? {};
  let refusing: { matches: (call: Call) => boolean; way: Refusal } | undefined;
  let refusedCalls = 0;
  let released = new AbortController();
  const counts = Object.fromEntries([...FAULTS, "passed"].map((name) => [name, 0])) as ChaosProxy["counts"];
  const methods: string[] = [];
  let aimed: { method: string; moment: "before" | "after"; act: () => Promise<void> } | undefined;

  /** Returns whether a callback ran: then the caller was killed, and nobody waits for a response. */
  async function strike(calls: readonly Call[], moment: "before" | "after"): Promise<boolean> {
    if (aimed?.moment !== moment || !calls.some((call) => call.method === aimed?.method)) return false;
    const { act } = aimed;
    aimed = undefined;
    await act();
    return true;
  }

  const server = createServer((request, response) => {
    // The proxy ignores callers that gave up.
    request.on("error", () => {});
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    const calls = readCalls(body);
    methods.push(...calls.map((call) => call.method ?? "?"));
    if (methods.length > METHODS_KEPT) methods.splice(0, methods.length - METHODS_KEPT);
    if (await strike(calls, "before")) return void response.destroy();
    const refusedHere = calls.filter((call) => refusing?.matches(call));
    refusedCalls += refusedHere.length;
    if (refusing && refusedHere.length > 0) return refuse(refusing.way, { calls, refusedHere, body, response });
    const fault = draw(random(), rates);
    counts[fault ?? "passed"]++;
    if (fault === "drop") return void response.destroy();
    if (fault === "hang") {
      await delay(hangMs, undefined, { signal: released.signal }).catch(() => {});
      return void response.destroy();
    }
    if (fault === "unavailable") {
      response.writeHead(503, { "content-type": "text/html" }).end("<h1>503 Service Unavailable</h1>");
      return;
    }
    if (fault === "delay") await delay(between(random, 1, delayMs));
    const asked = fault === "old-head" ? await asOf(oldBlocks, calls, target) : body;
    const isOther = fault === "other-genesis" || fault === "other-chain";
    const whom = isOther && others ? others[fault === "other-genesis" ? "genesis" : "chain"] : target;
    const { status, text } = await ask(whom, asked);
    if (await strike(calls, "after")) return void response.destroy();
    if (fault === "lose-answer") return void response.destroy();
    const told =
      fault === undefined ? text : distort(text, calls, fault, fault === "old-head" ? oldBlocks : staleBlocks);
    response.writeHead(status, { "content-type": "application/json" }).end(told);
  }

  async function refuse(way: Refusal, { calls, refusedHere, body, response }: Refusing): Promise<void> {
    if (way === "silence") await delay(hangMs, undefined, { signal: released.signal }).catch(() => {});
    if (way === "silence" || way === "HTTP 500") {
      response.writeHead(500, { "content-type": "text/plain" }).end("Internal Server Error");
      return;
    }
    const error = way === "an empty error" ? {} : { code: -32_000, message: "EVM error ReentrancySentryOOG" };
    const { text } = await ask(target, body);
    const parsed = JSON.parse(text) as Answer | Answer[];
    const answers = [parsed].flat().map((answer, index) => {
      const call = calls[index];
      return call && refusedHere.includes(call) ? { jsonrpc: "2.0", id: call.id, error } : answer;
    });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    counts,
    methods,
    set(next) {
      rates = next;
      released.abort();
      released = new AbortController();
    },
    refuse(matches, way = "unknown words") {
      refusing = matches && { matches, way };
      released.abort();
      released = new AbortController();
    },
    refused: () => refusedCalls,
    at(method, moment, act) {
      aimed = { method, moment, act };
    },
    stop: () =>
      new Promise((resolve) => {
        released.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Refusing = { calls: readonly Call[]; refusedHere: readonly Call[]; body: Buffer; response: ServerResponse };

function draw(number: number, rates: FaultRates): Fault | undefined {
  let sum = 0;
  return FAULTS.find((fault) => {
    sum += rates[fault] ?? 0;
    return number < sum;
  });
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function readCalls(body: Buffer): Call[] {
  const parsed = JSON.parse(body.toString("utf8")) as Call | Call[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

/** Kept open, and without the cost of `fetch`: every call of the processes under test comes through here. */
const CONNECTIONS = new Agent({ keepAlive: true });

function ask(url: string, body: Buffer | string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const request = requestOf(url, { method: "POST", headers, agent: CONNECTIONS });
    request.on("error", reject);
    request.on("response", (answer) =>
      readAll(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 502, text: bytes.toString("utf8") }),
        reject,
      ),
    );
    request.end(body);
  });
}

/** The same request about a block that was the newest some blocks ago. */
async function asOf(blocksAgo: number, calls: readonly Call[], target: string): Promise<string> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
  const head = Number((JSON.parse((await ask(target, body)).text) as Answer).result);
  const then = `0x${Math.max(0, head - blocksAgo).toString(16)}`;
  const rewritten = calls.map((call) => ({
    ...call,
    params: call.params?.map((one) => (one === "latest" || one === "pending" ? then : one)),
  }));
  return JSON.stringify(calls.length === 1 ? rewritten[0] : rewritten);
}

/** Rewrites the responses that the fault affects, and passes on all others. */
function distort(text: string, calls: readonly Call[], fault: Fault, staleBlocks: number): string {
  const parsed = JSON.parse(text) as Answer | Answer[];
  const answers = Array.isArray(parsed) ? parsed : [parsed];
  for (const [index, answer] of answers.entries()) {
    const { method } = calls[index] ?? {};
    if (fault === "wrong-chain" && method === "eth_chainId") answer.result = OTHER_CHAIN_ID;
    if (fault === "no-receipt" && method === "eth_getTransactionReceipt") answer.result = null;
    if (fault === "other-nonce" && method === "eth_getTransactionCount" && typeof answer.result === "string") {
      const count = Number(answer.result);
      answer.result = `0x${(count % 3 === 0 ? Math.max(0, count - 1) : count + 40).toString(16)}`;
    }
    if (fault === "truncated-logs" && method === "eth_getLogs" && Array.isArray(answer.result)) {
      answer.result = answer.result.slice(0, answer.result.length / 2);
    }
    if (fault === "no-logs" && method === "eth_getLogs") {
      delete answer.result;
      answer.error = { code: -32_000, message: "missing trie node" };
    }
    if (
      (fault === "stale" || fault === "old-head") &&
      method === "eth_blockNumber" &&
      typeof answer.result === "string"
    ) {
      answer.result = `0x${Math.max(0, Number(answer.result) - staleBlocks).toString(16)}`;
    }
  }
  return JSON.stringify(parsed);
}
