import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import sizes from "./bundle-sizes.json" with { type: "json" };
import { useSite } from "./support/site.ts";

const ROOT = join(import.meta.dirname, "../..");
const KILOBYTE = 1_000;

describe("Bundle", () => {
  const site = useSite();

  /** What a fresh visit loads, by file, in gzipped kilobytes. */
  async function loadedBy(path: string, isLoggedIn: boolean): Promise<Map<string, number>> {
    const open = isLoggedIn ? site.openLoggedIn : site.open;
    const { page } = await open(path);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    const files = await page.evaluate(() =>
      performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname),
    );
    const assets = [...new Set(files)].filter((file) => file.startsWith("/assets/"));
    return new Map(
      assets.map((file) => [file, gzipSync(readFileSync(join(ROOT, "dist/frontend", file))).length / KILOBYTE]),
    );
  }

  const sum = (loaded: Map<string, number>, extension: string) =>
    [...loaded].filter(([file]) => file.endsWith(extension)).reduce((total, [, size]) => total + size, 0);

  for (const [path, limit] of Object.entries(sizes.javascript)) {
    it(`loads at most ${limit} kB of JavaScript and ${sizes.css} kB of CSS on ${path}`, async () => {
      const loaded = await loadedBy(path, path === "/dashboard");
      expect(sum(loaded, ".js"), [...loaded].join("\n")).to.be.within(50, limit);
      expect(sum(loaded, ".css")).to.be.within(1, sizes.css);
    });
  }

  it("loads nothing of the admin area outside it, and one font", async () => {
    const loaded = await loadedBy("/dashboard", true);
    const files = [...loaded.keys()];
    expect(files.filter((file) => file.endsWith(".woff2"))).to.have.length(1);
    const words = "Painel administrativo|Nova loja|Tem certeza|Excluir loja|Loja criada com sucesso";
    for (const file of files.filter((one) => one.endsWith(".js"))) {
      expect(readFileSync(join(ROOT, "dist/frontend", file), "utf8"), file).not.to.match(new RegExp(words));
    }
  });

  it("has a font within its size", () => {
    const [font] = globSync(join(ROOT, "dist/frontend/assets/*.woff2"));
    expect(readFileSync(font ?? "").length / KILOBYTE).to.be.within(5, sizes.font);
  });

  it("holds no trace of the demo wallet in a build for a public chain, and its keys in the local one", function () {
    this.timeout(120_000);
    const folder = mkdtempSync(join(tmpdir(), "torcida-spicy-"));
    const traces = /7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6|demo_wallet|app\.torcida\.demo/;
    const textOf = (pattern: string) =>
      globSync(pattern)
        .map((file) => readFileSync(file, "utf8"))
        .join("\n");
    try {
      execFileSync(
        process.execPath,
        [
          join(ROOT, "node_modules/vite/bin/vite.js"),
          "build",
          "--logLevel",
          "error",
          "--outDir",
          folder,
          "--emptyOutDir",
        ],
        {
          cwd: ROOT,
          env: { ...process.env, VITE_NETWORK: "spicy", NODE_ENV: "production" },
        },
      );
      expect(textOf(join(folder, "assets/*.js"))).not.to.match(traces);
      expect(textOf(join(ROOT, "dist/frontend/assets/*.js"))).to.match(traces);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
