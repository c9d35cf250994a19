import type { Request } from "express";
import type { z } from "zod";
import { idSchema } from "../../core/rules/api/common.ts";
import { type Permission, permissionsOf, type Role } from "../../core/rules/roles.ts";
import type { Session, Visitor } from "../people/sessions.ts";
import { notFound } from "./api-error.ts";
import type { Receipt } from "./gate.ts";
import type { Prepared } from "./prepared.ts";

/** The caller. An admin is a user whose wallet is on the list and who signed in with a nonce. */
export type Identity =
  | { kind: "anonymous" }
  | {
      kind: "user";
      visitor: Visitor;
      /** The role of an admin; undefined for everyone else. */
      role: Role | undefined;
    }
  | { kind: "service"; name: string };

/**
 * Who may call; every route has one. docs/product.md#access.
 * - `anyone`: the handler gets the identity if there is one.
 * - `user`: a live session, including one by a bare message.
 * - `proven_user`: a session by a nonce.
 * - `user_or_staff`: a live session, or a service; the handler checks ownership.
 * - `staff`: an admin or a service.
 * - `fresh_staff`: an admin who signed in at most 15 minutes ago, or a service.
 * - `admin`: an admin.
 * - `fresh_admin`: an admin who signed in at most 15 minutes ago.
 * - `signed`: the handler checks a signature over the body.
 */
export type Access =
  | "anyone"
  | "user"
  | "proven_user"
  | "user_or_staff"
  | "staff"
  | "fresh_staff"
  | "admin"
  | "fresh_admin"
  | "signed";

/**
 * What one call costs at most, and the caller's purses pay. docs/product.md#purses
 * `thread`: milliseconds of the one thread; `node`: calls of the chain's node; `stored`: bytes that stay in the database;
 * `mail`: e-mails.
 */
export type Cost = { thread: number; node: number; stored: number; mail: number };

/** The declared responses of a route: a schema per status, or a media type if it is not JSON. */
export type Responses = Partial<Record<number, z.ZodType | { type: string }>>;

/** Already serialized; with an `etag`, a caller that has it gets 304. */
export type TextReply = {
  status?: number;
  text: string | Buffer | Prepared;
  type: string;
  etag?: string;
  headers?: Record<string, string>;
};

/** Streamed, so it may be large. */
export type StreamReply = { chunks: AsyncIterable<string>; type: string; headers?: Record<string, string> };

/** The response bodies of a route that declares `R`. */
type BodyOf<R extends Responses> = {
  [Status in keyof R]: R[Status] extends z.ZodType ? z.output<R[Status]> : never;
}[keyof R];

/** A response of a route that declares `R`; the default status is 200. */
export type Reply<R extends Responses = Responses> =
  | TextReply
  | StreamReply
  | { status?: keyof R & number; body: BodyOf<R>; headers?: Record<string, string> };

/** A response whose shape was checked against the route's schemas. */
export type CheckedReply =
  | { status?: number; body: unknown; headers?: Record<string, string> }
  | TextReply
  | StreamReply;

/** A request as it came, before its body is understood. */
export type Asked<Parameters extends string = string> = {
  request: Request;
  identity: Identity;
  /** The raw body, and the same as text, for signatures and idempotency. */
  bytes: Buffer;
  rawBody: string;
  requestId: string;
  /** The caller's address, as purses count it. */
  origin: string;
  params: Record<Parameters, string>;
};

type Admitted<Parameters extends string = string> = Asked<Parameters> & Pick<Receipt, "giveBack">;

export type Call<Body = undefined, Query = undefined, Parameters extends string = string> = Admitted<Parameters> & {
  body: Body;
  query: Query;
};

