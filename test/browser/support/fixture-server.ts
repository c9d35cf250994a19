import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { matchPath } from "react-router";
import type { z } from "zod";
import { missingHead, ownHead } from "../../../api/site/heads.ts";
import { pageOf } from "../../../api/site/page.ts";
import { readWebApp } from "../../../api/site/pages.ts";
import type { Store, StoreFilters } from "../../../core/rules/api/catalogue.ts";
import type { eventSchema } from "../../../core/rules/api/events.ts";
import type { Me, OwnSession } from "../../../core/rules/api/people.ts";
import { searchKey } from "../../../core/rules/text.ts";
import { missingOf } from "../../../frontend/admin/stores/missing.ts";
import {
  fixtureClaims,
  fixtureClicks,
  fixtureClub,
  fixtureConfig,
  fixtureMe,
  fixturePayments,
  fixtureStores,
  fixtureTicket,
  fixtureTokens,
} from "./fixture-data.ts";

export const SESSION_TOKEN = "fixture-session-token";

/** As a contract draws a paid ticket. */
const DRAWING = readFileSync(join(import.meta.dirname, "../../contracts/pictures/paid.svg"), "utf8");

type Body = Record<string, unknown>;
export type FixtureCall = {
  /** The body as it was sent. */
  bytes: Buffer;
  method: string;
  path: string;
  query: Record<string, string>;
  body: Body;
  authorization: string | undefined;
};
/** `hang` never responds; `drop` closes the connection. */
export type FixtureAnswer =
  | { status?: number; body?: unknown; text?: string; delayMs?: number; headers?: Record<string, string> }
  | "hang"
  | "drop";
type Handler = (call: FixtureCall) => FixtureAnswer | Promise<FixtureAnswer>;

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
};

/** A page without content, on which a test leaves its browser profile to the next one. */
export const BLANK = "/blank";

/** The API's policy, so that a page that violates it fails here too. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'";

/** Serves the web app with responses chosen by the test: slow, 401, 500, none. */
export class FixtureServer {
  readonly calls: FixtureCall[] = [];
  /** Wallets that are registered. */
  readonly registered = new Set<string>();
  stores = fixtureStores();
  tokens = fixtureTokens();
  config = fixtureConfig();
  me: Me | undefined;
  mailTopics: string[] = [];
  mailSentAt: string | null = null;
  sessions: OwnSession[] = [];
  events: z.infer<typeof eventSchema>[] = [];
  isAdmin = false;
  /** Changes every answer that is no refusal. */
  alter: (route: string, body: unknown) => unknown = (_route, body) => body;
  policy = POLICY;
  /** Serves the page as a plain file, without what the api writes into it. */
  isSilentPage = false;
  url = "";
  readonly #overrides = new Map<string, Handler>();
  /** The folder of the build that it serves. */
  root: string;
  /** Another build, whose parts it has too. */
  shared: string | undefined;
  /** As the api names it in every answer; undefined as 1.0.0, which does not. */
  build: string | undefined;
  readonly #root: string;
  readonly #server: Server;

  constructor(root: string) {
    this.#root = root;
    this.root = root;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.writeHead(599).end(String(error));
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://localhost:${(this.#server.address() as AddressInfo).port}`;
    this.config = this.#configOfNoChain();
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resets it for the next test. */
  reset(): void {
    this.calls.length = 0;
    this.registered.clear();
    this.#overrides.clear();
    this.stores = fixtureStores();
    this.tokens = fixtureTokens();
    this.config = this.#configOfNoChain();
    this.me = undefined;
    this.events = [];
    this.mailTopics = [];
    this.mailSentAt = null;
    this.sessions = [];
    this.isAdmin = false;
    this.alter = (_route, body) => body;
    this.isSilentPage = false;
    this.root = this.#root;
    this.build = undefined;
    this.shared = undefined;
  }

  /** A registered user with a profile. Put `SESSION_TOKEN` into the page's storage to be logged in. */
  signIn(wallet: string, change: Partial<Me> = {}): Me {
    this.registered.add(wallet.toLowerCase());
    this.me = fixtureMe(wallet.toLowerCase(), change);
    return this.me;
  }

  /** Its node answers 404: a page gives up sooner than on one that cannot be reached. */
  #configOfNoChain(): ReturnType<typeof fixtureConfig> {
    return { ...fixtureConfig(), rpc_url: `${this.url}/api/chain` };
  }

