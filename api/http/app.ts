import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SpanKind } from "@opentelemetry/api";
import compression from "compression";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { BaseError, isAddress } from "viem";
import type { z } from "zod";
import { currentPosition, readingFrom } from "../../core/database/replica.ts";
import { databaseErrorCode, isDatabaseAway } from "../../core/database/transaction.ts";
import { NoAgreementError } from "../../core/process/rpc/every-node.ts";
import { inSpan } from "../../core/process/tracing.ts";
import { ruleOf, sentenceOf } from "../../core/rules/broken-rule.ts";
import { must } from "../../core/rules/field-rules.ts";
import { isRecord } from "../../core/rules/records.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import { isAddressShaped } from "../../core/rules/wallet-address.ts";
import type { Metrics } from "../operations/metrics.ts";
import { serveMetricsLocally } from "../operations/metrics.ts";
import { noteSession } from "../people/sessions.ts";
import type { Services } from "../services.ts";
import { ApiError, errorBody, forbidden, invalid, notFound, unavailable } from "./api-error.ts";
import { trustedProxies } from "./connection-limit.ts";
import { isKnown } from "./etag.ts";
import { accountPayer, payerOf, type Receipt } from "./gate.ts";
import { identify, requireAccess } from "./identity.ts";
import { originOf } from "./origin.ts";
import { Prepared } from "./prepared.ts";
import type { Asked, CheckedReply, Cost, Identity, Route, StreamReply } from "./route.ts";
import { API_HEADERS } from "./security-headers.ts";
import { parseStrictJson, StrictJsonError } from "./strict-json.ts";

const BODY_LIMIT_BYTES = 64 * 1024;
const JSON_TYPE = "application/json; charset=utf-8";
/** Case-insensitive, like the routes; an extra slash does not make it a page. */
const API_PATH = /^\/+api(?:\/|$)/i;

type AppOptions = {
  services: Services;
  metrics: Metrics;
  routes: readonly Route[];
  /** Serves the web app for every path outside `/api`. */
  site: express.RequestHandler;
};

/** The HTTP server: every route with its access rule, every error as JSON, the web app for everything else. */
export function createApp({ services, metrics, routes, site }: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", "simple");
  app.set("trust proxy", trustedProxies(services.environment.TRUST_PROXY));
  app.use(beginRequest(services, metrics));
  addRoutes(app, services, routes);
  refuseOtherMethods(app, routes);

  app.use((request: Request, _response: Response, next: NextFunction) => {
    next(API_PATH.test(request.path) ? notFound("Call") : undefined);
  });
  app.use(serveMetricsLocally(metrics));
  app.use(spendOfPage(services));
  app.use(site);
  app.use((_request: Request, _response: Response, next: NextFunction) => next(notFound("Page")));
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendError(services, error, request, response);
  });
  return app;
}

/** Request id, log and metrics; for calls also the headers, CORS and compression. */
function beginRequest(services: Services, metrics: Metrics): express.RequestHandler {
  const compress = compression();
  return (request, response, next) => {
    const requestId = randomUUID();
    response.locals.requestId = requestId;
    response.locals.startedAt = performance.now();
    response.setHeader("x-request-id", requestId);
    if (services.build !== undefined) response.setHeader("x-torcida-build", services.build);
    response.on("finish", () => {
      metrics.observeRequest(request, response);
      logRequest(services, request, response);
    });
    if (!API_PATH.test(request.path)) return next();
    for (const [name, value] of API_HEADERS) response.setHeader(name, value);
    if (applyCors(services.environment.CORS_ORIGINS, request, response)) return;
    compress(request, response, next);
  };
}

const ALLOWED_METHODS = "GET, POST, PUT, DELETE";
const ALLOWED_HEADERS = "authorization, content-type, idempotency-key";

