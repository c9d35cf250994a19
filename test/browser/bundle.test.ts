import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { privateKeyToAddress } from "viem/accounts";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";
import { DEMO_WALLETS } from "../../frontend/development/demo-wallets/demo-wallets.ts";
import { WEB_APP } from "../testing/web-app.ts";
import sizes from "./bundle-sizes.json" with { type: "json" };
import { useSite } from "./support/site.ts";

const ROOT = join(import.meta.dirname, "../..");
const KILOBYTE = 1_000;
/** What only a user, or an admin, sees whole. */
const PRIVATE = ["/dashboard", "/profile", "/admin"];

describe("Bundle", () => {
  const site = useSite();
  beforeEach(() => {
    // One that refuses would make pages load what explains a refusal.
    site.server.config.rpc_url = "http://127.0.0.1:9";
  });

  /** The files that a first visit loads, in gzipped kilobytes. */
  async function loadedBy(path: string, isLoggedIn: boolean): Promise<Map<string, number>> {
    site.server.isAdmin = path === "/admin";
    const open = isLoggedIn ? site.openLoggedIn : site.open;
    const { page } = await open(path);
    await page.locator("h1").first().waitFor();
    await page.waitForLoadState("networkidle");
    const files = await page.evaluate(() =>
      performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname),
    );
    const assets = [...new Set(files)].filter((file) => file.startsWith("/assets/"));
    return new Map(assets.map((file) => [file, gzipSync(readFileSync(join(WEB_APP, file))).length / KILOBYTE]));
  }

  const sum = (loaded: Map<string, number>, extension: string) =>
    [...loaded].filter(([file]) => file.endsWith(extension)).reduce((total, [, size]) => total + size, 0);

  for (const [path, limit] of Object.entries(sizes.javascript)) {
    const own: Record<string, number> = { "/admin": sizes.panelCss, "/clubs/palmeiras": sizes.clubCss };
    const css = own[path] ?? sizes.css;
    it(`loads at most ${limit} kB of JavaScript and ${css} kB of CSS on ${path}`, async () => {
      const loaded = await loadedBy(path, PRIVATE.includes(path));
      expect(sum(loaded, ".js"), [...loaded].join("\n")).to.be.within(50, limit);
      expect(sum(loaded, ".css")).to.be.within(1, css);
    });
  }

  it("loads nothing of the admin area outside it, and one font", async () => {
    const loaded = await loadedBy("/dashboard", true);
    const files = [...loaded.keys()];
    expect(files.filter((file) => file.endsWith(".woff2"))).to.have.length(1);
    const words = "Painel administrativo|Nova loja|Tem certeza|Excluir loja|Loja criada com sucesso";
    for (const file of files.filter((one) => one.endsWith(".js"))) {
      expect(readFileSync(join(WEB_APP, file), "utf8"), file).not.to.match(new RegExp(words));
    }
  });

  it("loads every script after the styles of the first paint", () => {
    const html = readFileSync(join(WEB_APP, "index.html"), "utf8");
    const scripts = html.match(/<(?:script type="module"|link rel="modulepreload")[^>]*>/g) ?? [];
    expect(scripts).to.not.deep.equal([]);
    expect(scripts.filter((one) => !one.includes('fetchPriority="low"'))).to.deep.equal([]);
  });

  it("has the layers in their order, whichever module comes first", () => {
    const [sheet, ...more] = globSync(join(WEB_APP, "assets/app-*.css")).map((file) => readFileSync(file, "utf8"));
    expect(more).to.deep.equal([]);
    const layers = [...(sheet ?? "").matchAll(/@layer ([a-z, ]+)/g)].flatMap(([, names = ""]) => names.split(/, ?/));
    expect([...new Set(layers)]).to.deep.equal(["reset", "base", "components", "screens", "helpers"]);
  });

  it("has a font within its size", () => {
    const [font] = globSync(join(WEB_APP, "assets/*.woff2"));
    expect(readFileSync(font ?? "").length / KILOBYTE).to.be.within(5, sizes.font);
  });

  it("contains no trace of the demo wallets in what `npm run build` makes, and their keys in the development entry", function () {
    this.timeout(300_000);
    const folder = mkdtempSync(join(tmpdir(), "torcida-production-"));
    const stale = join(folder, "assets/left-over.js");
    mkdirSync(join(folder, "assets"));
    writeFileSync(stale, DEMO_WALLETS[0]?.key ?? "");
    const texts = LANGUAGE_NAMES.map((one) =>
      JSON.parse(readFileSync(join(ROOT, `core/rules/languages/${one}.json`), "utf8")),
    );
    const traces = DEMO_WALLETS.flatMap(({ key, rdns, uuid, storage, name, detail }) => {
      const address = privateKeyToAddress(key);
      return [key.slice(2), address.slice(2), rdns, uuid, storage, ...texts.flatMap((all) => [all[name], all[detail]])];
    }).map((trace) => trace.toLowerCase());
    const textOf = (root: string) =>
      globSync(join(root, "**/*"), { exclude: ["**/*.woff2"] })
        .concat(globSync(join(root, ".vite/*")))
        .filter((file) => statSync(file).isFile())
        .map((file) => readFileSync(file, "utf8").toLowerCase())
        .join("\n");
    try {
      const vite = join(ROOT, "node_modules/vite/bin/vite.js");
      execFileSync(process.execPath, [vite, "build", "--logLevel", "error", "--outDir", folder, "--emptyOutDir"], {
        cwd: ROOT,
        env: { ...process.env, NODE_ENV: "production" },
      });
      expect(existsSync(stale)).to.equal(false);
      const production = textOf(folder);
      expect(production).to.include("eip6963:");
      for (const trace of [...traces, "demo-wallet", "demo_wallet"]) expect(production).not.to.include(trace);
      const development = textOf(WEB_APP);
      for (const { key, rdns } of DEMO_WALLETS) expect(development).to.include(key).and.to.include(rdns);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
