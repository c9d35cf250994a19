import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { addOffers, seeDialog } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const LANGUAGES = ["pt", "en"] as const;
type Catalogue = Readonly<Record<string, string>>;
const catalogueOf = (language: string): Catalogue =>
  JSON.parse(readFileSync(`core/rules/languages/${language}.json`, "utf8"));

/** The product's own copy, which stays whatever its length, by the beginnings of its messages. */
const OWN_COPY = [
  ...["home.viewStores", "home.viewDashboard", "home.how.title", "home.tiers.", "tier.", "home.featured.title"],
  ...["dashboard.title", "dashboard.refresh", "dashboard.total", "dashboard.transactions", "dashboard.transactions."],
  ...["dashboard.pending", "dashboard.wallet", "dashboard.wallet.", "dashboard.bonus", "dashboard.bonus."],
  ...["dashboard.toStores", "wallet.connect", "tokens.token", "tokens.holdings", "tokens.tier"],
  ...["nft.details", "nft.placeholder", "status.", "ticket.", "buy.title", "buy.summary.", "buy.conversion"],
  ...[
    "buy.redirect",
    "common.cancel",
    "buy.proceed",
    "redirect.title",
    "redirect.warning",
    "redirect.countdown",
    "store.buy",
  ],
];
/** Of shops, clubs, tokens, people, units; a picture's initials. */
const NAMES = [
  ...[
    "Verdão Store",
    "Boutique Parisienne",
    "Mercado da Bola",
    "Gramado Eletrônicos",
    "Torcida",
    "Palmeiras",
    "Chiliz",
  ],
  ...[
    "Paris Saint-Germain",
    "Barcelona",
    "Juventus",
    "VERDAO",
    "PSG",
    "TORCIDA",
    "Ana Maria Silva",
    "CHZ",
    "R$",
    "VER",
  ],
];

/** A message as what it may say: its parts stand for anything short. */
function patternOf(message: string): string {
  const plain = message
    .replace(/\{\w+, plural,.*?other \{((?:[^{}]|\{\w+\})*)\}\s*\}/g, "$1")
    .replace(/#|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "\u0000");
  const escaped = plain.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+");
  return escaped.replaceAll("\u0000", "[^\\n]{0,60}?");
}

/** The words of a text but those of own copy, which is a line, or a sentence in one, and names. */
function wordsOf(text: string, catalogue: Catalogue): string[] {
  const own = Object.entries(catalogue)
    .filter(([id]) => OWN_COPY.some((start) => id === start || (/\.$/.test(start) && id.startsWith(start))))
    .map(([, message]) => ({ pattern: patternOf(message), length: message.split(/\s+/).length }))
    .filter(({ pattern }) => /\p{L}{2}/u.test(pattern.replaceAll("[^\\n]{0,60}?", "")))
    .sort((one, other) => other.length - one.length);
  let left = text;
  for (const { pattern, length } of own) {
    left = left.replace(new RegExp(`^\\s*${pattern}\\s*$`, "gim"), " ");
    if (length >= 4) left = left.replace(new RegExp(pattern, "gi"), " ");
  }
  for (const name of NAMES) left = left.replaceAll(name, " ");
  return left.match(/\p{L}[\p{L}'’-]*/gu) ?? [];
}

/** What a phone's reader has to read before they can act. */
describe("Words on a screen @deep", () => {
  const site = useSite();
  const PHONE = { width: 360, height: 780 };

  async function counted(place: Locator, language: string): Promise<string[]> {
    let words: string[] = [];
    let before = -1;
    await eventually(async () => {
      words = wordsOf(await place.innerText(), catalogueOf(language));
      const last = before;
      before = words.length;
      expect(words.length).to.equal(last);
    });
    return words;
  }

  async function open(path: string, language: string, isUser: boolean): Promise<Page> {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    me.purchases = me.purchases.slice(0, 1);
    me.nfts = me.nfts.slice(0, 1);
    const options = { wallet, viewport: PHONE, storage: { language } };
    const { page } = await (isUser ? site.openLoggedIn(path, options) : site.open(path, options));
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForLoadState("networkidle");
    return page;
  }

  const SCREENS = [
    { name: "home", path: "/", most: 120, isUser: false },
    { name: "dashboard with one purchase", path: "/dashboard", most: 120, isUser: true },
    { name: "ticket", path: "/ticket/1", most: 120, isUser: false },
    { name: "store", path: "/stores/1", most: 120, isUser: true },
    { name: "redirect page of a visitor", path: "/redirect/1", most: 40, isUser: false },
  ];
  for (const { name, path, most, isUser } of SCREENS) {
    it(`are at most ${most} on the ${name}`, async () => {
      for (const language of LANGUAGES) {
        const page = await open(path, language, isUser);
        const words = await counted(page.locator("main"), language);
        expect(words.length, `${language}: ${words.join(" ")}`).to.be.within(5, most);
      }
    });
  }

  it("are at most 60 in the buy dialog, and 40 on the redirect page that it leads to", async () => {
    for (const language of LANGUAGES) {
      const page = await open("/stores/1", language, true);
      await page.getByRole("button", { name: /^(Comprar agora|Buy now)/ }).click();
      await seeDialog(page);
      const dialog = page.getByRole("dialog");
      const words = await counted(dialog, language);
      expect(words.length, `${language}: ${words.join(" ")}`).to.be.within(5, 60);
      await dialog.getByRole("button", { name: /^(Prosseguir|Proceed)$/ }).click();
      await page.getByText(/% (de )?cashback: /).waitFor();
      const left = wordsOf(await page.locator("main").innerText(), catalogueOf(language));
      expect(left.length, `${language}: ${left.join(" ")}`).to.be.within(5, 40);
    }
  });

  it("name what each button and link is for: no two of one screen are called the same and do different things", async () => {
    for (const [path, isUser] of [
      ["/stores", false],
      ["/ticket/1", false],
      ["/dashboard", true],
      ["/dashboard?view=statement", true],
      ["/offers", false],
    ] as const) {
      addOffers(site.server);
      const page = await open(path, "pt", isUser);
      const named = await page.locator("main").evaluate((main) =>
        [...main.querySelectorAll<HTMLElement>("button, a[href]")]
          .filter((one) => one.checkVisibility())
          .map((one) => {
            const name = one.getAttribute("aria-label") ?? (one.textContent ?? "").replace(/\s+/g, " ").trim();
            return {
              name,
              to:
                one.getAttribute("href") ?? `${[...main.querySelectorAll("button")].indexOf(one as HTMLButtonElement)}`,
            };
          }),
      );
      const twice = [...Map.groupBy(named, ({ name }) => name)]
        .filter(([, of]) => new Set(of.map(({ to }) => to)).size > 1)
        .map(([name]) => name);
      expect(twice, path).to.deep.equal([]);
    }
  });
});
