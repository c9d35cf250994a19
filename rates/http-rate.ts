import type { Logger } from "pino";
import { z } from "zod";
import { messageOf } from "../domain/unknown-error.ts";
import type { AcceptedRate, RateMemory } from "./rate-memory.ts";
import type { RateSource } from "./rate-source.ts";

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
const MAXIMUM_BYTES = 10_000;
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

/**
 * The rate of an HTTP feed. After an invalid response (malformed, old, zero, jumping) the rate is unavailable
 * immediately; while the feed does not respond, its last rate is used until it is too old. Without a rate,
 * confirmations wait. Purchases confirmed before keep their frozen rate. docs/product.md#rate-feed.
 */
export function httpRate(options: HttpRateOptions): RateSource {
  const maximumAgeMs = options.maximumAgeSeconds * 1_000;
  let accepted: AcceptedRate | undefined;
  let doubted: { weiPerCent: bigint; since: number } | undefined;
  let problem = "the feed has not answered yet";
  let isWrong = false;
  let isAsking = false;

  async function refresh(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    const before = problem;
    try {
      accepted ??= await options.memory.read();
      const answer = await ask();
      problem = await judge(answer);
      isWrong = problem !== "";
    } catch (error) {
      problem = `the feed does not answer (${messageOf(error)})`;
    } finally {
      isAsking = false;
    }
    if (problem !== before && problem !== "") options.log.error({ problem }, "The rate feed was rejected");
  }

  async function ask(): Promise<string> {
    const response = await fetch(options.url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.text()).slice(0, MAXIMUM_BYTES);
  }

  /** Accepts a rate and returns "", or returns why it is rejected. */
  async function judge(answer: string): Promise<string> {
    const feed = feedSchema.safeParse(parse(answer)).data;
    if (!feed) return "the feed's answer has not the expected shape";
    const rate: AcceptedRate = { weiPerCent: feed.wei_per_cent, at: Date.parse(feed.at) };
    if (Date.now() - rate.at > maximumAgeMs) return "the feed's rate is too old";
    if (rate.at - Date.now() > MAXIMUM_AHEAD_MS) return "the feed's rate is of a time that has not come yet";
    if (accepted && isJump(accepted.weiPerCent, rate.weiPerCent) && !hasStayed(rate.weiPerCent)) {
      return `the feed's rate jumped by more than ${options.maximumJumpPercent} %`;
    }
    accepted = rate;
    doubted = undefined;
    await options.memory.write(rate);
    return "";
  }

  function isJump(from: bigint, to: bigint): boolean {
    const step = to > from ? to - from : from - to;
    return step * 100n > from * BigInt(options.maximumJumpPercent);
  }

  /** A new level that persists for the maximum age is a market move, not a mistake. */
  function hasStayed(weiPerCent: bigint): boolean {
    if (!doubted || isJump(doubted.weiPerCent, weiPerCent)) doubted = { weiPerCent, since: Date.now() };
    return Date.now() - doubted.since >= maximumAgeMs;
  }

  void refresh();
  const timer = setInterval(() => void refresh(), options.refreshMs);
  timer.unref();
  return {
    current() {
      const isOld = accepted !== undefined && Date.now() - accepted.at > maximumAgeMs;
      if (accepted && !isWrong && !isOld) return { kind: "rate", weiPerCent: accepted.weiPerCent };
      const reason = problem || "the feed's rate is too old";
      return { kind: "unavailable", reason, lastWeiPerCent: accepted?.weiPerCent };
    },
    stop: () => clearInterval(timer),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
