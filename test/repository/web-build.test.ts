import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import type { Plugin, UserConfig } from "vite";
import config from "../../vite.config.ts";

/** What makes the HTML of the site's pages. */
const MAKERS = ["vite.config.ts", "frontend/prerender.tsx", "core/rules/template.ts", ...globSync("api/site/**/*.ts")];

describe("The build of the web app", () => {
  it("makes its pages of components with named places: nothing is sought in HTML, or replaced", () => {
    const wrong = MAKERS.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => /\.(?:replace|replaceAll|match|matchAll)\(/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it("has at most two plugins of its own", () => {
    const { plugins = [] } = config({ mode: "production", command: "build" }) as UserConfig;
    const own = plugins.flat().filter((one): one is Plugin => one !== null && typeof one === "object" && "name" in one);
    expect(own.map(({ name }) => name).filter((name) => !name.startsWith("vite:"))).to.have.length.at.most(2);
  });
});
