import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey } from "viem/accounts";
import { readEnvironment as readApi } from "../../api/environment.ts";
import { EnvironmentError } from "../../core/process/environment.ts";
import { readEnvironment as readAffiliates } from "../../core/sales/environment.ts";
import { readEnvironment as readIndexer } from "../../indexer/environment.ts";
import { readOperatorEnvironment } from "../../scripts/operator/environment.ts";

const NONSENSE = ["n0nsense!", "-1", "0x", "http://", "99999999999999999999"];
/** A path, a host or free text: only its use shows whether it is valid. */
const FREE = ["HOST", "INDEXER_HOST", "AFFILIATES_HOST", "DATA_DIR", "WEB_DIR", "ERASED_FILE"];
const BUILD = ["VITE_WALLETCONNECT_PROJECT_ID"];
const SECRET = /PRIVATE_KEY|SECRET|TOKENS|RPC_URLS|ASSETS_URL/;
const SIGNED_FOR = `0x${"cd".repeat(20)}`;
/** Read by other programs. */
const OTHERS = [
  "ALERT_URL_FILE",
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
    for (const read of [readApi, readIndexer, readAffiliates, readOperatorEnvironment]) {
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

  it("is rejected if it is what people write by mistake: another unit, form, network or pair", () => {
    const other = `0x${"ab".repeat(20)}`;
    const wrong: [variable: string, says: RegExp, changed: Record<string, string>][] = [
      ["NETWORK", /localhost, spicy or chiliz/, { NETWORK: "mainnet" }],
      ["CHAIN_ID", /contradicts .* NETWORK=chiliz/, { CHAIN_ID: "88882" }],
      ["RPC_URLS", /comma separated/, { RPC_URLS: "https://one.example;https://two.example" }],
      ["RPC_URLS", /at least one http/, { RPC_URLS: "wss://rpc.example" }],
      ["PUBLIC_URL", /without a path/, { PUBLIC_URL: "https://shop.example/loja" }],
      ["PUBLIC_URL", /https:\/\/ address/, { PUBLIC_URL: "shop.example" }],
      ["ADMIN_WALLETS", /right checksum/, { ADMIN_WALLETS: "0xAbabababababababababababababababababaB" }],
      ["ADMIN_WALLETS", /not "0xab.* 0x/, { ADMIN_WALLETS: `${other} ${other}` }],
      ["DATABASE_URL", /postgres:\/\/user/, { DATABASE_URL: "'postgres://torcida@127.0.0.1/torcida'" }],
      ["DATABASE_URL", /postgres:\/\/user/, { DATABASE_URL: "postgres://torcida@127.0.0.1" }],
      ["DATABASE_URL", /as %23/, { DATABASE_URL: "postgres://torcida:a#b@127.0.0.1/torcida" }],
      ["DATABASE_URL", /sslmode/, { DATABASE_URL: "postgres://torcida@db.example/torcida?sslmode=yes" }],
      ["CASHBACK_DISTRIBUTOR_ADDRESS", /must differ/, { CASHBACK_DISTRIBUTOR_ADDRESS: `0x${"a1".repeat(20)}` }],
      ["FORMER_DISTRIBUTOR_ADDRESSES", /in use/, { FORMER_DISTRIBUTOR_ADDRESSES: `0x${"b1".repeat(20)}` }],
      ["DRAIN_SECONDS", /at most 300/, { DRAIN_SECONDS: "5000" }],
      ["HOLD_SECONDS", /whole number/, { HOLD_SECONDS: "30d" }],
      ["HOLD_SECONDS", /at most/, { HOLD_SECONDS: "2592000000" }],
      ["MINT_DELAY_SECONDS", /at most/, { MINT_DELAY_SECONDS: "86400000" }],
      ["MAX_FEE_GWEI", /at least 2500/, { MAX_FEE_GWEI: "100" }],
      ["MAX_FEE_GWEI", /at most/, { MAX_FEE_GWEI: "20000000000000" }],
      ["RATE_MAX_AGE_SECONDS", /more than RATE_REFRESH_SECONDS/, { RATE_MAX_AGE_SECONDS: "30" }],
      ["RATE_REFRESH_SECONDS", /at most/, { RATE_REFRESH_SECONDS: "900000" }],
      ["RATE_MAX_JUMP_PERCENT", /whole number/, { RATE_MAX_JUMP_PERCENT: "20%" }],
      ["WEI_PER_CENT", /number of wei/, { WEI_PER_CENT: "0.01" }],
      ["SALE_MAX_REAIS", /whole number/, { SALE_MAX_REAIS: "10.000,00" }],
      ["FX_RATES", /such as USD:5.00/, { FX_RATES: "USD=5.00" }],
      ["FX_RATES", /together with FX_URL/, { FX_RATES: "USD:5.00", FX_URL: "https://fx.example" }],
      ["SALE_REF_KEY", /openssl rand -hex 32/, { SALE_REF_KEY: "" }],
      ["NOTIFY_URL", /NOTIFY_SECRET signs/, { NOTIFY_URL: "" }],
      ["MAIL_FROM", /sender of the e-mails/, { SMTP_URL: "smtps://mail.example" }],
      ["SMTP_URL", /the server that takes/, { MAIL_FROM: "avisos@shop.example" }],
      ["SMTP_URL", /such as smtps/, { SMTP_URL: "mail.example:587", MAIL_FROM: "avisos@shop.example" }],
      ["VAPID_KEY_FILE", /signs messages to devices/, { VAPID_SUBJECT: "mailto:avisos@shop.example" }],
      ["VAPID_KEY_FILE", /cannot be read/, { VAPID_KEY_FILE: "none.key", VAPID_SUBJECT: "https://shop.example" }],
      ["VAPID_SUBJECT", /such as mailto/, { VAPID_SUBJECT: "avisos@shop.example" }],
      ["BACKUP_PUBLIC_KEY", /copies leave this server encrypted/, { BACKUP_RECEIVER: "ssh backup@elsewhere.example" }],
      ["BACKUP_PUBLIC_KEY", /age1/, { BACKUP_RECEIVER: "ssh elsewhere", BACKUP_PUBLIC_KEY: "ssh-ed25519 AAAA" }],
      ["PAYER_SIGNER_URL", /use one signer/, { PAYER_SIGNER_URL: "https://signer.example" }],
      ["PAYER_ADDRESS", /PAYER_SIGNER_URL signs for/, { PAYER_KEY_FILE: "", PAYER_SIGNER_URL: "https://s.example" }],
      ["METRICS_PORT", /differ from PORT/, { METRICS_PORT: "3000" }],
      ["VITE_ANALYTICS_URL", /path of this site/, { VITE_ANALYTICS_URL: "analytics.example" }],
    ];
    for (const [variable, says, changed] of wrong) {
      const said = JSON.stringify(changed);
      const [line = "", ...more] = readAll({ ...right, ...changed });
      expect(more, said).to.deep.equal([]);
      expect(line, said)
        .to.match(new RegExp(`^${variable} `))
        .and.match(says);
    }
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
