import { type Selectable, sql } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { AccountKey } from "../rules/sale/rules.ts";

export type Hint = Selectable<Schema["sale_hints"]>;

const KEYS_A_PUSH = 50;
/** Anyone with a push secret can send anything: above this number, hints are dropped and the polls find the sales. */
const OPEN_HINTS_MAX = 10_000;
const RETRY_MS = 15_000n;
const ATTEMPTS = 8n;

/** The key for a push that names no readable sale: the account is polled soon. */
export const ANY_SALE = "";

export type Push = { key: AccountKey; saleKeys: readonly string[]; traceparent?: string | null | undefined };

/** Stores the sales that a push mentions, for the reader. A push has no other effect. */
export async function storePushes(queries: Queries, pushes: readonly Push[]): Promise<readonly undefined[]> {
  const ofAccounts = Map.groupBy(pushes, ({ key }) => `${key.network} ${key.account}`);
  for (const same of ofAccounts.values()) {
    const [first] = same;
    const traces = same.flatMap(({ saleKeys, traceparent = null }) =>
      [...new Set(saleKeys)].slice(0, KEYS_A_PUSH).map((saleKey) => [saleKey, traceparent] as const),
    );
    if (first) await storeHints(queries, first.key, new Map(traces));
  }
  return pushes.map(() => undefined);
}

async function storeHints(
  queries: Queries,
  key: AccountKey,
  traces: ReadonlyMap<string, string | null>,
): Promise<void> {
  if (traces.size === 0) return;
  const now = BigInt(Date.now());
  const full = await queries
    .selectFrom("sale_hints")
    .select("id")
    .where("network", "=", key.network)
    .where("account", "=", key.account)
    .orderBy("retry_at")
    .offset(OPEN_HINTS_MAX)
    .limit(1)
    .executeTakeFirst();
  if (full) return;
  await queries
    .insertInto("sale_hints")
    .values(
      [...traces].map(([sale_key, traceparent]) => ({
        ...key,
        sale_key,
        traceparent,
        received_at: now,
        retry_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["network", "account", "sale_key"]).doUpdateSet(({ ref }) => ({
        ...{ received_at: now, retry_at: now },
        traceparent: ref("excluded.traceparent"),
      })),
    )
    .execute();
}

export async function listDueHints(queries: Queries, key: AccountKey, limit: number): Promise<Hint[]> {
  return queries
    .selectFrom("sale_hints")
    .selectAll()
    .where("network", "=", key.network)
    .where("account", "=", key.account)
    .where("retry_at", "<=", BigInt(Date.now()))
    .orderBy("retry_at")
    .limit(limit)
    .execute();
}

/** Completes the hints that were read, unless a newer push arrived; sales that the network does not return yet are retried later. */
export async function resolveHints(queries: Queries, hints: readonly Hint[], read: ReadonlySet<string>): Promise<void> {
  for (const hint of hints) {
    const isOver = read.has(hint.sale_key) || hint.attempts + 1n >= ATTEMPTS;
    if (isOver) {
      await queries
        .deleteFrom("sale_hints")
        .where("id", "=", hint.id)
        .where("received_at", "=", hint.received_at)
        .execute();
    } else {
      await queries
        .updateTable("sale_hints")
        .set({
          attempts: sql`attempts + 1`,
          retry_at: BigInt(Date.now()) + RETRY_MS * (hint.attempts + 1n),
        })
        .where("id", "=", hint.id)
        .where("received_at", "=", hint.received_at)
        .execute();
    }
  }
}
