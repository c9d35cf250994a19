import { among } from "./among.ts";
import type { Queries } from "./transaction.ts";

/*
 * Who decides. Whatever a transaction of staff frees is that person's decision, whichever call it was and whatever it
 * named; and who has said something about a store, an account or an order has a part in what is decided by it later.
 * docs/product.md#who-frees
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
