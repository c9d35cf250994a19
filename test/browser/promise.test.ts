import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { parsePercent, percentText } from "../../core/rules/money.ts";
import { promiseOf } from "../../core/rules/promise.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/** By what they hold of the token of Verdão Store's club; undefined: nobody has logged in. */
const READERS: Record<string, string | undefined> = {
  "a visitor": undefined,
  "a user without tokens": "0",
  "a holder of the club's token": "10",
  "a holder of gold": "50",
};
const ENDS_AT = "2099-01-01T00:00:00.000Z";
/** A store of a club with two percents, and one of no club. */
const STORES = [1, 3];

const percentIn = (text: string | null): bigint =>
  [...(text ?? "").matchAll(/([\d.]+)%/g)].reduce((sum, [, number = "0"]) => sum + parsePercent(number), 0n);

/** The home page's featured stores. */
const FEATURED = "[aria-labelledby=featured] li";

/** docs/product.md#promise */
describe("One promise on every page @deep", () => {
  const site = useSite();

  function boost(): void {
    for (const store of site.server.stores) {
      const cashbacks = store.cashbacks.map(({ cashback_percent, ...rest }) => ({
        ...rest,
        cashback_percent: "9",
        boost: { plain_percent: cashback_percent, ends_at: ENDS_AT },
      }));
      const range = { cashback: "9%", cashback_min: 9, cashback_max: 9, max_cashback: 9 };
      Object.assign(store, { cashbacks, ...range, boost: { percent: "9", ends_at: ENDS_AT, is_whole: true } });
    }
  }

  function expected(id: number, held: string | undefined): bigint {
    const store = site.server.stores.find((one) => one.id === id);
    if (!store) throw new Error("no store");
    const categories = store.cashbacks.map((one) => ({ bps: parsePercent(one.cashback_percent), boostEndsAt: null }));
    const tokens = site.server.tokens.map(({ slug, name }) => ({
      ...{ slug, name },
      balance: { units: slug === "verdao" ? BigInt(held ?? 0) : 0n, decimals: 0 },
    }));
    return promiseOf(
      { club: store.club, clubToken: null, categories },
      held === undefined ? undefined : { tokens, program: "club" },
    ).totalBps;
  }

  const says = (figure: Locator, bps: bigint, where: string) =>
    eventually(async () => {
      const text = await figure.first().textContent();
      expect(percentText(percentIn(text)), `${where}: ${text}`).to.equal(percentText(bps));
    });

  async function compare(open: (path: string) => Promise<Page>, held: string | undefined) {
    for (const id of STORES) {
      const bps = expected(id, held);
      const name = site.server.stores.find((one) => one.id === id)?.name ?? "";
      const reais = `R$${(Number(bps) / 100).toFixed(2)}`;
      const list = await open("/stores");
      const card = list.getByRole("article").filter({ has: list.getByRole("heading", { name, exact: true }) });
      await says(card.locator("[data-promise]"), bps, "card");
      await eventually(async () => expect(await card.locator("p.figures").textContent()).to.include(reais));
      const page = await open(`/stores/${id}`);
      await says(page.locator("[data-promise]"), bps, "banner");
      const receive = page.locator("main p:has(> strong)");
      await eventually(async () => expect(await receive.first().textContent()).to.include(reais));
      await page.getByRole("button", { name: "Buy now" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio").first().waitFor();
      await says(dialog.locator("div[aria-live] .figures").nth(1), bps, "dialog");
      expect(await dialog.locator("div[aria-live] strong").textContent()).to.equal(reais);
      if (held !== undefined) {
        await dialog.getByRole("button", { name: "Proceed" }).click();
        await says(page.getByText(/% cashback:/), bps, "redirect");
      }
      const home = await open("/");
      const featured = home.locator(`${FEATURED} a`).filter({ hasText: name });
      if ((await featured.count()) > 0) await says(featured.locator("[data-promise]"), bps, "home");
    }
    const home = await open("/");
    await home.locator(`${FEATURED} a[href='/stores/1']`).waitFor();
    await says(home.getByRole("figure").locator("dd"), expected(1, held), "the hero's ticket");
    const link = "https://www.loja.com/tv";
    const go = await open(`/go?url=${encodeURIComponent(link)}`);
    await go.keyboard.press("Escape");
    await says(go.locator("main [data-promise]"), expected(1, held), "a link's store");
  }

  for (const [name, held] of Object.entries(READERS)) {
    for (const isBoosted of [false, true]) {
      it(`is the same to ${name}${isBoosted ? " during a boost" : ""}`, async () => {
        if (isBoosted) boost();
        for (const store of site.server.stores) store.featured = STORES.includes(store.id);
        const wallet = testWallet();
        if (held !== undefined) {
          const tokens = [
            { symbol: "PSG", balance: "0", decimals: 0, contract: "" },
            { symbol: "VERDAO", balance: held, decimals: 0, contract: "" },
          ];
          site.server.signIn(wallet.address, { tokens });
        }
        const options = { storage: { language: "en" } };
        const { page } = await (held === undefined
          ? site.open("/", options)
          : site.openLoggedIn("/", { wallet, ...options }));
        const open = async (path: string) => {
          await page.goto(site.server.url + path);
          return page;
        };
        await compare(open, held);
      });
    }
  }
});