/** Allows exactly the listed origins. Returns true if the request was a preflight, which it has answered. */
function applyCors(origins: readonly string[], request: Request, response: Response): boolean {
  const { origin } = request.headers;
  const isAllowed = origin !== undefined && origins.includes(origin);
  if (origins.length > 0) response.setHeader("vary", "Origin");
  if (isAllowed) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", "x-request-id, retry-after");
  }
  if (request.method !== "OPTIONS") return false;
  if (isAllowed) {
    response.setHeader("access-control-allow-methods", ALLOWED_METHODS);
    response.setHeader("access-control-allow-headers", ALLOWED_HEADERS);
    response.setHeader("access-control-max-age", "600");
  }
  response.statusCode = 204;
  response.end();
  return true;
}

/** The caller is admitted before the body is read. */
function addRoutes(app: Express, services: Services, routes: readonly Route[]): void {
  const bodyReader = (limit = BODY_LIMIT_BYTES) => express.raw({ type: () => true, limit, inflate: false });
  const readBody = bodyReader();
  for (const route of routes) {
    const readers = hasBody(route) ? [route.bodyLimitBytes ? bodyReader(route.bodyLimitBytes) : readBody] : [];
    const admitCaller = (request: Request, response: Response, next: NextFunction) => {
      response.locals.route = route.path;
      // Unless the route says otherwise.
      response.setHeader("cache-control", "no-store");
      admit(services, route, request, response).then(() => next(), next);
    };
    const name = `${route.method.toUpperCase()} ${route.path}`;
    const answerCaller = (request: Request, response: Response, next: NextFunction) => {
      const traced = {
        kind: SpanKind.SERVER,
        from: request.get("traceparent"),
        attributes: { "http.route": route.path, "torcida.request_id": String(response.locals.requestId) },
      };
      const endTurn = () => response.locals.endTurn?.();
      inSpan(name, traced, () => answer(services, route, request, response).finally(endTurn)).catch(next);
    };
    app[route.method](route.path, admitCaller, ...readers, answerCaller);
  }
}

/** Logs writes and failures; successful reads are only in the metrics. */
function logRequest({ log }: Services, request: Request, response: Response): void {
  if (request.method === "GET" && response.statusCode < 400) return;
  const { requestId, route, startedAt } = response.locals;
  const ms = Math.round(performance.now() - Number(startedAt));
  log.info({ requestId, method: request.method, route, status: response.statusCode, ms }, "request");
}

/**
 * Spends what the call costs, waits for its turn and checks access, before the body is read: one that brings a body has no turn
 * in hand, or a body that never comes would hold it. Of a signed call only the body says who pays.
 * @throws ApiError
 */
async function admit(services: Services, route: Route, request: Request, response: Response): Promise<void> {
  const identity = await identify(services, request);
  response.locals.identity = identity;
  if (route.access === "signed") return;
  const payer = { ...payerOf(identity, request.ip ?? ""), isProbe: route.isProbe };
  const receipt = await services.gate.spend(payer, costOf(route, request), route.signsIn);
  response.locals.receipt = receipt;
  const endTurn = await receipt.begin();
  try {
    requireAccess(route, identity);
  } catch (error) {
    receipt.giveBack(["node", "stored"]);
    endTurn();
    throw error;
  }
  if (hasBody(route)) endTurn();
  else response.locals.endTurn = endTurn;
}

const hasBody = ({ body, method }: Route): boolean => body !== undefined || method !== "get";

/** @throws ApiError 429 */
async function admitSigned({ gate }: Services, route: Route, call: Asked, response: Response): Promise<Receipt> {
  const account = route.account?.(call);
  const payer = account === undefined ? payerOf(call.identity, call.request.ip ?? "") : accountPayer(account);
  const receipt = await gate.spend(payer, costOf(route, call.request));
  response.locals.endTurn = await receipt.begin();
  return receipt;
}

/** A page or a file of the web app. */
const PAGE_COST: Cost = { thread: 0.5, node: 0, stored: 0, mail: 0 };

function spendOfPage({ gate }: Services): express.RequestHandler {
  return (request, _response, next) => {
    const payer = { kind: "origin", address: request.ip ?? "" } as const;
    // Most are in memory, so that many in hand cost others nothing.
    const begin = async () => (await (await gate.spend(payer, PAGE_COST)).begin())();
    begin().then(() => next(), next);
  };
}

