import { request as httpRequest } from "node:http";
import { expect } from "chai";
import { encodeFunctionData, type Hex, hexToBigInt, numberToHex } from "viem";
import { signInSentence } from "../../core/rules/session.ts";
import { PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { type ApiSystem, onBothSystems, startSystem } from "./support/system.ts";

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

onBothSystems("Sign-in", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  it("registers and signs in with the fixed sentences", async () => {
    const caller = system().anonymous();
    const before = await caller.post("/api/check-user", { address: caller.address });
    expect(before.body).to.include({ success: true, exists: false });
    const registration = { address: caller.address, ...PERSON, signature: await caller.signSentence("register") };
    const registered = await caller.post("/api/register-user-data", registration);
    expect(registered.status).to.equal(200);
    expect(registered.body).to.include({ success: true, message: "Account created successfully" });
    const again = await caller.post("/api/register-user-data", registration);
    expect(again.status).to.equal(409);
    expect(again.body.error).to.equal("This wallet is already registered");
    const login = await caller.post("/api/login", {
      address: caller.address,
      signature: await caller.signSentence("login"),
    });
    expect(login.status).to.equal(200);
    caller.token = login.body.token;
    const me = await caller.me();
    expect(me).to.include({
      wallet: caller.address,
      first_name: "Ana",
      last_name: "Maria Silva",
      email: "ana@example.com",
    });
  });

  it("returns 404 for the login of an unregistered wallet", async () => {
    const caller = system().anonymous();
    const answer = await caller.post("/api/login", {
      address: caller.address,
      signature: await caller.signSentence("login"),
    });
    expect(answer.status).to.equal(404);
  });

  it("requests the fixed sentence inside an EIP-4361 message", async () => {
    const caller = system().anonymous();
    const { message, nonce } = await caller.challenge();
    expect(message).to.contain(`\n\n${signInSentence("register", caller.address)}\n\n`);
    expect(message).to.match(/^127\.0\.0\.1:\d+ wants you to sign in with your Ethereum account:/);
    expect(message).to.contain(`Nonce: ${nonce}`).and.to.contain("Chain ID: 88882");
  });

  it("never takes the domain from the caller", async () => {
    const domainFor = (host: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { "content-type": "application/json", host, "x-forwarded-host": host };
        const request = httpRequest(`${system().url}/api/check-user`, { method: "POST", headers });
        request.on("error", reject);
        request.on("response", async (response) => {
          const { challenge } = JSON.parse(Buffer.concat(await response.toArray()).toString("utf8"));
          resolve(challenge.message.split(" ")[0]);
        });
        request.end(JSON.stringify({ address: system().anonymous().address }));
      });
    const own = `localhost:${system().environment.PORT}`;
    expect(await domainFor("evil.example")).to.equal(own);
    expect(await domainFor("127.0.0.1.evil.example")).to.equal(own);
    expect(await domainFor("localhost:5173")).to.equal("localhost:5173");
  });

  it("refuses every replay (F20)", async () => {
    const caller = system().anonymous();
    await caller.enter();
    const { message, nonce } = await caller.challenge();
    const signature = await caller.account.signMessage({ message });
    const proof = { address: caller.address, signature, nonce };
    expect((await caller.post("/api/login", proof)).status).to.equal(200);
    expect((await caller.post("/api/login", proof)).body.code, "the same nonce").to.equal("NONCE_INVALID");
    const fresh = await caller.challenge();
    expect((await caller.post("/api/login", { ...proof, nonce: fresh.nonce })).body.code, "an old signature").to.equal(
      "SIGNATURE_INVALID",
    );
    const fixed = await caller.post("/api/login", {
      address: caller.address,
      signature: await caller.signSentence("login"),
    });
    expect(fixed.status, "a fixed sentence after a nonce").to.equal(400);
    expect(fixed.body.code).to.equal("NONCE_REQUIRED");
    expect(fixed.body.challenge.message).to.be.a("string");
    const other = system().anonymous();
    await other.enter();
    const theirs = await other.challenge();
    const stolen = await caller.account.signMessage({ message: theirs.message });
    expect(
      (await caller.post("/api/login", { address: caller.address, signature: stolen, nonce: theirs.nonce })).status,
      "another's nonce",
    ).to.equal(400);
    expect(
      (await other.post("/api/login", { address: other.address, signature: stolen, nonce: theirs.nonce })).status,
      "another's key",
    ).to.equal(400);
  });

  it("refuses a login sentence for a registration, and vice versa", async () => {
    const caller = system().anonymous();
    const wrong = await caller.post("/api/register-user-data", {
      address: caller.address,
      ...PERSON,
      signature: await caller.signSentence("login"),
    });
    expect(wrong.status).to.equal(400);
    expect((await caller.post("/api/check-user", { address: caller.address })).body.exists).to.equal(false);
  });

  it("creates one session per nonce, whatever the form of the signature (F21)", async () => {
    const caller = system().anonymous();
    await caller.enter();
    const { message, nonce } = await caller.challenge();
    const signature = await caller.account.signMessage({ message });
    const login = (form: string) => caller.post("/api/login", { address: caller.address, signature: form, nonce });
    for (const form of variantsOf(signature)) {
      const answer = await login(form);
      expect(answer.status, form.slice(0, 20)).to.equal(400);
      expect(answer.body.success).to.equal(false);
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(signature)));
    expect(
      answers
        .map((answer) => answer.status)
        .sort()
        .slice(0, 2),
    ).to.deep.equal([200, 400]);
  });

  it("takes the signature of a Ledger, whose v is 0 or 1, once", async () => {
    const caller = system().anonymous();
    await caller.enter();
    const { message, nonce } = await caller.challenge();
    const signature = await caller.account.signMessage({ message });
    const v = Number.parseInt(signature.slice(130), 16);
    const proof = { address: caller.address, nonce, signature: `${signature.slice(0, 130)}0${v - 27}` };
    expect((await caller.post("/api/login", proof)).status).to.equal(200);
    expect((await caller.post("/api/login", proof)).body.code).to.equal("NONCE_INVALID");
    expect((await caller.post("/api/login", { ...proof, signature })).body.code).to.equal("NONCE_INVALID");
  });

  it("never accepts a fixed sentence from an admin", async () => {
    const admin = new Caller(system().url, system().admin);
    await admin.enter();
    const answer = await admin.post("/api/login", {
      address: admin.address,
      signature: await admin.signSentence("login"),
    });
    expect(answer.body.code).to.equal("NONCE_REQUIRED");
    expect((await admin.get("/api/is-admin")).body).to.deep.equal({ success: true, isAdmin: true });
    expect((await system().anonymous().get("/api/is-admin")).body).to.deep.equal({ success: true, isAdmin: false });
  });

  it("ends sessions after two idle hours, after twelve hours, and compat ones after one", async () => {
    const caller = await system().user();
    await system().idle(caller.token, 2 * 3_600_000 + 1_000);
    expect((await caller.get("/api/me")).status).to.equal(401);
    await caller.enter();
    await system().age(caller.token, 12 * 3_600_000 + 1_000);
    expect((await caller.get("/api/me")).status).to.equal(401);
    const compat = system().anonymous();
    const signature = await compat.signSentence("register");
    compat.token = (
      await compat.post("/api/register-user-data", { address: compat.address, ...PERSON, signature })
    ).body.token;
    expect((await compat.get("/api/me")).status).to.equal(200);
    await system().age(compat.token, 3_600_000 + 1_000);
    expect((await compat.get("/api/me")).status).to.equal(401);
  });

  it("accepts the signature of a smart-contract wallet (EIP-1271)", async () => {
    const contract = "0x00000000000000000000000000000000000c0de1";
    // Returns the magic value to every call: pushes 0x1626ba7e, shifts it to the left and returns it.
    const code = "0x631626ba7e60e01b60005260206000f3";
    await system().anvil.request("anvil_setCode", contract, code);
    const caller = system().anonymous();
    const challenge = (await caller.post("/api/check-user", { address: contract })).body.challenge;
    const answer = await caller.post("/api/register-user-data", {
      address: contract,
      ...PERSON,
      signature: "0x1234",
      nonce: challenge.nonce,
    });
    expect(answer.status).to.equal(200);
    const refusing = "0x00000000000000000000000000000000000c0de2";
    await system().anvil.request("anvil_setCode", refusing, "0x60006000fd");
    const other = (await caller.post("/api/check-user", { address: refusing })).body.challenge;
    const refused = await caller.post("/api/register-user-data", {
      address: refusing,
      ...PERSON,
      signature: "0x1234",
      nonce: other.nonce,
    });
    expect(refused.status).to.equal(400);
  });
});

