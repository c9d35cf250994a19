import type { IncomingMessage } from "node:http";
import { isRecord } from "../../rules/records.ts";
import { TorcidaError } from "../../rules/torcida-error.ts";
import { Agent as HttpAgent, request as httpRequest } from "../http.ts";
import { BatchSize } from "./batch-size.ts";
import { CallBudget, type CallFigures, type Lane } from "./call-budget.ts";

export type RpcFailure =
  /** No response, a truncated one, or one that is not JSON-RPC. */
  | "transport"
  | "timeout"
  /** The provider refuses the size of the request, or its response is larger than our limit. */
  | "too-large"
  /** The provider refuses the number of calls. */
  | "rate-limited"
  /** Nothing was sent: the calls that the provider allows are taken by more urgent ones. */
  | "over-budget"
  /** A response that cannot be true. */
  | "inconsistent"
  /** The node no longer has the requested state, or does not have it yet. */
  | "no-state"
  /** No node is verified to be on our chain; no request was sent. */
  | "unproven"
  /** Any other error response from the node. */
  | "refused";

type RpcErrorAnswer = { code: number; message: string; data?: unknown };

const NO_MESSAGE = "error without a message";

/** A call to a node failed; `failure` decides whether another node or a smaller request may succeed. */
export class RpcError extends TorcidaError {
  override readonly docs = "docs/runbook/rpc-away.md";
  readonly failure: RpcFailure;
  /** The wait that the provider requested, at most a minute. */
  readonly retryAfterMs: number | undefined;
  /** The node's error response, if there is one. */
  readonly answer: RpcErrorAnswer | undefined;
  /** The HTTP status, if it is not 200. */
  readonly status: number | undefined;
  /** Whether only some calls of a request were answered. */
  readonly isShort: boolean;

  constructor(
    failure: RpcFailure,
    message: string,
    more: { retryAfterMs?: number; answer?: RpcErrorAnswer; status?: number; isShort?: boolean } = {},
  ) {
    super(message);
    this.failure = failure;
    this.retryAfterMs = more.retryAfterMs;
    this.answer = more.answer;
    this.status = more.status;
    this.isShort = more.isShort ?? false;
  }

  /** Whether the node executed the call, and the contract reverted. */
  get isRevert(): boolean {
    return this.answer !== undefined && isRevertAnswer(this.answer);
  }
}

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

/** A call at the head of each request, whose outcome `check` rejects by throwing. */
export type FirstCall = { call: RpcCall; check: (outcome: RpcOutcome) => void };
export type SettleOptions = {
  timeoutMs?: number | undefined;
  /** Of a whole response. */
  maxBytes?: number;
  /** Opens a connection for it, so that it waits for no other request. */
  isAlone?: boolean;
  first?: FirstCall | undefined;
};

type CallLimits = Pick<SettleOptions, "timeoutMs" | "maxBytes">;
type OpenOptions = { timeoutMs: number; observe?: RpcObserver; lane?: Lane; maxSockets?: number };

const MAX_SOCKETS = 8;
const LONGEST_WAIT_MS = 60_000;
/** Larger responses are rejected: requesting less costs one more request, holding it costs memory. */
const MAX_ANSWER_BYTES = 24 * 1024 * 1024;
/** A refusal for the number of calls is waited for if it is over within this part of a call's time. */
const WAITED_PART = 0.5;
/** How long calls that nobody waits for stand in the queue of a node that takes few; others as long as they may take. */
const QUEUED_MS: Partial<Record<Lane, number>> = { follow: 60_000, check: 60_000 };

/** What all lanes of a node share. */
type Line = {
  target: URL;
  agent: InstanceType<typeof HttpAgent>;
  request: typeof httpRequest;
  timeoutMs: number;
  observe: RpcObserver | undefined;
  batches: BatchSize;
  budget: CallBudget;
  nextId: number;
};
type Exchanged = { timeoutMs: number; isAlone: boolean; maxBytes: number };
/** `deadline`: until when a request may begin; each takes at most `timeoutMs` then. */
type When = Exchanged & { deadline: number; most?: number };

