import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { createPublicClient, http } from "viem";
import { BalanceReader } from "../../api/chain/balances.ts";
import type { Route } from "../../api/http/route.ts";
import { allRoutes } from "../../api/routes.ts";
import { distributorsOf } from "../../core/chain/deployment.ts";
import type { Database } from "../../core/database/connect.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import { EveryNode } from "../../core/process/rpc/every-node.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { TestDevice } from "../testing/push-service.ts";
import { PERSON } from "../testing/shopper.ts";
import { standIn } from "../testing/stand-in.ts";
import { Caller } from "./support/caller.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const LIVE = { SIMULATED_PURCHASES: "false", AFFILIATE_SECRETS: "acme:secret-of-acme-that-is-long-enough" };
const POST = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "Torcida <a@shop.example>" };
const PUSH = {
  VAPID_KEY_FILE: join(mkdtempSync(join(tmpdir(), "torcida-costs-")), "vapid.key"),
  VAPID_SUBJECT: "mailto:a@shop.example",
};
const TOKEN_CONTRACT = `0x${"11".repeat(20)}`;

type Measured = { node: number; stored: number; mail: number };
type Drive = (caller: Caller, turn: number) => Promise<number>;

/** A real node behind a server that counts its calls, each of a batch by itself. */
class CountedNode {
  calls = 0;
  url = "";
  #server: Server | undefined;

  async start(target: string): Promise<void> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const asked: unknown = JSON.parse(body);
      this.calls += Array.isArray(asked) ? asked.length : 1;
      const answer = await fetch(target, { method: "POST", body, headers: { "content-type": "application/json" } });
      response.setHeader("content-type", "application/json");
      response.end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server?.close().closeAllConnections();
  }
}

