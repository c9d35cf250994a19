import { readClock } from "../../database/clock.ts";
import type { Database } from "../../database/connect.ts";
import type { Queries } from "../../database/transaction.ts";
import { isDatabaseAway } from "../../database/transaction.ts";
import { DAY_MS } from "../../rules/iso-time.ts";
import type { CallFigures } from "./call-budget.ts";

/** How often a process tells what it learned, and after how long without it counts no more. */
const TELL_MS = 60_000;
const FRESH_MS = 10 * TELL_MS;
const IN_THOUSAND = 1_000;

/** The calls a second that a node takes of all processes together, as far as is known, and that they need. */
export type NodeCalls = { rpc: string; allowed: number | undefined; needed: number };

type Told = {
  database: Database;
  /** What runs it and where, such as `api host:3000`: the next process there begins with what this one learned. */
  process: string;
  nodes: {
    readonly figures: readonly (CallFigures & { rpc: string })[];
    recallLimit(rpc: string, allowed: number): void;
  };
};

/** Begins with the limits of the process before, and tells those of this one, until the returned function is called. */
export async function keepCallLimits(told: Told): Promise<() => void> {
  const { database, process, nodes } = told;
  const rows = await database.kysely.selectFrom("node_calls").selectAll().where("process", "=", process).execute();
  for (const { rpc, allowed } of rows) if (allowed !== null) nodes.recallLimit(rpc, Number(allowed) / IN_THOUSAND);
  const timer = setInterval(() => {
    tellFigures(told).catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error;
    });
  }, TELL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function tellFigures({ database: { kysely }, process, nodes }: Told): Promise<void> {
  const told_at = BigInt(await readClock(kysely));
  for (const { rpc, allowed, needed } of nodes.figures) {
    const figures = {
      allowed: allowed === undefined ? null : BigInt(Math.floor(allowed * IN_THOUSAND)),
      needed: BigInt(Math.ceil(needed * IN_THOUSAND)),
      told_at,
    };
    await kysely
      .insertInto("node_calls")
      .values({ process, rpc, ...figures })
      .onConflict((conflict) => conflict.columns(["process", "rpc"]).doUpdateSet(figures))
      .execute();
  }
  await kysely
    .deleteFrom("node_calls")
    .where("told_at", "<", told_at - BigInt(DAY_MS))
    .execute();
}

/** By node. One that refused nothing of a process gives it at least what it needs. */
export async function listNodeCalls(queries: Queries): Promise<NodeCalls[]> {
  const since = BigInt(await readClock(queries)) - BigInt(FRESH_MS);
  const rows = await queries
    .selectFrom("node_calls")
    .selectAll()
    .where("told_at", ">=", since)
    .orderBy("rpc")
    .execute();
  return [...Map.groupBy(rows, ({ rpc }) => rpc)].map(([rpc, told]) => {
    const isLimited = told.some(({ allowed }) => allowed !== null);
    const sum = (figure: (row: (typeof told)[number]) => bigint) =>
      told.reduce((all, row) => all + Number(figure(row)), 0) / IN_THOUSAND;
    const allowed = isLimited ? sum((row) => row.allowed ?? row.needed) : undefined;
    return { rpc, allowed, needed: sum(({ needed }) => needed) };
  });
}

/** What is wrong; undefined if the node takes what is needed. */
export function nodeCallsProblem({ rpc, allowed, needed }: NodeCalls): string | undefined {
  if (allowed === undefined || needed <= allowed) return undefined;
  return nodeCallsText({ rpc, allowed, needed });
}

export function nodeCallsText({ rpc, allowed, needed }: NodeCalls): string {
  const need = needed.toFixed(1);
  if (allowed === undefined) return `${rpc} has refused no calls, this shop needs ${need} a second`;
  return `The provider of ${rpc} allows ${allowed.toFixed(1)} calls a second, this shop needs ${need}`;
}
