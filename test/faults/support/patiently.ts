import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 50;

/** A client that retries broken connections and 503; every other response is final. */
export async function patiently<T>(attempt: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof TypeError || /^(Error: )?503 |"code":"\w+_UNAVAILABLE"/.test(String(error));
      if (!isPassing || performance.now() > deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}
