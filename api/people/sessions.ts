import { hash, randomBytes } from "node:crypto";
import type { RawBuilder } from "kysely";
import { among } from "../../core/database/among.ts";
import { databaseNow, engineOf } from "../../core/database/clock.ts";
import { currentPosition } from "../../core/database/replica.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { type Device, MOST_SESSIONS, type SignInPurpose } from "../../core/rules/session.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { endAllDevices, endDevices, endDevicesOfSession } from "../push/devices.ts";

/** `nonce`: the wallet signed a challenge. `compat`: it signed the bare message. */
export type SessionKind = "nonce" | "compat";

export type Session = {
  tokenHash: string;
  wallet: WalletAddress;
  kind: SessionKind;
  /** When the wallet signed. */
  createdAt: bigint;
  lastSeenAt: bigint;
};

/** The session's user, read in one query, with the versions that show whether a cached response is stale. */
export type Visitor = Session & {
  email: string;
  firstName: string;
  lastName: string;
  /** Changes whenever the user's rows or the index's rows of their purchases change. */
  revision: string;
  /** Where this session last wrote, for its reads. docs/operations.md#a-read-replica */
  written: bigint;
  /** Whether a payout has reached the wallet. */
  wasPaid: boolean;
  /** The last indexed block; undefined before the first. */
  indexed: { block: bigint; hash: string } | undefined;
};

const TOKEN_BYTES = 32;
/** Of a shop that had more: the rest goes with the next sign-ins. */
const LISTED_SESSIONS = 1_000;

export function hashToken(token: string): string {
  return hash("sha256", token);
}

/** Creates a session and returns its opaque token, which is not stored. Those used longest ago end beyond `MOST_SESSIONS`. */
export async function insertSession(
  queries: Queries,
  wallet: WalletAddress,
  { kind, device }: { kind: SessionKind; device: Device | null },
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const now = BigInt(Date.now());
  await queries
    .insertInto("sessions")
    .values({
      token_hash: hashToken(token),
      wallet,
      kind,
      created_at: now,
      last_seen_at: now,
      device,
      // What this buyer's other sessions wrote.
      written_position: engineOf(queries) === "postgres" ? currentPosition() : null,
    })
    .execute();
  await queries
    .updateTable("sessions")
    .set({ revoked_at: now })
    .where("token_hash", "in", ({ selectFrom }) =>
      selectFrom("sessions")
        .select("token_hash")
        .where("wallet", "=", wallet)
        .where("revoked_at", "is", null)
        .orderBy("last_seen_at", "desc")
        .orderBy("token_hash")
        .limit(LISTED_SESSIONS)
        .offset(MOST_SESSIONS),
    )
    .execute();
  return token;
}

/** Sessions with their users, by token hash, expired ones included; unknown and revoked ones are missing. */
export async function findVisitors(queries: Queries, tokenHashes: readonly string[]): Promise<Map<string, Visitor>> {
  const rows = await queries
    .selectFrom("sessions")
    .innerJoin("users", "users.wallet", "sessions.wallet")
    .leftJoin("buyer_totals", "buyer_totals.wallet", "sessions.wallet")
    .leftJoin("chain_cursor", (join) => join.on("chain_cursor.id", "=", 1n))
    .select([
      "sessions.token_hash",
      "sessions.wallet",
      "sessions.kind",
      "sessions.created_at",
      "sessions.last_seen_at",
      "sessions.written_position",
      "users.email",
      "users.first_name",
      "users.last_name",
      "users.revision",
      "buyer_totals.revision as totals_revision",
      "buyer_totals.paid_gwei",
      "chain_cursor.block_number",
      "chain_cursor.block_hash",
    ])
    .where(among(queries, "sessions.token_hash", tokenHashes))
    .where("sessions.revoked_at", "is", null)
    .where("users.erased_at", "is", null)
    .execute();
  return new Map(rows.map((row) => [row.token_hash, toVisitor(row)]));
}

type VisitorRow = {
  token_hash: string;
  wallet: WalletAddress;
  kind: SessionKind;
  created_at: bigint;
  last_seen_at: bigint;
  written_position: bigint | null;
  email: string;
  first_name: string;
  last_name: string;
  revision: bigint;
  totals_revision: bigint | null;
  paid_gwei: bigint | null;
  block_number: bigint | null;
  block_hash: string | null;
};

function toVisitor(row: VisitorRow): Visitor {
  return {
    tokenHash: row.token_hash,
    wallet: row.wallet,
    kind: row.kind,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    written: row.written_position ?? 0n,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    revision: `${row.revision}:${row.totals_revision ?? 0n}`,
    wasPaid: (row.paid_gwei ?? 0n) > 0n,
    indexed:
      row.block_number === null || row.block_hash === null
        ? undefined
        : { block: row.block_number, hash: row.block_hash },
  };
}

