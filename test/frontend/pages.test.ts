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

  it("has the page to which the installed app is a share target, by the parameters that it reads", () => {
    const { share_target } = JSON.parse(readFileSync(join(FRONTEND, "public/manifest.webmanifest"), "utf8"));
    expect(PAGES.map(({ path }) => path)).to.include(share_target.action);
    const screen = readFileSync(join(FRONTEND, "stores/go-page.tsx"), "utf8");
    for (const name of Object.values(share_target.params)) expect(screen, String(name)).to.include(`"${name}"`);
    expect(share_target.method).to.equal("GET");
  });

  it("has each path once", () => {
    const paths = PAGES.map(({ path }) => path);
    expect(new Set(paths).size).to.equal(paths.length);
  });
});
