import { sql, type UpdateObject } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import { SYSTEM_FAULTS } from "../rules/system-faults.ts";
import type { PolledAccount } from "./network.ts";

/** How far each pass over an account has read, and the outcome of its last reads; in the database. */
export class ReadProgress {
  readonly #queries: Queries;
  readonly #key: AccountKey;

  constructor(queries: Queries, key: AccountKey) {
    this.#queries = queries;
    this.#key = key;
  }

  /** The time up to which a pass has read; undefined if it never has. */
  async through(pass: string): Promise<number | undefined> {
    const row = await this.#queries
      .selectFrom("affiliate_cursors")
      .select("through_at")
      .where("network", "=", this.#key.network)
      .where("account", "=", this.#key.account)
      .where("pass", "=", pass)
      .executeTakeFirst();
    return row && Number(row.through_at);
  }

  /** Only moves forward: the windows of a first read are consecutive. */
  async moveTo(queries: Queries, pass: string, to: number): Promise<void> {
    const values = { through_at: BigInt(to), updated_at: BigInt(Date.now()) };
    await queries
      .insertInto("affiliate_cursors")
      .values({ ...this.#key, pass, ...values })
      .onConflict((conflict) => conflict.columns(["network", "account", "pass"]).doUpdateSet(values))
      .execute();
  }

  succeeded(): Promise<void> {
    return this.#update({ read_at: BigInt(Date.now()), error: null, error_at: null });
  }

  /** Since the first failure after the last success. */
  failed(reason: string): Promise<void> {
    return this.#update({ error: reason, error_at: sql<bigint>`coalesce(error_at, ${BigInt(Date.now())})` });
  }

  /** Rows of the network without an id. */
  countUnreadable(count: number): Promise<void> {
    return this.#update({ drift_count: sql<bigint>`drift_count + ${BigInt(count)}` });
  }

  async #update(change: UpdateObject<Schema, "affiliate_status", "affiliate_status">): Promise<void> {
    await this.#queries
      .updateTable("affiliate_status")
      .set(change)
      .where("network", "=", this.#key.network)
      .where("account", "=", this.#key.account)
      .execute();
  }
}

/** A failure that lasts less is retried and forgotten. */
const PASSING_MS = SYSTEM_FAULTS.network_unread.seconds * 1_000;

/** An account that cannot be read. docs/product.md#sales-failing */
export type FailingAccount = AccountKey & { reason: string; since: bigint };

/** Those of these accounts that have not been read for a while, with the network's last words. */
export async function listFailing(
  queries: Queries,
  accounts: readonly Pick<PolledAccount, "network" | "account">[],
): Promise<FailingAccount[]> {
  const rows = await queries
    .selectFrom("affiliate_status")
    .select(["network", "account", "error", "error_at"])
    .where("error_at", "<=", BigInt(Date.now() - PASSING_MS))
    .execute();
  return rows.flatMap(({ network, account, error, error_at }) => {
    const isOurs = accounts.some((one) => one.network === network && one.account === account);
    return isOurs && error_at !== null ? [{ network, account, reason: error ?? "", since: error_at }] : [];
  });
}

export function failingText({ network, account, reason, since }: FailingAccount): string {
  const minutes = Math.round((Date.now() - Number(since)) / 60_000);
  return `${network}/${account} cannot be read since ${minutes} min: ${reason}`;
}
