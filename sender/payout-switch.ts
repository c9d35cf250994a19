import type { Database } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";

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
    if (this.#isPausedByEnvironment) return "PAYOUTS_PAUSED is set";
    return (await readSetting(this.#database.kysely, "payouts_paused")) || undefined;
  }

  /** The first reason is kept until payouts are resumed. */
  async pause(reason: string, queries: Queries = this.#database.kysely): Promise<void> {
    if (!(await readSetting(queries, "payouts_paused"))) await writeSetting(queries, "payouts_paused", reason);
  }

  async resume(queries: Queries = this.#database.kysely): Promise<void> {
    await writeSetting(queries, "payouts_paused", "");
  }
}
