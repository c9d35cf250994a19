import { type Selectable, type SqlBool, sql } from "kysely";
import { HOUR_MS } from "../rules/iso-time.ts";
import {
  ALONE_AFTER_MS,
  ERASED_ALONE_AN_HOUR,
  type ProposalKind,
  type ProposalState,
  proposalRule,
} from "../rules/proposals.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { readClock } from "./clock.ts";
import type { Schema } from "./generated/schema.ts";
import { type ListPage, readPage } from "./lists/page.ts";
import { byId, ofKeys, walletPrefixOf, walletStartsWith } from "./lists/search.ts";
import type { ListSource, PageQuery } from "./lists/source.ts";
import { lockUsers } from "./touch-user.ts";
import type { Queries } from "./transaction.ts";

export type Proposal = Selectable<Schema["proposals"]>;
/** Fields by name, as they are or shall be. */
export type ProposedFields = Readonly<Record<string, string | null>>;

export type Wish = {
  kind: ProposalKind;
  /** An id, or a wallet. */
  subject: bigint | string;
  from?: ProposedFields;
  to?: ProposedFields;
  reason?: string | null;
};

/** Who asks, and whether anybody else may agree: by `ADMIN_WALLETS`. */
export type Asker = { actor: string; hasOthers: boolean };

export type Proposed = { id: bigint; takesEffectAt: bigint | null };

/**
 * Asks for a change that moves buyers or money without naming an amount, or that cannot be undone; what was asked before
 * about the same fields lapses. It takes effect by what is registered for its kind in api/admin/proposal-effects.ts.
 * docs/product.md#proposals
 */