describe("Sign-in in strict mode", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  before(async () => {
    system = await startSystem({ AUTH_MODE: "strict", RATE_LIMIT_SCALE: "1" });
  });
  after(() => system?.stop());

  it("accepts no fixed sentence", async () => {
    const caller = system.anonymous();
    const answer = await caller.post("/api/register-user-data", {
      address: caller.address,
      ...PERSON,
      signature: await caller.signSentence("register"),
    });
    expect(answer.status).to.equal(400);
    expect(answer.body.code).to.equal("NONCE_REQUIRED");
    const signature = await caller.account.signMessage({ message: answer.body.challenge.message });
    const proof = { address: caller.address, ...PERSON, signature, nonce: answer.body.challenge.nonce };
    expect((await caller.post("/api/register-user-data", proof)).status).to.equal(200);
  });
});

/** High s, the other v in either form, an unknown v, short, upper case, garbage, long. */
function variantsOf(signature: Hex): string[] {
  const r = signature.slice(2, 66);
  const s = hexToBigInt(`0x${signature.slice(66, 130)}`);
  const v = Number.parseInt(signature.slice(130), 16);
  const highS = numberToHex(N - s, { size: 32 }).slice(2);
  const flipped = (v === 27 ? 28 : 27).toString(16);
  return [
    `0x${r}${highS}${flipped}`,
    `${signature.slice(0, 130)}0${28 - v}`,
    `${signature.slice(0, 130)}02`,
    signature.slice(0, 130),
    `0x${"f".repeat(130)}`,
    `0x${"0".repeat(130)}`,
    `0x${"ab".repeat(5_000)}`,
    `${signature}00`,
    "0x",
    "nothing",
    encodeFunctionData({ abi: [{ type: "function", name: "x", inputs: [], outputs: [], stateMutability: "view" }] }),
  ];
}
