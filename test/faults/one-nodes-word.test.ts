import { expect } from "chai";
import { getContractAddress, serializeErc6492Signature } from "viem";
import { listAudit } from "../../core/database/audit-log.ts";
import { Caller } from "../api/support/caller.ts";
import { type ApiSystem, startSystem } from "../api/support/system.ts";
import { type RpcCall, type ScriptedNode, startScriptedNode } from "../indexer/support/scripted-node.ts";
import { PERSON } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type CodeLiar, startCodeLiar } from "./support/code-liar.ts";

const JUNK = `0x${"12".repeat(65)}`;
type Fault = { name: string; text: string };
/** Answers every call with the magic value of EIP-1271. */
const ACCEPTS_ALL = "0x631626ba7e60e01b60005260206000f3";
/** Deploys its input by CREATE2, with salt 0. */
const CREATES_WHAT_IT_IS_GIVEN = "0x365f5f375f365f5ff55f5260205ff3";
/** Jumps back for ever: 12 bytes that burn all gas. */
const BURNS_ALL = "0x5b600456005b600056005b00";
/** Returns 3.5 MB of zeros. */
const RETURNS_MUCH = "0x623567e05ff3";

describe("What one node says @deep", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  let liar: CodeLiar;
  const proxies: ScriptedNode[] = [];

  before(async () => {
    system = await startSystem({ AUTH_MODE: "strict" });
    liar = await startCodeLiar(system.anvil.rpcUrl);
  });
  afterEach(async () => {
    liar.isSilent = false;
    await Promise.all(proxies.splice(0).map((one) => one.stop()));
  });
  after(async () => {
    await liar?.stop();
    await system?.stop();
  });

  const startOn = async (nodes: readonly string[], more: Record<string, string> = {}) => {
    await system.stopApi();
    await system.startApi({ RPC_URLS: nodes.join(), NETWORK: "localhost", ...more });
    await until("the api is ready", async () => (await fetch(`${system.url}/readyz`)).status === 200);
  };
  /** Tries to sign in with a signature that is none. */
  const enterByJunk = async (address: string, signature = JUNK) => {
    const caller = system.anonymous();
    const { exists, challenge } = (await caller.post("/api/check-user", { address })).body;
    const proof = { address, signature, nonce: challenge.nonce };
    return exists ? caller.post("/api/login", proof) : caller.post("/api/register-user-data", { ...PERSON, ...proof });
  };
  const fresh = () => system.anonymous().address;

  it("lets nobody of the team in: they sign with their key", async () => {
    const owner = system.admin.address;
    liar.vouchFor(owner);
    await startOn([liar.url]);
    const asked = liar.calls.length;
    expect((await enterByJunk(owner)).body.code).to.equal("SIGNATURE_INVALID");
    const about = liar.calls
      .slice(asked)
      .filter(({ method, params }) => method === "eth_getCode" && params[0] === owner);
    expect(about, "questions to the node").to.deep.equal([]);
    const real = new Caller(system.url, system.admin);
    await real.enter();
    expect((await real.get("/api/is-admin")).body.isAdmin).to.equal(true);
  });

  it("lets nobody in while the honest node answers, whichever comes first", async () => {
    const wallet = fresh();
    liar.vouchFor(wallet);
    for (const nodes of [
      [system.anvil.rpcUrl, liar.url],
      [liar.url, system.anvil.rpcUrl],
    ]) {
      await startOn(nodes);
      expect((await enterByJunk(wallet)).body.code).to.equal("SIGNATURE_INVALID");
    }
  });

  it("lets nobody in while the honest node rests: a standby alone is no agreement", async () => {
    const wallet = fresh();
    liar.vouchFor(wallet);
    let isAway = false;
    const honest = await startScriptedNode(system.anvil.rpcUrl, () => (isAway ? { status: 503 } : undefined));
    proxies.push(honest);
    await startOn([honest.url, liar.url]);
    isAway = true;
    await until("the standby is in use", () => system.apiLog().includes("The node failed; the next one is asked"));
    for (let time = 0; time < 5; time++) {
      const { status, body } = await enterByJunk(wallet);
      expect([status, body.code]).to.deep.equal([503, "CHAIN_UNAVAILABLE"]);
    }
  });

  it("lets a contract's wallet in once every node says the same, and none whose key has signed", async () => {
    const contract = "0x00000000000000000000000000000000000c0de3";
    await system.anvil.request("anvil_setCode", contract, ACCEPTS_ALL);
    await startOn([system.anvil.rpcUrl, liar.url]);
    expect((await enterByJunk(contract)).status).to.equal(200);
    const keyed = await system.user();
    await system.anvil.request("anvil_setCode", keyed.address, ACCEPTS_ALL);
    expect((await enterByJunk(keyed.address)).body.code, "a wallet with a key").to.equal("SIGNATURE_INVALID");
    await keyed.enter();
  });

  it("lets a wallet in whose contract is not deployed yet, by the word of every node (ERC-6492)", async () => {
    const factory = "0x00000000000000000000000000000000000c0de8";
    await system.anvil.request("anvil_setCode", factory, CREATES_WHAT_IT_IS_GIVEN);
    const creation = `0x6f${ACCEPTS_ALL.slice(2)}5f5260106010f3` as const;
    const wallet = getContractAddress({ opcode: "CREATE2", from: factory, salt: "0x0", bytecode: creation });
    const signature = serializeErc6492Signature({ address: factory, data: creation, signature: "0x1234" });
    await startOn([system.anvil.rpcUrl, liar.url]);
    expect((await enterByJunk(fresh(), signature)).body.code, "another wallet").to.equal("SIGNATURE_INVALID");
    expect((await enterByJunk(wallet.toLowerCase(), signature)).status).to.equal(200);
  });

  it("takes the contract of an owner that ADMIN_WALLETS names as one, and writes down who came in how", async () => {
    const safe = "0x00000000000000000000000000000000000c0de4";
    const plain = "0x00000000000000000000000000000000000c0de5";
    for (const address of [safe, plain]) await system.anvil.request("anvil_setCode", address, ACCEPTS_ALL);
    await startOn([system.anvil.rpcUrl, liar.url], { ADMIN_WALLETS: `${safe}:owner:contract,${plain}:owner` });
    expect((await enterByJunk(plain)).body.code, "named without :contract").to.equal("SIGNATURE_INVALID");
    const fault = await until("it is a fault", async () => {
      const { faults = [] } = (await (await fetch(`${system.url}/readyz`)).json()) as { faults?: Fault[] };
      return faults.find(({ name }) => name === "staff_contract");
    });
    expect(fault.text).to.include(`add :contract to ${plain}`).and.not.to.include(safe);
    const entered = await enterByJunk(safe);
    expect(entered.status).to.equal(200);
    const owner = new Caller(system.url, undefined, entered.body.token);
    expect((await owner.get("/api/is-admin")).body.isAdmin).to.equal(true);
    const { kysely } = await system.database();
    const { rows } = await listAudit(kysely, { limit: 1, query: "session.sign_in" });
    expect(rows[0]).to.include({ actor: safe, action: "session.sign_in", subject: `user:${safe}` });
    expect(JSON.parse(rows[0]?.detail ?? "")).to.deep.equal({
      role: "owner",
      origin: "127.0.0.1",
      signature: "contract",
    });
    const delegated = "0x00000000000000000000000000000000000c0de6";
    await system.anvil.request("anvil_setCode", delegated, `0xef0100${safe.slice(2)}`);
    await startOn([system.anvil.rpcUrl], { ADMIN_WALLETS: `${delegated}:owner:contract` });
    expect((await enterByJunk(delegated)).body.code, "a key that delegates").to.equal("SIGNATURE_INVALID");
  });

  for (const [what, code] of [
    ["burns all gas", BURNS_ALL],
    ["returns 3.5 MB", RETURNS_MUCH],
  ] as const) {
    it(`asks a contract that ${what} apart, within bounds, and holds nothing against the node`, async () => {
      const contract = `0x${"0".repeat(34)}c0de${(10 + code.length).toString(16).padStart(2, "0")}`;
      await system.anvil.request("anvil_setCode", contract, code);
      const node = await startScriptedNode(system.anvil.rpcUrl, () => undefined);
      proxies.push(node);
      await startOn([node.url]);
      const asked = node.requests.length;
      expect((await enterByJunk(contract)).body.code).to.equal("SIGNATURE_INVALID");
      const answers = await Promise.all(Array.from({ length: 20 }, () => enterByJunk(contract)));
      // Of one origin, each waits for the one before, and some for too long.
      for (const { status } of answers) expect(status).to.be.oneOf([400, 503]);
      const isToIt = ({ method, params }: RpcCall) =>
        method === "eth_call" && (params[0] as { to?: string }).to === contract;
      const requests = node.requests.slice(asked).filter((calls) => calls.some(isToIt));
      expect(requests.length).to.be.greaterThan(0);
      for (const calls of requests) {
        expect(calls, "a request of its own").to.have.length(1);
        for (const { params } of calls) expect(params[0]).to.include({ gas: "0x493e0" });
      }
      expect((await fetch(`${system.url}/readyz`)).status).to.equal(200);
    });
  }
});
