import type { Logger } from "pino";
import { z } from "zod";
import type { Rate, RateSource } from "./rate-source.ts";

export type HttpRateOptions = {
  url: string;
  maximumAgeSeconds: number;
  /** A step larger than this is not believed until it was seen for a whole `maximumAgeSeconds`. */
  maximumJumpPercent: number;
  log: Logger;
  /** Tests bring their own. */
  refreshMs?: number;
};

const REFRESH_MS = 30_000;
const TIMEOUT_MS = 5_000;
const MAXIMUM_BYTES = 10_000;

/** What the feed must answer: `{ "wei_per_cent": "10000000000000000", "at": "2026-01-31T12:00:00Z" }`. */
const feedSchema = z.object({
  wei_per_cent: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt)
    .refine((wei) => wei < 2n ** 63n),
  at: z.iso.datetime({ offset: true }),
});

/**
 * The rate of an HTTP feed. Where the feed is silent, old, garbled, or jumps, there is no rate: conversions wait, and
 * nothing is guessed. Purchases that were confirmed before keep theirs. Design, fault F29.
 */
export function httpRate(options: HttpRateOptions): RateSource {
  let accepted: { weiPerCent: bigint; at: number } | undefined;
  let doubted: { weiPerCent: bigint; since: number } | undefined;
  let problem = "the feed has not answered yet";

  async function refresh(): Promise<void> {
    const before = problem;
    problem = await read().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    if (problem !== "" && problem !== before) options.log.error({ problem }, "The rate feed is not believed");
  }

  async function read(): Promise<string> {
    const response = await fetch(options.url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    if (!response.ok) return `the feed answered ${response.status}`;
    const feed = feedSchema.safeParse(JSON.parse((await response.text()).slice(0, MAXIMUM_BYTES)));
    if (!feed.success) return "the feed's answer has not the expected shape";
    const at = Date.parse(feed.data.at);
    if (Date.now() - at > options.maximumAgeSeconds * 1_000) return "the feed's rate is too old";
    if (accepted && isJump(accepted.weiPerCent, feed.data.wei_per_cent)) return doubt(feed.data.wei_per_cent, at);
    accepted = { weiPerCent: feed.data.wei_per_cent, at };
    doubted = undefined;
    return "";
  }

  function isJump(from: bigint, to: bigint): boolean {
    const step = to > from ? to - from : from - to;
    return step * 100n > from * BigInt(options.maximumJumpPercent);
  }

  /** A new level that stays for as long as a rate may be old is the market's, not a mistake. */
  function doubt(weiPerCent: bigint, at: number): string {
    if (!doubted || isJump(doubted.weiPerCent, weiPerCent)) doubted = { weiPerCent, since: Date.now() };
    if (Date.now() - doubted.since >= options.maximumAgeSeconds * 1_000) {
      accepted = { weiPerCent, at };
      doubted = undefined;
      return "";
    }
    return `the feed's rate jumped by more than ${options.maximumJumpPercent} %`;
  }

  void refresh();
  const timer = setInterval(() => void refresh(), options.refreshMs ?? REFRESH_MS);
  timer.unref();
  return {
    current(): Rate {
      if (!accepted || problem.includes("jumped")) return { kind: "unavailable", reason: problem };
      if (Date.now() - accepted.at > options.maximumAgeSeconds * 1_000) {
        return { kind: "unavailable", reason: problem || "the feed's rate is too old" };
      }
      return { kind: "rate", weiPerCent: accepted.weiPerCent };
    },
    stop: () => clearInterval(timer),
  };
}