function costOf({ cost, times }: Route, request: Request): Cost {
  const factor = times?.(request) ?? 1;
  if (factor === 1) return cost;
  const { thread, node, stored, mail } = cost;
  return { thread: thread * factor, node: node * factor, stored: stored * factor, mail: mail * factor };
}

async function answer(services: Services, route: Route, request: Request, response: Response): Promise<void> {
  const identity: Identity = response.locals.identity;
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const rawBody = route.bodyTypes ? "" : bytes.toString("utf8");
  const params = parametersOf(request);
  const asked = {
    ...{ request, identity, params, bytes, rawBody },
    requestId: String(response.locals.requestId),
    origin: originOf(request.ip ?? ""),
  };
  const receipt: Receipt = response.locals.receipt ?? (await admitSigned(services, route, asked, response));
  const call = { ...asked, giveBack: receipt.giveBack };
  const run = async () =>
    route.run(call, {
      body: (schema) => readValidBody(schema, request, rawBody),
      query: (schema) => readValidQuery(schema, request),
    });
  // The write stands, whether or not it can be noted.
  const noteOwnWrite = async () => {
    if (!services.database.replica || identity.kind !== "user") return;
    const position = { written_position: currentPosition() };
    await noteSession(services.database.kysely, identity.visitor.tokenHash, position).catch((error: unknown) =>
      services.log.warn({ err: error }, "The write of a session could not be noted"),
    );
  };
  const respond = async () => {
    const reply = await (route.method === "get" ? run() : run().finally(noteOwnWrite));
    // However slowly it is read.
    response.locals.endTurn?.();
    if ("chunks" in reply) return stream(request, response, reply);
    await send(request, response, reply);
  };
  await readingFrom(route.method === "get" ? writtenBy(identity) : undefined, respond);
}

/** What a caller has to see of their own; undefined: all, of a service that has no session to note it. */
function writtenBy(identity: Identity): bigint | undefined {
  if (identity.kind === "service") return undefined;
  return identity.kind === "user" ? identity.visitor.written : 0n;
}

