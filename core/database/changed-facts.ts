import { sql } from "kysely";
import { among } from "./among.ts";
import { readClock } from "./clock.ts";
import { writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

/*
 * By whose word sales are decided. Whatever a transaction of staff frees is that person's decision, whichever call it was
 * and whatever it named; who has said something about a store, an account or an order has a part in what is decided by it
 * later; and what changes for many sales at once is worked off as the decision of who said it. docs/product.md#who-frees
 */

/** All services together are one decider. */
export const SERVICE = "service";

/** The decider that an actor of the audit log counts as. */
export function deciderOf(actor: string): string {
  return actor.startsWith(`${SERVICE}:`) ? SERVICE : actor;
}

/** `later`: what this person said before is worked off now, so that nobody can be told that it is refused. */
export type Acting = { by: string; when: "now" | "later" };

const acting = new WeakMap<Queries, Acting>();

/**
 * From now on, what this transaction frees is by the decision of this actor of the audit log; null: nobody's who has to
 * ask another one, such as somebody with a shell on the server.
 */
export function actAs(queries: Queries, actor: string | null, when: Acting["when"] = "now"): void {
  if (actor === null) acting.delete(queries);
  else acting.set(queries, { by: deciderOf(actor), when });
}

/** Undefined: nobody acts, but what networks, feeds and the chain say is worked off. */
export function actingIn(queries: Queries): Acting | undefined {
  return acting.get(queries);
}

/** What a subject of the audit log is about, if sales are decided by what is said of it. */
async function factIn(queries: Queries, subject: string): Promise<string | undefined> {
  const [kind = "", rest = ""] = subject.split(/:(.*)/s);
  if (kind === "account" || kind === "order") return subject;
  const [id = ""] = rest.split("/");
  if (kind === "store") return `store:${id}`;
  // Clicks name it by its slug.
  if (kind !== "fan_token" || !/^\d{1,15}$/.test(id)) return undefined;
  const token = await queries.selectFrom("fan_tokens").select("slug").where("id", "=", BigInt(id)).executeTakeFirst();
  return token && `fan_token:${token.slug}`;
}

/** Remembers that a person has said something about this subject of the audit log. */
export async function noteAuthor(queries: Queries, author: string, subject: string): Promise<void> {
  if (!/^0x[0-9a-f]{40}$/.test(author)) return;
  const fact = await factIn(queries, subject);
  if (fact === undefined) return;
  const said = { author, subject: fact, said_at: BigInt(Date.now()) };
  await queries
    .insertInto("fact_authors")
    .values(said)
    .onConflict((conflict) => conflict.columns(["author", "subject"]).doUpdateSet({ said_at: said.said_at }))
    .execute();
}

/** Which of these people have said something about which of these subjects. */
export async function readAuthors(
  queries: Queries,
  people: Iterable<string>,
  subjects: Iterable<string>,
): Promise<(author: string, subject: string) => boolean> {
  const rows = await queries
    .selectFrom("fact_authors")
    .select(["author", "subject"])
    .where(among(queries, "author", people))
    .where(among(queries, "subject", subjects))
    .execute();
  const said = new Set(rows.map(({ author, subject }) => `${author} ${subject}`));
  return (author, subject) => said.has(`${author} ${subject}`);
}

// What changed for many sales -------------------------------------------------------------------------------------------

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

export type TakenFact = { fact: ChangedFact; after: Place };

/**
 * One that is not worked off yet; locked until the transaction ends, so that another change begins it again. From then on,
 * what the transaction frees is the decision of who said it.
 */
export async function takeChangedFact(queries: Queries): Promise<TakenFact | undefined> {
  const row = await queries
    .updateTable("changed_facts")
    .set({ fact: sql`fact` })
    .where("fact", "=", ({ selectFrom }) => selectFrom("changed_facts").select(({ fn }) => fn.min("fact").as("fact")))
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  actAs(queries, row.said_by, "later");
  return { fact: row.fact, after: { storeId: row.store_id, id: row.after_id } };
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
