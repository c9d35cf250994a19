import type { Request } from "express";
import type { z } from "zod";
import type { Session, Visitor } from "../people/sessions.ts";

/** Who calls. An admin is a user whose wallet is on the list and who signed in with a nonce. */
export type Identity =
  | { kind: "anonymous" }
  | { kind: "user"; visitor: Visitor; isAdmin: boolean }
  | { kind: "service"; name: string };

/**
 * Who may call; there is no route without one. docs/product.md#access.
 * - `anyone`: the identity is told where there is one.
 * - `user`: a live session, also one by a fixed sentence.
 * - `proven_user`: a session by a nonce.
 * - `user_or_staff`: a live session, or a service; the handler looks whose the thing is.
 * - `staff`: an admin or a service.
 * - `fresh_staff`: an admin who signed in at most 15 minutes ago, or a service.
 * - `admin`: an admin.
 * - `signed`: the handler checks a signature over the body.
 */
export type Access = "anyone" | "user" | "proven_user" | "user_or_staff" | "staff" | "fresh_staff" | "admin" | "signed";

/** Requests a minute; by origin, and for signed-in callers by wallet. Multiplied by RATE_LIMIT_SCALE. */
export type Limit = { perMinute: number; by: "origin" | "wallet" };

export type Reply =
  | { status?: number; body: object; headers?: Record<string, string> }
  /** Serialized before; `etag` lets a caller who has it be answered 304. */
  | { status?: number; text: string | Buffer; type: string; etag?: string; headers?: Record<string, string> };

export type Call<Body, Query> = {
  request: Request;
  identity: Identity;
  body: Body;
  query: Query;
  /** Path parameters, as they stand in the path. */
  params: Record<string, string>;
  /** The body's bytes as text, for signatures and idempotency. */
  rawBody: string;
  requestId: string;
};

export type Route<Body = unknown, Query = unknown> = {
  method: "get" | "post" | "put" | "delete";
  path: string;
  access: Access;
  summary: string;
  limit?: Limit;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  /** The headers that the handler looks at, by their names in lower case: for the document. */
  headers?: Record<string, { description: string; isRequired?: boolean }>;
  /** What can go wrong with this call beside what can with every call of its kind: for the document. */
  failures?: Partial<Record<404 | 409 | 422, string>>;
  responses: Partial<Record<number, z.ZodType | { type: string }>>;
  /** Runs before the body is read into its shape: for signatures over its bytes. */
  before?(call: Call<unknown, unknown>): void;
  handle(call: Call<Body, Query>): Promise<Reply> | Reply;
};

/** Keeps body and query types inside a route while the table holds routes of any. */
export function route<Body = unknown, Query = unknown>(definition: Route<Body, Query>): Route {
  return definition as unknown as Route;
}

/** The session of a call behind `user` or stricter. */
export function visitorOf(identity: Identity): Visitor {
  if (identity.kind !== "user") throw new Error("A route for users was reached without one");
  return identity.visitor;
}

/** Who did it, for the audit log. */
export function actorOf(identity: Identity): string {
  if (identity.kind === "user") return identity.visitor.wallet;
  return identity.kind === "service" ? `service:${identity.name}` : "anonymous";
}

export function isFresh(session: Pick<Session, "createdAt">, maximumAgeMs: number): boolean {
  return BigInt(Date.now()) - session.createdAt <= BigInt(maximumAgeMs);
}
