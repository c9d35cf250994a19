import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { between, pick, type Random } from "../../faults/support/random.ts";

/** What a bad node does to a response. */
export const LIES = [
  "omit-log",
  "duplicate-log",
  "swap-logs",
  "no-logs",
  "foreign-log",
  "other-block-hash",
  "other-block-number",
  "no-block",
  "other-parent",
  "older-head",
  "too-many-results",
  "rate-limited",
  "half-an-answer",
  "no-json",
  "drop",
  "hang",
  "slow",
] as const;

export type LyingNode = {
  url: string;
  /** The percentage of responses that are falsified from now on. */
  spoil(percent: number): void;
  /** Closes every connection and refuses new ones, until `up`. */
  down(): void;
  up(): void;
  /** How often each lie was used. */
  counts: Map<string, number>;
  stop(): Promise<void>;
};

type Log = Record<string, unknown>;
type Call = { id: number; method: string; params: unknown[] };
type Answer = { id: number; jsonrpc: string; result?: unknown; error?: { code: number; message: string } };

const HANG_MS = 1_500;
const SLOW_MS = 300;
const STRANGER = "0x3333333333333333333333333333333333333333";
/** The token of the forged mints, which must never be indexed. */
export const FORGED_ID = 777_777n;
const PURCHASE_MINTED = "0x454947731b3a80b4d004efcad070e18381363e20a2e37b50060906c2170f144b";
const OTHER_HASH = `0x${"ab".repeat(32)}`;

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** A proxy of a node that falsifies its responses at random. */
export async function startLyingNode(target: string, random: Random): Promise<LyingNode> {
  const counts = new Map<string, number>();
  let percent = 0;
  let isDown = false;

  const server = createServer((request, response) => {
    request.on("error", () => {});
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (isDown) return void response.destroy();
    const body = Buffer.concat(chunks).toString("utf8");
    const lie = random() * 100 < percent ? pick(random, LIES) : undefined;
    if (lie) counts.set(lie, (counts.get(lie) ?? 0) + 1);
    if (lie === "drop") return void response.destroy();
    if (lie === "hang") {
      await delay(HANG_MS);
      return void response.destroy();
    }
    if (lie === "slow") await delay(between(random, 1, SLOW_MS));
    if (lie === "rate-limited") {
      response.writeHead(429, { "retry-after": "1" }).end("Too many requests");
      return;
    }
    const told = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body });
    let text = await told.text();
    if (lie) text = spoilText(text, body, lie);
    response.setHeader("content-type", "application/json");
    if (lie !== "half-an-answer") return void response.end(text);
    response.setHeader("content-length", text.length);
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }

  function spoilText(text: string, body: string, lie: string): string {
    if (lie === "no-json") return "<html>welcome</html>";
    const calls = JSON.parse(body) as Call | Call[];
    const answers = JSON.parse(text) as Answer | Answer[];
    for (const call of [calls].flat()) {
      const answer = [answers].flat().find(({ id }) => id === call.id);
      if (answer) spoilAnswer(answer, call, lie);
    }
    return JSON.stringify(answers);
  }

  function spoilAnswer(answer: Answer, { method }: Call, lie: string): void {
    if (method === "eth_getLogs" && lie === "too-many-results") {
      delete answer.result;
      answer.error = { code: -32005, message: "query returned more than 10000 results" };
    }
    if (method === "eth_getLogs" && Array.isArray(answer.result))
      answer.result = spoilLogs(answer.result as Log[], lie);
    if (method !== "eth_getBlockByNumber" || !answer.result) return;
    if (lie === "no-block") answer.result = null;
    if (lie === "other-parent") (answer.result as Log).parentHash = OTHER_HASH;
  }

  function spoilLogs(logs: Log[], lie: string): Log[] {
    const at = between(random, 0, Math.max(0, logs.length - 1));
    const spoiled = logs.map((log) => ({ ...log }));
    const chosen = spoiled[at];
    if (!chosen) return spoiled;
    if (lie === "no-logs") return [];
    if (lie === "omit-log") spoiled.splice(at, 1);
    if (lie === "duplicate-log") spoiled.splice(at, 0, { ...chosen });
    if (lie === "swap-logs") spoiled.reverse();
    if (lie === "foreign-log") spoiled.splice(at + 1, 0, forged(chosen));
    if (lie === "other-block-hash") chosen.blockHash = OTHER_HASH;
    if (lie === "other-block-number") chosen.blockNumber = `0x${(Number(chosen.blockNumber) + 1).toString(16)}`;
    return spoiled;
  }

  /** A forged mint, right after this log. */
  function forged(log: Log): Log {
    const topics = [PURCHASE_MINTED, word(FORGED_ID), word(0n), word(1n)];
    const data = `0x${[1n, 0n, 0n].map((value) => word(value).slice(2)).join("")}`;
    return { ...log, address: STRANGER, topics, data, logIndex: `0x${(Number(log.logIndex) + 1).toString(16)}` };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    spoil(next) {
      percent = next;
    },
    down() {
      isDown = true;
      server.closeAllConnections();
    },
    up() {
      isDown = false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
