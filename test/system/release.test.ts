import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect } from "chai";
import { skipWithout } from "../testing/skip.ts";

const CHANGELOG = "# Changelog\n\n## 7.0.0 (unreleased)\n\n* Twice as fast\n\n## 1.0.0 (2026-01-01)\n\n* Old\n";

describe("A release", () => {
  let folder: string;
  let env = process.env;
  const git = (...call: string[]) => execFileSync("git", call, { cwd: folder, encoding: "utf8" }).trim();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "torcida-release-"));
    for (const path of [
      "package.json",
      "package-lock.json",
      "biome.json",
      "deploy/kubernetes.yaml",
      "scripts/developer",
      "core/rules/unknown-error.ts",
    ])
      cpSync(path, join(folder, path), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, ".gitignore"), "node_modules\nbin\n");
    writeFileSync(join(folder, "CHANGELOG.md"), CHANGELOG);
    git("init", "--quiet");
    git("config", "user.email", "release@example.com");
    git("config", "user.name", "Release");
    git("add", ".");
    git("commit", "--quiet", "--message", "feat(api): pay twice as fast");
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    env = process.env;
  });

  function run(...args: string[]) {
    return spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
  }

  it("is a commit and a tag, with the version wherever it stands", () => {
    const made = run("scripts/developer/release.ts", "--version", "7.0.0");
    expect(made.status, made.stderr).to.equal(0);
    expect(git("tag")).to.equal("v7.0.0");
    const [heading = "", ...notes] = git("tag", "--list", "--format=%(contents)").split("\n");
    expect(heading).to.match(/^## 7\.0\.0 \(\d{4}-\d\d-\d\d\)$/);
    expect(notes).to.include("* Twice as fast").and.not.include("* Old");
    expect(git("show", "v7.0.0:CHANGELOG.md")).to.equal(CHANGELOG.replace(/## 7.*/, heading).trim());
    for (const file of ["package.json", "package-lock.json"])
      expect(JSON.parse(git("show", `v7.0.0:${file}`)).version, file).to.equal("7.0.0");
    // The image is pinned by its digest, which is known only once it is built.
    const named = git("show", "v7.0.0:deploy/kubernetes.yaml").match(/torcida[:-][\w.-]*\d\.\d\.\d/g) ?? [];
    expect(new Set(named)).to.deep.equal(new Set(["torcida-migrate-7.0.0"]));
    // The workflow tests what it releases.
    const biome = spawnSync("node_modules/.bin/biome", ["check"], { cwd: folder, encoding: "utf8" });
    expect(biome.status, biome.stdout + biome.stderr).to.equal(0);
  });

  it("is refused for what is no version, is not above the last one, or was not written about", () => {
    git("tag", "v0.9.0");
    git("tag", "v6.10.1");
    const saying = (version: string) => run("scripts/developer/release.ts", "--version", version).stderr;
    for (const version of ["", "1", "1.2", "v7.0.0", "7.0.0-rc.1", "07.0.0"])
      expect(saying(version), version).to.include("is not a version such as 1.2.0");
    for (const version of ["6.10.1", "6.10.0", "6.9.9", "0.10.0"])
      expect(saying(version), version).to.equal(
        `${version} is not above v6.10.1, which is released: choose a higher version\n`,
      );
    expect(saying("6.10.2")).to.include('CHANGELOG.md has no section "## 6.10.2 (unreleased)"');
    writeFileSync(join(folder, "other"), "");
    expect(saying("7.0.0")).to.include("The working tree is not clean");
    expect(git("tag")).to.equal("v0.9.0\nv6.10.1");
  });

  it("has a bill of materials, for which npm 9 is told what to install", function () {
    const old = join(folder, "bin");
    mkdirSync(old);
    writeFileSync(join(old, "npm"), "#!/bin/sh\necho 9.2.0\n", { mode: 0o755 });
    const list = ["scripts/developer/licences.ts", "--sbom", "sbom.cdx.json"];
    env = { ...process.env, PATH: [old, process.env.PATH].join(delimiter) };
    const refused = run(...list);
    expect([refused.status, refused.stderr]).to.deep.equal([
      1,
      "A bill of materials needs npm 10 or later, and this is npm 9: npm install --global npm@11\n",
    ]);
    env = process.env;
    const npm = execFileSync("npm", ["--version"], { encoding: "utf8" });
    if (Number.parseInt(npm, 10) < 10) skipWithout(this, "npm 10");
    expect(run(...list).status).to.equal(0);
    const bill = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"));
    expect(bill.metadata.component).to.include({ name: "torcida" });
    expect(bill.components).to.have.length.greaterThan(100);
  });
});
