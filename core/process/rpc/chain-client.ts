import { createPublicClient, custom, HttpRequestError, type PublicClient, RpcRequestError, TimeoutError } from "viem";
import { chainOf } from "../../chain/chains.ts";
import type { Network } from "../../rules/networks.ts";
import type { Logger } from "../log.ts";
import { NETWORK_RULES } from "../network-rules.ts";
import type { Lane } from "./call-budget.ts";
import { type JsonRpc, type RpcCall, RpcError, type RpcObserver, type RpcOutcome } from "./json-rpc.ts";
import { NodePool } from "./node-pool.ts";
import { type ChainMemory, ContradictionError } from "./node-proof.ts";

/** Below the five seconds within which every call is answered (docs/product.md#limit-answer-time). */
const TIMEOUT_MS = 3_000;
const PATIENCE_MS = 4_500;
/** How long calls that stand by themselves may take together. */
export const APART_MS = 1_500;
const BATCH_SIZE = 100;

/** Reads the chain through the first verified node that responds; concurrent calls are batched. */
export type ChainClient = PublicClient & {
  /**
   * Sends several calls to the same verified node, so that the results are consistent. If the callback throws a
   * ContradictionError, because the results contradict each other or known facts, the node is dropped and the next one
   * is used.
   */
  onOneNode<T>(question: (node: PublicClient) => Promise<T>): Promise<T>;
  /**
   * A client whose calls stand each by itself: what a node answers to one, in whatever form, stops no other, and the
   * calls of one turn share the time that `msLeft` returns. An error that no node
   * could be asked is not the call's own.
   */
  apart(msLeft?: () => number): PublicClient;
};

export type ChainClientParameters = {
  network: Network;
  urls: readonly string[];
  chainId: number;
  /** A contract that must have code on the chain; undefined if nothing is deployed yet. */
  contract: string | undefined;
  memory: ChainMemory;
  log: Logger;
  observe?: RpcObserver;
  patience?: Patience;
  /** How urgent its calls are. */
  lane?: Lane;
};

/** Timeout per call, number of retries, and polling interval for receipts. */
export type Patience = { timeoutMs: number; retries: number; pollingIntervalMs: number };

export type OpenChain = {
  client: ChainClient;
  nodes: NodePool<JsonRpc>;
  /** The same client, for calls that are more or less urgent. */
  clientIn(lane: Lane): ChainClient;
};

/** The chain for the api, the sender and the scripts. Sends no request yet. */
export async function openChain(parameters: ChainClientParameters): Promise<OpenChain> {
  const { network, urls, observe, patience, lane: ownLane = "read", ...rest } = parameters;
  const { timeoutMs = TIMEOUT_MS, retries = 0, pollingIntervalMs } = patience ?? {};
  const nodes = await NodePool.open({
    ...rest,
    urls,
    timeoutMs,
    patienceMs: Math.max(PATIENCE_MS, urls.length * timeoutMs),
    blockMs: NETWORK_RULES[network].blockMs,
    lane: ownLane,
    ...(observe ? { observe } : {}),
    open: (rpc) => rpc,
  });
  const chain = chainOf(network, urls[0]);
  const clientOver = (ask: Ask, retryCount = 0) =>
    createPublicClient({
      chain,
      transport: custom(new Batching(ask), { retryCount }),
      cacheTime: 0,
      ...(pollingIntervalMs ? { pollingInterval: pollingIntervalMs } : {}),
    });
  const clientIn = (lane: Lane): ChainClient => {
    const answers = (rpc: JsonRpc, calls: readonly RpcCall[], msLeft: number) =>
      answersOf(nodes, rpc.in(lane), calls, Math.min(timeoutMs, msLeft));
    const client = clientOver((calls) => nodes.ask((rpc, msLeft) => answers(rpc, calls, msLeft)), retries);
    const onOneNode: ChainClient["onOneNode"] = (question) =>
      throwAsViem(
        nodes.ask((rpc, msLeft) => question(clientOver((calls) => answers(rpc, calls, msLeft))).catch(rethrowCause)),
      );
    const apart: ChainClient["apart"] = (msLeft = () => APART_MS) =>
      clientOver((calls) => nodes.askEach(calls, Math.min(timeoutMs, msLeft()), lane));
    return Object.assign(client, { onOneNode, apart });
  };
  return { client: clientIn(ownLane), nodes, clientIn };
}

type Ask = (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>;

/**
 * The response of one node. An error that another node might not return counts as a failure of this node; any other
 * error is a result.
 */
async function answersOf(
  nodes: NodePool<JsonRpc>,
  rpc: JsonRpc,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<RpcOutcome[]> {
  const outcomes = await nodes.settleWitnessed(rpc, calls, timeoutMs);
  for (const outcome of outcomes) {
    if ("error" in outcome && outcome.error.failure === "rate-limited") throw outcome.error;
  }
  return outcomes;
}

type Waiting = { call: RpcCall; resolve: (result: unknown) => void; reject: (error: unknown) => void };

/** An EIP-1193 provider that batches the calls of one turn of the event loop into one request. */
class Batching {
  readonly #ask: Ask;
  #waiting: Waiting[] = [];

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  request({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call: { method, params }, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += BATCH_SIZE) void this.#send(waiting.slice(at, at + BATCH_SIZE));
  }

  async #send(waiting: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#ask(waiting.map(({ call }) => call));
      for (const [index, { call, resolve, reject }] of waiting.entries()) {
        const outcome = outcomes[index];
        if (outcome && "result" in outcome) resolve(outcome.result);
        else reject(viemErrorOf(outcome?.error, [call]));
      }
    } catch (error) {
      const calls = waiting.map(({ call }) => call);
      for (const { reject } of waiting) reject(viemErrorOf(error, calls));
    }
  }
}

/** Converts the error into the one viem's transports throw, which callers handle. */
function viemErrorOf(error: unknown, calls: readonly RpcCall[]): unknown {
  if (!(error instanceof RpcError)) return error;
  const body = calls.length === 1 ? { ...calls[0] } : { calls: calls.map(({ method }) => method) };
  // Providers put keys into the URL, so it is never shown.
  const url = "RPC_URLS";
  if (error.answer)
    return Object.assign(new RpcRequestError({ body, error: error.answer, url }), { rpcFailure: error });
  if (error.failure === "timeout") return Object.assign(new TimeoutError({ body, url }), { rpcFailure: error });
  return Object.assign(new HttpRequestError({ body, details: error.message, url }), { rpcFailure: error });
}

/** The failure behind an error that `viemErrorOf` returned. */
export function rpcErrorOf(error: Error): RpcError | undefined {
  return "rpcFailure" in error && error.rpcFailure instanceof RpcError ? error.rpcFailure : undefined;
}

/** Unwraps from viem's error what the pool needs: a contradiction, or a failure of the node. */
function rethrowCause(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ContradictionError) throw cause;
    const error = rpcErrorOf(cause);
    if (error && error.failure !== "refused") throw error;
  }
  throw error;
}

async function throwAsViem<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw viemErrorOf(error, []);
  }
}
