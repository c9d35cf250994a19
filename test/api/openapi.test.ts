import { connect as connectSocket } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { EXAMPLES } from "../../api/docs/examples.ts";
import { createApp } from "../../api/http/app.ts";
import { Metrics } from "../../api/operations/metrics.ts";
import { allRoutes } from "../../api/routes.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { ERROR_CODES } from "../../core/rules/api/error-codes.ts";
import { Senders } from "../../core/sender/sender.ts";
import { type Answer, PERSON } from "../testing/shopper.ts";
import { standIn } from "../testing/stand-in.ts";
import { Caller } from "./support/caller.ts";
import { type Documented, documentOf } from "./support/documented.ts";
import { type FuzzedRequest, fuzzedRequests, type Pools } from "./support/fuzz-inputs.ts";
import { buyConfirmed, mint } from "./support/live-purchase.ts";
import { servicesAlone } from "./support/services-alone.ts";
import { type ApiSystem, onBothSystems } from "./support/system.ts";

const SEED = Number(process.env.FUZZ_SEED ?? process.env.FAULT_SEED ?? 1);
/** Per database. `FUZZ_SECONDS=600 FUZZ_SEED=7 npx mocha test/api/openapi.test.ts` runs longer with another seed. */
const FUZZ_SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);
const REQUESTS = 500;
const HOW_LONG =
  FUZZ_SECONDS > 0
    ? { numRuns: 10_000_000, interruptAfterTimeLimit: FUZZ_SECONDS * 1_000, markInterruptAsFailure: false }
    : { numRuns: REQUESTS };

const ROLES = ["anonymous", "dead", "owner", "other", "compat", "admin", "service"] as const;
type Role = (typeof ROLES)[number];
/** Roles with more access are chosen more often. */
const SENDERS: readonly Role[] = [...ROLES, "owner", "admin", "admin", "admin", "service"];
const USERS: readonly Role[] = ["owner", "other", "compat", "admin"];

/** The roles with access, by the document's description. Ownership is checked after that. */
const DOORS: Record<string, readonly Role[]> = {
  "Anyone.": ROLES,
  "A signed-in user.": USERS,
  "A user who signed in with a challenge.": ["owner", "other", "admin"],
  "The owner, an administrator or a service.": [...USERS, "service"],
  "An administrator or a service.": ["admin", "service"],
  "An administrator who signed in within 15 minutes, or a service.": ["admin", "service"],
  "An administrator.": ["admin"],
  "An administrator who signed in within 15 minutes.": ["admin"],
  "A caller whose body is signed with the shared secret.": [],
};
/** Errors before the identity is checked: the request cannot be read. */
const UNREADABLE = [400, 413, 415];
/** Payouts are paused: an admin in the fuzz run paused them. */
const STANDS_STILL = ["PAYOUTS_PAUSED"];
/** On this machine alone, it shows the e-mails that a server would send. */
const LOCAL_MAILBOX = "/dev/mail";
const SECRET_EMAIL = "segredo-da-dona@example.com";

const BODILESS = /logout(-everywhere)?$|me\/keep$|mail\/send$|purchases\/\{id\}\/withdraw$|\{secret\}$/;

describe("The server's table of routes", () => {
  it("matches the document in both directions", () => {
    const services = servicesAlone();
    const routes = allRoutes(services);
    const metrics = new Metrics(
      new Senders([], []),
      fixedRate(1n),
      { isReady: true, contradictions: [], calls: [] },
      { calls: [] },
    );
    const app = createApp({ services, metrics, routes, site: (_request, _response, next) => next() });
    const registered = app.router.stack.flatMap(({ route }) => {
      const methods = new Set(route?.stack.map((layer) => layer.method));
      // The handler of wrong methods is registered for all methods.
      return methods.size === 1 ? [`${[...methods][0]} ${route?.path.replace(/:(\w+)/g, "{$1}")}`] : [];
    });
    const document = JSON.parse(String(textOf(routes, "/api/openapi.json")));
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    expect(registered.sort()).to.deep.equal(documented.sort());
    expect(documented).to.have.length.at.least(21);

    // Checks of an OpenAPI linter.
    expect(document.info).to.include.keys("description", "contact", "license");
    const tags = document.tags.map((tag: { name: string; description: string }) => tag.description && tag.name);
    for (const { path, body, method } of routes) {
      const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")][method];
      expect(tags, path).to.include.members(operation.tags);
      if (!body) continue;
      const example = operation.requestBody.content["application/json"].example;
      expect(body.safeParse(example).error?.message, `the example of ${method} ${path}`).to.equal(undefined);
    }
    const names = routes.filter(({ body }) => body).map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(EXAMPLES)).to.have.members(names);
    const page = String(textOf(routes, "/api/docs"));
    expect(page.match(/<h3>Example<\/h3>/g)).to.have.length(names.length);
    for (const code of ERROR_CODES) expect(page).to.match(new RegExp(`<code>${code}</code> [A-Z\`]`));
  });
});

