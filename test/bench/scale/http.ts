import type { Database } from "../../../core/database/connect.ts";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import type { Filled } from "./fill.ts";
import { ask, type Call, load, percentile } from "./load.ts";

export type Sessions = { admin: string; heavy: string; callers: { wallet: WalletAddress; token: string }[] };

/** Calls before the measured ones, because a new process compiles code when it first runs it. */
const WARM_UP = 50;
const TIMES = 15;
const LAST_PAGE = 50;
const OVERVIEW_EVERY_MS = 250;
/** The same load, not measured: a running shop has compiled code, filled caches and open connections. */
const WARM_UP_SECONDS = 10;

/** The median of some calls in sequence, without other load. */
export async function measureSingleCalls(
  url: string,
  { kysely }: Database,
  { admin, heavy }: Sessions,
  { heavyWallet, purchases }: Filled,
): Promise<Record<string, number>> {
  const timed = async (call: Call, before: () => Promise<unknown> = async () => {}) => {
    const taken: number[] = [];
    for (let turn = 0; turn < WARM_UP + TIMES; turn++) {
      await before();
      taken.push((await answered(url, call)).ms);
    }
    return round(percentile(taken.slice(WARM_UP), 0.5));
  };
  // A new revision each time, to measure building the response and not the cache.
  const forget = () =>
    kysely
      .updateTable("users")
      .set((set) => ({ revision: set("revision", "+", 1n) }))
      .where("wallet", "=", heavyWallet)
      .execute();
  const me = { path: "/api/me", token: heavy };
  const oldest = await kysely
    .selectFrom("purchases")
    .select("id")
    .where("wallet", "=", heavyWallet)
    .orderBy("id")
    .offset(LAST_PAGE)
    .limit(1)
    .executeTakeFirstOrThrow();
  const known = Math.floor(purchases / 200) * 100 + 1;
  const search = { path: `/api/admin/sales?query=key-${known}`, token: admin };
  return {
    overviewMs: await timed({ path: "/api/admin/overview", token: admin }),
    attentionMs: await timed({ path: "/api/admin/attention", token: admin }),
    meHeavyMs: await timed(me, forget),
    meHeavyKiB: round(Buffer.byteLength((await answered(url, me)).text) / 1_024),
    purchasesPageMs: await timed({ path: `/api/purchases?limit=${LAST_PAGE}&before=${oldest.id}`, token: heavy }),
    adminSearchMs: (await ask(url, search)).status === 404 ? Number.NaN : await timed(search),
  };
}

/** Readers while a planner, a reconciliation and an admin's overview run. */
export async function measureReads(url: string, { admin, callers }: Sessions, seconds: number) {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await answered(url, { path: "/api/admin/overview", token: admin });
      await new Promise((resolve) => setTimeout(resolve, OVERVIEW_EVERY_MS));
    }
  })();
  const next = (caller: number, turn: number): Call =>
    (caller + turn) % 2 === 0 ? { path: "/api/stores" } : { path: "/api/me", token: callers[caller]?.token ?? "" };
  await load(url, { connections: callers.length, seconds: WARM_UP_SECONDS, next });
  const reads = await load(url, { connections: callers.length, seconds, next });
  isOver = true;
  await looking;
  if (reads.failures > 0) throw new Error(`${reads.failures} reads failed`);
  console.log(`  ${Math.round(reads.perSecond)} reads a second`);
  return { readP50Ms: round(reads.p50Ms), readP99Ms: round(reads.p99Ms) };
}

export async function measureRegistrations(url: string, { callers }: Sessions, seconds: number) {
  const next = (caller: number): Call => ({
    method: "POST",
    path: "/api/register-purchase",
    token: callers[caller]?.token ?? "",
    body: { user: callers[caller]?.wallet, store_id: 1 + (caller % 8), amount: "100.00" },
  });
  await load(url, { connections: callers.length, seconds: WARM_UP_SECONDS, next });
  const writes = await load(url, { connections: callers.length, seconds, next });
  if (writes.failures > 0) throw new Error(`${writes.failures} registrations failed`);
  return { registerPerSecond: Math.round(writes.perSecond), registerP99Ms: round(writes.p99Ms) };
}

async function answered(url: string, call: Call) {
  const answer = await ask(url, call);
  if (answer.status !== 200) throw new Error(`${call.path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
