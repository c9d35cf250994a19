import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";

export type RpcFailure =
  /** No answer, half an answer, or one that is not JSON-RPC. */
  | "transport"
  | "timeout"
  /** The provider refuses the size of what was asked for, or its answer is larger than what we take. */
  | "too-large"
  | "rate-limited"
  /** An answer that cannot be true. */
  | "inconsistent"
  /** Any other error that the node itself answers. */
  | "refused";

export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly failure: RpcFailure;
  /** How long the provider asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: RpcFailure, message: string, retryAfterMs?: number) {
    super(message);
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }
}

export type RpcCall = { method: string; params: readonly unknown[] };

/** Told of every HTTP request, for the metrics. */
export type RpcObserver = (call: {
  rpc: string;
  method: string;
  calls: number;
  bytes: number;
  durationMs: number;
  failure: RpcFailure | undefined;
}) => void;

const MAX_SOCKETS = 8;
/** A larger answer is not taken: asking for less costs a request, holding it costs memory. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;

/** JSON-RPC over HTTP with connections that are kept. No retries here: the caller knows what else it could ask. */
export class JsonRpc {
  /** For logs, metrics and messages. */
  readonly name: string;
  readonly #target: URL;
  readonly #agent: HttpAgent;
  readonly #request: typeof httpRequest;
  readonly #timeoutMs: number;
  readonly #observe: RpcObserver | undefined;
  #nextId = 1;

  private constructor(
    url: string,
    transport: { agent: HttpAgent; request: typeof httpRequest },
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
    { timeoutMs, observe }: { timeoutMs: number; observe?: RpcObserver },
  ): Promise<JsonRpc> {
    if (!url.startsWith("https:")) {
      const agent = new HttpAgent({ keepAlive: true, maxSockets: MAX_SOCKETS });
      return new JsonRpc(url, { agent, request: httpRequest }, timeoutMs, observe);
    }
    const https = await import("node:https");
    const agent = new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
    return new JsonRpc(url, { agent, request: https.request }, timeoutMs, observe);
  }

  /** @throws RpcError */
  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const body = `{"jsonrpc":"2.0","id":${this.#nextId++},"method":"${method}","params":${JSON.stringify(params)}}`;
    return resultOf<T>(await this.#post(method, 1, body));
  }

  /** Several calls in one request, answered in their order. @throws RpcError when one of them fails. */
  async batch<T>(calls: readonly RpcCall[]): Promise<T[]> {
    const [first] = calls;
    if (!first) return [];
    if (calls.length === 1) return [await this.call<T>(first.method, first.params)];
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const body = JSON.stringify(calls.map((call, index) => ({ jsonrpc: "2.0", id: firstId + index, ...call })));
    const answer = await this.#post(first.method, calls.length, body);
    if (!Array.isArray(answer)) {
      resultOf(answer);
      throw new RpcError("transport", `${this.name} answered a batch with something else`);
    }
    const results = new Map<unknown, T>();
    for (const one of answer) results.set((one as { id: unknown }).id, resultOf<T>(one));
    return calls.map((_, index) => {
      const result = results.get(firstId + index);
      if (result === undefined) throw new RpcError("transport", `${this.name} left a call of a batch unanswered`);
      return result;
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(method: string, calls: number, body: string): Promise<unknown> {
    const started = performance.now();
    let bytes = 0;
    let failure: RpcFailure | undefined;
    try {
      const { response, text } = await this.#exchange(body);
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

  #exchange(body: string): Promise<{ response: IncomingMessage; text: string }> {
    return new Promise((resolve, reject) => {
      const request = this.#request(this.#target, {
        method: "POST",
        agent: this.#agent,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      });
      const fail = (error: RpcError) => {
        clearTimeout(timer);
        reject(error);
        request.destroy();
      };
      const timer = setTimeout(
        () => fail(new RpcError("timeout", `${this.name} did not answer in ${this.#timeoutMs} ms`)),
        this.#timeoutMs,
      );
      request.on("error", (error) => fail(new RpcError("transport", `${this.name}: ${error.message}`)));
      request.on("response", (response) => {
        // As text at once: buffers that wait to be joined are freed late, and the peak of memory is theirs.
        response.setEncoding("utf8");
        let text = "";
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > MAX_ANSWER_BYTES)
            fail(new RpcError("too-large", `${this.name} answered more than is taken at once`));
        });
        response.on("error", (error) => fail(new RpcError("transport", `${this.name}: ${error.message}`)));
        response.on("aborted", () => fail(new RpcError("transport", `${this.name} broke off its answer`)));
        response.on("end", () => {
          clearTimeout(timer);
          resolve({ response, text });
        });
      });
      request.end(body);
    });
  }
}

/** A URL without its path and password: providers put keys there. */
export function nameOf(url: string): string {
  return new URL(url).origin;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError("transport", `${name} answered something that is not JSON`);
  }
}

function resultOf<T>(answer: unknown): T {
  const { result, error } = (answer ?? {}) as { result?: T; error?: { code?: number; message?: string } };
  if (error) throw refusedByNode(error.code, error.message ?? "error without a message");
  if (result === undefined) throw new RpcError("transport", "The answer holds neither a result nor an error");
  return result;
}

function refusedByStatus(response: IncomingMessage, text: string): RpcError {
  const status = response.statusCode ?? 0;
  const message = `HTTP ${status}: ${text.slice(0, 200)}`;
  if (status === 413) return new RpcError("too-large", message);
  if (status === 429) return new RpcError("rate-limited", message, retryAfterMs(response.headers["retry-after"]));
  if (status >= 500 || status === 408) return new RpcError("transport", message);
  // Some providers put the JSON-RPC error into the body of a 400.
  const inner = text.startsWith("{") ? safeError(text) : undefined;
  return inner ?? new RpcError("refused", message);
}

function safeError(text: string): RpcError | undefined {
  try {
    resultOf(JSON.parse(text));
  } catch (error) {
    return error instanceof RpcError && error.failure !== "transport" ? error : undefined;
  }
  return undefined;
}

function refusedByNode(code: number | undefined, message: string): RpcError {
  if (code === 429 || code === -32090 || /rate.?limit|too many requests|capacity|throttl/i.test(message)) {
    return new RpcError("rate-limited", message);
  }
  if (
    code === -32005 ||
    /too many (results|logs)|more than \d+ (results|logs)|range|too large|exceed|limit|timed? ?out/i.test(message)
  ) {
    return new RpcError("too-large", message);
  }
  return new RpcError("refused", `${message} (${code})`);
}

/** `Retry-After` is seconds or a date. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