/** The parameter names of a path: `/api/store/:id` → `id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Method = "get" | "post" | "put" | "delete";

/** A route's description without its handler, for the document. */
type Description = {
  method: Method;
  path: string;
  access: Access;
  /** The permission that an admin needs; default: `read` for `get`, every permission for writes. */
  permission?: Permission;
  cost: Cost;
  /** Registers or signs in: counted in the database too, for all apis together. */
  signsIn?: true;
  /** For balancers and monitors: the address alone pays, so that a busy shop does not look like a dead one. */
  isProbe?: true;
  summary: string;
  /** Body size limit; 64 KiB by default. */
  bodyLimitBytes?: number;
  /** The media types of a body that is not JSON, for the document. */
  bodyTypes?: readonly string[];
  body?: z.ZodType;
  query?: z.ZodType;
  /** The headers that the handler reads, by lower-case name, for the document. */
  headers?: Record<string, { description: string; isRequired?: boolean }>;
  /** The errors of this call in addition to those of every similar call, for the document. */
  failures?: Partial<Record<401 | 403 | 404 | 409 | 422, string>>;
  responses: Responses;
  /** Other media types of the response, selected by the `Accept` header. */
  alternatives?: readonly string[];
};

/** A route whose handler is bound to its request and response schemas. */
type Definition<Body, Query, R extends Responses, Path extends string, Answer> = Omit<
  Description,
  "method" | "path" | "body" | "query"
> & {
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  responses: R;
  /** How many times `cost` this call is; once by default. */
  times?(request: Request): number;
  /** Of a `signed` call: whose secret it knows. That account pays for it; undefined: the address of origin. */
  account?(asked: Asked<ParametersOf<Path>>): string | undefined;
  /** Runs before the body is parsed, for signatures over its bytes. */
  before?(asked: Asked<ParametersOf<Path>>): void;
  handle(call: Call<Body, Query, ParametersOf<Path>>): Promise<Answer> | Answer;
};

/** Parses body and query with a route's schemas. @throws ApiError that names the field. */
export type Reader = { body<T>(schema: z.ZodType<T>): T; query<T>(schema: z.ZodType<T>): T };

export type Route = Description & {
  times?(request: Request): number;
  account?(asked: Asked): string | undefined;
  run(call: Admitted, read: Reader): Promise<CheckedReply> | CheckedReply;
};

/** Binds a handler to its route's schemas and erases their types for the table of routes. */
type Bind = <
  Body = undefined,
  Query = undefined,
  const R extends Responses = Responses,
  const Path extends string = string,
  const Answer extends Reply<R> = Reply<R>,
>(
  path: Path,
  definition: Definition<Body, Query, R, Path, Answer>,
) => Route;

function bind(method: Method): Bind;
function bind(method: Method) {
  return (
    path: string,
    { handle, before, ...description }: Definition<unknown, unknown, Responses, string, Reply>,
  ): Route => ({
    ...description,
    method,
    path,
    run(call, read) {
      before?.(call);
      const body = description.body && read.body(description.body);
      const query = description.query && read.query(description.query);
      return handle({ ...call, body, query });
    },
  });
}

/** One row of the table of routes: `route.get("/api/me", { access, summary, responses, handle })`. */
export const route = { get: bind("get"), post: bind("post"), put: bind("put"), delete: bind("delete") };

export function visitorOf(identity: Identity): Visitor {
  if (identity.kind !== "user") throw new Error("A route for users was reached without one");
  return identity.visitor;
}

export function roleOf(identity: Identity): Role {
  if (identity.kind === "user" && identity.role !== undefined) return identity.role;
  throw new Error("A route for admins was reached without one");
}

export function isAllowed(identity: Identity, permission: Permission): boolean {
  return identity.kind === "user" && identity.role !== undefined && permissionsOf(identity.role).includes(permission);
}

export function actorOf(identity: Identity): string {
  if (identity.kind === "user") return identity.visitor.wallet;
  return identity.kind === "service" ? `service:${identity.name}` : "anonymous";
}

/** Whether the wallet signed in at most `maximumAgeMs` milliseconds ago. docs/product.md#sign-in-proof */
export function isFresh(session: Pick<Session, "createdAt">, maximumAgeMs: number): boolean {
  return BigInt(Date.now()) - session.createdAt <= BigInt(maximumAgeMs);
}

/** An id in a path. `what` is what it identifies, for the message. @throws ApiError 404 for anything else */
export function readId(text: string | undefined, what: string): bigint {
  const id = idSchema.safeParse(text ?? "");
  if (!id.success) throw notFound(what);
  return id.data;
}

/** The id to pass for the next page; null on the last. */
export function nextBefore<Row>(rows: readonly Row[], limit: number, idOf: (row: Row) => bigint): number | null {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return last === undefined ? null : Number(idOf(last));
}
