import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../database/connect.ts";
import { readSetting } from "../../database/settings.ts";
import type { FaultRates } from "../../test/faults/support/chaos-proxy.ts";
import type { FaultSystem } from "../../test/faults/support/fault-system.ts";
import type { Supervised } from "../../test/faults/support/supervised.ts";

const WATCH_MS = 250;
/** Five seconds until `/readyz` says that there is no node, fifteen until it says that one is back; and a busy machine. */
const GONE_MS = 6_000;
const BACK_MS = 17_000;

export type Witness = {
  /** No node is right for a while: `/readyz` must say so in time, and again when one is back. */
  blackout(rates: FaultRates): Promise<void>;
  /** What was seen that must not be, a sentence each. */
  end(): Promise<string[]>;
};

/** Sees whether payouts were ever paused, and whether `/readyz` tells the truth. */
export async function watch(system: FaultSystem, lies: FaultRates): Promise<Witness> {
  const { api, indexer, proxy, fallback } = system;
  const seen = new Set<string>();
  const ending = new AbortController();
  const database = await connect(system.databaseUrl);
  const statusOf = ({ url }: Supervised) =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => undefined,
    );
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const reason = await readSetting(database.kysely, "payouts_paused").catch(() => "");
      if (reason) seen.add(`payouts were paused: ${reason}`);
      await delay(WATCH_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    async blackout(rates) {
      proxy.set(rates);
      fallback?.set({ "other-genesis": 1 });
      await delay(GONE_MS);
      for (const process of [api, indexer]) {
        if ((await statusOf(process)) === 200)
          seen.add(`${process.name} was ready ${GONE_MS} ms after its last node went`);
      }
      proxy.set({});
      fallback?.set(lies);
      const deadline = performance.now() + BACK_MS;
      for (const process of [api, indexer]) {
        while ((await statusOf(process)) !== 200) {
          if (performance.now() > deadline) {
            seen.add(`${process.name} was not ready ${BACK_MS} ms after a node came back`);
            break;
          }
          await delay(WATCH_MS);
        }
      }
    },
    async end() {
      ending.abort();
      await watching;
      await database.close();
      return [...seen];
    },
  };
}
