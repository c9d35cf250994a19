import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 50;
const LONGEST_POLL_MS = 500;
/** A slow check loads the system under test: the pause after it is this many times longer. */
const PAUSE_PER_LOOK = 3;

/** Repeats a check until its expectation holds; fails with the last difference. */
export async function eventually(look: () => Promise<unknown>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (true) {
    try {
      await look();
      return;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await delay(POLL_MS);
  }
}

/**
 * Polls until the result is not undefined, null or false; errors count as not yet. Fails with `what`.
 * @example
 * const me = await until("the purchase is paid", async () => {
 *   const seen = await shopper.me();
 *   return seen.purchases.every((one) => one.cashback_state === "paid") && seen;
 * });
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  timeoutMs = 120_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    const lookedAt = performance.now();
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    const pauseMs = PAUSE_PER_LOOK * (performance.now() - lookedAt);
    await delay(Math.min(Math.max(POLL_MS, pauseMs), LONGEST_POLL_MS));
  }
  const remark = last instanceof Error ? last.message : String(last);
  throw new Error(`Not within ${timeoutMs / 1000} s: ${what} (last: ${remark})`);
}
