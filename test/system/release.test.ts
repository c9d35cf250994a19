import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect } from "chai";
import {
  changelogSection,
  parseCommit,
  takeWritten,
  versionMistake,
  withSection,
} from "../../scripts/developer/release/changelog.ts";
import { skipWithout } from "../testing/skip.ts";

describe("The changelog", () => {
  it("lists what was added, fixed and broken, by folder, without tests and chores", () => {
    const lines = [
      "abc1234 feat(api): pay twice as fast",
      "abc1235 fix: a wrong sum",
      "abc1236 feat(database)!: another shape",
      "abc1237 test(api): more of them",
      "abc1238 Merge something",
    ];
    const section = changelogSection(
      "1.2.0",
      new Date("2026-01-02"),
      lines.flatMap((line) => parseCommit(line) ?? []),
    );
    expect(section).to.equal(
      [
        "## 1.2.0 (2026-01-02)\n",
        "### Changes that need your attention\n\n* **database**: another shape (abc1236)\n",
        "### Added\n\n* **api**: pay twice as fast (abc1234)\n",
        "### Fixed\n\n* a wrong sum (abc1235)\n",
      ].join("\n"),
    );
  });
});

describe("A changelog written by hand", () => {
  const text = "# Changelog\n\n## 1.1.0 (unreleased)\n\n* New\n\n## 1.0.0 (2026-01-01)\n\n* Old\n";

  it("is the section of its version, dated, and nothing else is lost", () => {
    expect(takeWritten(text, "1.1.0", new Date("2026-02-03"))).to.deep.equal({
      section: "## 1.1.0 (2026-02-03)\n\n* New\n",
      rest: "# Changelog\n\n## 1.0.0 (2026-01-01)\n\n* Old\n",
    });
  });

  it("comes before earlier ones and after what stands above them, in an empty changelog too", () => {
    expect(withSection("# Changelog\n\nOf this shop.\n\n## 1.0.0\n\n* Old\n", "## 1.1.0\n\n* New\n")).to.equal(
      "# Changelog\n\nOf this shop.\n\n## 1.1.0\n\n* New\n\n## 1.0.0\n\n* Old\n",
    );
    expect(withSection("# Changelog\n", "## 1.0.0\n\n* New\n")).to.equal("# Changelog\n\n## 1.0.0\n\n* New\n");
  });

  it("is nothing for a version that was not written", () => {
    for (const version of ["1.0.0", "1.1", "2.0.0"]) expect(takeWritten(text, version, new Date())).to.equal(undefined);
  });
});

describe("A release's version", () => {
  it("is above every released one", () => {
    const tags = ["v0.9.0", "v0.10.1", "v0.2.0", "vnext", ""];
    expect(versionMistake("0.10.2", tags)).to.equal(undefined);
    expect(versionMistake("1.0.0", tags)).to.equal(undefined);
    expect(versionMistake("0.1.0", [""])).to.equal(undefined);
    for (const version of ["0.10.1", "0.10.0", "0.9.9", "0.3.0"]) {
      expect(versionMistake(version, tags), version).to.include("is not above v0.10.1");
    }
    for (const version of ["", "1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2"]) {
      expect(versionMistake(version, tags), version).to.include("is not a version");
    }
  });
});

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
      "scripts/developer/licences.ts",
      "scripts/developer",
      "core/rules/unknown-error.ts",
      "scripts/developer/release.ts",
      "scripts/developer/release",
    ])
      cpSync(path, join(folder, path), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, ".gitignore"), "node_modules\nbin\n");
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
    expect(notes).to.include("### Added");
    const images = git("show", "v7.0.0:deploy/kubernetes.yaml").match(/torcida[:-][\w.-]*\d\.\d\.\d/g) ?? [];
    expect(new Set(images)).to.deep.equal(new Set(["torcida-migrate-7.0.0", "torcida:7.0.0"]));
    // The workflow tests what it releases.
    const biome = spawnSync("node_modules/.bin/biome", ["check"], { cwd: folder, encoding: "utf8" });
    expect(biome.status, biome.stdout + biome.stderr).to.equal(0);
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
      "A bill of materials needs npm 10 or later, and this is npm 9.2.0: npm install --global npm@11\n",
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