/** When a session was last seen, or up to where it wrote, so that its next read sees that, at any api. */
export async function noteSession(
  queries: Queries,
  tokenHash: string,
  seen: { last_seen_at: bigint } | { written_position: RawBuilder<bigint> },
): Promise<void> {
  await queries.updateTable("sessions").set(seen).where("token_hash", "=", tokenHash).execute();
}

export async function revokeSession(queries: Queries, tokenHash: string): Promise<void> {
  await queries
    .updateTable("sessions")
    .set({ revoked_at: BigInt(Date.now()) })
    .where("token_hash", "=", tokenHash)
    .execute();
  await endDevicesOfSession(queries, tokenHash);
}

export type ListedSession = Pick<Session, "tokenHash" | "kind" | "createdAt" | "lastSeenAt"> & {
  device: Device | null;
};

/** A wallet's sessions that were not revoked, including expired ones, most recently used first. */
export async function listSessions(queries: Queries, wallet: WalletAddress): Promise<ListedSession[]> {
  const rows = await queries
    .selectFrom("sessions")
    .select(["token_hash", "kind", "created_at", "last_seen_at", "device"])
    .where("wallet", "=", wallet)
    .where("revoked_at", "is", null)
    .orderBy("last_seen_at", "desc")
    .limit(LISTED_SESSIONS)
    .execute();
  return rows.map((row) => ({
    tokenHash: row.token_hash,
    kind: row.kind,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    device: row.device,
  }));
}

/** What a session is called in answers: it neither is the token nor leads to it. */
export function sessionIdOf({ tokenHash }: Pick<Session, "tokenHash">): string {
  return hash("sha256", `session ${tokenHash}`).slice(0, 16);
}

/** Ends all of a wallet's sessions, or all but one. Returns how many. */
export async function revokeSessions(queries: Queries, wallet: WalletAddress, exceptHash?: string): Promise<bigint> {
  const { numUpdatedRows } = await queries
    .updateTable("sessions")
    .set({ revoked_at: BigInt(Date.now()) })
    .where("wallet", "=", wallet)
    .where("revoked_at", "is", null)
    .$if(exceptHash !== undefined, (query) => query.where("token_hash", "!=", exceptHash ?? ""))
    .executeTakeFirst();
  await endDevices(queries, wallet, exceptHash);
  return numUpdatedRows;
}

export type Challenge = {
  nonce: string;
  wallet: WalletAddress;
  purpose: SignInPurpose;
  message: string;
  expiresAt: bigint;
};

export async function insertChallenge(queries: Queries, challenge: Challenge): Promise<void> {
  await queries
    .insertInto("sign_in_nonces")
    .values({
      nonce: challenge.nonce,
      wallet: challenge.wallet,
      purpose: challenge.purpose,
      message: challenge.message,
      expires_at: challenge.expiresAt,
    })
    .execute();
}

/** A valid challenge of this wallet for this purpose. */
export async function findOpenChallenge(
  queries: Queries,
  wanted: { nonce: string; wallet: WalletAddress; purpose: SignInPurpose },
): Promise<{ message: string } | undefined> {
  return queries
    .selectFrom("sign_in_nonces")
    .select("message")
    .where("nonce", "=", wanted.nonce)
    .where("wallet", "=", wanted.wallet)
    .where("purpose", "=", wanted.purpose)
    .where("used_at", "is", null)
    .where("expires_at", ">", databaseNow(queries))
    .executeTakeFirst();
}

/** Returns false if the nonce was spent in the meantime. */
export async function spendNonce(queries: Queries, nonce: string): Promise<boolean> {
  const now = databaseNow(queries);
  const { numUpdatedRows } = await queries
    .updateTable("sign_in_nonces")
    .set({ used_at: now })
    .where("nonce", "=", nonce)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Ends every session, and every challenge: in a database that is older than it was, those that a user has ended or spent
 * since are valid again.
 */
export async function endSignIns(queries: Queries): Promise<void> {
  await queries.deleteFrom("sessions").execute();
  await queries.deleteFrom("sign_in_nonces").execute();
  await endAllDevices(queries);
}

/** Deletes some expired sessions and challenges. Returns whether there may be more. */
export async function deleteExpired(queries: Queries, sessionsCreatedBefore: bigint, limit: number): Promise<boolean> {
  const challenges = await queries
    .deleteFrom("sign_in_nonces")
    .where("nonce", "in", ({ selectFrom }) =>
      selectFrom("sign_in_nonces").select("nonce").where("expires_at", "<", databaseNow(queries)).limit(limit),
    )
    .executeTakeFirst();
  const sessions = await queries
    .deleteFrom("sessions")
    .where("token_hash", "in", ({ selectFrom }) =>
      selectFrom("sessions").select("token_hash").where("created_at", "<", sessionsCreatedBefore).limit(limit),
    )
    .executeTakeFirst();
  return challenges.numDeletedRows >= limit || sessions.numDeletedRows >= limit;
}
