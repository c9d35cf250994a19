import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../core/database/connect.ts";
import { readSetting } from "../../core/database/settings.ts";
import type { FaultSystem } from "../faults/support/fault-system.ts";
import type { Supervised } from "../faults/support/supervised.ts";

/** The state of the nodes: all correct, none correct, or in between, where both answers are acceptable. */
export type Weather = "fair" | "gone" | "rough";

export type Witness = {
  /** Sets the state of the nodes from now on. */
  expect(weather: Weather): void;
  /** Stops watching; returns one sentence per violation. */
  end(): Promise<string[]>;
};

const WATCH_MS = 250;
/**
 * Five seconds until `/readyz` reports that there is no node, fifteen until it reports that one is back, plus slack for
 * a busy machine.
 */
export const GONE_MS = 6_500;
export const BACK_MS = 17_000;
/** The node pools wait two seconds for a response. */
const SLOW_MS = 1_000;
/** The operator's wallet can pay for any batch above this. */
const FUNDED_WEI = 100n * 10n ** 18n;

/** Watches that payouts are never paused, and that `/readyz` of both processes is correct at every moment. */
export async function watch(system: FaultSystem): Promise<Witness> {
  const seen = new Map<string, string>();
  const note = (kind: string, sentence: string) => {
    if (!seen.has(kind)) seen.set(kind, `${new Date().toISOString()} ${sentence}`);
  };
  const ending = new AbortController();
  const database = await connect(system.databaseUrl);
  const sky: { weather: Weather; since: number } = { weather: "fair", since: performance.now() };
  const wallet = { fundedSince: performance.now() };
  const every = async (look: () => Promise<void>) => {
    while (!ending.signal.aborted) {
      await look();
      await delay(WATCH_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const lookAtPause = async () => {
    const reason = await readSetting(database.kysely, "payouts_paused").catch(() => "");
    if (reason) note("paused", `payouts were paused: ${reason}`);
  };
  const [operator] = await system.anvil.request<string[]>("eth_accounts");
  const lookAtWallet = async () => {
    const askedAt = performance.now();
    const balance = await system.anvil.request<string>("eth_getBalance", operator, "latest").catch(() => undefined);
    // If the chain itself is this slow, on a busy machine or during a reorg, the state does not count as all correct.
    if (performance.now() - askedAt > SLOW_MS) sky.since = performance.now();
    if (balance === undefined || BigInt(balance) < FUNDED_WEI) wallet.fundedSince = performance.now();
  };
  const readinessOf = (process: Supervised) => {
    const up = { pid: 0, since: 0 };
    return async () => {
      const askedAt = performance.now();
      const { weather, since } = sky;
      const answer = await readyz(process);
      if (!answer || process.pid() !== up.pid) Object.assign(up, { pid: process.pid(), since: performance.now() });
      if (!answer || sky.since !== since) return;
      const hasBeen = (ms: number, ...starts: number[]) => askedAt - ms >= Math.max(since, ...starts);
      const { name } = process;
      if (weather === "gone" && answer.status === 200 && hasBeen(GONE_MS)) {
        note(`${name} gone`, `${name} was ready ${Math.round(askedAt - since)} ms after its last node went`);
      }
      if (weather === "fair" && answer.status !== 200 && hasBeen(BACK_MS, up.since, wallet.fundedSince)) {
        note(`${name} fair`, `${name} was not ready in fair weather: ${answer.text}`);
      }
    };
  };
  const looks = [lookAtPause, lookAtWallet, readinessOf(system.api), readinessOf(system.indexer)];
  const watching = Promise.all(looks.map(every));
  return {
    expect(weather) {
      if (weather !== sky.weather || weather !== "gone") Object.assign(sky, { weather, since: performance.now() });
    },
    async end() {
      ending.abort();
      await watching;
      await database.close();
      return [...seen.values()];
    },
  };
}

/** The response of `/readyz`; undefined while the process is not running. */
export async function readyz({ url }: Supervised): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
