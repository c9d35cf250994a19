import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { expect } from "chai";
import { strFromU8, zipSync } from "fflate";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";
import { countsUntil, isReferral, type Store, storesAt } from "../../frontend/extension/stores.ts";
import { extensionFiles, manifestFor } from "../../scripts/developer/build-extension.ts";
import { skipWithout } from "../testing/skip.ts";

const SITE = "https://torcida.example";
/** Mozilla's own check: `npm ci --prefix scripts/developer/extension-lint` installs it. */
const LINTER = resolve("scripts/developer/extension-lint/package.json");

/** docs/extension.md */
describe("The browser extension", function () {
  this.timeout(60_000);
  const filesOf = async (browser: "chromium" | "firefox") =>
    (await extensionFiles(SITE))[browser] as Record<string, Uint8Array>;

  it("asks for no host, no tab and no history", () => {
    const asked = { chromium: manifestFor("chromium", SITE), firefox: manifestFor("firefox", SITE) };
    const own = ["activeTab", "alarms", "storage"];
    expect(asked.chromium).to.deep.include({ permissions: [...own, "declarativeContent"] });
    expect(asked.firefox).to.deep.include({ permissions: own });
    for (const manifest of Object.values(asked))
      expect(manifest).to.not.have.any.keys(
        "host_permissions",
        "content_scripts",
        "optional_permissions",
        "externally_connectable",
      );
  });

  it("counts a visit for the store's own days, or the usual sixty", () => {
    const store = { id: 1, name: "Loja", domains: ["loja.com"] };
    const days = (one: Store) => countsUntil(one, 0) / 86_400_000;
    expect([days(store), days({ ...store, claim_days: 7 })]).to.deep.equal([60, 7]);
  });

  it("may call its site alone, and runs no code from elsewhere", async () => {
    for (const browser of ["chromium", "firefox"] as const) {
      const files = await filesOf(browser);
      const { content_security_policy } = JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()));
      expect(content_security_policy.extension_pages).to.equal(`default-src 'self'; connect-src 'self' ${SITE}`);
      const code = Object.entries(files).filter(([name]) => /\.(js|html|css)$/.test(name));
      for (const [name, bytes] of code) {
        const hosts = [...strFromU8(bytes).matchAll(/https?:\/\/[\w.-]+/g)].map(([host]) => host);
        expect(
          hosts.every((host) => host === SITE),
          `${name}: ${hosts}`,
        ).to.equal(true);
        expect(strFromU8(bytes), name).to.not.match(/\beval\(|new Function|innerHTML/);
      }
    }
  });

  it("is small: at most 400 lines, and 60 kB", async () => {
    const sources = globSync("frontend/extension/*").concat("scripts/developer/build-extension.ts");
    const lines = sources.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
    expect(lines).to.be.within(100, 400);
    expect(zipSync(await filesOf("firefox")).length).to.be.below(60_000);
  });

  it("speaks every language, each text with what is filled in", async () => {
    const files = await filesOf("chromium");
    const locales = Object.entries(files).filter(([name]) => name.startsWith("_locales/"));
    expect(locales).to.have.length(LANGUAGE_NAMES.length);
    const [first, ...others] = locales.map(([, bytes]) => JSON.parse(strFromU8(bytes)));
    const shapeOf = (texts: Record<string, { message: string }>) =>
      Object.entries(texts).map(([name, { message }]) => [name, message.includes("$1")]);
    for (const other of others) expect(shapeOf(other)).to.deep.equal(shapeOf(first));
    const used = globSync("frontend/extension/*.ts").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/say\((?:[^()]*? \? )?"(\w+)"(?: : "(\w+)")?/g)].flatMap(
        ([, one, two]) => [one, two ?? one],
      ),
    );
    expect(Object.keys(first)).to.include.members(used);
  });

  it("passes Mozilla's check @deep", async function () {
    if (!existsSync(resolve(LINTER, "../node_modules"))) skipWithout(this, "extension-lint");
    const { createInstance } = createRequire(LINTER)("addons-linter");
    const directory = mkdtempSync(`${tmpdir()}/torcida-extension-`);
    const archive = `${directory}/firefox.zip`;
    writeFileSync(archive, zipSync(await filesOf("firefox")));
    const config = {
      _: [archive],
      logLevel: "fatal",
      stack: false,
      pretty: false,
      warningsAsErrors: false,
      metadata: false,
      output: "none",
      boring: true,
      selfHosted: false,
      shouldScanFile: () => true,
    };
    const { errors, warnings } = await createInstance({ config, runAsBinary: false }).run();
    rmSync(directory, { recursive: true });
    expect([...errors, ...warnings]).to.deep.equal([]);
  });
});

describe("A page, to the extension", () => {
  const stores: Store[] = [
    { id: 1, name: "Loja Um", domains: ["loja-um.com.br"] },
    { id: 2, name: "Loja Um, outra", domains: ["loja-um.com.br", "m.loja-um.com.br"] },
  ];

  it("is that of the stores whose domain is its host's or above it", () => {
    const idsAt = (host: string) => storesAt(host, stores).map(({ id }) => id);
    expect(idsAt("www.loja-um.com.br")).to.deep.equal([1, 2]);
    expect(idsAt("m.loja-um.com.br")).to.deep.equal([2]);
    for (const host of ["xloja-um.com.br", "loja-um.com.br.evil.com", "com.br", "br", ""])
      expect(idsAt(host), host).to.deep.equal([]);
  });

  it("names somebody else by a network's parameter in its address", () => {
    expect(isReferral(new URL("https://loja-um.com.br/tv?IRCLICKID=1"))).to.equal(true);
    expect(isReferral(new URL("https://loja-um.com.br/tv?cor=azul&utm_source=x"))).to.equal(false);
  });
});