/**
 * JSON-RPC over HTTP with keep-alive, within what the node was seen to allow: calls a second, and calls in one request.
 * It retries nothing else: that is the caller's decision.
 */
export class JsonRpc {
  /** For logs, metrics and messages. */
  readonly name: string;
  readonly #line: Line;
  readonly #lane: Lane;

  private constructor(line: Line, lane: Lane) {
    this.name = nameOf(line.target.href);
    this.#line = line;
    this.#lane = lane;
  }

  static async open(
    url: string,
    { timeoutMs, observe, lane = "read", maxSockets = MAX_SOCKETS }: OpenOptions,
  ): Promise<JsonRpc> {
    const isPlain = !url.startsWith("https:");
    const { Agent, request } = isPlain ? { Agent: HttpAgent, request: httpRequest } : await import("node:https");
    const agent = new Agent({ keepAlive: true, maxSockets });
    const learned = { batches: new BatchSize(), budget: new CallBudget(), nextId: 1 };
    return new JsonRpc({ target: new URL(url), agent, request, timeoutMs, observe, ...learned }, lane);
  }

  /** The same node, for calls that are more or less urgent. */
  in(lane: Lane): JsonRpc {
    return lane === this.#lane ? this : new JsonRpc(this.#line, lane);
  }

  /** Calls sent, by lane. */
  get counts(): Readonly<Record<Lane, number>> {
    return this.#line.budget.counts;
  }

  get figures(): CallFigures {
    return this.#line.budget.figures;
  }

  /** A limit, in calls a second, that an earlier process learned. */
  recall(allowed: number): void {
    this.#line.budget.recall(allowed);
  }

  /** @throws RpcError */
  async call(method: string, params: readonly unknown[] = [], limits: CallLimits = {}): Promise<unknown> {
    const [outcome] = await this.settle([{ method, params }], limits);
    if (!outcome) throw new RpcError("transport", `${this.name} returned nothing`);
    return resultOrThrow(outcome);
  }

  /** Several calls in one request, with results in order. @throws RpcError if one of them fails. */
  async batch(calls: readonly RpcCall[], limits: CallLimits = {}): Promise<unknown[]> {
    return (await this.settle(calls, limits)).map(resultOrThrow);
  }

