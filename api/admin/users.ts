import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { findWaiting, propose } from "../../core/database/proposals.ts";
import { touchUser } from "../../core/database/touch-user.ts";
import { shownRate } from "../../core/rates/rate-source.ts";
import {
  type AdminUser,
  adminUserResponseSchema,
  adminUserSchema,
  namesQuerySchema,
  namesResponseSchema,
  nicknameRequestSchema,
  sessionsRevokedSchema,
  usersQuerySchema,
} from "../../core/rules/api/admin-people.ts";
import { addressSchema, doneSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import { proposedSchema } from "../../core/rules/api/proposals.ts";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import { isNobodysRole, isVisibleName } from "../../core/rules/person-name.ts";
import { joinFullName } from "../../core/rules/text.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { conflict, forbidden, invalid, notFound } from "../http/api-error.ts";
import { isAlive } from "../http/identity.ts";
import { listRoute, pageOf, wantsCsv } from "../http/list-route.ts";
import { actorOf, type Identity, isAllowed, type Route, roleOf, route } from "../http/route.ts";
import { noteOwners } from "../operations/notices.ts";
import { listSessions, revokeSessions } from "../people/sessions.ts";
import { findUser, listUsers, readNames, readUsers, setNickname, type UserRow } from "../people/users.ts";
import type { Services } from "../services.ts";
import { askerOf, proposed } from "./proposing.ts";

/** Lists users, ends their sessions and erases profiles. docs/product.md#panel-users */
export function userAdministrationRoutes(services: Services): Route[] {
  const { database, adminWallets } = services;
  const { reader, kysely } = services.database;
  /** No role renames or erases one above it. @throws ApiError 403 */
  const requireOwnerForTeam = (wallet: WalletAddress, identity: Identity) => {
    const isAllowed = !adminWallets.has(wallet) || roleOf(identity) === "owner";
    if (!isAllowed) throw forbidden("Only an owner may do this to a member of the team", "ROLE_NOT_ALLOWED");
  };
  return [
    listRoute("/api/admin/users", {
      summary: "Users with the totals of their purchases, newest first",
      row: adminUserSchema,
      query: usersQuerySchema,
      async list(query, request, identity) {
        const isWhole = readsPeople(identity);
        if (!isWhole && /^-?(?:name|email)$/.test(query.sort ?? ""))
          throw forbidden("Only who may read names and e-mails sorts by them", "ROLE_NOT_ALLOWED");
        const page = await pageOf(listUsers(reader, query, { isWhole }), (row) => toWireUser(services, row, isWhole));
        if (isWhole && !wantsCsv(request)) await noteRead(services, identity, page.rows.length);
        return page;
      },
      async onFile(rows, identity) {
        if (readsPeople(identity)) await noteExport(services, identity, rows);
      },
    }),
    route.get("/api/admin/names", {
      access: "admin",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "Whose wallets these are",
      query: namesQuerySchema,
      responses: { 200: namesResponseSchema },
      async handle({ query: { wallets }, identity }) {
        const rows = await readNames(database.reader, wallets);
        const shown = readsPeople(identity) ? (name: string) => name : initialsOf;
        const byWallet = new Map(rows.map((row) => [row.wallet, shown(row.nickname || registeredName(row))]));
        const names = [...new Set(wallets)]
          .map((wallet) => ({ wallet, name: byWallet.get(wallet) ?? "", role: adminWallets.get(wallet) ?? null }))
          .filter(({ name, role }) => name !== "" || role !== null);
        return { body: { success: true, names } };
      },
    }),
    route.get("/api/admin/users/:wallet", {
      access: "admin",
      cost: { thread: 3, node: 2, stored: 0, mail: 0 },
      summary: "One user with live sessions",
      responses: { 200: adminUserResponseSchema },
      async handle({ params, identity }) {
        const wallet = readWallet(params.wallet);
        const [row] = await readUsers(kysely, [wallet]);
        if (!row) throw notFound("User");
        const asked = await findWaiting(kysely, "erase", wallet);
        const erasure = asked && {
          proposal_id: Number(asked.id),
          takes_effect_at: isoTime(asked.takes_effect_at),
        };
        const sessions = (await listSessions(kysely, wallet)).filter(isAlive).map((session) => ({
          kind: session.kind,
          created_at: isoTime(session.createdAt),
          last_seen_at: isoTime(session.lastSeenAt),
        }));
        return {
          body: {
            success: true,
            user: { ...toWireUser(services, row, readsPeople(identity)), sessions, erasure: erasure ?? null },
          },
        };
      },
    }),
    route.post("/api/admin/users/:wallet/nickname", {
      ...DECISION,
      cost: { thread: 2, node: 0, stored: 700, mail: 0 },
      summary: "Sets or takes away what the team calls a user's wallet",
      body: nicknameRequestSchema,
      responses: { 200: doneSchema },
      async handle({ params, body: { nickname }, identity }) {
        const wallet = readWallet(params.wallet);
        requireOwnerForTeam(wallet, identity);
        await inAuditedTransaction(kysely, actorOf(identity), async (queries) => {
          if (!(await findUser(queries, wallet))) throw notFound("User");
          await setNickname(queries, wallet, nickname);
          // Not the nickname itself: it may be a person's name, which can be erased, the log cannot.
          const detail = { is_set: nickname !== "" };
          await appendAudit(queries, {
            actor: actorOf(identity),
            action: "user.nickname",
            subject: `user:${wallet}`,
            detail,
          });
        });
        return { body: { success: true, message: "Nickname saved" } };
      },
    }),
    route.post("/api/admin/users/:wallet/sessions/revoke", {
      ...DECISION,
      cost: { thread: 2, node: 0, stored: 600, mail: 0 },
      summary: "Ends all sessions of a user; those of the team after an hour, or when a second owner agrees",
      responses: { 200: sessionsRevokedSchema, 202: proposedSchema },
      async handle({ params, body, identity }) {
        const wallet = readWallet(params.wallet);
        const reason = body.reason || null;
        const actor = actorOf(identity);
        const isTeam = adminWallets.has(wallet) && wallet !== actor;
        if (isTeam) requireOwnerForTeam(wallet, identity);
        const outcome = await inAuditedTransaction(kysely, actor, async (queries) => {
          if (!(await findUser(queries, wallet))) throw notFound("User");
          const asked = isTeam
            ? await propose(
                queries,
                { kind: "sessions", subject: wallet, reason },
                askerOf(services, identity, "sessions"),
              )
            : undefined;
          const revoked = asked ? 0 : Number(await revokeSessions(queries, wallet));
          const detail = asked ? { proposal_id: Number(asked.id) } : { sessions: revoked };
          const entry = { actor, action: "user.sessions_revoke", subject: `user:${wallet}`, detail };
          await appendAudit(queries, { ...entry, note: { about: wallet, words: { reason } } });
          return { asked, revoked };
        });
        if (outcome.asked)
          return { status: 202, body: proposed(outcome.asked.id, outcome.asked.takesEffectAt, "Asked for") };
        return { status: 200, body: { success: true, message: "Sessions ended", revoked: outcome.revoked } };
      },
    }),
    route.post("/api/admin/users/:wallet/erase", {
      ...DECISION,
      cost: { thread: 4, node: 0, stored: 900, mail: 0 },
      access: "fresh_admin",
      summary: "Erases a user's profile after 72 hours; the purchases stay, identified by wallet only",
      failures: { 409: "It is asked for already" },
      responses: { 202: proposedSchema },
      async handle({ params, body, identity }) {
        const wallet = readWallet(params.wallet);
        requireOwnerForTeam(wallet, identity);
        const { reason } = body;
        if (!reason) throw invalid("reason is missing: it says why this person's account goes", "reason");
        const asked = await inAuditedTransaction(kysely, actorOf(identity), async (queries) => {
          if (!(await findUser(queries, wallet))) throw notFound("User");
          const known = await findWaiting(queries, "erase", wallet);
          if (known) throw conflict("The erasure of this profile is asked for already", "DECIDED");
          const wish = { kind: "erase" as const, subject: wallet, reason };
          const asked = await propose(queries, wish, askerOf(services, identity, "erase"));
          await touchUser(queries, wallet);
          const detail = { proposal_id: Number(asked.id) };
          const entry = { actor: actorOf(identity), action: "user.erase", subject: `user:${wallet}`, detail };
          await appendAudit(queries, { ...entry, note: { about: wallet, words: { reason } } });
          return asked;
        });
        return { status: 202, body: proposed(asked.id, asked.takesEffectAt, "Erasure asked for") };
      },
    }),
  ];
}

/** Empty if it could pass as another's: anybody registers under the name of their choice. */
function registeredName({ first_name, last_name }: Record<"first_name" | "last_name", string>): string {
  const name = joinFullName(first_name, last_name);
  return isVisibleName(name) && isNobodysRole(name) ? name : "";
}

const DECISION = {
  access: "admin",
  permission: "people",
  body: noBodyOrReasonSchema,
} as const;

function readWallet(text: string): WalletAddress {
  const wallet = addressSchema.safeParse(text);
  if (!wallet.success) throw notFound("User");
  return wallet.data;
}

function toWireUser(services: Services, stored: UserRow, isWhole: boolean): AdminUser {
  const row = isWhole ? stored : masked(stored);
  const rate = shownRate(services.rates, services.environment.WEI_PER_CENT);
  const sum = (gwei: bigint | null, centBps: bigint | null) =>
    chzTextFromGwei((gwei ?? 0n) + cashbackOfCentBps(centBps ?? 0n, rate));
  const purchases = [row.processing, row.pending, row.confirmed, row.cancelled];
  return {
    wallet: row.wallet,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    nickname: row.nickname,
    state: row.erased_at === null ? "active" : "erased",
    role: services.adminWallets.get(row.wallet) ?? null,
    has_proven: row.nonce_seen === 1n,
    purchases: purchases.reduce<number>((total, n) => total + Number(n ?? 0n), 0),
    confirmed: sum(row.confirmed_gwei, row.confirmed_cent_bps),
    pending: sum(row.pending_gwei, row.pending_cent_bps),
    paid: chzTextFromGwei(row.paid_gwei ?? 0n),
    created_at: isoTime(row.created_at),
    erased_at: isoTime(row.erased_at),
  };
}

// Names and e-mails: only who helps people reads them whole. docs/product.md#panel-people ------------------------------------

type Personal = { email: string; first_name: string; last_name: string; nickname: string };

const readsPeople = (identity: Identity): boolean => isAllowed(identity, "people:read");

const initial = (text: string) => [...text][0] ?? "";

/** `Ana Maria` → `A. M.` */
const initialsOf = (name: string): string =>
  joinFullName(name, "")
    .split(" ")
    .filter(Boolean)
    .map((word) => `${initial(word)}.`)
    .join(" ");

/** As everybody else in the team reads them: `a…@g…` and initials. */
function masked<Row extends Personal>(row: Row): Row {
  const { email, first_name, last_name, nickname } = row;
  const [name = "", host = ""] = email.split("@");
  return {
    ...row,
    email: email === "" ? "" : `${initial(name)}…@${initial(host)}…`,
    first_name: initialsOf(first_name),
    last_name: initialsOf(last_name),
    nickname: initialsOf(nickname),
  };
}

/** Into the audit log and to the owners: so many people's data left the shop. docs/product.md#panel-people */
async function noteExport(services: Services, identity: Identity, count: number): Promise<void> {
  const actor = actorOf(identity);
  await inAuditedTransaction(services.database.kysely, actor, async (queries) => {
    await appendAudit(queries, { actor, action: "user.export", subject: "users", detail: { count } });
    await noteOwners(services, queries, { kind: "people_exported", count, text: `${actor} exported ${count} people` });
  });
}

const HOUR_MS = 3_600_000;
/** So many read in an hour on pages count as an export too. */
const READ_AN_HOUR = 500;
const read = new Map<string, { since: number; count: number }>();

/** Pages are for looking somebody up; who reads them all has exported them. */
async function noteRead(services: Services, identity: Identity, count: number): Promise<void> {
  const actor = actorOf(identity);
  const now = Date.now();
  const before = read.get(actor);
  const known = before && now - before.since < HOUR_MS ? before : { since: now, count: 0 };
  known.count += count;
  read.set(actor, known);
  if (known.count < READ_AN_HOUR) return;
  read.delete(actor);
  await noteExport(services, identity, known.count);
}
