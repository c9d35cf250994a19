import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { propose } from "../../core/database/proposals.ts";
import { lockUsers } from "../../core/database/touch-user.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { nextInviteBps } from "../../core/purchases/invites.ts";
import { inviteResponseSchema } from "../../core/rules/api/invites.ts";
import {
  INVITE_LOOK_MS,
  INVITE_MARKS_MS,
  INVITES_A_MONTH,
  inviteMarks,
  needsPerson,
} from "../../core/rules/invites.ts";
import { monthOf } from "../../core/rules/iso-time.ts";
import { percentText } from "../../core/rules/money.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { notFound } from "../http/api-error.ts";
import { originOf } from "../http/origin.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import { keyedHash } from "../keyed-hash.ts";
import { inviteBpsNow } from "../purchases/registration.ts";
import type { Services } from "../services.ts";
import { siteOf } from "./sign-in.ts";

const CODE_LENGTH = 16;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** The link by which a user brings friends. docs/product.md#invite */
export function inviteRoute(services: Services): Route {
  const { kysely } = services.database;
  return route.get("/api/me/invite", {
    access: "user",
    cost: { thread: 1, node: 0, stored: 300, mail: 0 },
    summary: "The signed-in user's link for friends, how many it brought this month, and what both get",
    failures: { 404: "This site gives nothing for bringing friends" },
    responses: { 200: inviteResponseSchema },
    async handle({ identity, request }) {
      const bps = inviteBpsNow(services);
      if (bps === 0n) throw notFound("Invitation");
      const { wallet } = visitorOf(identity);
      const traces = tracesOf(services, request);
      const known = await kysely
        .selectFrom("invite_codes")
        .select("code")
        .where("wallet", "=", wallet)
        .executeTakeFirst();
      const mark = await kysely.selectFrom("invite_marks").selectAll().where("wallet", "=", wallet).executeTakeFirst();
      // A look from where it looked before writes nothing.
      const isNoted =
        mark !== undefined &&
        mark.created_at >= BigInt(Date.now() - INVITE_LOOK_MS) &&
        mark.address_hash === traces.address_hash &&
        mark.device_hash === traces.device_hash;
      const code =
        known && isNoted
          ? known.code
          : await inTransaction(kysely, async (queries) => {
              await noteMarks(queries, { wallet, inviter: wallet, ...traces });
              return known?.code ?? (await makeCode(queries, wallet));
            });
      const used = await countOfMonth(kysely, wallet);
      return {
        body: {
          success: true,
          url: `${siteOf(services, request).uri}/c/${code}`,
          used,
          left: Math.max(0, INVITES_A_MONTH - used),
          bonus_percent: percentText(bps),
          next_percent: percentIfAny(await nextInviteBps(kysely, wallet, bps)),
        },
      };
    },
  });
}

const percentIfAny = (bps: bigint): string | null => (bps === 0n ? null : percentText(bps));

/** A wallet's own, made when it is first asked for: 80 bits as base32, so that nobody finds another one's by trying. */
async function makeCode(queries: Queries, wallet: WalletAddress): Promise<string> {
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => BASE32[byte % 32]);
  await queries
    .insertInto("invite_codes")
    .values({ wallet, code: letters.join(""), created_at: BigInt(Date.now()) })
    .onConflict((conflict) => conflict.column("wallet").doNothing())
    .execute();
  const { code } = await queries
    .selectFrom("invite_codes")
    .select("code")
    .where("wallet", "=", wallet)
    .executeTakeFirstOrThrow();
  return code;
}

async function countOfMonth(queries: Queries, inviter: WalletAddress): Promise<number> {
  const rows = await queries
    .selectFrom("invites")
    .select("id")
    .where("inviter", "=", inviter)
    .where("month", "=", monthOf(BigInt(Date.now())))
    .limit(INVITES_A_MONTH)
    .execute();
  return rows.length;
}

// A friend registers --------------------------------------------------------------------------------------------------------

