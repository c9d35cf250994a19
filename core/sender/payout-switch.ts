import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { type PauseCause, pauseCauseSchema, pauseSentence } from "../rules/pause-cause.ts";

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
export async function writePause(queries: Queries, why: string | PauseCause): Promise<void> {
  const isWords = typeof why === "string";
  await writeSetting(queries, "payouts_paused_cause", isWords ? "" : JSON.stringify(why));
  await writeSetting(queries, "payouts_paused", isWords ? why : pauseSentence(why));
}
