import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/operations.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { type PauseCause, pauseCauseSchema } from "../rules/pause-cause.ts";

/**
 * Pauses payouts: by the environment, by an admin, or by the system after a difference. docs/product.md#payout-pause
 */
export class PayoutSwitch {
  readonly #database: Database;
  readonly #isPausedByEnvironment: boolean;

  constructor(database: Database, isPausedByEnvironment: boolean) {
    this.#database = database;
    this.#isPausedByEnvironment = isPausedByEnvironment;
  }

  /**
   * Why payouts are paused; undefined if they are not. Read from the database, so it takes effect in every process at
   * once.
   */
  async reason(): Promise<string | undefined> {
    if (this.#isPausedByEnvironment) return pauseSentence({ code: "environment" });
    return (await readSetting(this.#database.kysely, "payouts_paused")) || undefined;
  }

  /** Why operations of these kinds are not sent: all while the database is behind the chain, payouts while they are paused. */
  async holdsOf(
    kinds: ReadonlySet<OperationKind>,
    queries: Queries = this.#database.kysely,
  ): Promise<Partial<Record<OperationKind, string>>> {
    const cause = await readRecovery(queries);
    if (cause) return Object.fromEntries([...kinds].map((kind) => [kind, pauseSentence(cause)]));
    const reason = kinds.has("pay") ? await this.reason() : undefined;
    return reason ? { pay: reason } : {};
  }

  /** The system's own reason; undefined for a person's reason. */
  async cause(): Promise<PauseCause | undefined> {
    if (this.#isPausedByEnvironment) return { code: "environment" };
    const stored = await readSetting(this.#database.kysely, "payouts_paused_cause");
    return stored ? pauseCauseSchema.safeParse(JSON.parse(stored)).data : undefined;
  }

  /** A person's reason, or a cause of the system. The first reason is kept until payouts are resumed. */
  async pause(why: string | PauseCause, queries: Queries = this.#database.kysely): Promise<void> {
    if (!(await readSetting(queries, "payouts_paused"))) await writePause(queries, why);
  }

  async resume(queries: Queries = this.#database.kysely): Promise<void> {
    await writePause(queries, "");
  }
}

/** Pauses payouts with a person's reason or a system cause; an empty text resumes them. */
async function writePause(queries: Queries, why: string | PauseCause): Promise<void> {
  const isWords = typeof why === "string";
  await writeSetting(queries, "payouts_paused_cause", isWords ? "" : JSON.stringify(why));
  await writeSetting(queries, "payouts_paused", isWords ? why : pauseSentence(why));
}

function pauseSentence(cause: PauseCause): string {
  switch (cause.code) {
    case "environment":
      return "PAYOUTS_PAUSED is set";
    case "unsaid":
      return "An administrator stopped payments";
    case "differences":
      return `Database and chain differ: ${cause.detail}`;
    case "lost_nonce":
      return `Another program used the ${cause.key}'s key for nonce ${cause.nonce}`;
    case "restored":
      return `Restored from the backup of ${cause.created_at}: npm run restored says what to do`;
    case "chain_ahead":
      return `The chain has ${cause.call} by the ${cause.key}'s key (nonce ${cause.nonce}), which the database does not know: npm run restored says what to do`;
    case "moved_back":
      return "The database was moved back in time: npm run restored says what to do";
    case "recovered":
      return "The database was behind the chain: resume payouts once npm run reconcile finds no difference";
  }
}

/** Why the database may be older than the chain. */
export type RecoveryCause = PauseCause & { code: "restored" | "moved_back" | "chain_ahead" };

/**
 * Why nothing is sent: the database was restored or moved back in time, and the chain may have what it does not know;
 * undefined if it knows everything. Only `npm run restored` ends this. docs/product.md#recovery
 */
export async function readRecovery(queries: Queries): Promise<RecoveryCause | undefined> {
  const stored = await readSetting(queries, "recovery");
  // Written by `beginRecovery` alone.
  return stored ? (pauseCauseSchema.parse(JSON.parse(stored)) as RecoveryCause) : undefined;
}

/** Whether `npm run restored` has run for this database, and nothing was found since. */
export async function wasRecovered(queries: Queries): Promise<boolean> {
  return (await readSetting(queries, "recovery")) === "";
}

/** Lets nothing be sent, and pauses payouts, until `npm run restored` has run. The first cause is kept. */
export async function beginRecovery(queries: Queries, cause: RecoveryCause): Promise<void> {
  if (await readRecovery(queries)) return;
  await writeSetting(queries, "recovery", JSON.stringify(cause));
  await writePause(queries, cause);
}

/** Lets everything but payouts be sent again: a person resumes those. */
export async function endRecovery(queries: Queries): Promise<void> {
  await writeSetting(queries, "recovery", "");
  await writePause(queries, { code: "recovered" });
}
