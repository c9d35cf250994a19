import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";

/** The kill switch of payments: by the environment, by an admin, and by the system itself where figures do not agree. */
export class PayoutSwitch {
  readonly #database: Database;
  readonly #isPausedByEnvironment: boolean;

  constructor(database: Database, isPausedByEnvironment: boolean) {
    this.#database = database;
    this.#isPausedByEnvironment = isPausedByEnvironment;
  }

  /** Why payments stand still; undefined while they go on. Read from the database: every process obeys at once. */
  async reason(): Promise<string | undefined> {
    if (this.#isPausedByEnvironment) return "PAYOUTS_PAUSED is set";
    return (await readSetting(this.#database.kysely, "payouts_paused")) || undefined;
  }

  /** The first reason stays until somebody resumes. */
  async pause(reason: string, queries: Queries = this.#database.kysely): Promise<void> {
    if (!(await readSetting(queries, "payouts_paused"))) await writeSetting(queries, "payouts_paused", reason);
  }

  async resume(queries: Queries = this.#database.kysely): Promise<void> {
    await writeSetting(queries, "payouts_paused", "");
  }
}
