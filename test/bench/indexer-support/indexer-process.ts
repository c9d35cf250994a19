import { setTimeout as delay } from "node:timers/promises";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT } from "../../testing/event-chain.ts";
import { freePorts } from "../../testing/free-port.ts";
import { end, launch, memoryMb } from "../scale/processes.ts";

type Chain = { rpcUrl: string; databaseUrl: string };

export type IndexerProcess = {
  untilIndexed(block: number, timeoutMs?: number): Promise<void>;
  peakMemoryMb(): number;
  /** The sum of a counter over its labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
};

/** Each poll costs the measured process about 0.3 ms; polling more often would add 5 % to the measurement. */
const POLL_MS = 20;
const TIMEOUT_MS = 600_000;

/** The real process, on the generated chain. */
export async function startIndexer({ rpcUrl, databaseUrl }: Chain): Promise<IndexerProcess> {
  const [port] = await freePorts(1);
  const child = launch("indexer/main.ts", {
    // As `npm start` sets it.
    NODE_COMPILE_CACHE: "data/compile-cache",
    DATABASE_URL: databaseUrl,
    NETWORK: "localhost",
    RPC_URLS: rpcUrl,
    INDEXER_PORT: String(port),
    PURCHASE_NFT_ADDRESS: PURCHASE_NFT,
    CASHBACK_DISTRIBUTOR_ADDRESS: CASHBACK_DISTRIBUTOR,
    START_BLOCK: "0",
    LOG_LEVEL: "warn",
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    async untilIndexed(block, timeoutMs = TIMEOUT_MS) {
      const deadline = performance.now() + timeoutMs;
      while (performance.now() < deadline) {
        if (child.exitCode !== null) throw new Error(`The indexer ended with ${child.exitCode}`);
        if ((await indexedBlock(url)) >= block) return;
        await delay(POLL_MS);
      }
      throw new Error(`The indexer did not reach block ${block}`);
    },
    peakMemoryMb: () => memoryMb(child.pid ?? 0, "VmHWM"),
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].map((match) =>
        Number(match[1]),
      );
      return values.reduce((sum, value) => sum + value, 0);
    },
    stop: () => end(child),
  };
}

async function indexedBlock(url: string): Promise<number> {
  try {
    const state: { cursor_block: number | null } = await (await fetch(`${url}/readyz`)).json();
    return state.cursor_block ?? -1;
  } catch {
    return -1;
  }
}