onBothSystems("The document of the API", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  let documented: Documented;
  before(async () => {
    documented = await documentOf(system().url);
  });

  it("is OpenAPI 3.1 with one name for each operation, every parameter declared and every schema sound", () => {
    expect(documented.document.openapi).to.equal("3.1.0");
    const names = documented.operations().map(({ operation }) => operation.operationId);
    expect(new Set(names).size).to.equal(names.length);
    for (const { method, path, operation } of documented.operations()) {
      const declared = (operation.parameters ?? []).filter((one) => one.in === "path").map((one) => one.name);
      expect(declared, path).to.deep.equal([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      const isErasure = method === "DELETE" && path === "/api/me";
      const needsBody = (["POST", "PUT"].includes(method) && !BODILESS.test(path)) || isErasure;
      expect(operation.requestBody !== undefined, `${method} ${path} has a body`).to.equal(needsBody);
      const media = [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      );
      for (const { schema } of media) if (schema) documented.validator(schema);
      for (const { name, description } of operation.parameters ?? [])
        expect(description, `${path} ${name}`).to.be.a("string").that.is.not.empty;
      const json = operation.requestBody?.content?.["application/json"];
      if (json) expect(json, `${method} ${path}`).to.have.property("example").that.is.not.undefined;
      expect(Object.keys(DOORS), operation.description).to.include(doorOf(operation.description));
    }
  });

  it("is also a page that lists every call and runs no script", async () => {
    const page = await system().anonymous().get("/api/docs");
    expect(page.headers.get("content-type")).to.match(/^text\/html/);
    expect(page.headers.get("content-security-policy")).to.not.contain("script");
    for (const path of Object.keys(documented.document.paths)) expect(page.text).to.contain(`<code>${path}</code>`);
  });

  it("responds with 405 and the allowed methods to a wrong method", async () => {
    for (const [path, methods] of Object.entries(documented.document.paths)) {
      const own = Object.keys(methods).map((method) => method.toUpperCase());
      const typed = path.replace(/\{network\}/, "awin").replace(/\{\w+\}/g, "1");
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !own.includes(one))) {
        const answer = await system().anonymous().send(method, typed);
        expect(answer.status, `${method} ${path}`).to.equal(405);
        expect(answer.body.code).to.equal("METHOD_NOT_ALLOWED");
        const allowed = answer.headers.get("allow")?.split(", ");
        expect(allowed, path).to.include.members(own).and.to.include("OPTIONS").and.to.not.include(method);
      }
    }
  });

  describe("Malformed HTTP", () => {
    const cases: [string, string, number][] = [
      ["bytes that are not a request", "hello\r\n\r\n", 400],
      ["headers that do not end", `GET /api HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`, 431],
      ["two lengths", "POST /api/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}", 400],
      [
        "both a length and chunks",
        "POST /api/login HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
      ],
    ];
    for (const [name, bytes, status] of cases) {
      it(`gets a response in JSON: ${name}`, async () => {
        const text = await exchange(system().url, bytes);
        expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
        const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
        expect(body).to.include({ success: false, code: "BAD_REQUEST" });
        expect(body.error).to.equal(body.message);
      });
    }
  });

  describe("Requests generated from the document", () => {
    let callers: Record<Role, Caller>;
    let pools: Pools;
    before(async () => {
      callers = await callersOf(system());
      pools = await poolsOf(system(), callers);
    });

    it(`get the documented responses, as every role (seed ${SEED})`, async function () {
      this.timeout(FUZZ_SECONDS * 1_000 + 300_000);
      const seen = new Map<string, number>();
      const requests = fuzzedRequests(documented.operations(), SENDERS, pools);
      await fc.assert(
        fc.asyncProperty(requests, async (request) => {
          const answer = await send(callers[request.role], request);
          judge(documented, request, answer);
          await revive(system(), callers, request, answer);
          const operation = documented.find(request.method, request.path);
          const name = `${operation?.operationId ?? "none"} ${answer.status}`;
          seen.set(name, (seen.get(name) ?? 0) + 1);
        }),
        { seed: SEED, ...HOW_LONG },
      );
      if (FUZZ_SECONDS > 0) console.log(Object.fromEntries([...seen].sort()));
      // A fuzz run whose requests are all rejected proves nothing.
      const reached = [...seen.keys()].filter((name) => / 2\d\d$/.test(name)).map((name) => name.split(" ")[0]);
      const count = [...seen.values()].reduce((sum, times) => sum + times, 0);
      if (count >= REQUESTS) expect(new Set(reached).size, "calls that succeeded").to.be.greaterThan(12);
      expect((await system().anonymous().get("/healthz")).status).to.equal(200);
      expect(system().apiLog()).to.not.match(/"level":"fatal"|"status":500/);
    });

    it("leave no token, signature or e-mail address in the log", () => {
      const log = system().apiLog();
      for (const caller of Object.values(callers)) if (caller.token) expect(log).to.not.contain(caller.token);
      expect(log)
        .to.not.contain("@example.com")
        .and.to.not.match(/0x[0-9a-f]{130}/);
    });
  });
});

