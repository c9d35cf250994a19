import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { type ListPage, readPage } from "../database/lists/page.ts";
import { byId, startsWith, startsWithTest } from "../database/lists/search.ts";
import type { ListSource, PageQuery } from "../database/lists/source.ts";
import type { Queries } from "../database/transaction.ts";
import { type CommissionGroup, commissionGroupSchema } from "../rules/commission.ts";
import { DAY_MS, HOUR_MS } from "../rules/iso-time.ts";
import { idsOf } from "../rules/records.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import { searchKey } from "../rules/text.ts";
import type { Programme, ProgrammeTerms } from "./programmes.ts";

export type ProgrammeRow = Selectable<Schema["programmes"]>;

/** Two rounds that do not have a programme say that it is left if so much lies between them: a day, but for the calls. */
const LEFT_MS = DAY_MS - HOUR_MS;
/** Nobody waits for the rates of what was dismissed. */
const NEVER = 8_640_000_000_000_000n;

const groupsSchema = z.array(commissionGroupSchema);

/** A programme's groups; undefined: they were not read yet. */
export function groupsIn({ groups }: Pick<ProgrammeRow, "groups">): CommissionGroup[] | undefined {
  return groups === null ? undefined : groupsSchema.parse(JSON.parse(groups));
}

const ofAccount = ({ network, account }: AccountKey) =>
  sql<boolean>`programmes.network = ${network} and programmes.account = ${account}`;

/** Stores a page of a round; rows of earlier rounds get what the network says now. */
export async function storeProgrammes(
  queries: Queries,
  { network, account }: AccountKey,
  page: readonly Programme[],
  seenAt: bigint,
): Promise<void> {
  const now = BigInt(Date.now());
  for (const programme of page) {
    const { terms, storeUrl: store_url, linkCode: link_code, advertiserId: advertiser_id } = programme;
    const named = (name: string) => ({ name, name_key: searchKey(name) });
    const said = {
      ...{ country: programme.country, store_url, link_code },
      ...{ domains: programme.domains.join(",") || null, category: programme.category, state: programme.state },
      logo_url: programme.logoUrl,
      ...(terms === undefined ? {} : { ...termColumns(terms), groups_due_at: NEVER }),
      ...{ seen_at: seenAt, missing_since: null, updated_at: now },
    };
    await queries
      .insertInto("programmes")
      .values({
        ...{ network, account, advertiser_id, groups_due_at: 0n, created_at: now },
        ...named(programme.name ?? `Loja ${advertiser_id}`),
        ...said,
      })
      // A name that can no longer be read is none that it has now.
      .onConflict((conflict) =>
        conflict
          .columns(["network", "account", "advertiser_id"])
          .doUpdateSet({ ...said, ...(programme.name === null ? {} : named(programme.name)) }),
      )
      .execute();
  }
}

const termColumns = ({ groups, expectedDays }: ProgrammeTerms) => ({
  groups: JSON.stringify(groups),
  expected_days: expectedDays === null ? null : BigInt(expectedDays),
});

/** The one whose rates are read next; undefined if none is due. */
export function findDueProgramme(queries: Queries, key: AccountKey): Promise<ProgrammeRow | undefined> {
  return queries
    .selectFrom("programmes")
    .selectAll()
    .where(ofAccount(key))
    .where("groups_due_at", "<=", BigInt(Date.now()))
    .orderBy("groups_due_at")
    .limit(1)
    .executeTakeFirst();
}

/** What a network tells of one programme's rates; undefined: it could not be read, and is asked again later. */
export async function storeTerms(
  queries: Queries,
  id: bigint,
  terms: ProgrammeTerms | undefined,
  afterMs: number,
): Promise<void> {
  const dueAt = BigInt(Date.now() + afterMs);
  await queries
    .updateTable("programmes")
    .set({
      ...(terms === undefined ? {} : termColumns(terms)),
      groups_due_at:
        terms === undefined
          ? dueAt
          : sql`case when suggestion = 'dismissed' then ${NEVER} else cast(${dueAt} as bigint) end`,
    })
    .where("id", "=", id)
    .execute();
}

/** Has a programme's rates read now, unless they were within the hour: a sale came with a lower commission. docs/product.md#programmes */
export async function expediteTerms(queries: Queries, key: AccountKey, advertiserId: string): Promise<void> {
  const hourLeft = BigInt(Date.now() + DAY_MS - HOUR_MS);
  await queries
    .updateTable("programmes")
    .set({ groups_due_at: 0n })
    .where(ofAccount(key))
    .where("advertiser_id", "=", advertiserId)
    .where("groups_due_at", "<=", hourLeft)
    .execute();
}

/** Has an account's programmes read now, unless a round began within this time. */
export async function expediteRound(
  queries: Queries,
  { network, account }: AccountKey,
  withinMs: number,
): Promise<void> {
  await queries
    .insertInto("programme_rounds")
    .values({ network, account })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account"])
        .doUpdateSet({ next_at: 0n })
        .where("programme_rounds.began_at", "<", BigInt(Date.now() - withinMs)),
    )
    .execute();
}

/** The rates of an account's stores are read now, unless they were within this time. */
export async function expediteStores(queries: Queries, key: AccountKey, withinMs: number): Promise<void> {
  await queries
    .updateTable("programmes")
    .set({ groups_due_at: 0n })
    .where(ofAccount(key))
    .where("store_id", "is not", null)
    .where("groups_due_at", "<=", BigInt(Date.now() + DAY_MS - withinMs))
    .execute();
}

