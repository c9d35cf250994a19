import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 50;
/** Something does not respond, or a store's name is being registered on chain. */
const PASSING = /^(Error: )?503 |"code":"(\w+_UNAVAILABLE|STORE_UNKNOWN)"/;

/** A client that retries broken connections and temporary errors; every other response is final. */
export async function patiently<T>(attempt: () => Promise<T>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof TypeError || PASSING.test(String(error));
      if (!isPassing || performance.now() > deadline) throw error;
      await delay(PAUSE_MS);
    }
  }
}
