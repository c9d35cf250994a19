import { readFileSync } from "node:fs";
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

  it("run no install scripts in a production installation", () => {
    const scripted = Object.entries(packages).filter(([, one]) => one.hasInstallScript && !one.dev && !one.optional);
    expect(scripted.map(([path]) => path).filter((path) => path !== "")).to.deep.equal([]);
  });
});