/** What calls of strangers and users keep and cause, measured at a node, in the database and in its outbox of e-mails. */
describe("What calls cost", function () {
  this.timeout(300_000);
  onEitherEngine(({ name, open }) => {
    if (name !== "SQLite") return;
    let api: InProcessApi;
    let database: Database;
    let anvil: Anvil;
    const node = new CountedNode();
    let routes: Route[];
    before(async () => {
      anvil = await startAnvil();
      await node.start(anvil.rpcUrl);
    });
    after(async () => {
      node.stop();
      await anvil.stop();
    });
    beforeEach(async () => {
      ({ database } = await open());
      writeFileSync(PUSH.VAPID_KEY_FILE, "A".repeat(42).concat("E"), { mode: 0o600 });
      api = await startInProcess(database, {
        ...{ ...LIVE, ...POST, ...PUSH, PUBLIC_URL: "https://shop.example" },
        INVITE_BONUS_PERCENT: "2",
      });
      const client = standIn<ChainClient>(createPublicClient({ transport: http(node.url), cacheTime: 0 }));
      const everyNode = await EveryNode.open({ urls: [node.url], pool: { states: [] } });
      const balances = new BalanceReader({
        ...{ client, everyNode, purse: { spend: async () => true }, blockMs: 0 },
        distributors: distributorsOf(api.services.contracts),
      });
      Object.assign(api.services, { client, everyNode, balances });
      await database.kysely
        .updateTable("fan_tokens")
        .set({ contract: TOKEN_CONTRACT as never })
        .execute();
      routes = allRoutes(api.services);
    });
    afterEach(() => api.stop());

    const TURNS = 20;

    /** Of one call, the mean of some. */
    const measure = async (drive: Drive, caller: () => Promise<Caller>): Promise<Measured> => {
      const callers = await Promise.all(Array.from({ length: TURNS }, caller));
      const before = { node: node.calls, stored: await payload(database), mail: await mails(database) };
      for (const [turn, one] of callers.entries()) {
        const status = await drive(one, turn);
        if (status !== 200) throw new Error(`It answers ${status}`);
      }
      return {
        node: (node.calls - before.node) / TURNS,
        stored: ((await payload(database)) - before.stored) / TURNS,
        mail: ((await mails(database)) - before.mail) / TURNS,
      };
    };

    const challenges = new Map<string, { nonce: string; signature: string }>();
    const stranger = async () => new Caller(api.url);
    const challenged = async () => {
      const caller = new Caller(api.url);
      const { nonce, message } = await caller.challenge();
      challenges.set(caller.address, { nonce, signature: await caller.account.signMessage({ message }) });
      return caller;
    };
    const known = async () => {
      const caller = await api.user();
      const { nonce, message } = await caller.challenge();
      challenges.set(caller.address, { nonce, signature: await caller.account.signMessage({ message }) });
      return caller;
    };
    const user = () => api.user();
    const send = async (caller: Caller, method: string, path: string, body?: object) => {
      const answer = await caller.raw(method, path, body && JSON.stringify(body));
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.status;
    };
    const read =
      (path: string): Drive =>
      (caller) =>
        send(caller, "GET", path);
    const proofOf = (caller: Caller) => ({ address: caller.address, ...challenges.get(caller.address) });
    const slug = async () =>
      (await database.kysely.selectFrom("fan_tokens").select("slug").executeTakeFirstOrThrow()).slug;

    const DRIVES: Record<string, [() => Promise<Caller>, Drive]> = {
      "get /api": [stranger, read("/api")],
      "get /api/config": [stranger, read("/api/config")],
      "get /healthz": [stranger, read("/healthz")],
      "get /api/stores": [stranger, read("/api/stores")],
      "get /api/stores/:id": [user, read("/api/stores/1")],
      "get /api/stores/:id/pace": [stranger, read("/api/stores/1/pace")],
      "get /api/fan-tokens": [stranger, read("/api/fan-tokens")],
      "get /api/is-admin": [stranger, read("/api/is-admin")],
      "get /api/openapi.json": [stranger, read("/api/openapi.json")],
      "get /api/docs": [stranger, read("/api/docs")],
      "get /api/wallets/:wallet/tickets": [stranger, read(`/api/wallets/0x${"ab".repeat(20)}/tickets`)],
      "post /api/check-user": [
        stranger,
        (caller) => send(caller, "POST", "/api/check-user", { address: caller.address }),
      ],
      "post /api/register-user-data": [
        challenged,
        (caller) =>
          send(caller, "POST", "/api/register-user-data", {
            ...PERSON,
            ...proofOf(caller),
            email: `${caller.address.slice(2, 20)}@example.com`,
            mail_language: "pt",
          }),
      ],
      "post /api/login": [known, (caller) => send(caller, "POST", "/api/login", proofOf(caller))],
      "get /api/me": [user, read("/api/me")],
      "get /api/purchases": [user, read("/api/purchases")],
      "get /api/clicks": [user, read("/api/clicks")],
      "get /api/claims": [user, read("/api/claims")],
      "get /api/events": [user, read("/api/events")],
      "get /api/me/mail": [user, read("/api/me/mail")],
      "get /api/me/payments": [user, read("/api/me/payments?year=2026")],
      "put /api/me/mail": [user, (caller) => send(caller, "PUT", "/api/me/mail", { topics: ["paid"], language: "pt" })],
      "get /api/me/club": [user, read("/api/me/club")],
      "put /api/me/club": [user, (caller) => send(caller, "PUT", "/api/me/club", { slug: "flamengo" })],
      "get /api/clubs/table": [user, read("/api/clubs/table")],
      "get /api/me/invite": [user, read("/api/me/invite")],
      "get /api/me/push": [user, read("/api/me/push")],
      "put /api/me/push": [
        user,
        (caller) => send(caller, "PUT", "/api/me/push", { topics: ["paid"], language: "pt", show_amounts: false }),
      ],
      "post /api/me/push/devices": [
        user,
        (caller) => {
          const service = "https://fcm.googleapis.com/fcm/send/";
          const { subscription } = new TestDevice(`${service}${"x".repeat(100)}`);
          return send(caller, "POST", "/api/me/push/devices", subscription);
        },
      ],
      "put /api/me": [user, (caller) => send(caller, "PUT", "/api/me", PERSON)],
      "post /api/logout": [user, (caller) => send(caller, "POST", "/api/logout", {})],
      "post /api/register-purchase": [
        user,
        async (caller) =>
          send(caller, "POST", "/api/register-purchase", {
            user: caller.address,
            store_id: 1,
            amount: 100,
            token_slug: await slug(),
          }),
      ],
    };

    for (const [call, [caller, drive]] of Object.entries(DRIVES)) {
      it(`is what ${call} says`, async () => {
        const route = routes.find(({ method, path }) => `${method} ${path}` === call);
        expect(route, "the route").to.not.equal(undefined);
        const measured = await measure(drive, caller);
        const { node, stored, mail } = (route as Route).cost;
        if (process.env.SHOW_COSTS) console.log(call, JSON.stringify(measured));
        for (const [what, said, is] of [
          ["calls of the node", node, measured.node],
          ["bytes", stored, measured.stored],
          ["e-mails", mail, measured.mail],
        ] as const) {
          const slack = what === "bytes" ? 100 : 0.1;
          expect(is, `${what}: more than double of what it says`).to.be.at.most(2 * said + slack);
          if (UNREACHED[call] !== what) {
            expect(said, `${what}: more than double of what it is`).to.be.at.most(2 * is + slack);
          }
        }
      });
    }
  });
});

/** What a call says of its worst case, which is not reached here. */
const UNREACHED: Record<string, string> = {
  // A contract's wallet: test/api/sign-in.test.ts.
  "post /api/login": "calls of the node",
  "post /api/register-user-data": "calls of the node",
  // A balance by the word of every node: test/api/chain/balances.test.ts.
  "post /api/register-purchase": "calls of the node",
  // A payout that the wallet refused.
  "get /api/purchases": "calls of the node",
};

/** All bytes in tables and indexes. */
async function payload({ kysely }: Database): Promise<number> {
  const { rows } = await sql<{ bytes: bigint }>`select sum(payload) as bytes from dbstat`.execute(kysely);
  return Number(rows[0]?.bytes ?? 0);
}

async function mails({ kysely }: Database): Promise<number> {
  const { n } = await kysely
    .selectFrom("mails")
    .select(({ fn }) => fn.countAll<bigint>().as("n"))
    .executeTakeFirstOrThrow();
  return Number(n);
}
