import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PAGES } from "../../frontend/app/pages.ts";

const FRONTEND = join(import.meta.dirname, "../../frontend");

describe("The table of pages", () => {
  it("names the screen of every page, and every screen", () => {
    for (const { path, screen } of PAGES) expect(existsSync(join(FRONTEND, `${screen}.tsx`)), path).to.equal(true);
    const screens = globSync("*/*-page.tsx", { cwd: FRONTEND }).map((file) => file.replace(/\.tsx$/, ""));
    const named = new Set(PAGES.map(({ screen }) => screen));
    expect(screens.filter((screen) => !named.has(screen))).to.deep.equal(["app/not-found-page"]);
  });

  it("has each path once", () => {
    const paths = PAGES.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
  });
});
