import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import webPush from "web-push";
import { readEnvironment } from "../../api/environment.ts";
import { limitsOf } from "../../api/purchases/registration.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import { DEMO_ADMIN } from "../../core/rules/demo-wallets.ts";

const KEY = `0x${"11".repeat(32)}`;
const SPICY = {
  RPC_URLS: "https://spicy-rpc.chiliz.com",
  OPERATOR_PRIVATE_KEY: KEY,
  PUBLIC_URL: "https://torcida.example",
};
const MAINNET = { ...SPICY, NETWORK: "chiliz", RATE_URL: "https://rates.example/chz-brl" };

describe("The api's environment", () => {
  it("waits for one confirmation on the local chain, and batches for a moment", () => {
    const { CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS } = readEnvironment({});
    expect({ CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS }).to.deep.equal({
      CONFIRMATIONS: 1,
      PAYOUT_CONFIRMATIONS: 1,
      BATCH_AGE_MS: 150,
    });
  });

  it("waits for finality on a public chain, unless configured otherwise", () => {
    const { CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS, AUTH_MODE } = readEnvironment(SPICY);
    expect({ CONFIRMATIONS, PAYOUT_CONFIRMATIONS, BATCH_AGE_MS, AUTH_MODE }).to.deep.equal({
      CONFIRMATIONS: 15,
      PAYOUT_CONFIRMATIONS: 30,
      BATCH_AGE_MS: 3_000,
      AUTH_MODE: "compat",
    });
    expect(readEnvironment({ ...SPICY, CONFIRMATIONS: "9" }).CONFIRMATIONS).to.equal(9);
    expect(() => readEnvironment({ ...SPICY, CONFIRMATIONS: "31" })).to.throw(
      /PAYOUT_CONFIRMATIONS must be at least CONFIRMATIONS \(31\)/,
    );
  });

  it("simulates by itself on the local chain alone, elsewhere by name and within limits", () => {
    const read = (variables: Record<string, string>) => {
      const environment = readEnvironment(variables);
      return [environment.SIMULATED_PURCHASES, limitsOf(environment)];
    };
    const standard = { purchase: 1_000_000n, wallet: 2_000_000n, all: 10_000_000n };
    expect(read({})).to.deep.equal([true, undefined]);
    expect(read(SPICY)).to.deep.equal([false, standard]);
    const named = { ...SPICY, SIMULATED_PURCHASES: "true", SIMULATED_MAX_REAIS: "50" };
    expect(read(named)).to.deep.equal([true, { ...standard, purchase: 5_000n }]);
    expect(read({ SIMULATED_TOTAL_DAILY_REAIS: "7" })).to.deep.equal([true, { ...standard, all: 700n }]);
  });

  it("is strict and does not simulate on mainnet", () => {
    const { AUTH_MODE, SIMULATED_PURCHASES } = readEnvironment(MAINNET);
    expect({ AUTH_MODE, SIMULATED_PURCHASES }).to.deep.equal({ AUTH_MODE: "strict", SIMULATED_PURCHASES: false });
  });

  it("makes the demo admin an admin on the local chain of a loopback host, and nowhere else", () => {
    const other = `0x${"ab".repeat(20)}`;
    const demo = { wallet: DEMO_ADMIN, role: "owner", isContract: false };
    for (const HOST of [undefined, "127.0.0.1", "127.8.8.8", "localhost", "::1"]) {
      expect(readEnvironment({ HOST }).ADMIN_WALLETS, HOST).to.deep.equal([demo]);
    }
    expect(readEnvironment({ ADMIN_WALLETS: `${other}:auditor` }).ADMIN_WALLETS).to.deep.equal([
      { wallet: other, role: "auditor", isContract: false },
      demo,
    ]);
    for (const HOST of ["0.0.0.0", "::", "192.168.1.7", "127.evil.example"]) {
      expect(readEnvironment({ HOST }).ADMIN_WALLETS, HOST).to.deep.equal([]);
    }
    expect(readEnvironment({ ...SPICY, HOST: "127.0.0.1" }).ADMIN_WALLETS).to.deep.equal([]);
    expect(readEnvironment({ ...MAINNET, HOST: "::1" }).ADMIN_WALLETS).to.deep.equal([]);
  });

  for (const [name, value] of [
    ["PORT", "abc"],
    ["PORT", "70000"],
    ["CONFIRMATIONS", "0"],
    ["AUTH_MODE", "lax"],
    ["ADMIN_WALLETS", "0x12"],
    ["ADMIN_WALLETS", `0x${"ab".repeat(20)}:king`],
    ["ADMIN_WALLETS", `0x${"ab".repeat(20)}:owner:support`],
    ["ADMIN_WALLETS", `0x${"ab".repeat(20)}:contract`],
    ["ADMIN_WALLETS", `0x${"ab".repeat(20)},0x${"AB".repeat(20)}:support`],
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
    ["BOOST_MAX_PERCENT", "101"],
    ["BOOST_MAX_PERCENT", "0"],
    ["INVITE_BONUS_PERCENT", "21"],
    ["RECONCILE_CALLS", "19"],
    ["NODE_CALLS_PER_SECOND", "0"],
    ["AFFILIATE_CLOSED_ACCOUNTS", "awin"],
  ] as const) {
    it(`names ${name} if it is ${value}`, () => {
      expect(() => readEnvironment({ [name]: value })).to.throw(EnvironmentError, new RegExp(`^${name} `));
    });
  }

  it("bounds boosts, and the calls to nodes of a comparison and of reads of balances", () => {
    const { BOOST_MAX_PERCENT, RECONCILE_CALLS, NODE_CALLS_PER_SECOND } = readEnvironment({ BOOST_MAX_PERCENT: "12" });
    expect([BOOST_MAX_PERCENT, RECONCILE_CALLS, NODE_CALLS_PER_SECOND]).to.deep.equal([12, 60, 25]);
  });

  it("refuses an account that is closed and configured, and tickets that are continued and in use", () => {
    const account = { AFFILIATE_SECRETS: `awin:${"s".repeat(32)}` };
    expect(
      readEnvironment({ ...account, AFFILIATE_CLOSED_ACCOUNTS: "awin:old" }).AFFILIATE_CLOSED_ACCOUNTS,
    ).to.have.length(1);
    expect(() => readEnvironment({ ...account, AFFILIATE_CLOSED_ACCOUNTS: "direct:awin" })).to.throw(
      /AFFILIATE_CLOSED_ACCOUNTS names direct:awin, which is configured/,
    );
    const [one, other] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];
    const contracts = { PURCHASE_NFT_ADDRESS: one, CASHBACK_DISTRIBUTOR_ADDRESS: other };
    expect(() => readEnvironment({ ...contracts, FORMER_PURCHASE_NFT_ADDRESSES: one })).to.throw(
      /FORMER_PURCHASE_NFT_ADDRESSES must not name a contract in use/,
    );
  });

  it("accepts origins as browsers send them, proxies in every form, and secrets with colons", () => {
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

  it("reads the http addresses of RPC_URLS, and requires one", () => {
    const urls = "wss://node.example/ws, https://node.example/rpc";
    expect(readEnvironment({ ...SPICY, RPC_URLS: urls }).RPC_URLS).to.deep.equal(["https://node.example/rpc"]);
    expect(() => readEnvironment({ RPC_URLS: "wss://node.example" })).to.throw(EnvironmentError, /^RPC_URLS needs/);
  });

  it("takes an e-mail address or a page as the support contact", () => {
    for (const contact of ["help@shop.example", "https://shop.example/help"])
      expect(readEnvironment({ ...SPICY, SUPPORT_CONTACT: contact }).SUPPORT_CONTACT).to.equal(contact);
    for (const contact of ["help", "http://shop.example", "javascript:alert(1)"])
      expect(linesOf({ ...SPICY, SUPPORT_CONTACT: contact })).to.deep.equal([
        "SUPPORT_CONTACT must be an e-mail address or an https:// address",
      ]);
  });

  it("takes the key of messages to devices from a file of its owner alone, with where to write", () => {
    const file = join(mkdtempSync(join(tmpdir(), "torcida-vapid-")), "vapid.key");
    const problem = (more: object = {}) => linesOf({ ...SPICY, VAPID_KEY_FILE: file, ...more }).join();
    const VAPID_SUBJECT = "mailto:avisos@shop.example";
    expect(problem({ VAPID_SUBJECT })).to.match(/^VAPID_KEY_FILE \S+ cannot be read \(ENOENT\)$/);
    writeFileSync(file, webPush.generateVAPIDKeys().privateKey, { mode: 0o644 });
    expect(problem({ VAPID_SUBJECT })).to.match(/^VAPID_KEY_FILE .* run chmod 600/);
    chmodSync(file, 0o600);
    expect(problem()).to.match(/^VAPID_SUBJECT .*push services write to it/);
    expect(problem({ VAPID_SUBJECT: "avisos@shop.example" })).to.match(/^VAPID_SUBJECT must be such as mailto:/);
    const { VAPID_KEY_FILE } = readEnvironment({ ...SPICY, VAPID_KEY_FILE: file, VAPID_SUBJECT });
    expect(VAPID_KEY_FILE?.publicKey).to.match(/^B[\w-]{86}$/);
    writeFileSync(file, `0x${"1".repeat(64)}`);
    expect(problem({ VAPID_SUBJECT }))
      .to.match(/does not hold a key for messages/)
      .and.not.include("1111");
  });

  it("never quotes a value that may contain a key", () => {
    for (const variable of ["RPC_URLS", "SERVICE_TOKENS", "AFFILIATE_SECRETS"]) {
      expect(linesOf({ [variable]: "ftp://k3y" }).join())
        .to.match(new RegExp(`^${variable} `))
        .and.not.include("k3y");
    }
  });

  it("requires an own key and the site's URL on a public chain", () => {
    expect(linesOf({ RPC_URLS: SPICY.RPC_URLS })).to.deep.equal([
      "OPERATOR_PRIVATE_KEY is missing: set the key that mints, confirms and pays on this chain, or OPERATOR_KEY_FILE, or OPERATOR_SIGNER_URL",
      "PUBLIC_URL is missing: on spicy the address of the site is what wallets bind sign-in messages to",
    ]);
    expect(readEnvironment({ ...SPICY, PUBLIC_URL: "http://localhost:3000" }).network).to.equal("spicy");
  });

  it("takes the operator's key from a private file, and a signing service with its account", () => {
    const directory = mkdtempSync(join(tmpdir(), "torcida-key-"));
    const file = join(directory, "operator.key");
    const key = generatePrivateKey();
    const address = privateKeyToAccount(key).address.toLowerCase();
    const url = "http://127.0.0.1:9000";
    const read = (more: Record<string, string>) => readEnvironment({ ...SPICY, OPERATOR_PRIVATE_KEY: "", ...more });
    const mistakeOf = (more: Record<string, string>) => {
      try {
        read(more);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const signerOf = (more: Record<string, string>) => read(more).keys[0]?.signer;
    writeFileSync(file, `${key.slice(2)}\n`, { mode: 0o600 });
    expect(signerOf({ OPERATOR_KEY_FILE: file })).to.deep.include({ kind: "key", address });
    expect(signerOf({ OPERATOR_SIGNER_URL: url, OPERATOR_ADDRESS: address })).to.deep.equal({
      kind: "service",
      address,
      url,
    });
    expect(mistakeOf({ OPERATOR_SIGNER_URL: url })).to.include("OPERATOR_ADDRESS is missing");
    expect(mistakeOf({ OPERATOR_KEY_FILE: file, OPERATOR_SIGNER_URL: url })).to.include(
      "must not be set together with",
    );
    expect(mistakeOf({ OPERATOR_KEY_FILE: file, OPERATOR_ADDRESS: `0x${"ab".repeat(20)}` })).to.include(
      "OPERATOR_ADDRESS is not the account of OPERATOR_KEY_FILE",
    );
    chmodSync(file, 0o640);
    expect(mistakeOf({ OPERATOR_KEY_FILE: file })).to.equal(
      `OPERATOR_KEY_FILE ${file} may be read by other users: run chmod 600 ${file}`,
    );
    expect(mistakeOf({ OPERATOR_KEY_FILE: join(directory, "none") })).to.include("cannot be read (ENOENT)");
    writeFileSync(file, LOCAL_TEST_KEY);
    chmodSync(file, 0o600);
    expect(mistakeOf({ OPERATOR_KEY_FILE: file })).to.include("OPERATOR_KEY_FILE is a test key that everyone knows");
    rmSync(directory, { recursive: true });
  });

  it("names everything that is unsafe on mainnet in one run", () => {
    const unsafe = {
      NETWORK: "chiliz",
      RPC_URLS: "http://127.0.0.1:8545",
      OPERATOR_PRIVATE_KEY: LOCAL_TEST_KEY,
      ADMIN_WALLETS: DEMO_ADMIN,
      SIMULATED_PURCHASES: "true",
      AUTH_MODE: "compat",
      PUBLIC_URL: "http://torcida.example",
      PORT: "0",
    };
    expect(linesOf(unsafe).map((line) => line.split(" ")[0])).to.have.members(
      "PORT OPERATOR_PRIVATE_KEY ADMIN_WALLETS SIMULATED_PURCHASES AUTH_MODE PUBLIC_URL RATE_URL".split(" "),
    );
    expect(readEnvironment(MAINNET).network).to.equal("chiliz");
  });
});

describe("The keys that sign", () => {
  const keys = Object.fromEntries(
    ["operator", "minter", "payer"].map((name) => {
      const key = generatePrivateKey();
      return [name, { key, address: privateKeyToAccount(key).address.toLowerCase() }];
    }),
  ) as Record<string, { key: `0x${string}`; address: string }>;
  const BASE = { ...SPICY, PUBLIC_URL: "https://torcida.example", OPERATOR_PRIVATE_KEY: keys.operator?.key ?? "" };
  const minterKey = keys.minter?.key ?? "";
  const shapeOf = (source: Record<string, string>) =>
    readEnvironment(source).keys.map(({ name, parts, address, signer }) => [
      name,
      parts.join("+"),
      address,
      signer?.kind,
    ]);

  it("are one by default, and otherwise one per distinct account", () => {
    expect(shapeOf(BASE)).to.deep.equal([
      ["operator", "operator+minter+confirmer+payer", keys.operator?.address, "key"],
    ]);
    const payer = { PAYER_SIGNER_URL: "http://127.0.0.1:9000", PAYER_ADDRESS: keys.payer?.address ?? "" };
    expect(
      shapeOf({ ...BASE, MINTER_PRIVATE_KEY: minterKey, CONFIRMER_PRIVATE_KEY: minterKey, ...payer }),
    ).to.deep.equal([
      ["operator", "operator", keys.operator?.address, "key"],
      ["minter", "minter+confirmer", keys.minter?.address, "key"],
      ["payer", "payer", keys.payer?.address, "service"],
    ]);
    const own = { MINTER_PRIVATE_KEY: BASE.OPERATOR_PRIVATE_KEY, PAYER_ADDRESS: keys.operator?.address ?? "" };
    expect(shapeOf({ ...BASE, ...own })).to.have.length(1);
  });

  it("can be on different hosts: each process has those that it signs with, and the addresses of the others", () => {
    const addresses = { OPERATOR_ADDRESS: keys.operator?.address ?? "", MINTER_ADDRESS: keys.minter?.address ?? "" };
    const minter = {
      ...BASE,
      OPERATOR_PRIVATE_KEY: "",
      ...addresses,
      SENDER_KEYS: "minter",
      MINTER_PRIVATE_KEY: minterKey,
    };
    expect(shapeOf(minter)).to.deep.equal([
      ["operator", "operator+confirmer+payer", keys.operator?.address, undefined],
      ["minter", "minter", keys.minter?.address, "key"],
    ]);
    const website = { ...BASE, OPERATOR_PRIVATE_KEY: "", ...addresses, SENDER_KEYS: "none" };
    expect(shapeOf(website).map(([, , , kind]) => kind)).to.deep.equal([undefined, undefined]);
  });

  it("are rejected if one is missing, duplicated or unused", () => {
    const refused = (more: Record<string, string>) => linesOf({ ...BASE, ...more }).join("\n");
    expect(refused({ MINTER_ADDRESS: keys.minter?.address ?? "" })).to.match(
      /^MINTER_PRIVATE_KEY is missing: .*SENDER_KEYS$/,
    );
    expect(refused({ SENDER_KEYS: "minter" })).to.match(/^SENDER_KEYS names minter, which has no key of its own/);
    expect(refused({ SENDER_KEYS: "none,operator" })).to.equal("SENDER_KEYS must be none alone, or names of keys");
    expect(refused({ SENDER_KEYS: "sender" })).to.match(/^SENDER_KEYS must be operator, minter/);
    const website = { OPERATOR_PRIVATE_KEY: "", SENDER_KEYS: "none" };
    expect(refused(website)).to.match(/^OPERATOR_ADDRESS is missing/);
    expect(refused({ ...website, OPERATOR_ADDRESS: "0x12" })).to.match(/^OPERATOR_ADDRESS must be an address.*$/);
    expect(refused({ PAYER_PRIVATE_KEY: minterKey, PAYER_SIGNER_URL: "http://127.0.0.1:9000" })).to.match(
      /^PAYER_SIGNER_URL must not be set together with PAYER_PRIVATE_KEY/,
    );
    expect(refused({ PAYER_PRIVATE_KEY: LOCAL_TEST_KEY })).to.match(
      /^PAYER_PRIVATE_KEY is a test key that everyone knows/,
    );
  });
});

function linesOf(source: Record<string, string>): string[] {
  try {
    readEnvironment(source);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message.split("\n");
    throw error;
  }
  return [];
}