  /**
   * Several calls, each with its own result or error, in their order: in one request, or in as few as the node takes,
   * all at the same time.
   * @throws RpcError if a whole request failed
   */
  async settle(calls: readonly RpcCall[], options: SettleOptions = {}): Promise<RpcOutcome[]> {
    if (calls.length === 0) return [];
    const { timeoutMs = this.#line.timeoutMs, isAlone = false, maxBytes = MAX_ANSWER_BYTES, first } = options;
    const queuedMs = QUEUED_MS[this.#lane] ?? timeoutMs;
    return this.#settleInParts(calls, first, { deadline: performance.now() + queuedMs, timeoutMs, isAlone, maxBytes });
  }

  close(): void {
    this.#line.agent.destroy();
  }

  async #settleInParts(calls: readonly RpcCall[], first: FirstCall | undefined, when: When): Promise<RpcOutcome[]> {
    const { batches, budget } = this.#line;
    const most = Math.min(batches.most, budget.mostAtOnce(this.#lane), when.most ?? Number.POSITIVE_INFINITY);
    // Of single calls none can vouch for another: then it is asked before them.
    const isApart = first !== undefined && most < 2;
    if (isApart) first.check(await this.#one(first.call, when));
    const inEach = first !== undefined && !isApart ? first : undefined;
    const room = inEach ? most - 1 : most;
    if (calls.length <= room) return this.#request(calls, inEach, when);
    const parts = Array.from({ length: Math.ceil(calls.length / room) }, (_, index) =>
      this.#request(calls.slice(index * room, (index + 1) * room), inEach, when),
    );
    return (await Promise.all(parts)).flat();
  }

  async #one(call: RpcCall, when: When): Promise<RpcOutcome> {
    const [outcome] = await this.#request([call], undefined, when);
    return outcome ?? { error: new RpcError("transport", `${this.name} returned nothing`) };
  }

  /** One request; where the node refuses several calls in one, or so many, as many requests as it takes. */
  async #request(calls: readonly RpcCall[], first: FirstCall | undefined, when: When): Promise<RpcOutcome[]> {
    const { batches, budget } = this.#line;
    const all = first ? [first.call, ...calls] : calls;
    const msLeft = () => when.deadline - performance.now();
    if (!(await budget.take(all.length, this.#lane, msLeft()))) {
      throw new RpcError("over-budget", `${this.name} allows too few calls a second for all that is asked`);
    }
    let outcomes: RpcOutcome[];
    try {
      const isQueued = QUEUED_MS[this.#lane] !== undefined;
      const timeoutMs = isQueued ? when.timeoutMs : Math.max(1, Math.min(when.timeoutMs, msLeft()));
      outcomes = await this.#post(all, { ...when, timeoutMs });
      const limited = outcomes.find(isRateLimited);
      if (limited) throw limited.error;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.failure === "rate-limited") {
        const named = limitNamedIn(error.answer ?? error);
        const waitMs = budget.refused(all.length, { retryAfterMs: error.retryAfterMs, named });
        if (waitMs > msLeft() * WAITED_PART) throw error;
        return this.#settleInParts(calls, first, when).catch((other: unknown) => {
          throw other instanceof RpcError && other.failure === "over-budget" ? error : other;
        });
      }
      const fewer = batches.fewerThan(all.length, error);
      if (fewer === undefined) throw error;
      const inParts = await this.#settleInParts(calls, first, { ...when, most: fewer });
      batches.learn(fewer);
      return inParts;
    }
    budget.answered(all.length);
    if (!first) return outcomes;
    const [shown, ...others] = outcomes;
    if (shown) first.check(shown);
    return others;
  }

  /** One call as an object, several as a list. */
  async #post(calls: readonly RpcCall[], options: Exchanged): Promise<RpcOutcome[]> {
    const firstId = this.#line.nextId;
    this.#line.nextId += calls.length;
    const bodies = calls.map((call, index) => ({ jsonrpc: "2.0", id: firstId + index, ...call }));
    const [only] = calls.length === 1 ? bodies : [];
    const method = calls[0]?.method ?? "";
    const started = performance.now();
    let bytes = 0;
    let failure: RpcFailure | undefined;
    try {
      const { response, text } = await this.#exchange(JSON.stringify(only ?? bodies), options);
      bytes = text.length;
      if (response.statusCode !== 200) throw refusedByStatus(response, text, method);
      const answer = parse(text, this.name);
      return only ? [outcomeOf(answer, method)] : this.#outcomesOf(answer, calls, firstId);
    } catch (error) {
      failure = error instanceof RpcError ? error.failure : "transport";
      throw error;
    } finally {
      const durationMs = performance.now() - started;
      this.#line.observe?.({ rpc: this.name, method, calls: calls.length, bytes, durationMs, failure });
    }
  }

  #outcomesOf(answer: unknown, calls: readonly RpcCall[], firstId: number): RpcOutcome[] {
    if (!Array.isArray(answer)) {
      resultOf(answer, calls[0]?.method ?? "");
      throw new RpcError("transport", `${this.name} answered only one call of a batch`, { isShort: true });
    }
    const byId = new Map(answer.filter(isRecord).map((one) => [one.id, one]));
    if (calls.some((_, index) => !byId.has(firstId + index))) {
      const isShort = answer.length < calls.length;
      throw new RpcError("transport", `${this.name} did not answer a call of a batch`, { isShort });
    }
    return calls.map(({ method }, index) => outcomeOf(byId.get(firstId + index), method));
  }