/** Lets the next round of an account change as many stores at once as it wants to. docs/product.md#programmes-brake */
export async function acceptWithheld(queries: Queries, { network, account }: AccountKey): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("programme_rounds")
    .set({ next_at: 0n, accepted_until: BigInt(Date.now() + HOUR_MS) })
    .where("network", "=", network)
    .where("account", "=", account)
    .where("withheld", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** How the reading of each account's programmes goes. docs/product.md#programmes */
export function listRounds(queries: Queries) {
  return queries.selectFrom("programme_rounds").selectAll().orderBy("network").orderBy("account").execute();
}

/** Those that a round reads. */
export async function countProgrammes(queries: Queries, key: AccountKey): Promise<number> {
  const { n } = await queries
    .selectFrom("programmes")
    .select(({ fn }) => fn.countAll<bigint>().as("n"))
    .where(ofAccount(key))
    .where("missing_since", "is", null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** The programmes of some advertisers. */
export function readByAdvertiser(
  queries: Queries,
  key: AccountKey,
  advertiserIds: readonly string[],
): Promise<ProgrammeRow[]> {
  return queries
    .selectFrom("programmes")
    .selectAll()
    .where(ofAccount(key))
    .where(among(queries, "advertiser_id", advertiserIds))
    .execute();
}

/** Takes so many stores made of suggestions whose picture nobody has asked for; no other process gets them too. */
export async function claimLogos(queries: Queries, limit: number): Promise<ProgrammeRow[]> {
  const due = await queries
    .selectFrom("programmes")
    .select("id")
    .where("taken", "is not", null)
    .where("logo_url", "is not", null)
    .where("logo_asked_at", "is", null)
    .orderBy("id")
    .limit(limit)
    .execute();
  if (due.length === 0) return [];
  return queries
    .updateTable("programmes")
    .set({ logo_asked_at: BigInt(Date.now()) })
    .where(among(queries, "id", idsOf(due)))
    .where("logo_asked_at", "is", null)
    .returningAll()
    .execute();
}

/**
 * Notes what the round did not have, and which suggestions the network offers. One whose store was deleted is dismissed: it
 * can be a store again, and no one asks for it. docs/product.md#programmes-paused
 */
export async function concludeRows(queries: Queries, key: AccountKey, beganAt: bigint): Promise<void> {
  await queries
    .updateTable("programmes")
    .set({ missing_since: beganAt })
    .where(ofAccount(key))
    .where("seen_at", "<", beganAt)
    .where("missing_since", "is", null)
    .execute();
  await queries
    .updateTable("programmes")
    .set({ suggestion: "dismissed", store_id: null, taken: null, logo_asked_at: null, groups_due_at: NEVER })
    .where(ofAccount(key))
    .where("store_id", "in", queries.selectFrom("stores").select("id").where("deleted_at", "is not", null))
    .execute();
  const isOffered = sql<boolean>`state = 'active' and (missing_since is null or missing_since > ${beganAt - BigInt(LEFT_MS)})`;
  for (const [from, to, condition] of [
    ["open", "gone", sql<boolean>`not (${isOffered})`],
    ["gone", "open", isOffered],
  ] as const) {
    await queries
      .updateTable("programmes")
      .set({ suggestion: to })
      .where(ofAccount(key))
      .where("suggestion", "=", from)
      .where(condition)
      .execute();
  }
}

/** Why buyers cannot go to a programme's shop, as of a round; undefined: they can. */
export function problemOf(
  { state, missing_since }: Pick<ProgrammeRow, "state" | "missing_since">,
  beganAt: bigint,
): "paused" | "ended" | "left" | undefined {
  if (missing_since !== null) return beganAt - missing_since >= BigInt(LEFT_MS) ? "left" : undefined;
  return state === "active" ? undefined : state === "ended" ? "ended" : "paused";
}

/** What became of some suggestions. */
export async function setSuggestion(
  queries: Queries,
  ids: readonly bigint[],
  change: { suggestion: "open" | "accepted" | "dismissed"; store_id?: bigint; taken?: string },
): Promise<void> {
  // One that was dismissed before its rates were read still needs them to be accepted.
  const groups_due_at =
    change.suggestion === "dismissed"
      ? sql<bigint>`case when groups is null then groups_due_at else ${NEVER} end`
      : sql<bigint>`case when groups_due_at = ${NEVER} then 0 else groups_due_at end`;
  await queries
    .updateTable("programmes")
    .set({ ...change, groups_due_at, updated_at: BigInt(Date.now()) })
    .where(among(queries, "id", ids))
    .execute();
}

const SUGGESTED: ListSource = {
  table: "programmes",
  key: "id",
  keyType: "number",
  sorts: {
    id: { column: "id", type: "number" },
    name: { column: "name_key", type: "text", index: "programmes_name" },
  },
  state: (state) => sql`programmes.suggestion = ${state}`,
  matches(term, queries) {
    const name = searchKey(term);
    return [
      ...byId("programmes", term),
      {
        keys: sql`select id as key from programmes where ${startsWith(queries, "name_key", name)}`,
        test: startsWithTest(queries, "programmes.name_key", name),
      },
    ];
  },
};

/** docs/product.md#suggested-stores */
export function listSuggested(queries: Queries, page: PageQuery): Promise<ListPage<ProgrammeRow>> {
  return readPage(queries, SUGGESTED, page, readProgrammes, (row) => row.id);
}

export function readProgrammes(queries: Queries, ids: readonly bigint[]): Promise<ProgrammeRow[]> {
  return queries
    .selectFrom("programmes")
    .selectAll()
    .where(among(queries, "id", ids))
    .execute();
}