  /** Overrides the response of a call such as `GET /api/stores`; undefined restores the default. */
  answer(route: string, handler: Handler | FixtureAnswer | undefined): void {
    if (handler === undefined) this.#overrides.delete(route);
    else this.#overrides.set(route, typeof handler === "function" ? handler : () => handler);
  }

  /** Holds the responses of a call back until the returned function is called. */
  hold(route: string, answer?: FixtureAnswer): () => void {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    this.answer(route, async (call) => {
      await released;
      return answer ?? this.#usual(call);
    });
    return release;
  }

  callsTo(route: string): FixtureCall[] {
    return this.calls.filter((call) => `${call.method} ${call.path}` === route);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/api")) return this.#serveFile(pathname, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const text = bytes.toString("utf8");
    const call: FixtureCall = {
      method: request.method ?? "GET",
      path: pathname,
      query: Object.fromEntries(searchParams),
      bytes,
      // A picture is sent as it is.
      body: request.headers["content-type"]?.startsWith("image/") || !text ? {} : JSON.parse(text),
      authorization: request.headers.authorization,
    };
    this.calls.push(call);
    const override = this.#overrides.get(`${call.method} ${pathname}`);
    const answer = await (override ? override(call) : this.#usual(call));
    if (answer === "hang") return;
    if (answer === "drop") {
      request.socket.destroy();
      return;
    }
    if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
    response.writeHead(answer.status ?? 200, {
      "content-type":
        answer.text === undefined ? "application/json" : answer.text.startsWith("<svg") ? "image/svg+xml" : "text/html",
      ...(this.build === undefined ? {} : { "x-torcida-build": this.build }),
      ...answer.headers,
    });
    const body = answer.status === undefined ? this.alter(`${call.method} ${call.path}`, answer.body) : answer.body;
    response.end(answer.text ?? JSON.stringify(body ?? {}));
  }

  #usual(call: FixtureCall): FixtureAnswer {
    const ok = (body: Body): FixtureAnswer => ({ body: { success: true, ...body } });
    const route = `${call.method} ${call.path}`;
    const wallet = String(call.body.address ?? "").toLowerCase();
    if (/^GET \/api\/stores\/\w+\/pace$/.test(route)) return ok({ pace: { report: null, confirm: null, pay: null } });
    const store = /^GET \/api\/stores\/(\w+)$/.exec(route);
    if (store) {
      const found = this.stores.find((one) => String(one.id) === store[1]);
      return found
        ? ok({ store: found, cashbacks: found.cashbacks })
        : { status: 404, body: { success: false, error: "No such store" } };
    }
    const slug = /^GET \/api\/clubs\/(?!table$)([a-z0-9-]+)$/.exec(route)?.[1];
    if (slug) {
      const club = fixtureClub(slug);
      return club
        ? ok({ club, figures: { fans: 1240, purchases: 3410, cashback: "18450", month: "2026-10" } })
        : { status: 404, body: { success: false, error: "No such club" } };
    }
    if (/^GET \/api\/admin\/stores\/\w+\/boosts$/.test(route)) return ok({ boosts: [], next_before: null });
    if (/^GET \/api\/admin\/stores\/\w+\/offers$/.test(route)) return ok({ offers: [], next_before: null });
    if (/^GET \/api\/admin\/stores\/\w+\/test-click$/.test(route))
      return ok({ click_id: "testtest", url: "https://shop.example/?c=testtest", carries_click: true });
    if (/^GET \/api\/admin\/stores\/\w+\/conversion$/.test(route)) return ok({ months: [] });
    if (route === "GET /api/admin/proposals") return ok({ rows: [], next_before: null, total: 0 });
    if (route === "GET /api/admin/percent-approvals") return ok({ rows: [], next_before: null, total: 0 });
    const ticket = /^GET \/api\/nfts\/([1-9]\d{0,5})$/.exec(route)?.[1];
    if (ticket) return ok({ data: fixtureTicket(ticket) });
    if (/^GET \/api\/nfts\/[1-9]\d{0,5}\/image$/.test(route)) return { text: DRAWING };
    switch (route) {
      case "GET /api/config":
        return ok({ data: this.config });
      case "GET /api/offers":
        return ok({ offers: [], next_after: null });
      case "GET /api/stores":
        return ok(storesAnswer(this.stores, call.query));
      case "GET /api/admin/stores": {
        const rows = this.stores.map((store) => {
          const missing = missingOf(store);
          const at = "2026-11-20T14:03:00.000Z";
          return {
            ...store,
            ...{ state: missing.length > 0 ? "draft" : "ready", missing, created_at: at, updated_at: at },
            conversion: { clicks: 120, sales: 9 },
          };
        });
        const state = call.query.state ?? "";
        const found = rows.filter((row) => state === "" || row.state === state);
        return ok({ rows: found, next_before: null, total: found.length });
      }
      case "GET /api/fan-tokens":
        return ok({ data: this.tokens });
      case "POST /api/check-user":
        return ok({
          exists: this.registered.has(wallet),
          challenge: {
            nonce: "nonce12345",
            message: `Challenge for ${wallet}`,
            expires_at: new Date(Date.now() + 300_000).toISOString(),
          },
        });
      case "POST /api/login":
        this.me ??= fixtureMe(wallet, { nfts: [], purchases: [] });
        return ok({ token: SESSION_TOKEN });
      case "POST /api/register-user-data":
        this.registered.add(wallet);
        this.me = fixtureMe(wallet, {
          first_name: String(call.body.first_name),
          last_name: String(call.body.last_name),
          email: String(call.body.email),
          nfts: [],
          purchases: [],
        });
        return ok({ message: "Registered", token: SESSION_TOKEN });
      case "GET /api/me":
        if (call.authorization !== `Bearer ${SESSION_TOKEN}` || !this.me)
          return { status: 401, body: { success: false, error: "Session expired" } };
        return ok({ data: this.me });
      case "GET /api/purchases":
        return ok({ purchases: this.me?.purchases ?? [], next_before: null });
      case "GET /api/clicks":
        return ok({ clicks: fixtureClicks(), next_before: null });
      case "GET /api/claims":
        return ok({ claims: fixtureClaims(), next_before: null });
      case "GET /api/events": {
        const events = this.events.slice(0, Number(call.query.limit ?? 50));
        return ok({ events, unread: this.events.filter((event) => !event.is_read).length, next_before: null });
      }
      case "GET /api/clubs":
        return ok({ clubs: [] });
      case "GET /api/clubs/table":
        return ok({ month: "2026-10", clubs: [] });
      case "GET /api/me/club":
        return ok({ slug: null });
      case "GET /api/me/mail":
      case "PUT /api/me/mail":
        if (Array.isArray(call.body.topics)) this.mailTopics = call.body.topics;
        return ok({
          ...{ is_available: true, is_verified: false, topics: this.mailTopics, language: "pt" },
          link_sent_at: this.mailSentAt,
        });
      case "POST /api/me/mail/send":
        this.mailSentAt = new Date().toISOString();
        return ok({ message: "Link sent" });
      case "GET /api/me/sessions":
        return ok({ sessions: this.sessions });
      case "GET /api/me/payments":
        return ok({ data: fixturePayments(Number(call.query.year ?? 2026)) });
      case "POST /api/events/read":
        this.events = this.events.map((event) => ({ ...event, is_read: true }));
        return ok({ message: "Marked as read" });
      case "GET /api/is-admin":
        return ok({ isAdmin: this.isAdmin });
      case "POST /api/register-purchase":
        return ok({
          message: "Registered",
          purchase: {
            id: 99,
            store_id: call.body.store_id,
            amount: "100.00",
            cashback_percent: "7",
            bonus_percent: "0",
            token_slug: call.body.token_slug ?? null,
            status: "processing",
            created_at: new Date().toISOString(),
            affiliate_url: "https://example.com/click?id=99",
          },
        });
      case "POST /api/links":
        return ok({
          message: "Store found",
          purchase: null,
          store: { id: 1, name: "Verdão Store" },
          url: call.body.url,
          leads_to_page: true,
          is_short: false,
          was_referral: false,
        });
      case "POST /api/logout":
        return ok({ message: "Signed out" });
      default:
        return { status: 404, body: { success: false, error: `Nothing answers ${route}` } };
    }
  }

