/**
 * `npm run bench -- strangers`: what one address that floods a public call costs everybody else, on SQLite and PostgreSQL,
 * compared with the same flood of a bare Express route that answers 429. docs/testing.md#strangers
 */
import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { SYSTEM_FAULTS } from "../../core/rules/system-faults.ts";
import { type ApiSystem, startSystem } from "../api/support/system.ts";
import { startChaosProxy } from "../faults/support/chaos-proxy.ts";
import { until } from "../testing/until.ts";
import { ask, percentile } from "./scale/load.ts";
import { memoryMb } from "./scale/processes.ts";
import { PUBLIC_CALLS } from "./strangers/calls.ts";

export type Flood = {
  url: string;
  method?: "GET" | "POST";
  path: string;
  body?: string;
  /** The address that it says it comes from. */
  from: string;
  connections: number;
  milliseconds: number;
};

type Row = {
  database: string;
  call: string;
  connections: number;
  /** Milliseconds, of others: during the flood, without one, and at the bare route during the same flood. */
  p99: number;
  quiet: number;
  bare: number;
  isWithin: boolean;
};

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = [1, 10, 100];
const ASK_EVERY_MS = 10;
const OTHERS = 200;
/** Of the others, with a session: one wallet alone does not ask a hundred times a second. */
const MEMBERS = 50;
const ATTEMPTS = 3;
const FLOOR_MS = 25;
const AFTER_S = 60;
const ONLY = process.env.BENCH_CALL;

/** One call each ten milliseconds, each of another address and person than the one before; what they waited. */
async function measureOthers(
  url: string,
  paths: readonly string[],
  seconds: number,
  tokens: readonly string[] = [],
): Promise<number[]> {
  const waits: Promise<number>[] = [];
  const until = performance.now() + seconds * 1_000;
  for (let turn = 0; performance.now() < until; turn++) {
    const path = paths[turn % paths.length] ?? "/";
    const from = `198.51.100.${(turn % OTHERS) + 1}`;
    const token = tokens[turn % tokens.length];
    const call = ask(url, { path, from, ...(token === undefined ? {} : { token }) });
    waits.push(
      call.then(
        ({ status, ms }) => (status === 200 ? ms : Number.POSITIVE_INFINITY),
        () => Number.POSITIVE_INFINITY,
      ),
    );
    await delay(ASK_EVERY_MS);
  }
  return Promise.all(waits);
}

async function flooded<T>(flood: Omit<Flood, "milliseconds">, work: () => Promise<T>): Promise<T> {
  const milliseconds = (SECONDS + 0.5) * 1_000;
  const run = promisify(execFile)(process.execPath, [
    new URL("./strangers/flood.ts", import.meta.url).pathname,
    JSON.stringify({ ...flood, milliseconds }),
  ]);
  // Until it has started.
  await delay(400);
  const result = await work();
  await run;
  return result;
}

const BARE = `
import express from "express";
const app = express();
app.use((request, response) => {
  if (request.headers["x-forwarded-for"].startsWith("203.")) return response.status(429).json({ success: false, code: "TOO_MANY_REQUESTS" });
  response.json({ success: true });
});
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
server.keepAliveTimeout = 75_000;
`;

/** By number of connections, what a flood costs others at a bare route that refuses it. */
async function measureBare(counts = CONNECTIONS): Promise<Map<number, number>> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", BARE], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<string>((resolve) =>
    child.stdout.once("data", (text) => resolve(String(text).trim())),
  );
  const url = `http://127.0.0.1:${port}`;
  const p99 = new Map<number, number>();
  for (const connections of counts) {
    const waits = await flooded({ url, path: "/", from: "203.0.113.1", connections }, () =>
      measureOthers(url, ["/"], SECONDS),
    );
    p99.set(connections, percentile(waits, 0.99));
  }
  child.kill();
  return p99;
}

const OTHERS_PATHS = ["/api/stores/1", "/api/fan-tokens", "/api/me", "/api/config"];

async function measureEngine(engine: "sqlite" | "postgres", rows: Row[]) {
  const system = await startSystem({ RATE_LIMIT_SCALE: "1", TRUST_PROXY: "loopback", LOG_LEVEL: "error" }, engine);
  const proxy = await startChaosProxy({ target: system.anvil.rpcUrl });
  try {
    await system.stopApi("SIGTERM");
    await system.startApi({ CHAIN_PORT: String(proxy.port) });
    const buyer = await system.user();
    await mintTicket(system, buyer);
    const tokens = [buyer.token];
    while (tokens.length < MEMBERS) tokens.push((await system.user()).token);
    const pid = apiProcess();
    const others = () => measureOthers(system.url, OTHERS_PATHS, SECONDS, tokens);
    await others();
    const before = { files: openFiles(pid), memory: memoryMb(pid, "VmRSS") };
    const nodeCallsBefore = await nodeCalls(proxy, 5);
    const bare = await measureBare();
    const calls = PUBLIC_CALLS.filter(({ path }) => ONLY === undefined || path === ONLY);
    for (const [index, call] of calls.entries()) {
      const quiet = percentile(await others(), 0.99);
      for (const connections of CONNECTIONS) {
        const from = (attempt: number) => `203.${attempt}.${index + 1}.${connections}`;
        let row: Row | undefined;
        // What else the machine does comes and goes: a call that is outside is measured again.
        for (let attempt = 0; attempt < ATTEMPTS && !row?.isWithin; attempt++) {
          const flood = { url: system.url, ...call, from: from(attempt), connections };
          const quietNow = attempt === 0 ? quiet : percentile(await others(), 0.99);
          const bareNow = attempt === 0 ? bare.get(connections) : (await measureBare([connections])).get(connections);
          const waits = await flooded(flood, others);
          row = rowOf(engine, call, { connections, quiet: quietNow, bare: bareNow ?? 0, waits });
        }
        if (!row) continue;
        rows.push(row);
        console.log(
          `${row.isWithin ? " " : "!"} ${engine} ${row.call} × ${connections}: p99 ${row.p99} ms (quiet ${row.quiet}, bare ${row.bare})`,
        );
      }
    }
    return await measureAfter(system, proxy, pid, { ...before, nodeCalls: nodeCallsBefore });
  } finally {
    await system.stop();
    await proxy.stop();
  }
}

