import { expect } from "chai";
import type { Page } from "playwright-core";
import { useSite } from "./support/site.ts";
import { addAllSituations, addMoving, addOffers } from "./support/states.ts";

const LANGUAGES = ["pt", "en"] as const;
/** Phones: the narrowest that the web app is made for, and those between which a card's columns change. */
const WIDTHS = [360, 390, 412];
const HEIGHT = 780;

/** No language has longer ones: a code that somebody made up may break. */
const LONGEST = 30;

/** Words that stand in two lines. A hyphen or a slash is a place to break; an address or a hash is no word. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate((longest) => {
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement?.closest(".sr-only, option, script, style, svg, noscript, [aria-hidden=true]")) continue;
      for (const match of (text.textContent ?? "").matchAll(/\p{L}+/gu)) {
        const [word] = match;
        const around = (text.textContent ?? "").slice(Math.max(0, match.index - 3), match.index + word.length + 3);
        if (/0x|@|…/.test(around) || word.length > longest) continue;
        const range = document.createRange();
        range.setStart(text, match.index);
        range.setEnd(text, match.index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(word);
      }
    }
    return [...new Set(found)];
  }, LONGEST);
}

describe("On a phone, no word breaks @deep", () => {
  const site = useSite();

  for (const language of LANGUAGES)
    for (const width of WIDTHS)
      it(`in two, in ${language} at ${width} px`, async () => {
        addOffers(site.server);
        addAllSituations(site.server);
        addMoving(site.server);
        const broken: Record<string, string[]> = {};
        const viewport = { width, height: HEIGHT };
        const look = async (page: Page, path: string) => {
          await page.goto(new URL(path, page.url()).href);
          await page.getByRole("main").getByRole("heading").first().waitFor();
          await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .first-paint"));
          const words = await brokenWords(page);
          if (words.length > 0) broken[path] = words;
        };
        const visitor = await site.open("/", { viewport, storage: { language } });
        for (const path of [
          "/",
          "/stores",
          "/stores/1",
          "/offers",
          "/clubs/palmeiras",
          "/clubs/table",
          "/help",
          "/auth",
        ])
          await look(visitor.page, path);
        const user = await site.openLoggedIn("/dashboard", { viewport, storage: { language } });
        for (const path of ["/dashboard", "/ticket/1", "/profile", "/visits", "/proof"]) await look(user.page, path);
        expect(broken).to.deep.equal({});
      });
});