function textOf(routes: ReturnType<typeof allRoutes>, path: string) {
  const route = routes.find((one) => one.path === path);
  const reply = route?.run(standIn({}), standIn({}));
  return reply && "text" in reply ? reply.text : "";
}

function doorOf(description: string): string {
  return description
    .replace("Who may call it: ", "")
    .replace(/(?: An administrator's role must allow: [\w:]+\.)? It costs at most .+\.$/, "");
}

/** Sends raw bytes, and returns the response until the connection closes. */
function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("utf8")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

async function callersOf(system: ApiSystem): Promise<Record<Role, Caller>> {
  const owner = system.anonymous();
  const { challenge } = (await owner.post("/api/check-user", { address: owner.address })).body;
  const signature = await owner.account.signMessage({ message: challenge.message });
  const registered = await owner.post("/api/register-user-data", {
    ...PERSON,
    address: owner.address,
    email: SECRET_EMAIL,
    signature,
    nonce: challenge.nonce,
  });
  owner.token = registered.body.token;
  const compat = system.anonymous();
  await enterByFixedSentence(compat, "register");
  return {
    anonymous: system.anonymous(),
    dead: new Caller(system.url, undefined, "no-such-token"),
    owner,
    other: await system.user(),
    compat,
    admin: await system.adminCaller(),
    service: system.service(),
  };
}

async function enterByFixedSentence(caller: Caller, purpose: "register" | "login"): Promise<void> {
  const proof = { address: caller.address, signature: await caller.signSentence(purpose) };
  const path = purpose === "register" ? "/api/register-user-data" : "/api/login";
  caller.token = (await caller.post(path, { ...PERSON, ...proof })).body.token;
}

/** Existing resources, deleted ones, and other users' ones. */
async function poolsOf(system: ApiSystem, { owner, other, compat, admin }: Record<Role, Caller>): Promise<Pools> {
  const confirmed = await buyConfirmed(system, owner);
  const pending = await owner.buy();
  await mint(owner, pending);
  const purchases = [confirmed, pending, await owner.buy(), await other.buy(), await compat.buy(), 999_999];
  const deleted = await admin.post("/api/store", { name: "Fechada", country: "Brasil" });
  await admin.send("DELETE", `/api/store/${deleted.body.id}`);
  const stores = [1, 2, 3, 4, 5, "1", deleted.body.id, deleted.body.id + 1, deleted.body.id + 2, 999_999];
  const addresses = [owner.address, owner.account.address, other.address, compat.address, admin.address];
  const urls = ["https://example.com/x.png", "https://example.com/x.png", "javascript:alert(1)", ""];
  return {
    address: [...addresses, system.anonymous().address],
    user: addresses,
    store_id: stores,
    id: stores,
    cashbackId: [1, 2, 3, 4, 5, 20, 999_999],
    purchase_id: purchases,
    tokenId: purchases,
    amount: [100, "12.50", 0.01, 5, "5", "5.0", 1_000_000, "1000000.01", -1],
    token_slug: ["psg", "verdao", "verdao", "none", null],
    cashback_percent: ["5", "5,75", 3, 100, "100.01", -1, "5.755", ""],
    name: ["Loja", "Outra loja", "Ação & Cia.", "x".repeat(41)],
    country: ["Brasil", "Portugal"],
    category: ["Tudo", "Moda", ""],
    slug: ["psg", "novo", "novo-2", "Novo", "não"],
    contract: [
      null,
      system.deployment.fanTokens[0]?.address,
      system.deployment.purchaseNft.address,
      `0x${"00".repeat(20)}`,
    ],
    image: urls,
    logo: urls,
    affiliate_link: urls,
    signature: [await compat.signSentence("login"), await other.signSentence("login"), `0x${"11".repeat(65)}`],
    nonce: [(await other.challenge()).nonce, "", "none"],
    email: ["fuzz@example.org", "no"],
    metadata_uri: ["", "", "ipfs://bafy", "https://example.com/1.json"],
    paused: [true, false, false, false],
    network: ["awin", "nobody"],
    status: ["confirmed", "pending", "none"],
  };
}

async function send(caller: Caller, request: FuzzedRequest<Role>): Promise<Answer> {
  const hasBody = request.body !== undefined && !["GET", "HEAD"].includes(request.method);
  return caller.raw(request.method, request.path, hasBody ? request.body : undefined, request.headers);
}

/** Invariants of every response. */
function judge(documented: Documented, request: FuzzedRequest<Role>, answer: Answer): void {
  const about = `${answer.status} ${answer.text.slice(0, 300)}`;
  const readsAsGet = request.method === "HEAD" ? "GET" : request.method;
  const operation = documented.find(readsAsGet, request.path);
  const code: unknown = answer.body?.code;
  if (answer.status >= 500 && !request.path.startsWith("/readyz")) {
    expect([answer.status, STANDS_STILL.includes(String(code))], about).to.deep.equal([503, true]);
  }
  expect(answer.headers.get("x-request-id"), about).to.match(/^[0-9a-f-]{36}$/);
  const maySee = request.role === "owner" || request.path.startsWith(LOCAL_MAILBOX);
  if (!maySee) expect(answer.text).to.not.contain(SECRET_EMAIL);
  if (request.method === "HEAD") {
    expect(answer.text).to.equal("");
    return;
  }
  if (!operation) {
    expect(answer.status, about).to.be.oneOf(request.method === "OPTIONS" ? [204, 400, 405] : [400, 404, 405]);
    if (answer.status !== 204) expect(answer.body, about).to.include({ success: false });
    return;
  }
  expect(documented.complaint(operation, answer), about).to.equal(undefined);
  const door = DOORS[doorOf(operation.description)] ?? [];
  if (answer.status < 400) expect(door, about).to.include(request.role);
  if (operation.security && ["anonymous", "dead"].includes(request.role)) {
    expect(answer.status, about).to.be.oneOf([401, ...UNREADABLE]);
  } else if (operation.security) expect(answer.status, about).to.not.equal(401);
}

/** Users who logged out or erased their profile sign in again, to keep their role. */
async function revive(
  system: ApiSystem,
  callers: Record<Role, Caller>,
  { role, method, path }: FuzzedRequest<Role>,
  answer: Answer,
): Promise<void> {
  const isOut = answer.status === 200 && (path === "/api/logout" || (path === "/api/me" && method === "DELETE"));
  if (!isOut) return;
  if (role === "compat") await enterByFixedSentence(callers.compat, "login");
  else await callers[role].enter();
  expect(callers[role].token, system.apiLog().slice(-500)).to.be.a("string");
}
