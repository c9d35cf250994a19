import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

describe("The header on a phone", () => {
  const site = useSite();

  /** The rows of what can be pressed in the header, by their upper edges. */
  const rows = (page: Page) =>
    page.getByRole("banner").evaluate((header) => {
      const targets = [...header.querySelectorAll<HTMLElement>("a, button")];
      const seen = targets.filter((one) => one.checkVisibility() && !one.closest("nav, .notice-count"));
      return new Set(seen.map((one) => Math.round(one.getBoundingClientRect().top / 20))).size;
    });
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

  for (const language of ["pt", "en"]) {
    for (const [who, width, most] of [
      ["a visitor", 360, 1],
      ["a shopper", 360, 1],
      ["an admin", 360, 2],
      ["an admin", 320, 2],
    ] as const) {
      it(`takes at most ${most} rows for ${who} at ${width} px (${language})`, async () => {
        site.server.isAdmin = who === "an admin";
        const options = { viewport: { width, height: 740 }, storage: { language } };
        const { page } = await (who === "a visitor" ? site.open("/stores", options) : site.openLoggedIn("/", options));
        if (who !== "a visitor") {
          await page.locator(".hero .button").first().click();
          // Its end is what tells one wallet from another where there is no room for all of it.
          const address = page.getByRole("banner").getByRole("button", { name: /^0x\w{4}\s?\.\.\.\w{4}$/ });
          await address.waitFor();
        }
        if (who === "an admin") await page.getByRole("button", { name: "Painel de Admin" }).waitFor();
        await eventually(async () => expect(await rows(page)).to.be.at.most(most));
        expect(await fits(page)).to.equal(true);
      });
    }
  }
});
