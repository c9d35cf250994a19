import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { configResponseSchema } from "../../core/rules/api/config.ts";
import { freePorts } from "../testing/free-port.ts";
import type { Answer } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

const SHOP = "https://shop.example";

describe("The api's endpoints for operators", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  let metricsPort = 0;
  before(async () => {
    [metricsPort = 0] = await freePorts(1);
    system = await startSystem({ METRICS_PORT: String(metricsPort), CORS_ORIGINS: SHOP });
  });
  after(() => system?.stop());

  const metricsOf = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() };
  };

  it("reports health and readiness", async () => {
    const anyone = system.anonymous();
    expect((await anyone.get("/healthz")).body).to.deep.equal({ status: "ok" });
    const ready = await until("it is ready", async () => {
      const answer = await anyone.get("/readyz");
      return answer.body.sends === true && answer;
    });
    expect(ready.status).to.equal(200);
    expect(ready.body).to.deep.equal({ status: "ready", problems: [], warnings: [], faults: [], sends: true });
    expect(ready.headers.get("cache-control")).to.equal("no-store");
  });

  it("tells strangers whether it is ready, and nothing else", async () => {
    const behindProxy = { headers: { "x-forwarded-for": "203.0.113.7" } };
    const stranger = await fetch(`${system.url}/readyz`, behindProxy);
    expect(await stranger.json()).to.deep.equal({ status: "ready" });
    const authorization = `Bearer ${(await system.adminCaller("auditor")).token}`;
    const headers = { ...behindProxy.headers, authorization };
    const staff = await fetch(`${system.url}/readyz`, { headers });
    expect(await staff.json()).to.include.all.keys("problems", "warnings", "faults", "sends");
  });

  it("takes no proxy on this machine for this machine, also if it adds no header of its own", async () => {
    const { host, port, hostname } = new URL(system.url);
    const ask = async (path: string, name: string, version = "1.1") => {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/${version}\r\nhost: ${name}\r\nconnection: close\r\n\r\n`);
      return await text(socket);
    };
    for (const own of [host, `localhost:${port}`, "[::1]", "127.1.2.3"]) {
      expect(await ask("/metrics", own), own).to.match(/^HTTP\/1\.1 200 /);
      expect(await ask("/readyz", own), own).to.include('"faults"');
    }
    const others = ["shop.example", "localhost.shop.example", `127.0.0.1.shop.example:${port}`, "0.0.0.0", ""];
    for (const other of others) {
      expect(await ask("/metrics", other), other).to.match(/^HTTP\/1\.1 404 /);
      expect(await ask("/readyz", other), other)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.not.include('"faults"');
    }
    // As nginx speaks unless told otherwise, with the name of the upstream.
    expect(await ask("/metrics", host, "1.0")).to.match(/^HTTP\/1\.1 404 /);
  });

  it("is healthy but not ready while its chain does not respond, and says which part is missing", async () => {
    const admin = await system.adminCaller();
    const newStore = (name: string) => admin.post("/api/store", { name, country: "Brasil" });
    expect((await newStore("Loja com rede")).status).to.equal(200);
    let id = 0;
    process.kill(system.anvil.pid, "SIGSTOP");
    try {
      const anyone = system.anonymous();
      const answer = await until("it is not ready", async () => {
        const one = await anyone.get("/readyz");
        return one.status === 503 && one;
      });
      expect(answer.body).to.include({ status: "not ready" });
      expect(answer.body.problems.join("\n")).to.include("The chain does not answer: ");
      expect((await anyone.get("/healthz")).status).to.equal(200);
      expect((await anyone.get("/api/stores")).status).to.equal(200);
      const created = await newStore("Loja sem rede");
      expect(created.status, created.text).to.equal(200);
      id = created.body.id;
    } finally {
      process.kill(system.anvil.pid, "SIGCONT");
    }
    await until("it is ready again", async () => (await system.anonymous().get("/readyz")).status === 200);
    const { kysely } = await system.database();
    await until("the store made meanwhile is registered on the chain", async () => {
      const operations = kysely.selectFrom("operations").select("status").where("kind", "=", "register_store");
      return (await operations.where("subject_id", "=", BigInt(id)).executeTakeFirst())?.status === "done";
    });
  });

  it("gives the web app its configuration, and nothing secret", async () => {
    const answer = await system.anonymous().get("/api/config");
    const { data } = configResponseSchema.parse(answer.body);
    expect(data).to.deep.include({
      chain_id: 88_882,
      network: "localhost",
      purchase_nft: system.deployment.purchaseNft.address.toLowerCase(),
      cashback_distributor: system.deployment.cashbackDistributor.address.toLowerCase(),
      former_purchase_nfts: [],
      former_distributors: [],
      simulated: true,
      auth_mode: "compat",
      wei_per_cent: "10000000000000000",
    });
    for (const secret of [system.environment.SERVICE_TOKENS, system.environment.DATABASE_URL]) {
      expect(answer.text).to.not.contain(String(secret));
    }
  });

  it("takes faults of the web app for the log and the metrics, bounded and of known fields only", async () => {
    const anyone = system.anonymous();
    const fault = { kind: "answer", page: "/admin", at: "/api/admin/sales/:id", detail: "sale.amount" };
    expect((await anyone.post("/api/faults", fault)).status).to.equal(200);
    for (const wrong of [
      { ...fault, kind: "other" },
      { ...fault, wallet: "0x" },
      { ...fault, at: "a".repeat(101) },
    ]) {
      expect((await anyone.post("/api/faults", wrong)).status).to.equal(400);
    }
    const { text } = await metricsOf(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(text).to.match(
      /^torcida_http_request_seconds_count\{method="POST",route="\/api\/faults",status="200"\} [1-9]/m,
    );
  });

  it("exports metrics by route, never by the requested path", async () => {
    await system.anonymous().get("/api/stores/123456789");
    await system.anonymous().get("/api/no-such-call-987654321");
    const { status, type, text } = await metricsOf(`http://127.0.0.1:${metricsPort}/metrics`);
    expect([status, type.split(";")[0]]).to.deep.equal([200, "text/plain"]);
    expect(text).to.match(
      /^torcida_http_request_seconds_count\{method="GET",route="\/api\/stores\/:id",status="404"\} [1-9]/m,
    );
    expect(text).to.match(/^torcida_http_request_seconds_count\{method="GET",route="other",status="404"\} [1-9]/m);
    expect(text).to.not.contain("123456789").and.to.not.contain("987654321");
    for (const name of [
      `torcida_sender_leader{key="operator"} 1`,
      "torcida_sender_balance_chz",
      "torcida_rate_available 1",
      `torcida_purchases{situation="awaiting_store"} `,
    ]) {
      expect(text).to.contain(`\n${name}`);
    }
    expect((await metricsOf(`http://127.0.0.1:${metricsPort}/other`)).status).to.equal(404);
  });

  it("serves metrics on its public port to this machine only", async () => {
    const url = `${system.url}/metrics`;
    expect((await metricsOf(url)).text).to.contain("torcida_http_request_seconds");
    for (const name of ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip", "via", "x-client-ip"]) {
      expect((await metricsOf(url, { [name]: "127.0.0.1" })).text, name).to.not.contain("torcida_http");
    }
  });

  it("answers a target with a host by its path, and one that is no address with 400", async () => {
    const statusOf = async (target: string) => {
      const { port } = new URL(system.url);
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      let said = "";
      for await (const chunk of socket) said += chunk;
      return said.split(" ")[1];
    };
    expect(await statusOf("http://shop.example/api")).to.equal("200");
    expect(await statusOf("http://shop.example:99999/api")).to.equal("400");
    expect(await statusOf("http://[/api")).to.equal("400");
  });

  it("allows exactly the listed origins", async () => {
    const preflight = (origin: string) =>
      system.anonymous().send("OPTIONS", "/api/register-purchase", undefined, {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      });
    const allowed = await preflight(SHOP);
    expect(allowed.status).to.equal(204);
    expect(allowed.headers.get("access-control-allow-origin")).to.equal(SHOP);
    expect(allowed.headers.get("access-control-allow-headers")).to.contain("authorization");
    expect(allowed.headers.get("access-control-allow-credentials")).to.equal(null);
    const strangers = ["https://shop.example.evil.example", "http://shop.example", "https://shop.example:8443", "null"];
    for (const origin of strangers) {
      expect((await preflight(origin)).headers.get("access-control-allow-origin"), origin).to.equal(null);
    }
    const read = await system.anonymous().send("GET", "/api/stores", undefined, { origin: SHOP });
    expect(read.headers.get("access-control-allow-origin")).to.equal(SHOP);
    expect(read.headers.get("vary")).to.contain("Origin");
  });

  describe("with the public limits", () => {
    before(async () => {
      await system.stopApi("SIGTERM");
      // Two simulated purchases per minute and wallet, about six calls of `check-user` per minute and origin.
      await system.startApi({ RATE_LIMIT_SCALE: "0.002", TRUST_PROXY: "loopback" });
    });

    const check = (from: string) => {
      const caller = system.anonymous();
      const body = JSON.stringify({ address: caller.address });
      return caller.send("POST", "/api/check-user", body, { "x-forwarded-for": from });
    };
    const untilRefused = async (ask: (turn: number) => Promise<Answer>): Promise<Answer> => {
      for (let turn = 0; turn < 40; turn++) {
        const answer = await ask(turn);
        if (answer.status !== 200) return answer;
      }
      throw new Error("It is never refused");
    };

    it("counts by the origin that a trusted proxy names: the last address that is not a trusted proxy", async () => {
      expect((await check("203.0.113.1")).status).to.equal(200);
      const limited = await untilRefused(() => check("203.0.113.1"));
      expectRefusal(limited, 429, "TOO_MANY_REQUESTS");
      expect(Number(limited.headers.get("retry-after"))).to.be.within(1, 60);
      expect((await check("198.51.100.7, 203.0.113.1")).status, "an address forged by the client").to.equal(429);
      expect((await check("203.0.113.2")).status).to.equal(200);
    });

    it("counts purchases by wallet, whatever the origin", async () => {
      const [one, other] = [system.anonymous(), system.anonymous()];
      for (const [index, caller] of [one, other].entries()) {
        const signature = await caller.signSentence("register");
        const person = { first_name: "Ana", last_name: "Silva", email: "ana@example.com" };
        const body = JSON.stringify({ ...person, address: caller.address, signature });
        const from = { "x-forwarded-for": `203.0.113.${10 + index}` };
        caller.token = (await caller.send("POST", "/api/register-user-data", body, from)).body.token;
      }
      const buy = (caller: typeof one, from: string) => {
        const body = JSON.stringify({ user: caller.address, store_id: 1, amount: 1 });
        return caller.send("POST", "/api/register-purchase", body, { "x-forwarded-for": from });
      };
      const refused = await untilRefused((turn) => buy(one, `203.0.113.${20 + turn}`));
      expect(refused.body.purse).to.equal("wallet");
      expectRefusal(refused, 429, "TOO_MANY_REQUESTS");
      expect((await buy(other, "203.0.113.90")).status).to.equal(200);
    });
  });
});
