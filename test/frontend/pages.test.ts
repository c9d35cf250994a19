import { existsSync, globSync, readFileSync } from "node:fs";
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

  it("has the pages that an installed app's shortcuts open, with icons that exist", () => {
    const { shortcuts } = JSON.parse(readFileSync(join(FRONTEND, "public/manifest.webmanifest"), "utf8"));
    expect(shortcuts).to.have.length(2);
    const paths = PAGES.map(({ path }) => path as string);
    for (const { url, icons } of shortcuts) {
      expect(paths).to.include(url);
      for (const { src } of icons) expect(existsSync(join(FRONTEND, "public", src)), src).to.equal(true);
    }
  });

  it("has each path once", () => {
    const paths = PAGES.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
  });
});
