import { among } from "../../core/database/among.ts";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { actAs } from "../../core/database/changed-facts.ts";
import {
  listDueProposals,
  listProposals,
  type Proposal,
  type ProposedFields,
  propose,
  readProposals,
  setProposal,
  takeDueProposal,
  undoProposal,
} from "../../core/database/proposals.ts";
import { closeRequests } from "../../core/database/requests.ts";
import { isDatabaseAway, type Queries } from "../../core/database/transaction.ts";
import { type ProposalRow, proposalSchema, proposalsQuerySchema } from "../../core/rules/api/proposals.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { mayPropose, NETWORK_ACTOR, type ProposalKind, proposalRule } from "../../core/rules/proposals.ts";
import { keysOf } from "../../core/rules/records.ts";
import { TorcidaError } from "../../core/rules/torcida-error.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { refuseWrite } from "../catalogue/catalogue-writer.ts";
import { forbidden } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
import { listKept } from "../people/leaving.ts";
import type { Services } from "../services.ts";
import { carryOut } from "./proposal-effects.ts";
import { decisionRoutes, toWireDecision } from "./second-person.ts";

const TAKEN_AT_ONCE = 50;

/** What waits for a second person or for its day, and decisions about it. docs/product.md#proposals */
export function proposalRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/proposals", {
      summary: "Changes that wait for a second person or for their day, newest first",
      row: proposalSchema,
      query: proposalsQuerySchema,
      async list(query) {
        const { rows, ...page } = await listProposals(database.reader, query);
        const names = await nameSubjects(database.reader, rows);
        return { ...page, rows: rows.map((row) => toWireProposal(row, names.get(row.id) ?? null)) };
      },
    }),
    ...decisionRoutes(services, {
      path: "/api/admin/proposals",
      permission: "read",
      what: "Proposal",
      action: "proposal",
      verbs: {
        agree: "Agrees to what another admin asked for; it takes effect at once, or on its day where that is fixed",
        refuse: "Refuses what another admin asked for",
        undo: "Undoes what waits, one's own too",
      },
      whyLapsed: "What it was about has changed since: ask for it again",
      find: async (queries, id) => (await readProposals(queries, [id]))[0],
      requireOther(asked, { actor, role }) {
        // Whoever it is about would keep it from happening, or hurry it.
        const { friend }: ProposedFields = JSON.parse(asked.to_fields);
        const isAbout = asked.kind === "sessions" && asked.subject_id === actor;
        if (asked.is_own === 1n || isAbout || (asked.kind === "invite" && friend === actor))
          throw forbidden("Somebody else must decide about this", "OWN_REQUEST");
        if (!mayPropose(role, asked.kind)) throw forbidden(`The role ${role} may not do this`, "ROLE_NOT_ALLOWED");
      },
      async decide(queries, asked, { verb, actor, reason }) {
        if (verb === "agree" && asked.asked_by === NETWORK_ACTOR) return takeUp(services, queries, asked, actor);
        if (verb !== "agree" && asked.kind === "erase")
          await listKept(services, queries, asked.subject_id as WalletAddress);
        if (verb === "undo") return (await undoProposal(queries, asked.id, { actor, reason })) ? "done" : undefined;
        const state = verb === "agree" ? "agreed" : "refused";
        const closed = await closeRequests(queries, "proposals", [asked.id], { state, actor, reason });
        if (closed.length === 0) return undefined;
        if (verb === "refuse") return setProposal(queries, asked.id, { due_at: null }).then(() => "done");
        return agree(services, queries, asked, actor);
      },
      personOf: ({ kind, subject_id }) => (kind === "erase" || kind === "sessions" ? subject_id : null),
      logged: loggedOf,
      afterwards: () => cache.drop(),
    }),
  ];
}

/** What a network's word led to is from now on this person's own request. docs/product.md#programmes-changes */
async function takeUp(services: Services, queries: Queries, asked: Proposal, actor: string): Promise<"done"> {
  const { kind, subject_id: subject, from_fields, to_fields } = asked;
  const hasOthers = [...services.adminWallets].some(([wallet, role]) => wallet !== actor && mayPropose(role, kind));
  await propose(
    queries,
    { kind, subject, from: JSON.parse(from_fields), to: JSON.parse(to_fields) },
    { actor, hasOthers },
  );
  return "done";
}

