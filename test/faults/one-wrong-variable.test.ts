import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { freePorts } from "../testing/free-port.ts";

const STRANGE = `0x${"ab".repeat(20)}`;
const ENDS_WITHIN_MS = 60_000;

const REMOTE = "postgres://torcida@127.0.0.1:9/torcida?sslmode=verify-full";
const AGE_KEY = `age1${"q".repeat(58)}`;
/** The variables that only a deployment has, each with what it refuses. */
const DEPLOYS: readonly [variable: string, value: string][] = [
  ["ADMIN_ADDRESS", "0x12"],
  ["TREASURER_ADDRESS", "0x12"],
  ["PAUSER_ADDRESS", "treasurer"],
  ["CATALOGUE_ADDRESS", STRANGE.replace("ab", "aB")],
  ["ADMIN_DELAY_SECONDS", "soon"],
  ["SITE_URL", "shop.example"],
  ["MAX_WEI_PER_CENT", "1.5"],
  ["MAX_PAYOUT_CHZ", "0"],
  ["DAILY_CAP_CHZ", "-1"],
  ["DEPLOYER_KEY_FILE", "/nowhere/deployer.key"],
  ["DEPLOYER_PRIVATE_KEY", "0x12"],
  ["NETWORK", "spicy"],
];

/** A configuration with one invalid variable: the process exits with one line that names the problem. */
describe("One wrong variable @release", function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-wrong-"));
  const file = join(folder, "a-file");
  const accounts = join(folder, "accounts.json");
  let taken: Server;
  let right: Record<string, string>;
  before(async () => {
    writeFileSync(file, "");
    const account = { network: "awin", account: "br", publisher_id: "45628", token: "awin-token" };
    writeFileSync(accounts, JSON.stringify([account]), { mode: 0o600 });
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const [port, indexerPort, chainPort] = await freePorts(3);
    right = {
      NETWORK: "localhost",
      HOST: "127.0.0.1",
      PORT: String(port),
      INDEXER_PORT: String(indexerPort),
      CHAIN_PORT: String(chainPort),
      DATA_DIR: join(folder, "data"),
      LOG_LEVEL: "fatal",
      PURCHASE_NFT_ADDRESS: STRANGE,
      CASHBACK_DISTRIBUTOR_ADDRESS: STRANGE.replaceAll("a", "c"),
      START_BLOCK: "0",
    };
  });
  after(async () => {
    await new Promise((resolve) => taken.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const takenPort = () => String((taken.address() as { port: number }).port);
  const start = (script: string, wrong: Record<string, string>) =>
    new Promise<{ code: number | null; said: string }>((resolve) => {
      const env = { PATH: process.env.PATH ?? "", ...right, ...wrong };
      const child = spawn(process.execPath, script.split(" "), { env, stdio: ["ignore", "pipe", "pipe"] });
      const timer = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve({ code, said: said.trim() });
      });
    });

  const expectOneLine = async (script: string, wrong: Record<string, string>, says: RegExp) => {
    const { code, said } = await start(script, wrong);
    expect([code, said.split("\n").length], said).to.deep.equal([1, 1]);
    expect(said).to.match(says);
  };

  const cases: [script: string, wrong: () => Record<string, string>, says: RegExp][] = [
    ["api/main.ts", () => ({ HOST: "203.0.113.9" }), /HOST/],
    ["api/main.ts", () => ({ PORT: takenPort() }), / PORT /],
    ["api/main.ts", () => ({ METRICS_PORT: takenPort() }), /METRICS_PORT/],
    ["api/main.ts", () => ({ DATA_DIR: file }), /a-file/],
    ["api/main.ts", () => ({ DATABASE_URL: join(file, "torcida.db") }), /a-file/],
    ["indexer/main.ts", () => ({ INDEXER_HOST: "203.0.113.9" }), /INDEXER_HOST/],
    ["core/sales/main.ts", () => ({}), /AFFILIATE_ACCOUNTS/],
    ["core/sales/main.ts", () => ({ AFFILIATE_ACCOUNTS: accounts, AFFILIATES_PORT: takenPort() }), / AFFILIATES_PORT /],
    ["api/main.ts", () => ({ HOST: "*" }), /HOST/],
    ["api/main.ts", () => ({ ERASED_FILE: join(file, "erased") }), /^ERASED_FILE.* cannot be written/],
    ["api/main.ts", () => ({ TRUST_PROXY: "everybody" }), /^TRUST_PROXY must/],
    ["api/main.ts", () => ({ OPERATOR_KEY_FILE: join(file, "key") }), /^OPERATOR_KEY_FILE .* cannot be read/],
    ["api/main.ts", () => ({ AFFILIATE_ACCOUNTS: join(file, "accounts") }), /^AFFILIATE_ACCOUNTS/],
    ["api/main.ts", () => ({ PURCHASE_NFT_ADDRESS: "", DEPLOYMENTS_DIR: file }), /cannot be read.*DEPLOYMENTS_DIR/],
    ["api/main.ts", () => ({ DATABASE_URL: `${REMOTE}&sslrootcert=${file}/ca` }), /a-file\/ca'\); check DATABASE_URL/],
    ["scripts/backup.ts", () => ({ BACKUP_PUBLIC_KEY: AGE_KEY }), /^BACKUP_RECEIVER is missing/],
    ["scripts/backup.ts", () => ({ BACKUP_RECEIVER: "ssh elsewhere" }), /^BACKUP_PUBLIC_KEY is missing/],
  ];
  for (const [script, wrong, says] of cases) {
    it(`ends ${script} with one line where ${wrong.toString().replace(/^\(\) => \(|\)$/g, "")} (F53)`, async () => {
      await expectOneLine(script, wrong(), says);
    });
  }
  for (const [variable, value] of DEPLOYS) {
    it(`ends a deployment with one line where ${variable} is ${value} (F53)`, () =>
      expectOneLine("scripts/deploy.ts --network localhost", { [variable]: value }, new RegExp(`^${variable} `)));
  }
});
