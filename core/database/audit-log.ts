import { createHmac, hash } from "node:crypto";
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from "kysely";
import type { AuditArea } from "../rules/api/administration.ts";
import { isKeyOf, isRecord, jsonOf, keysOf } from "../rules/records.ts";
import { messageOf } from "../rules/unknown-error.ts";
import { actAs, noteAuthor } from "./changed-facts.ts";
import type { Schema } from "./generated/schema.ts";
import { type ListPage, readPage } from "./lists/page.ts";
import { idOf, startsWith, startsWithTest, walletPrefixOf } from "./lists/search.ts";
import type { ListSource, PageQuery } from "./lists/source.ts";
import { inTransaction, isUniqueViolation, type Queries } from "./transaction.ts";

/** `words` is what people typed about it, and what names a person; the log itself has neither. */
export type AuditRow = Selectable<Schema["audit_log"]> & { words: string | null };
export type AuditEntry = {
  actor: string;
  action: string;
  subject: string;
  /** Nothing that a person typed, and nothing that names one but the wallet: the hashes could not forget it. */
  detail: Record<string, unknown>;
  /** That, kept beside the log until the profile of `about` is erased. docs/product.md#audit-log */
  note?: { about?: string | null | undefined; words: Record<string, unknown> };
};

let macKey: string | undefined;

/** From now on this process signs its rows by a key derived from `SALE_REF_KEY`, which is not in the database. */
export function signAuditBy(saleRefKey: string | undefined): void {
  macKey = saleRefKey === undefined ? undefined : auditKeyOf(saleRefKey);
}

/** Derived, so that no use of one key says anything about the other. */
const auditKeyOf = (saleRefKey: string) =>
  createHmac("sha256", saleRefKey.replace(/^0x/, "").toLowerCase()).update("torcida audit log").digest("hex");

const macOf = (key: string, rowHash: string) => createHmac("sha256", key).update(rowHash).digest("hex");

/** The `previous_hash` of the first row. */
export const AUDIT_GENESIS = "0".repeat(64);

const RACES = 20;

/**
 * One transaction that appends to the log. What it frees is the decision of `actor`; null: of nobody who has to ask
 * another one. If two admins append at once, the later transaction is retried. docs/product.md#who-frees
 */
export async function inAuditedTransaction<T>(
  kysely: Kysely<Schema>,
  actor: string | null,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(kysely, (transaction) => {
        actAs(transaction, actor);
        return work(transaction);
      });
    } catch (error) {
      const isRace =
        isUniqueViolation(error) && /audit_log/.test(`${messageOf(error)} ${isRecord(error) ? error.table : ""}`);
      if (!isRace || attempt >= RACES) throw error;
    }
  }
}

/**
 * Appends a row that is chained to the previous row by a hash. Call it in the transaction of the change it records, inside
 * `inAuditedTransaction`: the unique `previous_hash` detects two writers at once.
 */
export async function appendAudit(queries: Queries, entry: AuditEntry): Promise<void> {
  const last = await queries.selectFrom("audit_log").select("hash").orderBy("id", "desc").limit(1).executeTakeFirst();
  const row = {
    at: BigInt(Date.now()),
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    detail: jsonOf(entry.detail),
    previous_hash: last?.hash ?? AUDIT_GENESIS,
  };
  const hash = auditHash(row);
  const { id } = await queries
    .insertInto("audit_log")
    .values({ ...row, hash, mac: macKey === undefined ? null : macOf(macKey, hash) })
    .returning("id")
    .executeTakeFirstOrThrow();
  await noteAuthor(queries, entry.actor, entry.subject);
  const { about = null, words = {} } = entry.note ?? {};
  if (keysOf(words).every((name) => words[name] === null || words[name] === undefined)) return;
  await queries
    .insertInto("audit_notes")
    .values({ audit_id: id, wallet: about, words: jsonOf(words) })
    .execute();
}

/** Forgets what was typed about a person. docs/product.md#erase */
export async function forgetNotes(queries: Queries, wallet: string): Promise<void> {
  await queries.deleteFrom("audit_notes").where("wallet", "=", wallet).execute();
}

export async function listAudit(queries: Queries, page: PageQuery): Promise<ListPage<AuditRow>> {
  return readPage(queries, AUDIT_LOG, page, readAudit, (row) => row.id);
}

async function readAudit(queries: Queries, ids: readonly bigint[]): Promise<AuditRow[]> {
  return queries
    .selectFrom("audit_log")
    .leftJoin("audit_notes", "audit_notes.audit_id", "audit_log.id")
    .selectAll("audit_log")
    .select("audit_notes.words")
    .where("audit_log.id", "in", ids)
    .execute();
}

