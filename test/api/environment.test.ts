import { expect } from "chai";
import { EnvironmentError, readEnvironment } from "../../api/environment.ts";
import { DEMO_ADMIN } from "../../domain/demo-wallets.ts";

const KEY = `0x${"11".repeat(32)}`;

describe("The api's environment", () => {
  it("waits one confirmation on the local chain, and gathers for a moment", () => {
    const { CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS } = readEnvironment({});
    expect({ CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS }).to.deep.equal({
      CONFIRMATIONS: 1,
      PAYOUT_CONFIRMATIONS: 1,
      BATCH_AGE_MS: 150,
    });
  });

  it("waits for depth on a public chain, unless it is told otherwise", () => {
    const source = { RPC_URLS: "https://spicy-rpc.chiliz.com", OPERATOR_PRIVATE_KEY: KEY };
    const { CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS, AUTH_MODE } = readEnvironment(source);
    expect({ CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS, AUTH_MODE }).to.deep.equal({
      CONFIRMATIONS: 15,
      PAYOUT_CONFIRMATIONS: 30,
      BATCH_AGE_MS: 3_000,
      AUTH_MODE: "compat",
    });
    expect(readEnvironment({ ...source, CONFIRMATIONS: "9" }).CONFIRMATIONS).to.equal(9);
  });

  it("is strict and does not simulate on mainnet", () => {
    const source = { RPC_URLS: "https://rpc.chiliz.com", CHAIN_ID: "88888", OPERATOR_PRIVATE_KEY: KEY };
    const { AUTH_MODE, SIMULATED_PURCHASES } = readEnvironment(source);
    expect({ AUTH_MODE, SIMULATED_PURCHASES }).to.deep.equal({ AUTH_MODE: "strict", SIMULATED_PURCHASES: false });
  });

  it("makes the demo admin an admin on the local chain of a loopback host, and nowhere else", () => {
    const other = `0x${"ab".repeat(20)}`;
    const spicy = {
      RPC_URLS: "https://spicy-rpc.chiliz.com",
      OPERATOR_PRIVATE_KEY: KEY,
      PUBLIC_URL: "https://a.example",
    };
    for (const HOST of [undefined, "127.0.0.1", "127.8.8.8", "localhost", "::1"]) {
      expect(readEnvironment({ HOST }).ADMIN_WALLETS, HOST).to.deep.equal([DEMO_ADMIN]);
    }
    expect(readEnvironment({ ADMIN_WALLETS: other }).ADMIN_WALLETS).to.deep.equal([other, DEMO_ADMIN]);
    for (const HOST of ["0.0.0.0", "::", "192.168.1.7", "127.evil.example"]) {
      expect(readEnvironment({ HOST }).ADMIN_WALLETS, HOST).to.deep.equal([]);
    }
    expect(readEnvironment({ ...spicy, HOST: "127.0.0.1" }).ADMIN_WALLETS).to.deep.equal([]);
    expect(readEnvironment({ ...spicy, CHAIN_ID: "88888", HOST: "::1" }).ADMIN_WALLETS).to.deep.equal([]);
  });

  for (const [name, value] of [
    ["PORT", "abc"],
    ["PORT", "70000"],
    ["CONFIRMATIONS", "0"],
    ["AUTH_MODE", "lax"],
    ["ADMIN_WALLETS", "0x12"],
    ["OPERATOR_PRIVATE_KEY", "secret"],
    ["RATE_LIMIT_SCALE", "0"],
    ["CHAIN_ID", "1"],
    ["OPERATOR_PRIVATE_KEY", `0x${"00".repeat(32)}`],
    ["OPERATOR_PRIVATE_KEY", `0x${"ff".repeat(32)}`],
    ["TRUST_PROXY", "true"],
    ["TRUST_PROXY", "10.0.0.0/33"],
    ["TRUST_PROXY", "loopback,proxy.example"],
    ["CORS_ORIGINS", "https://shop.example/page"],
    ["CORS_ORIGINS", "*"],
    ["AFFILIATE_SECRETS", "awin:short"],
    ["RATE_URL", "file:///rate.json"],
  ] as const) {
    it(`names ${name} where it is ${value}`, () => {
      expect(() => readEnvironment({ [name]: value })).to.throw(EnvironmentError, new RegExp(`^${name} `));
    });
  }

  it("takes origins as browsers send them, proxies in every form, and secrets with colons", () => {
    const secret = `${"s".repeat(32)}:with:colons`;
    const { CORS_ORIGINS, TRUST_PROXY, AFFILIATE_SECRETS } = readEnvironment({
      CORS_ORIGINS: "https://Shop.example/, http://localhost:5173",
      TRUST_PROXY: "loopback, 10.0.0.0/8, ::1, fd00::/8",
      AFFILIATE_SECRETS: `awin:${secret}`,
    });
    expect(CORS_ORIGINS).to.deep.equal(["https://shop.example", "http://localhost:5173"]);
    expect(TRUST_PROXY).to.equal("loopback, 10.0.0.0/8, ::1, fd00::/8");
    expect(AFFILIATE_SECRETS).to.deep.equal([{ network: "awin", secret }]);
    expect(readEnvironment({ TRUST_PROXY: "2" }).TRUST_PROXY).to.equal("2");
  });

  it("takes the http addresses of RPC_URLS, and wants one", () => {
    const urls = "wss://node.example/ws, https://node.example/rpc";
    expect(readEnvironment({ RPC_URLS: urls, OPERATOR_PRIVATE_KEY: KEY }).RPC_URLS).to.deep.equal([
      "https://node.example/rpc",
    ]);
    expect(() => readEnvironment({ RPC_URLS: "wss://node.example" })).to.throw(EnvironmentError, /^RPC_URLS needs/);
  });

  it("wants a key of one's own on a public chain", () => {
    const source = { RPC_URLS: "https://spicy-rpc.chiliz.com" };
    expect(() => readEnvironment(source)).to.throw(EnvironmentError, /^OPERATOR_PRIVATE_KEY is missing/);
    const known = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    expect(() => readEnvironment({ ...source, OPERATOR_PRIVATE_KEY: known })).to.throw(
      EnvironmentError,
      /everyone knows/,
    );
  });
});
