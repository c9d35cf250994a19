import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { PROOF_MS, SENTENCE_SESSION_MS, SESSION_IDLE_MS, SESSION_MS } from "../../core/rules/session.ts";
import { hashToken, noteSession, type Session } from "../people/sessions.ts";
import type { Services } from "../services.ts";
import { forbidden, unauthorized } from "./api-error.ts";
import { type Identity, isAllowed, isFresh, type Route } from "./route.ts";

/** The last use of a session is written at most this often. */
const TOUCH_MS = 60_000;

const ANONYMOUS: Identity = { kind: "anonymous" };
const BEARER = /^Bearer ([\w~+/.=-]{1,512})$/i;

/** The caller, by the bearer token; anonymous if it is unknown or expired. */
export async function identify(services: Services, request: Request): Promise<Identity> {
  const token = BEARER.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined) return ANONYMOUS;
  const service = services.environment.SERVICE_TOKENS.findIndex((known) => isSameSecret(known, token));
  if (service >= 0) return { kind: "service", name: String(service + 1) };
  const visitor = await services.visitors.find(hashToken(token));
  if (!visitor || !isAlive(visitor)) return ANONYMOUS;
  const now = BigInt(Date.now());
  if (now - visitor.lastSeenAt > TOUCH_MS) void noteLastUse(services, visitor.tokenHash, now);
  const role = visitor.kind === "nonce" ? services.adminWallets.get(visitor.wallet) : undefined;
  return { kind: "user", visitor, role };
}

const beingNoted = new Set<string>();

/**
 * No call waits for it or fails by it: a database that cannot write, or is locked, is still read. The next call tries
 * again.
 */
async function noteLastUse({ database, log }: Services, tokenHash: string, now: bigint): Promise<void> {
  if (beingNoted.has(tokenHash)) return;
  beingNoted.add(tokenHash);
  try {
    await noteSession(database.kysely, tokenHash, { last_seen_at: now });
  } catch (error) {
    log.warn({ err: error }, "The last use of a session could not be noted");
  } finally {
    beingNoted.delete(tokenHash);
  }
}

export function isAlive(session: Pick<Session, "kind" | "createdAt" | "lastSeenAt">): boolean {
  const now = BigInt(Date.now());
  const lifetime = session.kind === "compat" ? SENTENCE_SESSION_MS : SESSION_MS;
  return now - session.createdAt < lifetime && now - session.lastSeenAt < SESSION_IDLE_MS;
}

/** Compares two secrets in constant time, whatever their lengths. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Checks the access rule. docs/product.md#rights. @throws ApiError 401 only without a live session, otherwise 403 */
export function requireAccess(
  { access, permission, method }: Pick<Route, "access" | "permission" | "method">,
  identity: Identity,
): void {
  if (access === "anyone" || access === "signed") return;
  if (identity.kind === "anonymous") throw unauthorized();
  if (access === "user" || access === "proven_user") {
    requireUser(access, identity);
    return;
  }
  if (access === "user_or_staff") return;
  if (identity.kind === "service") {
    if (access === "admin" || access === "fresh_admin") throw forbidden("Only an administrator may do this");
    return;
  }
  if (identity.role === undefined) throw forbidden("Only an administrator may do this");
  const isPermitted =
    permission || method === "get" ? isAllowed(identity, permission ?? "read") : identity.role === "owner";
  if (!isPermitted) throw forbidden(`The role ${identity.role} may not do this`, "ROLE_NOT_ALLOWED");
  if (access === "fresh_staff" || access === "fresh_admin") requireFreshSignIn(identity);
}

/** Calls that move money require a sign-in within the last 15 minutes. docs/product.md#sign-in-proof @throws ApiError 403 */
export function requireFreshSignIn(identity: Identity): void {
  if (identity.kind !== "user" || isFresh(identity.visitor, PROOF_MS)) return;
  throw forbidden("Sign in again: this needs a sign-in of the last 15 minutes", "SIGN_IN_AGAIN");
}

function requireUser(access: "user" | "proven_user", identity: Identity): void {
  if (identity.kind !== "user") throw forbidden("Only a signed-in wallet may do this");
  if (access === "proven_user" && identity.visitor.kind !== "nonce") {
    throw forbidden("Sign in with a challenge to do this", "NONCE_REQUIRED");
  }
}
