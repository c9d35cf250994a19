import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { freePorts } from "../testing/free-port.ts";

const STRANGE = `0x${"ab".repeat(20)}`;
const ENDS_WITHIN_MS = 60_000;

/** A configuration with one invalid variable: the process exits with one line that names the problem. */
describe("One wrong variable @deep", function () {
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
      const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
      const timer = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve({ code, said: said.trim() });
      });
    });

  const cases: [script: string, wrong: () => Record<string, string>, says: RegExp][] = [
    ["api/main.ts", () => ({ HOST: "203.0.113.9" }), /HOST/],
    ["api/main.ts", () => ({ PORT: takenPort() }), / PORT /],
    ["api/main.ts", () => ({ METRICS_PORT: takenPort() }), /METRICS_PORT/],
    ["api/main.ts", () => ({ DATA_DIR: file }), /a-file/],
    ["api/main.ts", () => ({ DATABASE_URL: join(file, "torcida.db") }), /a-file/],
    ["indexer/main.ts", () => ({ INDEXER_HOST: "203.0.113.9" }), /INDEXER_HOST/],
    ["affiliates/main.ts", () => ({}), /AFFILIATE_ACCOUNTS/],
    ["affiliates/main.ts", () => ({ AFFILIATE_ACCOUNTS: accounts, AFFILIATES_PORT: takenPort() }), / AFFILIATES_PORT /],
    ["api/main.ts", () => ({ HOST: "*" }), /HOST/],
  ];
  for (const [script, wrong, says] of cases) {
    it(`ends ${script} with one line where ${wrong.toString().replace(/^\(\) => \(|\)$/g, "")} (F53)`, async () => {
      const { code, said } = await start(script, wrong());
      expect([code, said.split("\n").length], said).to.deep.equal([1, 1]);
      expect(said).to.match(says);
    });
  }
});