/** Streams a response with backpressure; stops if the caller disconnects. */
async function stream(request: Request, response: Response, { chunks, type, headers }: StreamReply): Promise<void> {
  response.setHeader("content-type", type);
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  try {
    await pipeline(Readable.from(chunks), response);
  } catch (error) {
    if (databaseErrorCode(error) !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** No path has a wildcard, so each parameter is a single string. PostgreSQL has no text with a NUL. @throws ApiError 404 */
function parametersOf(request: Request): Record<string, string> {
  const given = Object.entries(request.params).map(([name, value]): [string, string] => [name, String(value)]);
  if (given.some(([, value]) => value.includes("\0"))) throw notFound("What the path names");
  return Object.fromEntries(given);
}

async function send(request: Request, response: Response, reply: Exclude<CheckedReply, StreamReply>): Promise<void> {
  response.statusCode = reply.status ?? 200;
  if (reply.headers) for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if ("body" in reply) {
    const text = JSON.stringify(reply.body);
    response.setHeader("content-type", JSON_TYPE);
    // Without a length, `compression` sends the head and the body in two writes.
    response.setHeader("content-length", Buffer.byteLength(text));
    response.end(text);
    return;
  }
  if (reply.etag !== undefined) {
    if (isKnown(reply.etag, request, response)) return;
  }
  response.setHeader("content-type", reply.type);
  if (reply.text instanceof Prepared) return reply.text.send(request, response);
  response.setHeader("content-length", Buffer.byteLength(reply.text));
  response.end(request.method === "HEAD" ? undefined : reply.text);
}

function readValidBody<T>(schema: z.ZodType<T>, request: Request, rawBody: string): T {
  if (rawBody === "") {
    const none = schema.safeParse(undefined);
    if (none.success) return none.data;
    throw invalid("The body is empty; send a JSON object");
  }
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new ApiError(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be JSON: set content-type to application/json");
  }
  const value = parseBody(rawBody);
  if (!isRecord(value)) throw invalid("The body must be a JSON object");
  requireChecksums(value);
  return validate(schema, value);
}

function parseBody(rawBody: string): unknown {
  try {
    return parseStrictJson(rawBody);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new ApiError(400, "INVALID_JSON", error.message);
    throw error;
  }
}

/** A mixed-case address has a checksum; an invalid one is a typo. docs/product.md#wallet-address */
function requireChecksums(body: Record<string, unknown>): void {
  for (const field of ["address", "user", "contract"]) {
    const value = body[field];
    if (typeof value !== "string" || !isAddressShaped(value)) continue;
    const digits = value.slice(2);
    const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
    if (isMixed && !isAddress(value, { strict: true })) {
      throw invalid(`${field} has a wrong checksum: copy the address again, or send it in lower case`, field);
    }
  }
}

/** PostgreSQL has no text with a NUL. */
function readValidQuery<T>(schema: z.ZodType<T>, { query }: Request): T {
  for (const [name, value] of Object.entries(query)) {
    if (String(value).includes("\0"))
      throw invalid(`${name} ${must("control_characters")}`, name, { rule: "control_characters" });
  }
  return validate(schema, query);
}

function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidByIssue(result.error);
}

/** A sentence that names the field. */
function invalidByIssue(error: z.ZodError): ApiError {
  const issue = error.issues[0];
  if (!issue) return invalid("The request is not valid");
  const broken = ruleOf(issue);
  if (issue.code === "unrecognized_keys")
    return invalid(`${issue.keys[0]} is not a field of this call`, issue.keys[0], broken);
  const field = issue.path.map(String).join(".");
  if (field === "") return invalid(issue.code === "custom" ? issue.message : `The request ${sentenceOf(issue)}`);
  return invalid(`${field} ${sentenceOf(issue)}`, field, broken);
}

function refuseOtherMethods(app: Express, routes: readonly Route[]): void {
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const methods = ofPath.map((route) => route.method.toUpperCase());
    const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    app.all(path, (_request: Request, _response: Response, next: NextFunction) => {
      next(new ApiError(405, "METHOD_NOT_ALLOWED", `This call accepts ${allow}`, { headers: { allow } }));
    });
  }
}

function sendError(services: Services, error: unknown, request: Request, response: Response): void {
  const requestId = String(response.locals.requestId);
  const known = toApiError(error);
  if (known.status >= 500) {
    const reason = error instanceof BaseError ? error.shortMessage : error;
    // The route, not the path: a push's path contains its secret.
    const { route } = response.locals;
    services.log.error({ requestId, method: request.method, route, err: reason }, known.message);
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.statusCode = known.status;
  for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value);
  response.setHeader("content-type", JSON_TYPE);
  response.setHeader("cache-control", "no-store");
  response.end(errorBody(known.code, known.message, requestId, known.extra));
}

/** Converts any error to a response: the caller's mistake, an unavailable service, or an internal error. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OwnSaleError) return forbidden(error.message, "OWN_SALE");
  if (error instanceof BaseError || error instanceof NoAgreementError) {
    return unavailable("CHAIN_UNAVAILABLE", "The chain does not answer now; try again");
  }
  if (isDatabaseAway(error)) {
    return unavailable("DATABASE_UNAVAILABLE", "The database does not answer now; try again");
  }
  const { status, type, limit }: Record<string, unknown> = isRecord(error) ? error : {};
  if (type === "entity.too.large") {
    const kibibytes = (typeof limit === "number" ? limit : BODY_LIMIT_BYTES) / 1024;
    return new ApiError(413, "BODY_TOO_LARGE", `The body is larger than ${kibibytes} KiB`);
  }
  if (type === "encoding.unsupported")
    return new ApiError(415, "UNSUPPORTED_MEDIA_TYPE", "The body must not be compressed");
  if (typeof status === "number" && status >= 400 && status < 500) {
    return new ApiError(status, "BAD_REQUEST", "The request cannot be read");
  }
  return new ApiError(500, "INTERNAL", "Something went wrong on our side");
}
