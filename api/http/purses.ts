import { CompiledQuery, type Kysely } from "kysely";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { engineOf } from "../../database/clock.ts";
import type { Schema } from "../../database/generated/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import type { PurseName } from "../../domain/api/common.ts";
import type { Cost } from "./route.ts";

type Counted = "thread" | "node" | "stored";
type CountedTogether = "sign_in" | "mail";

type Allowance = {
  /** In a minute: milliseconds, calls, bytes. An api holds its share of each. */
  aMinute: Record<Counted, number>;
  /** In ten minutes, by all apis together: counted in the database. */
  together: Partial<Record<CountedTogether, number>>;
};

/** docs/product.md#purses. All are multiplied by RATE_LIMIT_SCALE. */
export const ALLOWANCES = {
  wallet: { aMinute: { thread: 3_000, node: 600, stored: 250_000 }, together: { mail: 20 } },
  address: { aMinute: { thread: 12_000, node: 60_000, stored: 2_000_000 }, together: { sign_in: 1_000, mail: 600 } },
  /** Of an address's wallets that were paid once: strangers of the same address do not spend from it. */
  known: { aMinute: { thread: 24_000, node: 60_000, stored: 4_000_000 }, together: { sign_in: 1_000, mail: 600 } },
  /** Its thread is what `Turns` gives out. */
  shop: { aMinute: { thread: 54_000, node: 300_000, stored: 60_000_000 }, together: { sign_in: 10_000, mail: 6_000 } },
  account: { aMinute: { thread: 12_000, node: 6_000, stored: 20_000_000 }, together: {} },
} as const satisfies Record<string, Allowance>;

const MINUTE_S = 60;
const TOGETHER_S = 600;
/** rate-limiter-flexible counts whole points: microseconds of the thread, calls, bytes. */
const POINTS: Record<Counted, number> = { thread: 1_000, node: 1, stored: 1 };
const COUNTED = ["thread", "node", "stored"] as const satisfies readonly Counted[];
const TOGETHER = ["sign_in", "mail"] as const satisfies readonly CountedTogether[];

export const pointsOf = (kind: Counted, amount: number): number => Math.round(amount * POINTS[kind]);

/** What was taken, so that it can be given back. */
export type Spent = {
  giveBack(kinds?: readonly Counted[]): void;
  /** What its caller used of the thread in this minute, in points. */
  threadPoints: number;
};
export type Refused = { purse: PurseName; seconds: number };

/**
 * One purse of each caller, by key. Whoever has something left can make one more call, whatever it costs, so that no call
 * costs more than anybody has.
 */
export class Purse {
  readonly #name: PurseName;
  readonly #allowance: Allowance;
  readonly #scale: number;
  readonly #counted: Record<Counted, RateLimiterMemory>;
  readonly #together: Partial<Record<CountedTogether, RateLimiterPostgres>> = {};

  constructor(name: PurseName, prefix: keyof typeof ALLOWANCES, scale: number, queries: Queries) {
    this.#name = name;
    this.#allowance = ALLOWANCES[prefix];
    this.#scale = scale;
    const inMemory = (kind: Counted) =>
      new RateLimiterMemory({ keyPrefix: `${prefix} ${kind}`, points: this.#pointsOf(kind, 1), duration: MINUTE_S });
    this.#counted = { thread: inMemory("thread"), node: inMemory("node"), stored: inMemory("stored") };
    for (const kind of TOGETHER) {
      const count = this.#allowance.together[kind];
      if (count === undefined) continue;
      this.#together[kind] = new RateLimiterPostgres({
        storeClient: clientOf(queries),
        storeType: "client",
        tableName: "purse_counts",
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: `${prefix} ${kind}`,
        points: Math.max(1, Math.round(count * scale)),
        duration: TOGETHER_S,
      });
    }
  }

  /** This api holds one of `apis` equal shares. */
  share(apis: number): void {
    for (const kind of COUNTED) this.#counted[kind].points = this.#pointsOf(kind, apis);
  }

  /** Takes what a call costs, or nothing. */
  async spend(key: string, cost: Cost, signsIn: boolean): Promise<Spent | Refused> {
    const taken: { kind: Counted; points: number }[] = [];
    const giveBack = (kinds: readonly Counted[] = COUNTED) => {
      for (const { kind, points } of taken) if (kinds.includes(kind)) void this.#counted[kind].reward(key, points);
    };
    let threadPoints = 0;
    for (const kind of COUNTED) {
      if (cost[kind] === 0) continue;
      const points = pointsOf(kind, cost[kind]);
      const result = await consume(this.#counted[kind], key, points);
      if (result.isRefused) {
        giveBack();
        return { purse: this.#name, seconds: result.seconds };
      }
      taken.push({ kind, points });
      if (kind === "thread") threadPoints = result.consumed;
    }
    for (const kind of TOGETHER) {
      const limiter = this.#together[kind];
      const count = kind === "mail" ? cost.mail : Number(signsIn);
      if (limiter === undefined || count === 0) continue;
      const result = await consume(limiter, key, count);
      if (!result.isRefused) continue;
      giveBack();
      return { purse: this.#name, seconds: result.seconds };
    }
    return { giveBack, threadPoints };
  }

  #pointsOf(kind: Counted, apis: number): number {
    return Math.max(1, Math.round((pointsOf(kind, this.#allowance.aMinute[kind]) * this.#scale) / apis));
  }
}

type Consumed = { isRefused: boolean; consumed: number; seconds: number };

async function consume(
  limiter: RateLimiterMemory | RateLimiterPostgres,
  key: string,
  points: number,
): Promise<Consumed> {
  try {
    const { consumedPoints } = await limiter.consume(key, points);
    return { isRefused: false, consumed: consumedPoints, seconds: 0 };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const { consumedPoints, msBeforeNext } = refusal;
    const isRefused = consumedPoints - points >= limiter.points;
    // A refused call has not happened: only what it counted stays out.
    if (isRefused && limiter instanceof RateLimiterMemory) void limiter.reward(key, points);
    return { isRefused, consumed: consumedPoints, seconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
  }
}

/**
 * What RateLimiterPostgres needs of a client, on either engine: its one statement, `insert … on conflict`, is the same in
 * SQLite but for the form of its parameters.
 */
function clientOf(queries: Queries) {
  return {
    async query({ text, values }: { text: string; values: (string | number | null)[] }) {
      const ordered: (string | number | null)[] = [];
      const plain = text.replace(/\$(\d+)/g, (_, position: string) => {
        ordered.push(values[Number(position) - 1] ?? null);
        return "?";
      });
      const isSqlite = engineOf(queries) === "sqlite";
      const query = isSqlite ? CompiledQuery.raw(plain, ordered) : CompiledQuery.raw(text, values);
      const { rows } = await (queries as Kysely<Schema>).executeQuery<Record<string, unknown>>(query);
      return { rows: rows.map(({ points, expire }) => ({ points: Number(points), expire: Number(expire) })) };
    },
  };
}

/** Deletes some counts whose time has ended. Returns whether there may be more. */
export async function deleteEndedCounts(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("purse_counts")
    .where("key", "in", ({ selectFrom }) =>
      selectFrom("purse_counts").select("key").where("expire", "<", now).limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows >= limit;
}
