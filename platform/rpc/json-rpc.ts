import type { IncomingMessage } from "node:http";
import { isRecord } from "../../domain/records.ts";
import { TorcidaError } from "../../domain/torcida-error.ts";
import { Agent as HttpAgent, request as httpRequest } from "../http.ts";

export type RpcFailure =
  /** No response, a truncated one, or one that is not JSON-RPC. */
  | "transport"
  | "timeout"
  /** The provider refuses the size of the request, or its response is larger than our limit. */
  | "too-large"
  | "rate-limited"
  /** A response that cannot be true. */
  | "inconsistent"
  /** The node no longer has the requested state, or does not have it yet. */
  | "no-state"
  /** No node is verified to be on our chain; no request was sent. */
  | "unproven"
  /** Any other error response from the node. */
  | "refused";

const NO_MESSAGE = "error without a message";

/** A call to a node failed; `failure` decides whether another node or a smaller request may succeed. */
export class RpcError extends TorcidaError {
  override readonly docs = "docs/runbook/rpc-away.md";
  readonly failure: RpcFailure;
  /** The wait that the provider requested, at most a minute. */
  readonly retryAfterMs: number | undefined;
  /** The node's error response, if there is one. */
  readonly answer: RpcErrorAnswer | undefined;

  constructor(failure: RpcFailure, message: string, more: { retryAfterMs?: number; answer?: RpcErrorAnswer } = {}) {
    super(message);
    this.failure = failure;
    this.retryAfterMs = more.retryAfterMs;
    this.answer = more.answer;
  }

  /** Whether the node executed the call, and the contract reverted. */
  get isRevert(): boolean {
    return this.answer !== undefined && (this.answer.code === REVERTED || REVERT_WORDS.test(this.answer.message));
  }
}

export type RpcErrorAnswer = { code: number; message: string; data?: unknown };
type CallLimits = { timeoutMs?: number; maxBytes?: number };
export type RpcCall = { method: string; params: readonly unknown[] };
export type RpcOutcome = { result: unknown } | { error: RpcError };

/** Called with every HTTP request, for the metrics. */
export type RpcObserver = (call: {
  rpc: string;
  method: string;
  calls: number;
  bytes: number;
  durationMs: number;
  failure: RpcFailure | undefined;
}) => void;

/** A revert of `eth_call`, which every node returns alike. */
const REVERTED = 3;
const REVERT_WORDS = /execution reverted/i;
const MAX_SOCKETS = 8;
const LONGEST_WAIT_MS = 60_000;
/** Larger responses are rejected: requesting less costs one more request, holding it costs memory. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** JSON-RPC over HTTP with keep-alive. No retries here: that is the caller's decision. */
export class JsonRpc {
  /** For logs, metrics and messages. */
  readonly name: string;
  readonly #target: URL;
  readonly #agent: InstanceType<typeof HttpAgent>;
  readonly #request: typeof httpRequest;
  readonly #timeoutMs: number;
  readonly #observe: RpcObserver | undefined;
  #nextId = 1;

  private constructor(
    url: string,
    transport: { agent: InstanceType<typeof HttpAgent>; request: typeof httpRequest },
    timeoutMs: number,
    observe: RpcObserver | undefined,
  ) {
    this.name = nameOf(url);
    this.#target = new URL(url);
    this.#agent = transport.agent;
    this.#request = transport.request;
    this.#timeoutMs = timeoutMs;
    this.#observe = observe;
  }

  static async open(
    url: string,
    { timeoutMs, observe, maxSockets = MAX_SOCKETS }: { timeoutMs: number; observe?: RpcObserver; maxSockets?: number },
  ): Promise<JsonRpc> {
    if (!url.startsWith("https:")) {
      const agent = new HttpAgent({ keepAlive: true, maxSockets });
      return new JsonRpc(url, { agent, request: httpRequest }, timeoutMs, observe);
    }
    const https = await import("node:https");
    const agent = new https.Agent({ keepAlive: true, maxSockets });
    return new JsonRpc(url, { agent, request: https.request }, timeoutMs, observe);
  }

