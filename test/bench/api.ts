/**
 * `npm run bench -- api`: reads and registrations per second compared with a bare Express route that sends the same bytes, on
 * SQLite and PostgreSQL; and purchases per second through the sender compared with a loop of one transaction each.
 */
import autocannon from "autocannon";
import { startSystem } from "../api/support/system.ts";
import { benchOutbox } from "./api/outbox.ts";
import { startBare } from "./scale/load.ts";

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const PURCHASES = Number(process.env.BENCH_PURCHASES ?? 3_000);

type Row = {
  database: string;
  call: string;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  bareRequestsPerSecond: number;
  bareP99Ms: number;
  ofBarePercent: number;
  errors: number;
};

const CONNECTIONS = 64;

/** Loads the real api in its own process, one call after the other, and a bare Express route that sends the same bytes. */
async function benchReads(engine: "sqlite" | "postgres", seconds: number): Promise<Row[]> {
  const system = await startSystem(
    { SIMULATED_PURCHASES: "true", RATE_LIMIT_SCALE: "100000000", LOG_LEVEL: "error" },
    engine,
  );
  const rows: Row[] = [];
  try {
    const user = await system.user();
    const ids: number[] = [];
    for (let index = 0; index < 10; index++) ids.push(await user.buy((index % 8) + 1, 100 + index));
    for (const id of ids) await user.seen(id, (purchase) => purchase.cashback_state === "paid");
    const headers = { authorization: `Bearer ${user.token}` };
    const calls = [
      { call: "GET /api", path: "/api" },
      { call: "GET /api/stores", path: "/api/stores" },
      { call: "GET /api/stores/1", path: "/api/stores/1" },
      { call: "GET /api/fan-tokens", path: "/api/fan-tokens" },
      { call: "GET /api/me", path: "/api/me", headers },
      {
        call: "POST /api/register-purchase",
        path: "/api/register-purchase",
        method: "POST" as const,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ user: user.address, store_id: 1, amount: "100.00" }),
      },
    ];
    for (const { call, ...request } of calls) {
      const sample = await fetch(`${system.url}${request.path}`, {
        method: request.method ?? "GET",
        headers: request.headers ?? {},
        ...(request.body ? { body: request.body } : {}),
      });
      const bytes = await sample.text();
      const bare = await startBare(bytes);
      // In turns, so that noise on the machine affects both.
      const theirs: autocannon.Result[] = [];
      const ours: autocannon.Result[] = [];
      for (let turn = 0; turn < 2; turn++) {
        theirs.push(await load(`${bare.url}${request.path}`, request, seconds / 2));
        ours.push(await load(`${system.url}${request.path}`, request, seconds / 2));
      }
      bare.stop();
      const mean = (results: autocannon.Result[]) =>
        results.reduce((sum, one) => sum + one.requests.average, 0) / results.length;
      rows.push({
        database: engine,
        call,
        requestsPerSecond: Math.round(mean(ours)),
        p50Ms: Math.max(...ours.map((one) => one.latency.p50)),
        p99Ms: Math.max(...ours.map((one) => one.latency.p99)),
        bareRequestsPerSecond: Math.round(mean(theirs)),
        bareP99Ms: Math.max(...theirs.map((one) => one.latency.p99)),
        ofBarePercent: Math.round((100 * mean(ours)) / mean(theirs)),
        errors: ours.reduce((sum, one) => sum + one.errors + one.non2xx, 0),
      });
    }
  } finally {
    await system.stop();
  }
  return rows;
}

type LoadRequest = { method?: "POST"; headers?: Record<string, string>; body?: string };

async function load(url: string, request: LoadRequest, seconds: number): Promise<autocannon.Result> {
  const options = {
    url,
    connections: CONNECTIONS,
    method: request.method ?? ("GET" as const),
    headers: request.headers ?? {},
    ...(request.body ? { body: request.body } : {}),
  };
  await autocannon({ ...options, duration: 1 });
  return autocannon({ ...options, duration: seconds });
}

const reads = [...(await benchReads("sqlite", SECONDS)), ...(await benchReads("postgres", SECONDS))];
console.table(reads);
const outbox = await benchOutbox(PURCHASES);
console.table(outbox);
console.log(JSON.stringify({ bench: "api", reads, outbox }));
process.exit(0);
