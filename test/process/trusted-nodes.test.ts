import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { ApiEnvironment } from "../../api/environment.ts";
import { type NodeSettings, oneNodeProblem, plainNodes, plaintextProblem } from "../../core/process/trusted-nodes.ts";
import { readDeployConfiguration } from "../../scripts/deploy/configuration.ts";
import { examineNodes } from "../../scripts/doctor/examine-nodes.ts";
import { standIn } from "../testing/stand-in.ts";

const settings = (urls: string[], more: Partial<NodeSettings> = {}): NodeSettings => ({
  network: "chiliz",
  urls,
  isPlaintextAccepted: false,
  isOneNodeAccepted: false,
  ...more,
});
const NAMES: Record<string, string[]> = {
  node: ["10.1.2.3"],
  "both.example": ["10.1.2.3", "203.0.113.7"],
  "inside.example": ["192.168.0.4", "fd00::4"],
};
const resolve = async (host: string) => NAMES[host] ?? [];

describe("Nodes that are asked without encryption", () => {
  for (const [url, isRefused] of [
    ["http://127.0.0.1:8545", false],
    ["http://[::1]:8545", false],
    ["ws://10.0.0.4", false],
    ["http://node:8545", false],
    ["http://inside.example", false],
    ["http://both.example", true],
    ["http://203.0.113.7:8545/key", true],
    ["ws://rpc.example/key", true],
    ["http://away:8545", false],
    ["https://rpc.example", false],
    ["wss://rpc.example", false],
  ] as const) {
    it(`${isRefused ? "are refused" : "may be"} ${url}`, async () => {
      const { protocol, host } = new URL(url);
      expect(await plainNodes([url], resolve)).to.deep.equal(isRefused ? [`${protocol}//${host}`] : []);
    });
  }

  it("are accepted where a tunnel encrypts, and named without their keys", async () => {
    const found = settings(["http://203.0.113.7:8545/secret"]);
    expect(await plaintextProblem(found)).to.match(/^http:\/\/203\.0\.113\.7:8545 would .* RPC_PLAINTEXT=accepted/);
    expect(await plaintextProblem({ ...found, isPlaintextAccepted: true })).to.equal(undefined);
  });

  it("end api and indexer at the start, which say why", function () {
    this.timeout(120_000);
    const directory = mkdtempSync(join(tmpdir(), "torcida-plain-"));
    const env = {
      ...process.env,
      DATA_DIR: directory,
      NETWORK: "spicy",
      RPC_URLS: "http://203.0.113.7:8545",
      PUBLIC_URL: "https://shop.example",
      OPERATOR_PRIVATE_KEY: `0x${"5d".repeat(32)}`,
      SALE_REF_KEY: "5a".repeat(32),
      PURCHASE_NFT_ADDRESS: `0x${"a1".repeat(20)}`,
      CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"a2".repeat(20)}`,
      START_BLOCK: "1",
    };
    try {
      for (const script of ["api/main.ts", "indexer/main.ts"]) {
        const { status, stderr } = spawnSync(process.execPath, [script], { env, encoding: "utf8" });
        expect(status, stderr).to.equal(1);
        expect(stderr, script).to.match(/^RPC_URLS http:\/\/203\.0\.113\.7:8545 would be asked .* without encryption/);
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe("One party that says everything", () => {
  it("is named, unless it is accepted or the chain is one's own", () => {
    const one = ["https://rpc.example/a", "https://rpc.example/b", "wss://other.example"];
    expect(oneNodeProblem(settings(one))).to.match(/one host, rpc\.example: .* ONE_NODE=accepted$/);
    expect(oneNodeProblem(settings(["https://rpc.example", "https://other.example"]))).to.equal(undefined);
    expect(oneNodeProblem(settings(one, { isOneNodeAccepted: true }))).to.equal(undefined);
    expect(oneNodeProblem(settings(one, { network: "localhost" }))).to.equal(undefined);
  });

  it("is refused on mainnet by the doctor, and only told elsewhere", async () => {
    const stateOf = async (urls: string[], more: Partial<NodeSettings> = {}) => {
      const nodeSettings = settings(urls, more);
      const findings = await examineNodes(standIn<ApiEnvironment>({ nodeSettings, RPC_URLS: urls, ADMIN_WALLETS: [] }));
      return findings.map(({ state, detail }) => `${state}: ${detail.slice(0, 38)}`);
    };
    const one = "All nodes of RPC_URLS are on one host,";
    expect(await stateOf(["https://rpc.example/a", "https://rpc.example/b"])).to.deep.equal([`failure: ${one}`]);
    expect(await stateOf(["https://rpc.example"], { network: "spicy" })).to.deep.equal([`warning: ${one}`]);
    expect(await stateOf(["https://rpc.example", "https://other.example"])).to.deep.equal([
      "healthy: nobody else answers for the chain",
    ]);
    expect(await stateOf(["https://rpc.example"], { isOneNodeAccepted: true })).to.deep.equal([
      "healthy: one host is believed alone, as accepte",
    ]);
  });

  it("is known to a deployment", () => {
    const source = { OPERATOR_PRIVATE_KEY: `0x${"5d".repeat(32)}`, RPC_URLS: "https://rpc.example" };
    const { nodeSettings } = readDeployConfiguration("spicy", { ...source, SITE_URL: "https://shop.example" });
    expect(oneNodeProblem(nodeSettings)).to.be.a("string");
  });
});