  /** `maxBytes`: of the whole response. @throws RpcError */
  async call(method: string, params: readonly unknown[] = [], limits: CallLimits = {}): Promise<unknown> {
    const body = `{"jsonrpc":"2.0","id":${this.#nextId++},"method":"${method}","params":${JSON.stringify(params)}}`;
    return resultOf(await this.#post(method, 1, body, limits));
  }

  /** Several calls in one request, with results in order. @throws RpcError if one of them fails. */
  async batch(calls: readonly RpcCall[]): Promise<unknown[]> {
    const [first] = calls;
    if (first && calls.length === 1) return [await this.call(first.method, first.params)];
    const outcomes = await this.settle(calls);
    return outcomes.map(resultOrThrow);
  }

  /**
   * Several calls in one request, each with its own result or error, in their order. `isAlone` opens a connection for
   * it, so that it waits for no other request.
   * @throws RpcError if the whole request failed
   */
  async settle(
    calls: readonly RpcCall[],
    timeoutMs = this.#timeoutMs,
    { isAlone = false }: { isAlone?: boolean } = {},
  ): Promise<RpcOutcome[]> {
    const [first] = calls;
    if (!first) return [];
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = JSON.stringify(calls.map((call, index) => ({ jsonrpc: "2.0", id: firstId + index, ...call })));
    const answer = await this.#post(first.method, calls.length, body, { timeoutMs, isAlone });
    if (!Array.isArray(answer)) {
      resultOf(answer);
      throw new RpcError("transport", `${this.name} returned an invalid response to a batch`);
    }
    const byId = new Map(answer.filter(isRecord).map((one) => [one.id, one]));
    return calls.map((_, index): RpcOutcome => {
      const one = byId.get(firstId + index);
      if (!one) throw new RpcError("transport", `${this.name} did not answer a call of a batch`);
      return outcomeOf(one);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(
    method: string,
    calls: number,
    body: string,
    {
      timeoutMs = this.#timeoutMs,
      isAlone = false,
      maxBytes = MAX_ANSWER_BYTES,
    }: CallLimits & { isAlone?: boolean } = {},
  ): Promise<unknown> {
    const started = performance.now();
    let bytes = 0;
    let failure: RpcFailure | undefined;
    try {
      const { response, text } = await this.#exchange(body, { timeoutMs, isAlone, maxBytes });
      bytes = text.length;
      if (response.statusCode !== 200) throw refusedByStatus(response, text);
      return parse(text, this.name);
    } catch (error) {
      failure = error instanceof RpcError ? error.failure : "transport";
      throw error;
    } finally {
      this.#observe?.({ rpc: this.name, method, calls, bytes, durationMs: performance.now() - started, failure });
    }
  }

  #exchange(
    body: string,
    { timeoutMs, isAlone, maxBytes }: Required<CallLimits> & { isAlone: boolean },
  ): Promise<{ response: IncomingMessage; text: string }> {
    return new Promise((resolve, reject) => {
      const request = this.#request(this.#target, {
        method: "POST",
        agent: isAlone ? false : this.#agent,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      });
      const fail = (error: RpcError) => {
        clearTimeout(timer);
        reject(error);
        request.destroy();
      };
      const timer = setTimeout(
        () => fail(new RpcError("timeout", `${this.name} did not answer in ${Math.round(timeoutMs)} ms`)),
        timeoutMs,
      );
      request.on("error", (error) => fail(new RpcError("transport", `${this.name}: ${error.message}`)));
      request.on("response", (response) => {
        // Decoded to text immediately: buffers kept for a later concat are freed late and cause peak memory.
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > maxBytes)
            fail(new RpcError("too-large", `${this.name} returned a response above the size limit`));
        });
        response.on("error", (error) => fail(new RpcError("transport", `${this.name}: ${error.message}`)));
        response.on("aborted", () => fail(new RpcError("transport", `${this.name} aborted its response`)));
        response.on("end", () => {
          clearTimeout(timer);
          resolve({ response, text });
        });
      });
      request.end(body);
    });
  }
}

/** The URL without path and password, because providers put keys there. */
export function nameOf(url: string): string {
  return new URL(url).origin;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError("transport", `${name} returned a response that is not JSON`);
  }
}

function outcomeOf(answer: unknown): RpcOutcome {
  try {
    return { result: resultOf(answer) };
  } catch (error) {
    if (error instanceof RpcError && error.answer) return { error };
    throw error;
  }
}

export function resultOrThrow(outcome: RpcOutcome): unknown {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function resultOf(answer: unknown): unknown {
  const { result, error }: Record<string, unknown> = isRecord(answer) ? answer : {};
  if (error) throw refusedByNode(errorAnswerOf(error));
  if (result === undefined) throw new RpcError("transport", "The response has neither a result nor an error");
  return result;
}

function errorAnswerOf(error: unknown): RpcErrorAnswer {
  const { code, message, data }: Record<string, unknown> = isRecord(error) ? error : {};
  return {
    code: typeof code === "number" ? code : -32_000,
    message: typeof message === "string" ? message : NO_MESSAGE,
    ...(data === undefined ? {} : { data }),
  };
}

function refusedByStatus(response: IncomingMessage, text: string): RpcError {
  const status = response.statusCode ?? 0;
  const message = `HTTP ${status}: ${text.slice(0, 200)}`;
  if (status === 413) return new RpcError("too-large", message);
  if (status === 429) return new RpcError("rate-limited", message, retryAfter(response.headers["retry-after"]));
  if (status >= 500 || status === 408) return new RpcError("transport", message);
  // Some providers put the JSON-RPC error into the body of a 400.
  const inner = text.startsWith("{") ? safeError(text) : undefined;
  return inner && inner.answer?.message !== NO_MESSAGE ? inner : new RpcError("refused", message);
}

function safeError(text: string): RpcError | undefined {
  try {
    resultOf(JSON.parse(text));
  } catch (error) {
    return error instanceof RpcError && error.failure !== "transport" ? error : undefined;
  }
  return undefined;
}

function refusedByNode(answer: RpcErrorAnswer): RpcError {
  return new RpcError(failureOf(answer), answer.message, { answer });
}

function failureOf({ code, message }: RpcErrorAnswer): RpcFailure {
  if (code === REVERTED || REVERT_WORDS.test(message)) return "refused";
  if (code === 429 || code === -32090 || /rate.?limit|too many requests|capacity|throttl/i.test(message)) {
    return "rate-limited";
  }
  if (
    /missing trie node|header not found|unknown block|block not found|BlockOutOfRange|state .*(pruned|available)/i.test(
      message,
    )
  ) {
    return "no-state";
  }
  const isTooLarge = /too many (results|logs)|more than \d+ (results|logs)|range|too large|exceed|limit|timed? ?out/i;
  if (code === -32005 || isTooLarge.test(message)) return "too-large";
  return "refused";
}

/** `Retry-After` is seconds or a date; of any length, it would stop an indexer with one node for as long. */
function retryAfter(header: string | undefined): { retryAfterMs?: number } {
  if (!header) return {};
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? { retryAfterMs: Math.min(Math.max(0, ms), LONGEST_WAIT_MS) } : {};
}
