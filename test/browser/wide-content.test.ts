import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { addAllSituations } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const WIDTHS = [320, 360, 768, 1024, 1440];
const LONG_NAME = "Associação Desportiva Internacionalíssima da Arquibancada Superior";
const ONE_WORD = "Superarquibancadaoficialdotorcedorapaixonado";

/** Texts outside of their card's padding or below its star, and cards that are wider than their column. */
function misplaced(page: Page, card: string): Promise<string[]> {
  return page.locator(card).evaluateAll((cards) =>
    cards.flatMap((one) => {
      const own = one.getBoundingClientRect();
      const padding = Number.parseFloat(getComputedStyle(one).paddingLeft);
      const column = one.parentElement?.getBoundingClientRect();
      const star = one.querySelector("label:has([type=checkbox])")?.getBoundingClientRect();
      const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      if (column && own.right > column.right + 0.5) found.push(`${one.className} ${own.right} > ${column.right}`);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(text);
        if (text.parentElement?.closest(".sr-only, option")) continue;
        for (const rect of range.getClientRects()) {
          const isOutside = rect.right > own.right - padding + 0.5 || rect.left < own.left + padding - 0.5;
          const isBesideStar = star && (rect.right <= star.left + 0.5 || rect.left >= star.right - 0.5);
          const isBelowStar = star && !isBesideStar && rect.top < star.bottom && rect.bottom > star.top;
          if (isOutside || isBelowStar) found.push(`${text.textContent} ${rect.right}`);
        }
      }
      return found;
    }),
  );
}

/** Parts of a list that are wider than it, and names in it that take more than a line. They may be rotated. */
function cutOff(page: Page, list: string): Promise<string[]> {
  return page.locator(`${list} :is(dt, dd):not(.sr-only)`).evaluateAll((parts) =>
    parts.flatMap((part) => {
      const text = document.createRange();
      text.selectNodeContents(part);
      const isBroken = part.tagName === "DT" && text.getClientRects().length > 1;
      const isWide = part.scrollWidth > part.clientWidth || part.scrollWidth > (part.closest("dl")?.clientWidth ?? 0);
      return isBroken || isWide ? [part.textContent ?? ""] : [];
    }),
  );
}

/** How far the page can be scrolled sideways. */
const excess = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe("Long names and wide figures @deep", () => {
  const site = useSite();

  beforeEach(() => {
    const [range, single, name, word] = site.server.stores;
    if (!range || !single || !name || !word) throw new Error("no stores");
    for (const store of [range, single, name, word])
      store.cashbacks = store.cashbacks.map((one) => ({ ...one, cashback_percent: "12.75" }));
    Object.assign(range, { cashback_min: 2.25, cashback_max: 12.75, max_cashback: 12.75 });
    Object.assign(single, { cashback_min: 12.75, cashback_max: 12.75, max_cashback: 12.75, featured: true });
    Object.assign(name, { name: LONG_NAME, club: LONG_NAME, cashback_min: 12.75, cashback_max: 12.75 });
    Object.assign(word, { name: ONE_WORD, category: ONE_WORD, category_en: null, featured: true });
  });

  for (const width of WIDTHS) {
    for (const language of ["pt", "en"]) {
      it(`stay inside a store's card at ${width} px (${language})`, async () => {
        const { page } = await site.open("/stores", { viewport: { width, height: 900 }, storage: { language } });
        await page.getByRole("heading", { name: LONG_NAME }).waitFor();
        await eventually(async () => expect(await misplaced(page, "main article")).to.deep.equal([]));
        expect(await excess(page)).to.equal(0);
        await page.goto(site.server.url);
        await page.locator("[aria-labelledby=featured] li").getByText(ONE_WORD).waitFor();
        await eventually(async () =>
          expect(await misplaced(page, "[aria-labelledby=featured] li > a")).to.deep.equal([]),
        );
        await page
          .getByRole("figure")
          .getByText(/12[.,]75%/)
          .waitFor();
        await eventually(async () => expect(await cutOff(page, "figure dl")).to.deep.equal([]));
        expect(await excess(page)).to.equal(0);
      });
    }
  }

  for (const width of WIDTHS) {
    it(`stay inside the dashboard's figures at ${width} px`, async () => {
      const wallet = testWallet();
      const me = site.server.signIn(wallet.address);
      me.totals = { ...me.totals, total: "98765432.12", pending: "12345678.9", count: 12_345 };
      me.statement = { ...me.statement, in_wallet: "86419753.22", waiting: "12345678.9", total: "98765432.12" };
      const { page } = await site.openLoggedIn("/dashboard", { wallet, viewport: { width, height: 900 } });
      await page.getByText("98.765.432,12 CHZ").waitFor();
      await page.getByText("12.345", { exact: true }).waitFor();
      const overflowing = () =>
        page.locator(".stat-number").evaluateAll((figures) =>
          figures
            .filter((figure) => {
              const text = document.createRange();
              text.selectNodeContents(figure);
              const card = figure.closest(".stat")?.getBoundingClientRect();
              return !card || text.getBoundingClientRect().right > card.right;
            })
            .map((figure) => figure.textContent),
        );
      await eventually(async () => expect(await overflowing()).to.deep.equal([]));
      expect(await excess(page)).to.equal(0);
    });
  }
});

