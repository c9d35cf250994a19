import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { readEnvironment as readAffiliates } from "../../affiliates/environment.ts";
import { readEnvironment as readApi } from "../../api/environment.ts";
import { readEnvironment as readIndexer } from "../../indexer/environment.ts";
import { EnvironmentError } from "../../platform/environment.ts";

const NONSENSE = ["n0nsense!", "-1", "0x", "http://", "99999999999999999999"];
/** A path, a host or free text: only its use shows whether it is valid. */
const FREE = ["HOST", "INDEXER_HOST", "AFFILIATES_HOST", "DATA_DIR", "WEB_DIR", "ERASED_FILE"];
const BUILD = ["VITE_ANALYTICS_URL", "VITE_WALLETCONNECT_PROJECT_ID"];
const SECRET = /PRIVATE_KEY|SECRET|TOKENS|RPC_URLS|ASSETS_URL/;
const SIGNED_FOR = `0x${"cd".repeat(20)}`;
/** Read by other programs. */
const OTHERS = [
  "SHOP_PORT",
  "DEPLOYMENTS_DIR",
  "CHROMIUM_PATH",
  "DEPLOYER_PRIVATE_KEY",
  "DEPLOYER_KEY_FILE",
  "SITE_URL",
  "CATALOGUE_ADDRESS",
  "TREASURER_ADDRESS",
  "PAUSER_ADDRESS",
  "ADMIN_ADDRESS",
  "ADMIN_DELAY_SECONDS",
  "MAX_WEI_PER_CENT",
  "MAX_PAYOUT_CHZ",
  "DAILY_CAP_CHZ",
  "EXPLORER_API_URL",
  "BACKUP_RECEIVER",
  "BACKUP_PUBLIC_KEY",
];

describe("A configuration with one wrong variable", function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-environment-"));
  const right: Record<string, string> = {
    NETWORK: "chiliz",
    CHAIN_ID: "88888",
    RPC_URLS: "https://rpc.example",
    PUBLIC_URL: "https://shop.example",
    RATE_URL: "https://rates.example/chz",
    ADMIN_WALLETS: `0x${"ab".repeat(20)}`,
    AUTH_MODE: "strict",
    SIMULATED_PURCHASES: "false",
    START_BLOCK: "1",
    NOTIFY_URL: "https://hooks.example",
    NOTIFY_SECRET: "s".repeat(32),
    AFFILIATE_SECRETS: `trial:${"s".repeat(32)}`,
    SALE_REF_KEY: "5a".repeat(32),
    PURCHASE_NFT_ADDRESS: `0x${"a1".repeat(20)}`,
    CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"b1".repeat(20)}`,
  };
  before(() => {
    for (const key of ["OPERATOR", "MINTER", "CONFIRMER", "PAYER"]) {
      const file = join(folder, `${key}.key`);
      writeFileSync(file, generatePrivateKey(), { mode: 0o600 });
      right[`${key}_KEY_FILE`] = file;
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const names = () => {
    const text = readFileSync(".env.example", "utf8");
    const listed = [
      ...text.matchAll(/^# ?([A-Z][A-Z_]+)=/gm),
      ...text.matchAll(/(?<=\s)([A-Z]+_(?:KEY_FILE|SIGNER_URL|ADDRESS))=/g),
    ];
    return [...new Set(listed.map(([, name = ""]) => name))].filter((name) => !OTHERS.includes(name));
  };
  const readAll = (variables: Record<string, string>) => {
    const lines = new Set<string>();
    for (const read of [readApi, readIndexer, readAffiliates]) {
      try {
        read(variables);
      } catch (error) {
        expect(error, String(error)).to.be.instanceOf(EnvironmentError);
        for (const line of (error as Error).message.split("\n")) lines.add(line);
      }
    }
    return [...lines];
  };

  /** A key has one way to sign. */
  const beside = (name: string) => {
    const [, prefix, way] = /^(\w+)_(PRIVATE_KEY|SIGNER_URL)$/.exec(name) ?? [];
    if (!prefix) return right;
    return { ...right, [`${prefix}_KEY_FILE`]: "", ...(way === "SIGNER_URL" && { [`${prefix}_ADDRESS`]: SIGNED_FOR }) };
  };

  it("is valid before the change", () => {
    expect(readAll(right)).to.deep.equal([]);
  });

  it("is rejected in one line that names the variable and quotes no secret (F53)", () => {
    const accepted = new Set(names());
    for (const name of names()) {
      for (const value of NONSENSE) {
        const lines = readAll({ ...beside(name), [name]: value });
        if (lines.length > 0) accepted.delete(name);
        expect(lines.length, `${name}=${value}: ${lines.join(" | ")}`).to.be.at.most(1);
        for (const line of lines) {
          expect(line, `${name}=${value}`).to.include(name);
          if (SECRET.test(name)) expect(line, `${name}=${value}`).not.to.include("n0nsense!");
        }
      }
    }
    expect([...accepted]).to.have.members([...FREE, ...BUILD]);
  });

  it("does not repeat a secret given in place of a file name (F53)", () => {
    const key = "1f".repeat(32);
    for (const value of [key, `0x${key}`]) {
      const [line = "", ...more] = readAll({ ...right, PAYER_KEY_FILE: value });
      expect(more).to.deep.equal([]);
      expect(line).to.equal("PAYER_KEY_FILE must be the path of a file, not the key itself");
    }
    const accounts = `[{"network":"direct","account":"trial","secrets":["${key}"]}]`;
    expect(readAll({ ...right, AFFILIATE_ACCOUNTS: accounts })).to.deep.equal([
      "AFFILIATE_ACCOUNTS must be the path of a JSON file, not its content",
    ]);
  });

  it("is rejected with the name of the missing variable", () => {
    for (const name of ["RPC_URLS", "PUBLIC_URL", "RATE_URL", "NOTIFY_SECRET"]) {
      const lines = readAll({ ...right, [name]: "" });
      expect(lines.length, `${name}: ${lines.join(" | ")}`).to.equal(1);
      expect(lines[0]).to.match(new RegExp(`^${name} is missing`));
    }
  });
});
