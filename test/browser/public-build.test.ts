import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { build } from "vite";

/** What only the demo wallet says: its key, its name, its announcement, its window. */
const DEMO_MARKS = ["7c852118294e51e653712a81e05800f4", "Torcida demo", "demo_wallet_key", "demo-wallet-title"];

/** Builds for a network into a folder of its own, and answers every file's text. */
async function builtFor(network: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "torcida-web-"));
  const before = process.env.VITE_NETWORK;
  process.env.VITE_NETWORK = network;
  try {
    await build({ configFile: "vite.config.ts", logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    return globSync("**/*.{js,css,html,json}", { cwd: folder })
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n");
  } finally {
    if (before === undefined) delete process.env.VITE_NETWORK;
    else process.env.VITE_NETWORK = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("A build", function () {
  this.timeout(120_000);

  for (const network of ["spicy", "chiliz"]) {
    it(`for ${network} has not one byte of the demo wallet`, async () => {
      const text = await builtFor(network);
      for (const mark of DEMO_MARKS) expect(text.includes(mark), mark).to.equal(false);
      expect(text).to.include(network === "spicy" ? "Chiliz Spicy Testnet" : "Chiliz Chain");
    });
  }

  it("for the local chain has all of it, so that the marks are the right ones", async () => {
    const text = await builtFor("localhost");
    for (const mark of DEMO_MARKS) expect(text.includes(mark), mark).to.equal(true);
  });
});
