import type { Logger } from "pino";
import { z } from "zod";
import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import { askOutside } from "../process/outside.ts";
import { messageOf } from "../rules/unknown-error.ts";
import type { Rate, RateSource } from "./rate-source.ts";

export type HttpRateOptions = {
  url: string;
  refreshMs: number;
  maximumAgeSeconds: number;
  /** A larger jump is accepted only after it has lasted for `maximumAgeSeconds`. */
  maximumJumpPercent: number;
  /** The rate last accepted by any process, also before a restart, to detect jumps. */
  memory: RateMemory;
  log: Logger;
};

const TIMEOUT_MS = 5_000;
/** Tolerance for clock differences; a rate further in the future is rejected. */
const MAXIMUM_AHEAD_MS = 60_000;

/** The feed's response: `{ "wei_per_cent": "10000000000000000", "at": "2026-01-31T12:00:00Z" }`. */
const feedSchema = z.object({
  wei_per_cent: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt)
    .refine((wei) => wei < 2n ** 63n),
  at: z.iso.datetime({ offset: true }),
});

export function httpRate(options: HttpRateOptions): RateSource {
  return new HttpRate(options);
}

/**
 * The rate of an HTTP feed. After an invalid response (malformed, old, zero, jumping) the rate is unavailable
 * immediately; while the feed does not respond, its last rate is used until it is too old. Without a rate,
 * confirmations wait. Purchases confirmed before keep their frozen rate. docs/product.md#rate-feed.
 */
class HttpRate implements RateSource {
  readonly #options: HttpRateOptions;
  readonly #maximumAgeMs: number;
  readonly #timer: NodeJS.Timeout;
  #accepted: AcceptedRate | undefined;
  #doubted: { weiPerCent: bigint; since: number } | undefined;
  #problem = "the feed has not answered yet";
  #isWrong = false;
  #isAsking = false;

  constructor(options: HttpRateOptions) {
    this.#options = options;
    this.#maximumAgeMs = options.maximumAgeSeconds * 1_000;
    void this.#refresh();
    this.#timer = setInterval(() => void this.#refresh(), options.refreshMs);
    this.#timer.unref();
  }

  current(): Rate {
    const accepted = this.#accepted;
    const isOld = accepted !== undefined && Date.now() - accepted.at > this.#maximumAgeMs;
    if (accepted && !this.#isWrong && !isOld) return { kind: "rate", weiPerCent: accepted.weiPerCent };
    const reason = this.#problem || "the feed's rate is too old";
    return { kind: "unavailable", reason, lastWeiPerCent: accepted?.weiPerCent };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #refresh(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const before = this.#problem;
    try {
      this.#accepted ??= await this.#options.memory.read();
      const answer = await this.#ask();
      this.#problem = await this.#judge(answer);
      this.#isWrong = this.#problem !== "";
    } catch (error) {
      this.#problem = `the feed does not answer (${messageOf(error)})`;
    } finally {
      this.#isAsking = false;
    }
    const problem = this.#problem;
    if (problem !== before && problem !== "") this.#options.log.error({ problem }, "The rate feed was rejected");
  }

  async #ask(): Promise<unknown> {
    const { ok, status, json } = await askOutside(this.#options.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!ok) throw new Error(`status ${status}`);
    return json;
  }

  /** Accepts a rate and returns "", or returns why it is rejected. */
  async #judge(answer: unknown): Promise<string> {
    const feed = feedSchema.safeParse(answer).data;
    if (!feed) return "the feed's answer has not the expected shape";
    const rate: AcceptedRate = { weiPerCent: feed.wei_per_cent, at: Date.parse(feed.at) };
    if (Date.now() - rate.at > this.#maximumAgeMs) return "the feed's rate is too old";
    if (rate.at - Date.now() > MAXIMUM_AHEAD_MS) return "the feed's rate is of a time that has not come yet";
    const known = this.#accepted?.weiPerCent;
    if (known !== undefined && this.#isJump(known, rate.weiPerCent) && !this.#hasStayed(rate.weiPerCent)) {
      return `the feed's rate jumped by more than ${this.#options.maximumJumpPercent} %`;
    }
    this.#accepted = rate;
    this.#doubted = undefined;
    await this.#options.memory.write(rate);
    return "";
  }

  #isJump(from: bigint, to: bigint): boolean {
    const step = to > from ? to - from : from - to;
    return step * 100n > from * BigInt(this.#options.maximumJumpPercent);
  }

  /** A new level that persists for the maximum age is a market move, not a mistake. */
  #hasStayed(weiPerCent: bigint): boolean {
    if (!this.#doubted || this.#isJump(this.#doubted.weiPerCent, weiPerCent)) {
      this.#doubted = { weiPerCent, since: Date.now() };
    }
    return Date.now() - this.#doubted.since >= this.#maximumAgeMs;
  }
}

/** An accepted rate; `at` is the feed's time, in milliseconds. */
export type AcceptedRate = { weiPerCent: bigint; at: number };

type RateMemory = {
  read(): Promise<AcceptedRate | undefined>;
  write(rate: AcceptedRate): Promise<void>;
};

const rememberedSchema = z.object({
  weiPerCent: z
    .string()
    .regex(/^[1-9]\d*$/)
    .transform(BigInt),
  at: z.number(),
});

/** Keeps the last rate in the database, for other processes and for restarts. */
export function databaseRateMemory({ kysely }: Database): RateMemory {
  return {
    async read() {
      const text = await readSetting(kysely, "rate_accepted");
      return text === undefined ? undefined : rememberedSchema.parse(JSON.parse(text));
    },
    async write({ weiPerCent, at }) {
      await writeSetting(kysely, "rate_accepted", JSON.stringify({ weiPerCent: weiPerCent.toString(), at }));
    },
  };
}
