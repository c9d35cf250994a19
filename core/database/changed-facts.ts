import { sql } from "kysely";
import { readClock } from "./clock.ts";
import { actingIn } from "./deciders.ts";
import { writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

/**
 * What changed for many sales at once: a store, the rules of all sales, or those of payouts by staff. Those that are open
 * are decided anew in batches, in the order of their stores and ids, from a place that is kept with each fact, so that a
 * process that dies loses nothing. docs/product.md#sales-decision
 */
export type ChangedFact = "payouts" | "sales" | `store ${bigint}`;

/** The last one that was decided. */
export type Place = { storeId: bigint; id: bigint };

/** To be called in the transaction of the change: what it frees is the decision of who acts there. */
export async function noteChangedFact(queries: Queries, fact: ChangedFact): Promise<void> {
  const begun = { store_id: 0n, after_id: 0n, said_by: actingIn(queries)?.by ?? null };
  await queries
    .insertInto("changed_facts")
    .values({ fact, ...begun })
    .onConflict((conflict) =>
      conflict.column("fact").doUpdateSet({
        ...begun,
        // What a person said before, and is not worked off yet, stays that person's.
        said_by: begun.said_by ?? ((set) => set.ref("changed_facts.said_by")),
      }),
    )
    .execute();
}

/** Whether some sales are still to be decided anew: until then nothing is paid. */
export async function isAnyFactChanged(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom("changed_facts").select("fact").limit(1).executeTakeFirst()) !== undefined;
}

export type TakenFact = { fact: ChangedFact; after: Place; saidBy: string | null };

/** One that is not worked off yet; locked until the transaction ends, so that another change begins it again. */
export async function takeChangedFact(queries: Queries): Promise<TakenFact | undefined> {
  const row = await queries
    .updateTable("changed_facts")
    .set({ fact: sql`fact` })
    .where("fact", "=", ({ selectFrom }) => selectFrom("changed_facts").select(({ fn }) => fn.min("fact").as("fact")))
    .returningAll()
    .executeTakeFirst();
  return row && { fact: row.fact, after: { storeId: row.store_id, id: row.after_id }, saidBy: row.said_by };
}

/** `undefined`: nothing of it is left. */
export async function moveChangedFact(queries: Queries, fact: ChangedFact, to: Place | undefined): Promise<void> {
  if (to !== undefined) {
    const place = { store_id: to.storeId, after_id: to.id };
    await queries.updateTable("changed_facts").set(place).where("fact", "=", fact).execute();
    return;
  }
  await queries.deleteFrom("changed_facts").where("fact", "=", fact).execute();
  // Only now: what sales of other stores are held for can be a sale of this one, which is decided by then.
  if (fact.startsWith("store ")) await writeSetting(queries, "held_changed_at", String(await readClock(queries)));
}
