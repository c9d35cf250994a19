import { type AdminUser, adminUserSchema, usersQuerySchema } from "../../domain/api/admin-people.ts";
import { cashbackOfCentBps } from "../../domain/cashback.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { shownRate } from "../../rates/shown-rate.ts";
import { listRoute } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
import { listUsers, type UserRow } from "../people/user-list.ts";
import { isoTime, isoTimeIfAny } from "../sales/list-answer.ts";
import type { Services } from "../services.ts";

/** The shop's users: found, signed out, erased. docs/product.md#panel-lists */
export function userAdministrationRoutes(services: Services): Route[] {
  const { kysely } = services.database;
  return [
    listRoute({
      path: "/api/admin/users",
      summary: "Users, newest first, each with what its purchases add up to",
      row: adminUserSchema,
      query: usersQuerySchema,
      async list(query) {
        const { rows, ...page } = await listUsers(kysely, query);
        return { ...page, rows: rows.map((row) => toWireUser(services, row)) };
      },
    }),
  ];
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