/** The words of a table that are broken in the middle. */
function brokenWords(page: Page): Promise<string[]> {
  return page.locator(".table-wrap :is(th, td)").evaluateAll((cells) =>
    cells.flatMap((cell) => {
      const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
      return [...(text?.textContent ?? "").matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        if (!text) return [];
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      });
    }),
  );
}

describe("Tables on a narrow phone @deep", () => {
  const site = useSite();

  it("scroll, and break no word and no figure", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    for (const one of me.purchases) Object.assign(one, { store: "Internacionalíssima", cashback_amount: "1234567.89" });
    const { page } = await site.openLoggedIn("/dashboard?view=statement", {
      wallet,
      viewport: { width: 320, height: 900 },
    });
    await page.getByText("Ver como tabela").click();
    await page
      .getByRole("rowheader", { name: /Internacionalíssima/ })
      .or(page.getByRole("cell"))
      .first()
      .waitFor();
    expect(await brokenWords(page)).to.deep.equal([]);
    expect(await excess(page)).to.equal(0);
  });
});

/** The texts of the elements that take more than a line. */
const wrapped = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).evaluateAll((elements) =>
    elements.flatMap((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const lines = new Set([...text.getClientRects()].map(({ bottom }) => Math.round(bottom)));
      return lines.size > 1 ? [element.textContent ?? ""] : [];
    }),
  );

describe("Amounts on a phone @deep", () => {
  const site = useSite();
  const PHONE = { width: 360, height: 780 };

  it("stay on one line in the total's equation, in line with each other", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    addAllSituations(site.server);
    const { page } = await site.openLoggedIn("/dashboard", { wallet, viewport: PHONE });
    await page.locator(".stat section").getByText("3,00 CHZ a descontar").waitFor();
    expect(await wrapped(page, ".stat section :is(span, strong)")).to.deep.equal([]);
    const edges = await page
      .locator(".stat section strong")
      .evaluateAll((figures) => figures.map((figure) => Math.round(figure.getBoundingClientRect().right)));
    expect(edges).to.have.length(4);
    expect(new Set(edges).size, edges.join()).to.equal(1);
  });

  it("stay on one line with their whole name in the profile's year", async () => {
    const { page } = await site.openLoggedIn("/profile", { viewport: PHONE });
    await page.getByText("Valor nas datas dos pagamentos").waitFor();
    expect(await wrapped(page, "section:has-text('Valor nas datas dos pagamentos') dl :is(dt, dd)")).to.deep.equal([]);
  });
});

describe("Text of twice the size @deep", () => {
  const site = useSite();

  for (const path of [
    "/",
    "/stores",
    "/stores/1",
    "/auth",
    "/dashboard",
    "/dashboard?view=statement",
    "/profile",
    "/visits",
    "/help/bonus",
  ]) {
    it(`never makes ${path} scroll sideways`, async () => {
      for (const width of [360, 1280]) {
        const { page, context } = await site.openLoggedIn(path, { viewport: { width, height: 900 } });
        const devtools = await context.newCDPSession(page);
        await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.waitForFunction(() => !document.querySelector("[data-skeleton]"));
        await eventually(async () => expect(await excess(page), `${width} px`).to.equal(0));
      }
    });
  }
});