/**
 * Whoever registers by a link is from now on a friend of whose it is, in the transaction of the registration: a wallet that
 * never visited or bought here, one of ten a month, once. A link that says nothing costs nobody the registration.
 * docs/product.md#invite
 */
export async function acceptInvite(
  services: Services,
  queries: Queries,
  { friend, code, request }: { friend: WalletAddress; code: string; request: Request },
): Promise<void> {
  if (inviteBpsNow(services) === 0n) return;
  const link = await queries.selectFrom("invite_codes").select("wallet").where("code", "=", code).executeTakeFirst();
  if (!link || link.wallet === friend || !(await isNew(queries, friend))) return;
  const inviter = link.wallet;
  // So that two who register at once are counted one after the other.
  await lockUsers(queries, new Set([inviter]));
  if ((await countOfMonth(queries, inviter)) >= INVITES_A_MONTH) return;
  const now = BigInt(Date.now());
  const own = tracesOf(services, request);
  const others = await queries
    .selectFrom("invite_marks")
    .select(["wallet", "address_hash", "device_hash"])
    .where("inviter", "=", inviter)
    .where("created_at", ">", now - BigInt(INVITE_MARKS_MS))
    .execute();
  const friends = others.filter(({ wallet }) => wallet !== inviter).length;
  const { adminWallets } = services;
  const marks = inviteMarks(own, others, friends, adminWallets.has(inviter) || adminWallets.has(friend));
  const waits = needsPerson(marks);
  await noteMarks(queries, { wallet: friend, inviter, ...own });
  const inserted = await queries
    .insertInto("invites")
    .values({ friend, inviter, month: monthOf(now), state: waits ? "waiting" : "open", created_at: now })
    .onConflict((conflict) => conflict.column("friend").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!inserted || !waits) return;
  // No day lets it go on: a person says so, or nobody.
  const to = { inviter, friend, marks: marks.join(" ") };
  await propose(queries, { kind: "invite", subject: inserted.id, to }, { actor: inviter, hasOthers: true });
}

/** Nothing of it is here or on the chain, also of a profile that was erased. */
async function isNew(queries: Queries, wallet: WalletAddress): Promise<boolean> {
  const found = await Promise.all([
    queries.selectFrom("clicks").select("id").where("wallet", "=", wallet).limit(1).execute(),
    queries.selectFrom("purchases").select("id").where("wallet", "=", wallet).limit(1).execute(),
    queries.selectFrom("nfts").select("token_id as id").where("owner", "=", wallet).limit(1).execute(),
    queries.selectFrom("invites").select("id").where("friend", "=", wallet).execute(),
  ]);
  return found.every((rows) => rows.length === 0);
}

// Where from ----------------------------------------------------------------------------------------------------------------

type Traces = { address_hash: string; device_hash: string };

/** By hashes whose key is not in the database; the kind of device is what a browser says of itself. */
function tracesOf({ environment: { SALE_REF_KEY: key } }: Services, { ip = "", headers }: Request): Traces {
  const device = `${headers["user-agent"] ?? ""} ${headers["accept-language"] ?? ""}`;
  return {
    address_hash: keyedHash(key, `invite from ${originOf(ip)}`),
    device_hash: keyedHash(key, `invite by ${device}`),
  };
}

async function noteMarks(
  queries: Queries,
  mark: Traces & { wallet: WalletAddress; inviter: WalletAddress },
): Promise<void> {
  const row = { ...mark, created_at: BigInt(Date.now()) };
  const { wallet, ...seen } = row;
  await queries
    .insertInto("invite_marks")
    .values(row)
    .onConflict((conflict) => conflict.column("wallet").doUpdateSet(seen))
    .execute();
}

/** Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldMarks(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const old = await queries
    .selectFrom("invite_marks")
    .select("wallet")
    .where("created_at", "<", now - BigInt(INVITE_MARKS_MS))
    .orderBy("created_at")
    .limit(limit)
    .execute();
  const wallets = old.map(({ wallet }) => wallet);
  if (wallets.length > 0) await queries.deleteFrom("invite_marks").where("wallet", "in", wallets).execute();
  return old.length === limit;
}