/** Ticket 1, whose page and picture are among the calls. */
async function mintTicket(system: ApiSystem, buyer: Awaited<ReturnType<ApiSystem["user"]>>): Promise<void> {
  await buyer.post("/api/register-purchase", { user: buyer.address, store_id: 1, amount: 100 });
  await until("ticket 1 has a picture", async () => (await fetch(`${system.url}/api/nfts/1/image`)).ok);
}

type Seen = { connections: number; quiet: number; bare: number; waits: readonly number[] };

function rowOf(database: string, { method = "GET", path }: Pick<Flood, "method" | "path">, seen: Seen): Row {
  const p99 = percentile(seen.waits, 0.99);
  // Where others are refused without a flood too, nothing is measured.
  const isWithin = Number.isFinite(seen.quiet) && p99 <= Math.max(2 * seen.quiet, FLOOR_MS, 1.2 * seen.bare);
  const tenth = (ms: number) => Math.round(10 * ms) / 10;
  const { connections, quiet, bare } = seen;
  return {
    database,
    call: `${method} ${path}`,
    connections,
    p99: tenth(p99),
    quiet: tenth(quiet),
    bare: tenth(bare),
    isWithin,
  };
}

type Proxy = Awaited<ReturnType<typeof startChaosProxy>>;
type Before = { files: number; memory: number; nodeCalls: number };

/** Waits, at most a minute, until files, memory, lag, readiness and calls of the node are back, and asks as everybody. */
async function measureAfter(system: ApiSystem, proxy: Proxy, pid: number, before: Before) {
  const ended = performance.now();
  for (;;) {
    const seconds = Math.round((performance.now() - ended) / 1_000);
    const now = {
      files: openFiles(pid),
      memory: memoryMb(pid, "VmRSS"),
      nodeCalls: await nodeCalls(proxy, 5),
      lagSeconds: await loopLag(system),
      isReady: (await fetch(`${system.url}/readyz`)).ok,
    };
    const isBack =
      now.files <= before.files + 10 &&
      now.memory <= before.memory + 250 &&
      now.nodeCalls <= 2 * before.nodeCalls + 2 &&
      now.lagSeconds <= SYSTEM_FAULTS.loop_lag.seconds &&
      now.isReady;
    if (!isBack && seconds < AFTER_S) continue;
    const answered = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        fetch(`${system.url}/api/stores/1`, { headers: { "x-forwarded-for": `198.51.100.${index + 1}` } }),
      ),
    );
    return { ...now, before, seconds, isBack, answered: answered.filter(({ ok }) => ok).length };
  }
}

/** Requests a second that passed to the node. */
async function nodeCalls(proxy: Proxy, seconds: number): Promise<number> {
  const start = proxy.counts.passed;
  await delay(seconds * 1_000);
  return Math.round(((proxy.counts.passed - start) / seconds) * 10) / 10;
}

/** The longest silence of the last minute. */
async function loopLag(system: ApiSystem): Promise<number> {
  const metrics = await (await fetch(`${system.url}/metrics`)).text();
  return Number(/^torcida_loop_lag_seconds(?:{.*})? (.*)$/m.exec(metrics)?.[1]);
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function apiProcess(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const isApi = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("api/main.ts");
  const api = children.find(isApi);
  if (api === undefined) throw new Error("The api is not among the children of this process");
  return Number(api);
}

const calls: Row[] = [];
const after: Record<string, Awaited<ReturnType<typeof measureEngine>>> = {};
for (const engine of ["sqlite", "postgres"] as const) after[engine] = await measureEngine(engine, calls);
const outside = calls.filter((row) => !row.isWithin);
console.table(outside.length > 0 ? outside : calls);
const worst = (figure: "files" | "memory" | "nodeCalls") => Math.max(...Object.values(after).map((one) => one[figure]));
const ends = { files: worst("files"), memory: worst("memory"), node_calls: worst("nodeCalls"), engines: after };
console.log(JSON.stringify({ bench: "strangers", calls, after: ends }));
const isBack = Object.values(after).every((one) => one.isBack && one.answered === 100);
process.exit(outside.length === 0 && isBack ? 0 : 1);