  #serveFile(pathname: string, response: ServerResponse): void {
    if (pathname === BLANK) return void response.writeHead(200, { "content-type": TYPES[".html"] }).end();
    const own = join(this.root, normalize(pathname));
    const wanted = existsSync(own) || this.shared === undefined ? own : join(this.shared, normalize(pathname));
    if (pathname.startsWith("/assets/") && !existsSync(wanted)) return void response.writeHead(404).end();
    const file = pathname !== "/" && existsSync(wanted) ? wanted : join(this.root, "index.html");
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    // As the api sends it: the names of these files change with their content.
    const cache = pathname.startsWith("/assets/") ? { "cache-control": "public, max-age=31536000, immutable" } : {};
    // Before the head: a file can vanish while the app is built again.
    const content = file.endsWith("index.html") ? this.#page(pathname) : readFileSync(file);
    response.writeHead(200, { "content-type": type, "content-security-policy": this.policy, ...cache }).end(content);
  }

  #page(pathname: string): string {
    const app = readWebApp(this.root);
    if (!app || this.isSilentPage) return readFileSync(join(this.root, "index.html"), "utf8");
    const page = app.pages.find(({ path }) => matchPath(path, pathname));
    const { build } = this;
    const config = { ...this.config, ...(build ? { build } : {}) };
    const head = page ? ownHead(page, "pt") : missingHead("pt");
    return pageOf(page?.html ?? app.missing, head, { origin: this.url, path: pathname, language: "pt", config });
  }
}