export async function propose(queries: Queries, wish: Wish, { actor, hasOthers }: Asker): Promise<Proposed> {
  const { kind, reason = null, from = {}, to = {} } = wish;
  const subject = String(wish.subject);
  const { afterMs, isDayFixed } = proposalRule(kind);
  const now = BigInt(await readClock(queries));
  const isOwn = actor === subject && kind === "erase";
  const needsSecond =
    hasOthers &&
    (afterMs === undefined || (isDayFixed === true && !isOwn && (await isOneTooMany(queries, actor, now))));
  const takesEffectAt = needsSecond && afterMs === undefined ? null : now + BigInt(afterMs ?? ALONE_AFTER_MS);
  await lapseProposals(queries, kind, subject);
  const { id } = await queries
    .insertInto("proposals")
    .values({
      kind,
      subject_id: subject,
      from_fields: JSON.stringify(from),
      to_fields: JSON.stringify(to),
      state: "open",
      is_own: isOwn ? 1n : 0n,
      asked_by: actor,
      reason,
      takes_effect_at: takesEffectAt,
      due_at: needsSecond ? null : takesEffectAt,
      created_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, takesEffectAt };
}

/** Whether this one of a person's erasures is beyond what the delay alone covers. */
async function isOneTooMany(queries: Queries, actor: string, now: bigint): Promise<boolean> {
  // So that of several at once each sees the others.
  await lockUsers(queries, new Set([actor as WalletAddress]));
  const before = await queries
    .selectFrom("proposals")
    .select("id")
    .where("asked_by", "=", actor)
    .where("kind", "=", "erase")
    .where("created_at", ">", now - BigInt(HOUR_MS))
    .limit(ERASED_ALONE_AN_HOUR)
    .execute();
  return before.length >= ERASED_ALONE_AN_HOUR;
}

/** What stopped at once, so that starting again elsewhere is known as a change. Who stops something needs nobody. */
export async function noteStopped(queries: Queries, wish: Wish, actor: string): Promise<void> {
  const now = BigInt(await readClock(queries));
  await queries
    .insertInto("proposals")
    .values({
      kind: wish.kind,
      subject_id: String(wish.subject),
      from_fields: JSON.stringify(wish.from ?? {}),
      to_fields: JSON.stringify(wish.to ?? {}),
      state: "done",
      asked_by: actor,
      takes_effect_at: now,
      created_at: now,
      decided_at: now,
    })
    .execute();
}

/** Open, or agreed to with its day still to come. */
const IS_WAITING = sql<SqlBool>`(state = 'open' or due_at is not null)`;
const isAbout = (kind: ProposalKind, subject: bigint | string) =>
  sql<SqlBool>`subject_id = ${String(subject)} and kind = ${kind}`;

/** What was asked for about a subject no longer counts. */
export async function lapseProposals(queries: Queries, kind: ProposalKind, subject: bigint | string): Promise<void> {
  await queries
    .updateTable("proposals")
    .set({ state: "lapsed", due_at: null })
    .where(isAbout(kind, subject))
    .where(IS_WAITING)
    .execute();
}

/** What waits about a subject, an agreed one whose day is still to come too; of a kind at most one. */
export async function findWaiting(
  queries: Queries,
  kind: ProposalKind,
  subject: bigint | string,
): Promise<Proposal | undefined> {
  return queries
    .selectFrom("proposals")
    .selectAll()
    .where(isAbout(kind, subject))
    .where(IS_WAITING)
    .orderBy("id", "desc")
    .executeTakeFirst();
}

/** The last of a kind that was carried out for a subject. */
export async function findLastDone(
  queries: Queries,
  kind: ProposalKind,
  subject: bigint | string,
): Promise<Proposal | undefined> {
  return queries
    .selectFrom("proposals")
    .selectAll()
    .where(isAbout(kind, subject))
    .where("state", "in", ["agreed", "done"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Those whose day has come, the longest overdue first. */
export async function listDueProposals(queries: Queries, limit: number): Promise<bigint[]> {
  const now = BigInt(await readClock(queries));
  const rows = await queries
    .selectFrom("proposals")
    .select("id")
    .where("due_at", "is not", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes one whose day has come, once: undefined if it was decided or taken meanwhile. */
export async function takeDueProposal(queries: Queries, id: bigint): Promise<Proposal | undefined> {
  const now = BigInt(await readClock(queries));
  return queries
    .updateTable("proposals")
    .set({ state: "done", due_at: null, decided_at: sql<bigint>`coalesce(decided_at, ${now})` })
    .where("id", "=", id)
    .where("due_at", "<=", now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends what still waits; returns whether it did. */
export async function undoProposal(
  queries: Queries,
  id: bigint,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("proposals")
    .set({
      state: "undone",
      due_at: null,
      decided_by: actor,
      decision_reason: reason,
      decided_at: BigInt(await readClock(queries)),
    })
    .where("id", "=", id)
    .where(IS_WAITING)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Changes a proposal that this transaction has decided. */
export async function setProposal(
  queries: Queries,
  id: bigint,
  change: { state?: ProposalState; due_at?: bigint | null; takes_effect_at?: bigint | null },
): Promise<void> {
  await queries.updateTable("proposals").set(change).where("id", "=", id).execute();
}

/** What was typed about a person. docs/product.md#erase */
export async function forgetProposals(queries: Queries, wallet: string): Promise<void> {
  await queries
    .updateTable("proposals")
    .set({ reason: null, decision_reason: null })
    .where("subject_id", "=", wallet)
    .execute();
}

const PROPOSALS: ListSource = {
  table: "proposals",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number", index: "proposals_listed" } },
  // What people ask for about their own profile needs nobody, and strangers could fill the list with it.
  only: sql`proposals.is_own = 0`,
  // Agreed to, and its day is still to come: few, in the index of days.
  state: (state) =>
    state === "coming"
      ? sql`proposals.due_at is not null and proposals.state = 'agreed'`
      : sql`proposals.state = ${state}`,
  matches(term) {
    const wallet = walletPrefixOf(term);
    if (wallet === undefined) return byId("proposals", term);
    const asked = walletStartsWith("proposals.asked_by", wallet);
    return [ofKeys("proposals", sql`select id as key from proposals where ${asked}`)];
  },
};

export function listProposals(queries: Queries, page: PageQuery): Promise<ListPage<Proposal>> {
  return readPage(queries, PROPOSALS, page, readProposals, (row) => row.id);
}

export async function readProposals(queries: Queries, ids: readonly bigint[]): Promise<Proposal[]> {
  return queries.selectFrom("proposals").selectAll().where("id", "in", ids).execute();
}