async function agree(services: Services, queries: Queries, asked: Proposal, by: string): Promise<"done" | "lapsed"> {
  if (proposalRule(asked.kind).isDayFixed) {
    await setProposal(queries, asked.id, { due_at: asked.takes_effect_at });
    return "done";
  }
  const isDone = await isStillAsked(services, queries, asked, by);
  await setProposal(queries, asked.id, {
    due_at: null,
    takes_effect_at: BigInt(Date.now()),
    ...(isDone ? {} : { state: "lapsed" }),
  });
  return isDone ? "done" : "lapsed";
}

/** Carries it out. False: who asked may no longer ask, or what it was about has changed. */
async function isStillAsked(
  services: Services,
  queries: Queries,
  asked: Proposal,
  by: string | undefined,
): Promise<boolean> {
  const role = services.adminWallets.get(asked.asked_by as WalletAddress);
  // Whose link it is asks for nothing but what everybody gets.
  const isOfTeam = asked.is_own === 0n && asked.kind !== "invite";
  if (isOfTeam && !mayPropose(role, asked.kind)) return false;
  return carryOut(services, queries, asked, by).catch(refuseWrite);
}

/**
 * Carries out what nobody undid until its day. One that cannot be is tried again, and keeps no other waiting.
 * docs/product.md#proposals
 */
export async function takeEffect(services: Services): Promise<void> {
  const { kysely } = services.database;
  const failures: unknown[] = [];
  for (const id of await listDueProposals(kysely, TAKEN_AT_ONCE)) {
    const take = (isPossible: boolean) =>
      inAuditedTransaction(kysely, null, async (queries) => {
        const asked = await takeDueProposal(queries, id);
        if (!asked) return;
        // Nobody has agreed: it is all the decision of who asked.
        actAs(queries, asked.asked_by);
        const isDone = isPossible && (await isStillAsked(services, queries, asked, undefined));
        if (!isDone) await setProposal(queries, id, { state: "lapsed" });
        const { subject, words } = loggedOf(asked);
        const detail = { ...words, asked_by: asked.asked_by, ...(isDone ? {} : { lapsed: true }) };
        await appendAudit(queries, { actor: "system", action: "proposal.done", subject, detail });
      });
    try {
      // What the shop's own rules refuse today is over.
      await take(true).catch((error: unknown) => (error instanceof TorcidaError ? take(false) : Promise.reject(error)));
      services.log.info({ action: "proposal.done", proposal: Number(id) }, "A proposal's day has come");
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function loggedOf({ id, kind, subject_id, from_fields, to_fields }: Proposal) {
  const was: ProposedFields = JSON.parse(from_fields);
  const to: ProposedFields = JSON.parse(to_fields);
  return { subject: `proposal:${id}`, words: { kind, subject_id, ...to, was } };
}

function toWireProposal(row: Proposal, subject: string | null): ProposalRow {
  const { kind, subject_id } = row;
  const from: ProposedFields = JSON.parse(row.from_fields);
  const to: ProposedFields = JSON.parse(row.to_fields);
  // The lines of a bank's file are its own affair: their sum and number say it.
  const changes = keysOf(to)
    .filter((field) => field !== "lines")
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
  const joined = (end: "from" | "to") => changes.flatMap((one) => one[end] ?? []).join(" · ") || null;
  return {
    ...toWireDecision(row),
    kind,
    subject_id: /^\d+$/.test(subject_id) ? Number(subject_id) : subject_id,
    subject,
    from: joined("from"),
    to: joined("to"),
    changes,
    reason: row.reason,
    takes_effect_at: isoTime(row.takes_effect_at),
    needs_second: row.state === "open" && row.due_at === null,
  };
}

/** The names of the stores and fan tokens that some proposals are about, by proposal. */
async function nameSubjects(queries: Queries, rows: readonly Proposal[]): Promise<Map<bigint, string>> {
  const numbered = rows.filter(({ subject_id }) => /^\d+$/.test(subject_id));
  const ofTable = async (table: "stores" | "fan_tokens", isOf: (kind: ProposalKind) => boolean) => {
    const own = numbered.filter(({ kind }) => isOf(kind));
    if (own.length === 0) return [];
    const names = await queries
      .selectFrom(table)
      .select(["id", "name"])
      .where(
        among(
          queries,
          "id",
          own.map(({ subject_id }) => BigInt(subject_id)),
        ),
      )
      .execute();
    const byId = new Map(names.map(({ id, name }) => [String(id), name]));
    return own.flatMap(({ id, subject_id }) => {
      const name = byId.get(subject_id);
      return name === undefined ? [] : [[id, name] as const];
    });
  };
  const [stores, tokens] = await Promise.all([
    ofTable("stores", (kind) => kind.startsWith("store_")),
    ofTable("fan_tokens", (kind) => kind === "token_contract"),
  ]);
  return new Map([...stores, ...tokens]);
}
