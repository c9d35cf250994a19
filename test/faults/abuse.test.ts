import { request as httpRequest } from "node:http";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { Shopper } from "../testing/shopper.ts";
import { eventually } from "../testing/until.ts";
import { type FaultSystem, SERVICE_TOKEN, startFaultSystem } from "./support/fault-system.ts";

type Json = Record<string, unknown>;
type Answer = { status: number; type: string; body: Json; headers: Headers };

describe("Abuse of the API @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let ana: Shopper;
  let bia: Shopper;
  before(async () => {
    system = await startFaultSystem({
      environment: { SIMULATED_STEP_DELAY_MS: "3600000", RATE_LIMIT_SCALE: "0.3" },
    });
    ana = await system.shopper();
    bia = await system.shopper();
  });
  after(() => system?.stop());

  const send = async (
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${system.url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    const type = response.headers.get("content-type") ?? "";
    return { status: response.status, type, body: (await response.json()) as Json, headers: response.headers };
  };
  const asService = (path: string, body: Json, headers: Record<string, string> = {}) =>
    send("POST", path, JSON.stringify(body), { authorization: `Bearer ${SERVICE_TOKEN}`, ...headers });
  const parallel = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));
  const purchasesOf = async (shopper: Shopper) =>
    ((await shopper.call("GET", "/api/purchases")).body.purchases as Json[]).length;

  it("mints, confirms and pays once for fifty parallel calls each (F11, F12, F13)", async () => {
    const id = await ana.buy(1, 100);
    const mint = { user: ana.address, purchase_id: id, metadata_uri: "" };
    const mints = await parallel(50, () => ana.call("POST", "/api/mint-nft", mint));
    expect(new Set(mints.map((one) => one.status))).to.satisfy((seen: Set<number>) =>
      [...seen].every((s) => s === 200 || s === 202),
    );
    await system.inStatus(id, "Pending");
    const confirms = await parallel(50, () => asService("/api/confirm-purchase", { purchase_id: id }));
    for (const one of confirms) expect(one.status, JSON.stringify(one.body)).to.be.oneOf([200, 202]);
    await system.inStatus(id, "Confirmed");
    const pay = { user: ana.address, amount: 5 };
    const payments = await parallel(50, () => asService("/api/distribute-cashback", pay));
    for (const one of payments) expect(one.status, JSON.stringify(one.body)).to.be.oneOf([200, 202, 409]);
    expect(payments.some((one) => one.status < 300)).to.equal(true);
    await system.settled();
    const again = await asService("/api/confirm-purchase", { purchase_id: id });
    expect([again.status, again.body.status]).to.deep.equal([200, "confirmed"]);
  });

  it("refuses an idempotency key with another body (F12)", async () => {
    const id = await bia.buy(1, 200);
    await bia.call("POST", "/api/mint-nft", { user: bia.address, purchase_id: id, metadata_uri: "" });
    await system.inStatus(id, "Pending");
    await asService("/api/confirm-purchase", { purchase_id: id });
    await system.inStatus(id, "Confirmed");
    const headers = { "idempotency-key": "payment-of-november" };
    const first = await asService("/api/distribute-cashback", { user: bia.address, amount: 10 }, headers);
    const same = await asService("/api/distribute-cashback", { user: bia.address, amount: 10 }, headers);
    const other = await asService("/api/distribute-cashback", { user: ana.address, amount: 10 }, headers);
    expect(first.status).to.be.oneOf([200, 202]);
    expect([same.status, same.body]).to.deep.equal([first.status, first.body]);
    expect(other.status).to.equal(422);
    await system.settled();
  });

  it("keeps users from other users' data and from admin calls (F22)", async () => {
    const id = await ana.buy(1, 50);
    const before = await purchasesOf(ana);
    const attempts: [string, string, unknown][] = [
      ["POST", "/api/mint-nft", { user: ana.address, purchase_id: id, metadata_uri: "" }],
      ["POST", "/api/mint-nft", { user: bia.address, purchase_id: id, metadata_uri: "" }],
      ["POST", "/api/register-purchase", { user: ana.address, store_id: 1, amount: 10 }],
      ["POST", "/api/confirm-purchase", { purchase_id: id }],
      ["POST", "/api/distribute-cashback", { user: ana.address, amount: 1 }],
      ["POST", "/api/store", { name: "X", country: "BR" }],
      ["PUT", "/api/store/1", { name: "X" }],
      ["DELETE", "/api/store/1", undefined],
      ["POST", "/api/admin/fan-token", { name: "X", slug: "x", symbol: "X", image: "https://x.example/x.png" }],
      ["GET", "/api/admin/overview", undefined],
      ["GET", "/api/admin/audit-log", undefined],
    ];
    for (const [method, path, body] of attempts) {
      const { status } = await bia.call(method, path, body);
      expect(status, `${method} ${path}`).to.be.oneOf([403, 404]);
      const anonymous = await send(method, path, body === undefined ? undefined : JSON.stringify(body));
      expect(anonymous.status, `anonymous ${method} ${path}`).to.be.oneOf([401, 404]);
    }
    expect(await purchasesOf(ana)).to.equal(before);
    expect((await send("PATCH", "/api/register-purchase", "{}")).status).to.equal(405);
    expect((await send("DELETE", "/api/me")).status).to.be.oneOf([401, 405]);
  });

  it("refuses every invalid amount, names the field, and stores nothing (F23)", async () => {
    const before = await purchasesOf(ana);
    const amounts = [
      "-1",
      "0",
      "1e400",
      '"NaN"',
      "1e-7",
      "9007199254740993",
      '"1,50"',
      "[1]",
      `1${"0".repeat(30)}`,
      "null",
      "true",
      '""',
      '"0x10"',
      '" 1"',
      "{}",
      '"1.001"',
    ];
    for (const amount of amounts) {
      const answer = await ana.call(
        "POST",
        "/api/register-purchase",
        `{"user":"${ana.address}","store_id":1,"amount":${amount}}`,
      );
      expect(answer.status, amount).to.equal(400);
      expect(answer.body.message, amount).to.match(/amount/);
    }
    expect(await purchasesOf(ana)).to.equal(before);
  });

  it("responds to broken bodies in JSON and stays up (F25)", async () => {
    const attempts: [string, string, Record<string, string>, number[]][] = [
      ["1 MB", `{"address":"${"a".repeat(2 ** 20)}"}`, {}, [413]],
      ["deep nesting", "[".repeat(10_000) + "]".repeat(10_000), {}, [400]],
      ["deep objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, {}, [400, 413]],
      ["a duplicate key", '{"address":"a","address":"b"}', {}, [400]],
      ["one whose colon is far", `{"address":"${ana.address}","address"${" ".repeat(70)}:"${bia.address}"}`, {}, [400]],
      ["__proto__", '{"__proto__":{"isAdmin":true},"address":"x"}', {}, [400]],
      ["__proto__ far from its colon", `{"__proto__"${"\n".repeat(70)}:{},"address":"${ana.address}"}`, {}, [400]],
      ["text", "address=1", { "content-type": "text/plain" }, [415]],
      ["a form", "address=1", { "content-type": "application/x-www-form-urlencoded" }, [415]],
      ["truncated JSON", '{"address":"0x', {}, [400]],
      ["nothing", "", {}, [400]],
      ["an array", "[]", {}, [400]],
      ["bytes that are not text", "\u0000\ufffd", {}, [400]],
    ];
    for (const [name, body, headers, expected] of attempts) {
      const answer = await send("POST", "/api/check-user", body, headers);
      expect(answer.status, name).to.be.oneOf(expected);
      expect(answer.type, name).to.match(/^application\/json/);
      expect(answer.body, name).to.include({ success: false }).and.to.have.property("request_id");
    }
    expect((await send("GET", "/healthz")).status).to.equal(200);
  });

  it("refuses links with a script, to inner networks or with a password, without fetching them (F26)", async () => {
    const id = await ana.buy(1, 5);
    for (const uri of [
      "javascript:alert(1)",
      "data:text/html,x",
      "http://169.254.169.254/",
      "https://a:b@c.example/",
      "file:///etc/passwd",
      "//x.example/y",
    ]) {
      const answer = await ana.call("POST", "/api/mint-nft", { user: ana.address, purchase_id: id, metadata_uri: uri });
      expect(answer.status, uri).to.equal(400);
      expect(answer.body.message, uri).to.match(/metadata_uri/);
    }
  });

  it("refuses a caller without a session before it reads the body", async () => {
    const answer = await send("POST", "/api/mint-nft", "x".repeat(2 ** 20));
    expect(answer.status).to.equal(401);
  });

  it("limits one origin and ignores a forged X-Forwarded-For (F28)", async () => {
    const seen = new Map<number, Answer>();
    const check = async (count: number) => {
      const address = new Shopper(system.url, generatePrivateKey()).address;
      const headers = { "x-forwarded-for": `10.0.${count % 250}.1`, forwarded: `for=10.1.${count % 250}.1` };
      const answer = await send("POST", "/api/check-user", JSON.stringify({ address }), headers);
      seen.set(answer.status, answer);
    };
    for (let count = 0; count < 10_000 && !seen.has(429); count += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => check(count + index)));
    }
    const limited = seen.get(429);
    expect([...seen.keys()], "never limited").to.have.members([200, 429]);
    expect(limited?.body).to.include({ code: "TOO_MANY_REQUESTS", purse: "address" });
    expect(Number(limited?.headers.get("retry-after"))).to.be.greaterThan(0);
  });

  it("limits before it reads the body (F28)", async () => {
    const answered = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { "content-type": "application/json", "content-length": "1000" };
        const request = httpRequest(`${system.url}/api/check-user`, { method: "POST", headers });
        request.on("response", (response) => {
          resolve(response.statusCode);
          request.destroy();
        });
        request.on("error", reject);
        // The rest never comes.
        request.write("{");
      });
    // Those of the tests above may still be closing, and an address has so many connections.
    await eventually(async () => expect(await answered(), "after the limit was used up above").to.equal(429));
  });

  it("refuses a second content-length and survives a caller that disconnects", async () => {
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${system.url}/api/check-user`, {
        method: "POST",
        headers: { "content-length": "1000" },
      });
      request.on("error", () => {});
      request.on("close", () => resolve());
      request.write("{");
      setTimeout(() => request.destroy(), 50);
    });
    expect((await send("GET", "/healthz")).status).to.equal(200);
  });
});