const ACTIONS: Readonly<Record<AuditArea, readonly string[]>> = {
  catalogue: ["store.", "cashback.", "fan_token.", "catalogue.", "boost.", "percent.", "proposal."],
  payments: ["payouts.", "operation.", "purchase.", "cashback_distribution.", "approval.", "chain."],
  sales: ["sale.", "fx_rate."],
  claims: ["claim."],
  people: ["user.", "session.", "admins."],
};

function actionsOf(area: string): readonly string[] {
  return isKeyOf(ACTIONS, area) ? ACTIONS[area] : [];
}

const AUDIT_LOG: ListSource = {
  table: "audit_log",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" } },
  state: (area, queries) => anyOf(actionsOf(area).map((one) => startsWith(queries, "action", one))),
  stateTest: (area, queries) => anyOf(actionsOf(area).map((one) => startsWithTest(queries, "action", one))),
  matches(term, queries) {
    const id = idOf(term);
    const columns = walletPrefixOf(term) === undefined ? ["actor", "subject", "action"] : ["actor", "subject"];
    const text = walletPrefixOf(term) ?? term;
    return [
      ...(id === undefined
        ? []
        : [{ keys: sql`select id as key from audit_log where id = ${id}`, test: sql<SqlBool>`audit_log.id = ${id}` }]),
      ...columns.map((column) => ({
        keys: sql`select id as key from audit_log where ${startsWith(queries, column, text)}`,
        test: startsWithTest(queries, `audit_log.${column}`, text),
      })),
    ];
  },
};

function anyOf(tests: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}

/** The end of the log: its last row's id and hash, by which a log that was cut is known. */
export type AuditHead = { length: bigint; head: string };

export async function readAuditHead(queries: Queries): Promise<AuditHead> {
  const last = await queries
    .selectFrom("audit_log")
    .select(["id", "hash"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return { length: last?.id ?? 0n, head: last?.hash ?? AUDIT_GENESIS };
}

/** `4711 ab12…`: as a backup, a notice and the log of the api say it. */
export const auditHeadText = ({ length, head }: AuditHead): string => `${length} ${head}`;

function readAuditHeadText(text: string): AuditHead | undefined {
  const [, length = "", head = ""] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return head === "" ? undefined : { length: BigInt(length), head };
}

/** An end of the log that a notice or the last day told, and that it no longer has; undefined if it has all. */
export async function findCutAudit(queries: Queries): Promise<string | undefined> {
  const day = await queries.selectFrom("settings").select("value").where("name", "=", "audit_head").executeTakeFirst();
  const notices = await queries.selectFrom("notices").select("body").orderBy("id", "desc").limit(100).execute();
  const told = notices.flatMap(({ body }) => JSON.parse(body).audit_log ?? []);
  for (const text of [...(day ? [day.value] : []), ...told]) {
    const head = readAuditHeadText(text);
    if (head && !(await hasAuditHead(queries, head))) return text;
  }
  return undefined;
}

/** What is wrong with the log, as a sentence without its subject; undefined if it is whole. */
export async function auditProblem(queries: Queries, saleRefKeys: readonly string[]): Promise<string | undefined> {
  const cut = await findCutAudit(queries);
  if (cut !== undefined) return `its end was cut: ${cut} is gone`;
  const broken = await findBrokenAudit(queries, saleRefKeys);
  return broken === undefined ? undefined : `row ${broken} was changed after it was written`;
}

/** Whether the log still has what once was its end. */
async function hasAuditHead(queries: Queries, { length, head }: AuditHead): Promise<boolean> {
  if (length === 0n) return true;
  const row = await queries.selectFrom("audit_log").select("hash").where("id", "=", length).executeTakeFirst();
  return row?.hash === head;
}

/**
 * The id of the first row where the hash chain is broken by a change, removal or insertion, or that another key has
 * signed than these; undefined if it is intact.
 */
export async function findBrokenAudit(
  queries: Queries,
  saleRefKeys: readonly string[] = [],
): Promise<bigint | undefined> {
  const keys = saleRefKeys.map(auditKeyOf);
  const isSigned = ({ mac, hash }: Pick<AuditRow, "mac" | "hash">) =>
    mac === null || keys.length === 0 || keys.some((key) => macOf(key, hash) === mac);
  let previous = AUDIT_GENESIS;
  let after = 0n;
  for (;;) {
    const rows = await queries
      .selectFrom("audit_log")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(1_000)
      .execute();
    for (const row of rows) {
      if (row.previous_hash !== previous || row.hash !== auditHash(row) || !isSigned(row)) return row.id;
      previous = row.hash;
      after = row.id;
    }
    if (rows.length < 1_000) return undefined;
  }
}

type Chained = Pick<AuditRow, "at" | "actor" | "action" | "subject" | "detail" | "previous_hash">;

function auditHash(row: Chained): string {
  const fields = [row.previous_hash, row.at.toString(), row.actor, row.action, row.subject, row.detail];
  return hash("sha256", JSON.stringify(fields));
}
