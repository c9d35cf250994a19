import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import {
  type AdminUser,
  adminUserResponseSchema,
  adminUserSchema,
  namesQuerySchema,
  namesResponseSchema,
  nicknameRequestSchema,
  sessionsRevokedSchema,
  usersQuerySchema,
} from "../../domain/api/admin-people.ts";
import { addressSchema, doneSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { cashbackOfCentBps } from "../../domain/cashback.ts";
import { isoTime, isoTimeIfAny } from "../../domain/iso-time.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { isNobodysRole, isVisibleName } from "../../domain/person-name.ts";
import { joinFullName } from "../../domain/text.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { erasedFileOf } from "../../platform/environment.ts";
import { shownRate } from "../../rates/rate-source.ts";
import { forbidden, notFound } from "../http/api-error.ts";
import { isAlive } from "../http/identity.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Identity, type Route, roleOf, route } from "../http/route.ts";
import { listErased } from "../people/erased-list.ts";
import { listSessions, revokeSessions } from "../people/sessions.ts";
import { eraseUser, findUser, listUsers, readNames, readUsers, setNickname, type UserRow } from "../people/users.ts";
import type { Services } from "../services.ts";

/** Lists users, ends their sessions and erases profiles. docs/product.md#panel-users */
export function userAdministrationRoutes(services: Services): Route[] {
  const { database, adminWallets, environment } = services;
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
      list: (query) => pageOf(listUsers(reader, query), (row) => toWireUser(services, row)),
    }),
    route.get("/api/admin/names", {
      access: "admin",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "Whose wallets these are",
      query: namesQuerySchema,
      responses: { 200: namesResponseSchema },
      async handle({ query: { wallets } }) {
        const rows = await readNames(database.reader, wallets);
        const byWallet = new Map(rows.map((row) => [row.wallet, row.nickname || registeredName(row)]));
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
      async handle({ params }) {
        const wallet = readWallet(params.wallet);
        const [row] = await readUsers(kysely, [wallet]);
        if (!row) throw notFound("User");
        const sessions = (await listSessions(kysely, wallet)).filter(isAlive).map((session) => ({
          kind: session.kind,
          created_at: isoTime(session.createdAt),
          last_seen_at: isoTime(session.lastSeenAt),
        }));
        return { body: { success: true, user: { ...toWireUser(services, row), sessions } } };
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
        await inAuditedTransaction(kysely, async (queries) => {
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
      summary: "Ends all sessions of a user",
      responses: { 200: sessionsRevokedSchema },
      async handle({ params, body, identity }) {
        const wallet = readWallet(params.wallet);
        const revoked = await inAuditedTransaction(kysely, async (queries) => {
          if (!(await findUser(queries, wallet))) throw notFound("User");
          const count = Number(await revokeSessions(queries, wallet));
          const detail = { reason: body.reason || null, sessions: count };
          await appendAudit(queries, {
            actor: actorOf(identity),
            action: "user.sessions_revoke",
            subject: `user:${wallet}`,
            detail,
          });
          return count;
        });
        return { body: { success: true, message: "Sessions ended", revoked } };
      },
    }),
    route.post("/api/admin/users/:wallet/erase", {
      ...DECISION,
      cost: { thread: 4, node: 0, stored: 900, mail: 0 },
      summary: "Erases a user's profile; the purchases stay, identified by wallet only",
      responses: { 200: doneSchema },
      async handle({ params, body, identity }) {
        const wallet = readWallet(params.wallet);
        requireOwnerForTeam(wallet, identity);
        await inAuditedTransaction(kysely, async (queries) => {
          const user = await findUser(queries, wallet);
          if (!user) throw notFound("User");
          listErased(erasedFileOf(environment), environment, user);
          await eraseUser(queries, wallet, environment);
          // Must not contain any erased data.
          const detail = { reason: body.reason || null };
          await appendAudit(queries, {
            actor: actorOf(identity),
            action: "user.erase",
            subject: `user:${wallet}`,
            detail,
          });
        });
        return { body: { success: true, message: "Profile erased" } };
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

function toWireUser(services: Services, row: UserRow): AdminUser {
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
    erased_at: isoTimeIfAny(row.erased_at),
  };
}
