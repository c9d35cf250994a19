import { z } from "zod";
import { errorSchema } from "../../core/rules/api/common.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { SLUG_PATTERN } from "../../core/rules/text.ts";
import type { Access, Cost, Route } from "../http/route.ts";
import { EXAMPLES } from "./examples.ts";

type Json = Record<string, unknown>;
type Described = { description: string; schema: Json };

const ID: Json = { type: "string", pattern: "^[1-9]\\d{0,14}$" };
const WORD: Json = { type: "string" };

const OF_PATH: Readonly<Record<string, Described>> = {
  cashbackId: { description: "The number of a store's category.", schema: ID },
  tokenId: { description: "The number of a ticket, which is its purchase's.", schema: ID },
  wallet: { description: "The wallet.", schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" } },
  name: { description: "The name of an uploaded picture, as a store's `logo` has it.", schema: WORD },
  network: { description: "The affiliate network.", schema: WORD },
  account: { description: "Our account at the network.", schema: WORD },
  currency: { description: "A currency such as USD.", schema: { type: "string", pattern: "^[A-Z]{3}$" } },
  day: { description: "A day such as 2026-11-20.", schema: { type: "string", format: "date" } },
  slug: { description: "The slug of the club.", schema: { type: "string", pattern: SLUG_PATTERN.source } },
  secret: { description: "The secret of the account's push address.", schema: WORD },
};

const OF_QUERY: Readonly<Record<string, string>> = {
  limit: "How many rows a page has.",
  before: "Where the page starts: the `next_before` of the page before it.",
  source: "Only purchases that a store's network reported (`live`), or that nobody did (`simulated`).",
  token: "From the link in an e-mail.",
  query: "Whole numbers and hashes, or the beginning of a wallet, an order, an e-mail address or a name.",
  state: "Only rows in this state; empty: all.",
  country: "Only stores of this country.",
  category: "Only stores of this category.",
  club: "Only stores of this club.",
  featured: "Only stores that are featured, or that are not.",
  after: "Where the page starts: the `next_after` of the page before it.",
  store_id: "Only what is of this store.",
  ids: "Only these stores: ids with commas between them.",
  sort: "The order: a name upwards, `-name` downwards; empty: newest first.",
  status: "The status that the picture shows.",
  contract: "The address of a token's contract.",
  format: "The form of the catalogue file.",
  network: "Only sales of this affiliate network.",
  wallet: "The wallet whose books are asked for.",
  wallets: "The wallets whose names are asked for, with commas between them.",
  from: "The first month, such as 2026-01.",
  to: "The last month, such as 2026-11.",
  month: "A closed month such as 2026-10; without it, the newest one.",
  year: "The year, such as 2026.",
  language: "Of the words and numbers in a CSV: `pt` or `en`.",
  decision: "What a decision of the caller's would also change: answered as `preview`.",
  click_id: "The click that `assign` would give the sale to.",
  claim_id: "The claim that `match` would answer with the sale.",
  currency: "The currency of the rate whose acceptance is previewed, such as USD.",
  day: "Its day, such as 2026-11-20.",
};

type Content = Record<string, { schema?: unknown; example?: unknown }>;
type Parameter = { name: string; in: string; description?: string; required: boolean; schema?: unknown };
type Response = { description: string; content?: Content };

export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response>;
};

const CONTACT = {
  name: `${PRODUCT_NAME} support`,
  url: "https://torcida.example/help/contact",
  email: "contact@torcida.example",
};

const TEXT = { schema: { type: "string" } };

const ACCESS_TEXT: Record<Access, string> = {
  anyone: "Anyone.",
  user: "A signed-in user.",
  proven_user: "A user who signed in with a challenge.",
  user_or_staff: "The owner, an administrator or a service.",
  staff: "An administrator or a service.",
  fresh_staff: "An administrator who signed in within 15 minutes, or a service.",
  admin: "An administrator.",
  fresh_admin: "An administrator who signed in within 15 minutes.",
  signed: "A caller whose body is signed with the shared secret.",
};

/** The OpenAPI 3.1 document, generated from the routes and schemas that serve the calls. */
export function openApiDocument(routes: readonly Route[]) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: `${PRODUCT_NAME} API`,
      // The major version, within which calls, fields and codes stay. docs/upgrading.md#what-holds-from-100-on
      version: "1",
      description: "Cashback in CHZ for purchases at partner stores, with a bonus for holders of fan tokens.",
      contact: CONTACT,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS)
      .toSorted()
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchema(errorSchema, "output") },
    },
  };
}

