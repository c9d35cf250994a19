import { setTimeout as delay } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
import type { Database } from "../database/connect.ts";
import { type Answer, AnswerTooLargeError, askOutside } from "../process/outside.ts";
import { inSpan } from "../process/tracing.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { codeOf } from "../rules/unknown-error.ts";
import type { AffiliateNetwork, PolledAccount, Request, Session } from "./network.ts";

/** The network rejected a call with `status`. */
export class CallRefusedError extends TorcidaError {
  override readonly docs = "docs/runbook/network-away.md";
  readonly status: number;

  constructor(status: number, words: string) {
    super(`The network answered ${status}${words === "" ? "" : `: ${words}`}`);
    this.status = status;
  }
}

/** The network does not respond, or asks to wait. */
export class NetworkAwayError extends TorcidaError {
  override readonly docs = "docs/runbook/network-away.md";
}

/** Slightly longer than a minute, because the network counts from when a call arrives. */
const MINUTE_MS = 61_000;
/** The pause after a 429 without `Retry-After`. */
const BUSY_MS = 60_000;
const BACKOFF_MS = 1_000;
const MAXIMUM_BACKOFF_MS = 60_000;
/** Of what a network asks for. */
const LONGEST_BLOCK_MS = 3_600_000;
const WORDS = 200;

function askNetwork({ url, method = "GET", headers, body }: Request, signal: AbortSignal): Promise<Answer> {
  const init = { method, headers: { accept: "application/json", ...headers }, signal };
  return askOutside(url, { ...init, ...(body === undefined ? {} : { body }) });
}

const refused = ({ status, text }: Answer) => new CallRefusedError(status, text.slice(0, WORDS));

const TRIED_MS = 3_600_000;
const TRY_MS = 10_000;

/**
 * Reads an account's last hour once and keeps nothing, for one that no reader has read yet: it counts these calls nowhere.
 * @throws the network's refusal, or that it does not answer
 */
export async function tryAccount(network: AffiliateNetwork<PolledAccount>, account: PolledAccount): Promise<void> {
  const call = async (request: Request) => {
    const answer = await askNetwork(request, AbortSignal.timeout(TRY_MS));
    if (!answer.ok) throw refused(answer);
    return answer.text;
  };
  const [pass] = network.passes;
  const to = new Date();
  if (!pass) return;
  const pages = network.readWindow({ account, memory: new Map(), call }, pass, { from: new Date(+to - TRIED_MS), to });
  for await (const _ of pages) return;
}

/**
 * The calls of one account, limited per minute. Their times are stored, so that the limit also holds across restarts
 * and processes; so is the end of a pause requested by the network.
 */
export class HttpCalls<Account extends PolledAccount> implements Session<Account> {
  readonly account: Account;
  readonly memory = new Map<string, string>();
  readonly #database: Database;
  readonly #signal: AbortSignal;
  #times: number[] = [];
  /** `performance.now()`: the host's clock may be set meanwhile. */
  #blockedUntil = 0;
  #failures = 0;

  constructor(database: Database, account: Account, signal: AbortSignal) {
    this.account = account;
    this.#database = database;
    this.#signal = signal;
  }

  /** Loads the calls of an earlier process; must run before the first call. */
  async load(): Promise<void> {
    await this.#database.kysely
      .insertInto("affiliate_status")
      .values({ network: this.account.network, account: this.account.account })
      .onConflict((conflict) => conflict.columns(["network", "account"]).doNothing())
      .execute();
    const row = await this.#row().select(["calls", "blocked_until"]).executeTakeFirst();
    this.#times = (row?.calls ?? "").split(" ").filter(Boolean).map(Number);
    this.#blockFor(Number(row?.blocked_until ?? 0n) - Date.now());
  }

  #row() {
    return this.#database.kysely
      .selectFrom("affiliate_status")
      .where("network", "=", this.account.network)
      .where("account", "=", this.account.account);
  }

  get blockedUntil(): number {
    return this.#blockedUntil;
  }

  /** How many calls are left in this minute's budget. */
  get remaining(): number {
    this.#forgetOld();
    return this.account.calls_per_minute - this.#times.length;
  }

  #forgetOld(): void {
    const now = Date.now();
    // A time in the future means that the clock was set back.
    this.#times = this.#times.filter((time) => time > now - MINUTE_MS && time <= now);
  }

  readonly call = async (request: Request): Promise<string> => {
    await this.#waitForBudget();
    this.#times.push(Date.now());
    await this.#store({ calls: this.#times.join(" ") });
    let answer: Answer;
    try {
      const { network, account } = this.account;
      const traced = { kind: SpanKind.CLIENT, attributes: { network, account } };
      answer = await inSpan("ask a network", traced, () => askNetwork(request, this.#signal));
    } catch (error) {
      if (error instanceof AnswerTooLargeError) throw error;
      throw this.#away(`The network does not answer (${reasonOf(error)})`);
    }
    const { status, headers } = answer;
    if (answer.ok) {
      this.#failures = 0;
      return answer.text;
    }
    if (status === 429 || status === 503) {
      const retryMs = retryAfter(headers.get("retry-after"));
      if (retryMs !== undefined || status === 429) {
        throw await this.#block(`The network answered ${status}`, retryMs ?? BUSY_MS);
      }
    }
    if (status >= 500) throw this.#away(`The network answered ${status}`);
    throw refused(answer);
  };

  async #waitForBudget(): Promise<void> {
    if (this.#blockedUntil > performance.now()) throw new NetworkAwayError("The network accepts no calls yet");
    while (this.remaining <= 0) {
      const oldest = this.#times[0] ?? Date.now();
      const waitMs = Math.min(Math.max(oldest + MINUTE_MS - Date.now(), 10), MINUTE_MS);
      await delay(waitMs, undefined, { signal: this.#signal });
    }
  }

  #away(message: string): NetworkAwayError {
    const backoff = Math.min(BACKOFF_MS * 2 ** this.#failures, MAXIMUM_BACKOFF_MS);
    this.#failures += 1;
    this.#blockFor(backoff);
    return new NetworkAwayError(message);
  }

  async #block(message: string, ms: number): Promise<NetworkAwayError> {
    this.#blockFor(ms);
    await this.#store({ blocked_until: BigInt(Date.now() + ms) });
    return new NetworkAwayError(message);
  }

  #blockFor(ms: number): void {
    this.#blockedUntil = performance.now() + Math.min(ms, LONGEST_BLOCK_MS);
  }

  async #store(change: { calls?: string; blocked_until?: bigint }): Promise<void> {
    await this.#database.kysely
      .updateTable("affiliate_status")
      .set(change)
      .where("network", "=", this.account.network)
      .where("account", "=", this.account.account)
      .execute();
  }
}

/** `Retry-After` in seconds or as a date, in milliseconds from now. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_BLOCK_MS);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return codeOf(error.cause) ?? error.name;
}