const filtersOf = (stores: readonly Store[]): StoreFilters => {
  const values = (name: "country" | "category" | "club") =>
    [...new Set(stores.map((store) => store[name]?.trim() ?? "").filter(Boolean))].sort(
      new Intl.Collator("pt").compare,
    );
  const inEnglish = (name: "country" | "category") =>
    Object.fromEntries(stores.flatMap((store) => (store[`${name}_en`] ? [[store[name], store[`${name}_en`]]] : [])));
  return {
    country: values("country"),
    category: values("category"),
    club: values("club"),
    translations: { en: { country: inEnglish("country"), category: inEnglish("category") } },
  };
};

/** The page that the api would answer; `after` is a position. */
function storesAnswer(all: readonly Store[], query: Record<string, string>) {
  const ids = query.ids?.split(",");
  const stores = all.filter(({ is_draft }) => !is_draft);
  const words = searchKey(query.query ?? "").split(" ");
  const textOf = (store: Store) => searchKey(JSON.stringify(store).replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " "));
  const found = stores
    .filter((store) => !ids || ids.includes(String(store.id)))
    .filter((store) =>
      (["country", "category", "club"] as const).every(
        (name) =>
          !query[name] ||
          searchKey(store[name] ?? "") === searchKey(query[name]) ||
          (name === "club" && store.club_slug === query.club),
      ),
    )
    .filter((store) => !query.featured || String(store.featured) === query.featured)
    .filter((store) => words.every((word) => ` ${textOf(store)}`.includes(` ${word}`)))
    .sort((one, other) =>
      query.sort === "name"
        ? one.name.localeCompare(other.name, "pt")
        : query.sort === "cashback"
          ? other.cashback_max - one.cashback_max
          : one.id - other.id,
    );
  const start = Number(query.after ?? 0);
  const end = start + Number(query.limit ?? 500);
  const next_after = end < found.length ? end : null;
  return { stores: found.slice(start, end), next_after, total: found.length, filters: filtersOf(stores) };
}