function operation(route: Route): Operation {
  const parameters = [...pathParameters(route.path), ...queryParameters(route), ...headerParameters(route)];
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: `Who may call it: ${ACCESS_TEXT[route.access]}${route.permission ? ` An administrator's role must allow: ${route.permission}.` : ""} It costs at most ${costText(route.cost)}.`,
    tags: [tagOf(route.path)],
    ...(route.access === "anyone" || route.access === "signed" ? {} : { security: [{ bearer: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.bodyTypes
      ? { requestBody: { required: true, content: Object.fromEntries(route.bodyTypes.map((type) => [type, {}])) } }
      : {}),
    ...(route.body
      ? {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: {
              "application/json": {
                schema: jsonSchema(route.body, "input"),
                example: EXAMPLES[`${route.method} ${route.path}`],
              },
            },
          },
        }
      : {}),
    responses: { ...successes(route), ...failures(route) },
  };
}

/** docs/product.md#purses */
function costText({ thread, node, stored, mail }: Cost): string {
  const counted = (count: number, one: string) => (count === 0 ? [] : [`${count} ${one}${count === 1 ? "" : "s"}`]);
  return [
    `${thread} ms of the thread`,
    ...(node === 0 ? [] : [`${node} ${node === 1 ? "call" : "calls"} of the node`]),
    ...counted(stored, "byte"),
    ...counted(mail, "e-mail"),
  ].join(", ");
}

function successes(route: Route): Record<string, Response> {
  const entries = Object.entries(route.responses).map(([status, schema]) => {
    const content =
      schema instanceof z.ZodType
        ? {
            "application/json": { schema: jsonSchema(schema, "output") },
            ...(status === "200" ? Object.fromEntries((route.alternatives ?? []).map((type) => [type, TEXT])) : {}),
          }
        : Object.fromEntries([schema?.type ?? "text/plain", ...(route.alternatives ?? [])].map((type) => [type, {}]));
    const description = status === "202" ? "Queued" : status === "200" ? "Done" : "Not now";
    return [status, { description, content }] as const;
  });
  const cached: Record<string, Response> = route.headers?.["if-none-match"]
    ? { 304: { description: "The caller's copy is current" } }
    : {};
  return { ...Object.fromEntries(entries), ...cached };
}

function failures(route: Route): Record<string, Response> {
  const isProtected = route.access !== "anyone" && route.access !== "signed";
  const hasParameters = route.path.includes(":");
  const statuses: Record<string, string> = {
    ...(route.body || route.query || hasParameters
      ? { 400: "The request is not valid; the message names the field" }
      : {}),
    ...(isProtected ? { 401: "The session is missing or has ended" } : {}),
    ...(isProtected || route.access === "signed" ? { 403: "Not allowed" } : {}),
    ...(hasParameters ? { 404: "Not found" } : {}),
    ...(route.method === "get" ? {} : { 413: "The body is too large", 415: "The body is compressed, or is not JSON" }),
    429: "Too many requests for one of the caller's purses; `Retry-After` says when to retry",
    ...(route.responses[503] ? {} : { 503: "The chain or the database is unavailable" }),
    ...route.failures,
  };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [status, { description, content }]),
  );
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    ...pathParameter(path, name),
  }));
}

function queryParameters(route: Route): Parameter[] {
  if (!route.query) return [];
  const { properties = {} } = jsonSchema(route.query, "input");
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    description: queryDescription(name),
    required: false,
    schema: Object.keys(schema).length === 0 ? { type: "string" } : schema,
  }));
}

function headerParameters(route: Route): Parameter[] {
  return Object.entries(route.headers ?? {}).map(([name, { description, isRequired = false }]) => ({
    name,
    in: "header",
    description,
    required: isRequired,
    schema: { type: "string" },
  }));
}

function jsonSchema(schema: z.ZodType, io: "input" | "output") {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

function operationId(route: Route): string {
  const words = route.path
    .replace(/^\/api/, "")
    .split(/[/:-]+/)
    .filter(Boolean);
  return [route.method, ...words].join("_");
}

const TAGS = {
  people: "Registration, sign-in and the user's own profile.",
  catalogue: "Stores, their cashback categories, fan tokens and clubs.",
  purchases: "Clicks, purchases, and what stores and their networks report of them.",
  tokens: "Tickets: the tokens of purchases.",
  administration: "The panel: lists, decisions, figures and configuration.",
  operations: "Health, configuration and documents of the service.",
} as const;

function tagOf(path: string): keyof typeof TAGS {
  const word = path.split("/")[2] ?? "operations";
  if (/^(me|login|logout|logout-everywhere|check-user|register-user-data|is-admin)$/.test(word)) return "people";
  if (/^(store|stores|clubs|fan-tokens)$/.test(word) || /fan-token|clubs/.test(path)) return "catalogue";
  if (/^(register-purchase|links|mint-nft|confirm-purchase|distribute-cashback|purchases|hooks)$/.test(word))
    return "purchases";
  return word === "admin" ? "administration" : word === "nfts" ? "tokens" : "operations";
}

/** Describes a path parameter: by default the number of the resource in the path. */
function pathParameter(path: string, name: string): Described {
  const known = OF_PATH[name];
  if (known) return known;
  const words = path.split("/");
  const owner = (words[words.indexOf(`:${name}`) - 1] ?? "row").replace(/s$/, "");
  return { description: `The number of the ${owner}.`, schema: ID };
}

/** Descriptions of query parameters; a test finds missing ones. */
const queryDescription = (name: string): string | undefined => OF_QUERY[name];