  #exchange(
    body: string,
    { timeoutMs, isAlone, maxBytes }: Exchanged,
  ): Promise<{ response: IncomingMessage; text: string }> {
    return new Promise((resolve, reject) => {
      const request = this.#line.request(this.#line.target, {
        method: "POST",
        agent: isAlone ? false : this.#line.agent,
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

function outcomeOf(answer: unknown, method: string): RpcOutcome {
  try {
    return { result: resultOf(answer, method) };
  } catch (error) {
    if (error instanceof RpcError && error.answer) return { error };
    throw error;
  }
}

export function resultOrThrow(outcome: RpcOutcome): unknown {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function isRateLimited(outcome: RpcOutcome): outcome is { error: RpcError } {
  return "error" in outcome && outcome.error.failure === "rate-limited";
}

function resultOf(answer: unknown, method: string): unknown {
  const { result, error }: Record<string, unknown> = isRecord(answer) ? answer : {};
  if (error) {
    const said = errorAnswerOf(error);
    throw new RpcError(failureOf(said, method), said.message, { answer: said });
  }
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

function refusedByStatus(response: IncomingMessage, text: string, method: string): RpcError {
  const status = response.statusCode ?? 0;
  const message = `HTTP ${status}: ${text.slice(0, 200)}`;
  if (status === 413) return new RpcError("too-large", message, { status });
  if (status === 429) return new RpcError("rate-limited", message, { status, ...retryAfter(response) });
  if (status >= 500 || status === 408) return new RpcError("transport", message, { status });
  // Some providers put the JSON-RPC error into the body of a 400.
  const inner = text.startsWith("{") ? errorIn(text, method) : undefined;
  if (!inner || inner.answer?.message === NO_MESSAGE) return new RpcError("refused", message, { status });
  const { failure, answer } = inner;
  return new RpcError(failure, inner.message, { status, ...retryAfter(response), ...(answer ? { answer } : {}) });
}

function errorIn(text: string, method: string): RpcError | undefined {
  try {
    resultOf(JSON.parse(text), method);
  } catch (error) {
    return error instanceof RpcError && error.failure !== "transport" ? error : undefined;
  }
  return undefined;
}

/** `Retry-After` is seconds or a date; of any length, it would stop an indexer with one node for as long. */
function retryAfter({ headers }: IncomingMessage): { retryAfterMs?: number } {
  const header = headers["retry-after"];
  if (!header) return {};
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? { retryAfterMs: Math.min(Math.max(0, ms), LONGEST_WAIT_MS) } : {};
}

// What a refusal says ---------------------------------------------------------------------------------------------------

/** A revert of `eth_call`, which every node returns alike. */
const REVERTED = 3;
const REVERT_WORDS = /execution reverted/i;
/** EIP-1474 "limit exceeded", which providers use for too many calls and for too many logs. */
const LIMIT_EXCEEDED = -32_005;
const RATE_CODES: readonly number[] = [429, -32_090, -32_007];
const RATE_WORDS =
  /rate.?limit|too many requests|request (count|limit)|capacity|throttl|quota|\d+ ?(requests?|calls?|rps)?(\/| per | a )s(ec(ond)?)?\b/i;
const NO_STATE_WORDS =
  /missing trie node|header not found|unknown block|block not found|BlockOutOfRange|state .*(pruned|available)/i;
const SIZE_WORDS = /too many (results|logs)|more than \d+ (results|logs)|range|too large|exceed|limit|timed? ?out/i;

function isRevertAnswer({ code, message }: RpcErrorAnswer): boolean {
  return code === REVERTED || REVERT_WORDS.test(message);
}

/** What an error response to a call of `method` says about the node. */
function failureOf(answer: RpcErrorAnswer, method: string): RpcFailure {
  const { code, message } = answer;
  if (isRevertAnswer(answer)) return "refused";
  if (RATE_CODES.includes(code) || RATE_WORDS.test(message)) return "rate-limited";
  if (NO_STATE_WORDS.test(message)) return "no-state";
  // Only the logs of a range can be too many.
  if (code === LIMIT_EXCEEDED) return method === "eth_getLogs" ? "too-large" : "rate-limited";
  return SIZE_WORDS.test(message) ? "too-large" : "refused";
}

/** The calls a second that a refusal names, such as "50/second request limit reached"; undefined if it names none. */
function limitNamedIn({ message, data }: { message: string; data?: unknown }): number | undefined {
  const allowed = /"allowed_rps":(\d+(?:\.\d+)?)/.exec(JSON.stringify(data) ?? "")?.[1];
  const said = /(\d+) ?(?:requests?|calls?|rps)?(?:\/| per | a )s(?:ec(?:ond)?)?\b/i.exec(message)?.[1];
  const limit = Number(allowed ?? said);
  return limit >= 1 ? limit : undefined;
}
