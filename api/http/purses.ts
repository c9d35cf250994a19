import { CompiledQuery, type Kysely } from "kysely";
import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import { engineOf } from "../../core/database/clock.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import type { Queries } from "../../core/database/transaction.ts";
import type { PurseName } from "../../core/rules/api/common.ts";
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

export const needsMoreThanTime = ({ node, stored, mail }: Cost, signsIn: boolean): boolean =>
  signsIn || node > 0 || stored > 0 || mail > 0;

/** What was taken, so that it can be given back. */
export type Spent = {
  giveBack(kinds?: readonly Counted[]): void;
  /** What its caller used of the thread in this minute, in points. */
  threadPoints: number;
};
type Part = { kind: Counted; points: number };
export type Refused = { purse: PurseName; seconds: number };

/**
 * One purse of each caller, by key. Whoever has something left can make one more call, whatever it costs, so that no call
 * costs more than anybody has.
 */
export class Purse {
  readonly #name: PurseName;
  readonly #allowance: Allowance;
  readonly #scale: number;
  readonly #hashed: (key: string) => string;
  readonly #counted: Record<Counted, PointLimiter>;
  readonly #together: Partial<Record<CountedTogether, RateLimiterPostgres>> = {};

  /** `hashed` is what the database keeps of a key, which may be an address. */
  constructor(
    name: PurseName,
    prefix: keyof typeof ALLOWANCES,
    { scale, queries, hashed }: { scale: number; queries: Queries; hashed: (key: string) => string },
  ) {
    this.#name = name;
    this.#hashed = hashed;
    this.#allowance = ALLOWANCES[prefix];
    this.#scale = scale;
    const inMemory = (kind: Counted) => new PointLimiter(this.#pointsOf(kind, 1), MINUTE_S);
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

  /** Takes what a call costs, or nothing; at once if it costs time alone and its caller has some at hand. */
  spend(key: string, cost: Cost, signsIn: boolean): Spent | Promise<Spent | Refused> {
    const points = pointsOf("thread", cost.thread);
    const threadPoints = needsMoreThanTime(cost, signsIn) ? undefined : this.#counted.thread.takeAtHand(key, points);
    if (threadPoints === undefined) return this.#spendEach(key, cost, signsIn);
    return { threadPoints, giveBack: (kinds) => this.#giveBack(key, [{ kind: "thread", points }], kinds) };
  }

  async #spendEach(key: string, cost: Cost, signsIn: boolean): Promise<Spent | Refused> {
    const taken: Part[] = [];
    let threadPoints = 0;
    for (const kind of COUNTED) {
      if (cost[kind] === 0) continue;
      const points = pointsOf(kind, cost[kind]);
      const { isRefused, used, msBeforeNext } = await this.#counted[kind].take(key, points);
      if (isRefused) return this.#refuse(key, taken, msBeforeNext);
      taken.push({ kind, points });
      if (kind === "thread") threadPoints = used;
    }
    for (const kind of TOGETHER) {
      const limiter = this.#together[kind];
      const count = kind === "mail" ? cost.mail : Number(signsIn);
      if (limiter === undefined || count === 0) continue;
      const msBeforeNext = await countTogether(limiter, this.#hashed(key), count);
      if (msBeforeNext > 0) return this.#refuse(key, taken, msBeforeNext);
    }
    return { threadPoints, giveBack: (kinds) => this.#giveBack(key, taken, kinds) };
  }

  #refuse(key: string, taken: readonly Part[], msBeforeNext: number): Refused {
    this.#giveBack(key, taken);
    return { purse: this.#name, seconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)) };
  }

  #giveBack(key: string, taken: readonly Part[], kinds: readonly Counted[] = COUNTED): void {
    for (const { kind, points } of taken) if (kinds.includes(kind)) this.#counted[kind].giveBack(key, points);
  }

  #pointsOf(kind: Counted, apis: number): number {
    return Math.max(1, Math.round((pointsOf(kind, this.#allowance.aMinute[kind]) * this.#scale) / apis));
  }
}

/** Milliseconds until the window ends if nothing was left in it, otherwise 0. */
async function countTogether(limiter: RateLimiterPostgres, key: string, count: number): Promise<number> {
  try {
    await limiter.consume(key, count);
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return refusal.consumedPoints - count >= limiter.points ? Math.max(1, refusal.msBeforeNext) : 0;
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

/** Of a window's points: taken together, so that one call in many asks the limiter. */
const LUMP_SHARE = 0.01;
const POCKETS = 10_000;

/** `counted`: what the limiter was asked for in the window; `left`: what of it is not used. */
type Pocket = { counted: number; left: number; until: number };
/** `used`: of the window's points, by this key; `msBeforeNext`: until the window ends, where the limiter was asked. */
type Taken = { isRefused: boolean; used: number; msBeforeNext: number };

/**
 * Points of each key in a window of `seconds`. Whoever has one left can take more than that, once. Keys take lumps out of
 * the limiter into a pocket of their own, and the counts stay exact: what is in the pocket is not used.
 */
export class PointLimiter {
  readonly #limiter: RateLimiterMemory;
  readonly #pockets = new LRUCache<string, Pocket>({ max: POCKETS });
  readonly #asking = new Set<string>();

  constructor(points: number, seconds: number) {
    this.#limiter = new RateLimiterMemory({ points, duration: seconds });
  }

  get points(): number {
    return this.#limiter.points;
  }

  set points(points: number) {
    this.#limiter.points = points;
  }

  /** Takes from the pocket; undefined if `take` must be asked. Returns how much the key has used of its window. */
  takeAtHand(key: string, points: number): number | undefined {
    const pocket = this.#alive(key);
    if (!pocket || pocket.left < points || usedOf(pocket) >= this.points) return undefined;
    pocket.left -= points;
    return usedOf(pocket);
  }

  /** Takes the points, or nothing. Of those of a key that ask at once, the first brings a lump. */
  async take(key: string, points: number): Promise<Taken> {
    const atHand = this.takeAtHand(key, points);
    if (atHand !== undefined) return { isRefused: false, used: atHand, msBeforeNext: 0 };
    const isFirst = !this.#asking.has(key);
    const asked = isFirst ? Math.max(points, Math.floor(this.points * LUMP_SHARE)) : points;
    this.#asking.add(key);
    const { consumedPoints, msBeforeNext } = await this.#consume(key, asked);
    if (isFirst) this.#asking.delete(key);
    const pocket = this.#alive(key) ?? {
      counted: consumedPoints - asked,
      left: 0,
      until: performance.now() + msBeforeNext,
    };
    this.#pockets.set(key, pocket);
    if (usedOf(pocket) >= this.points) {
      // What was refused has not happened.
      void this.#limiter.reward(key, asked);
      return { isRefused: true, used: usedOf(pocket), msBeforeNext };
    }
    pocket.counted += asked;
    pocket.left += asked - points;
    return { isRefused: false, used: usedOf(pocket), msBeforeNext };
  }

  giveBack(key: string, points: number): void {
    const pocket = this.#alive(key);
    if (pocket) pocket.left += points;
    else void this.#limiter.reward(key, points);
  }

  #alive(key: string): Pocket | undefined {
    const pocket = this.#pockets.get(key);
    return pocket && pocket.until > performance.now() ? pocket : undefined;
  }

  async #consume(key: string, points: number): Promise<RateLimiterRes> {
    try {
      return await this.#limiter.consume(key, points);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return refusal;
    }
  }
}

const usedOf = ({ counted, left }: Pocket): number => counted - left;

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
