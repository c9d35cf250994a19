import { expect } from "chai";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import type { Statement } from "../../core/rules/api/purchases.ts";
import { freePorts } from "../testing/free-port.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";
import { launchChromium } from "./support/chromium.ts";
import { enterAs } from "./support/enter-as.ts";

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
/** It reports to us itself, so that each change is known at once; 4 % on everything. */
const STORE = 3;

const LANGUAGES = ["pt", "en"] as const;
type Language = (typeof LANGUAGES)[number];
type InBoth = Record<Language, string>;

const WORDS = {
  switch: { pt: "English", en: "Português" },
  in_wallet: { pt: "Na carteira", en: "In your wallet" },
  on_the_way: { pt: "A caminho", en: "On its way" },
  waiting: { pt: "Aguardando", en: "Waiting" },
  deducted: { pt: "Já descontado", en: "Already deducted" },
  to_offset: { pt: "a descontar", en: "to be deducted" },
  moving: { pt: "Cashback a caminho", en: "Cashback on its way" },
} satisfies Record<string, InBoth>;

const ticketNamed = (id: number): InBoth => ({ pt: `Ingresso nº ${id}`, en: `Ticket no. ${id}` });
const chz = (amount: number): InBoth => ({
  pt: `${amount.toFixed(2).replace(".", ",")} CHZ`,
  en: `${amount.toFixed(2)} CHZ`,
});

type Figures = { in_wallet?: number; on_the_way?: number; waiting?: number; deducted?: number; to_offset?: number };
type Step = {
  figures: Figures;
  /** What the line of a ticket says. */
  lines?: Record<number, InBoth>;
  /** What the line of the returned purchase says. */
  debt?: InBoth;
  /** Whether the page says that a purchase is still on its way. */
  isMoving: boolean;
};

/** A buyer with a phone, the shop, and its network, on the real system in live mode. */
describe("The life of a live sale, as its buyer reads it", function () {
  this.timeout(300_000);
  let torcida: Torcida;
  let shopUrl: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let shop: Page;
  let token: string;
  const problems: string[] = [];

  before(async () => {
    const [shopPort] = await freePorts(1);
    shopUrl = `http://localhost:${shopPort}`;
    const own = { SHOP_PORT: String(shopPort), SALE_MIN_SECONDS: "0" };
    torcida = await startTorcida({ ...(await systemEnvironment()), ...own }, [], "scripts/rehearse.ts");
    browser = await launchChromium();
    context = await browser.newContext({ ...PHONE, locale: "pt-BR" });
    context.setDefaultTimeout(60_000);
    context.on("weberror", (error) => problems.push(String(error.error())));
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  /** Reads the same page in both languages. */
  async function inBoth(read: (language: Language) => Promise<void>): Promise<void> {
    for (const language of LANGUAGES) {
      await read(language);
      await page.getByRole("banner").getByRole("button", { name: WORDS.switch[language] }).click();
    }
  }

  async function statement(): Promise<Statement> {
    const answer = await fetch(`${torcida.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()).data.statement;
  }

  const seen = (within: Locator, text: string) => within.getByText(text).first().waitFor();

  async function reads({ figures, lines = {}, debt, isMoving }: Step): Promise<void> {
    const { in_wallet = 0, on_the_way = 0, waiting = 0, deducted = 0, to_offset = 0 } = figures;
    const have = in_wallet + on_the_way + waiting;
    const parts = { in_wallet, on_the_way, waiting, deducted };
    const amounts = { ...parts, to_offset, total: have + deducted, sum: have - to_offset };
    await until(`the figures are ${JSON.stringify(amounts)}`, async () => {
      const { next_at: _, ...known } = await statement();
      expect(known).to.deep.equal(
        Object.fromEntries(Object.entries(amounts).map(([name, one]) => [name, String(one)])),
      );
      return true;
    });
    await page.goto(`${torcida.url}/dashboard`);
    await inBoth(async (language) => {
      const total = page.locator(".stat").first();
      await total.getByText(chz(amounts.total)[language], { exact: true }).waitFor();
      const read = await total.getByRole("listitem").allInnerTexts();
      const shown = (["in_wallet", "on_the_way", "waiting", "deducted"] as const)
        .filter((name) => name !== "deducted" || deducted > 0)
        .map((name) => `${WORDS[name][language]}\n${chz(parts[name])[language].replace(" CHZ", "")}`);
      expect(read).to.deep.equal(shown);
      const owed = total.getByText(`${chz(to_offset)[language]} ${WORDS.to_offset[language]}`);
      expect(await owed.count()).to.equal(to_offset > 0 ? 1 : 0);
      for (const [id, text] of Object.entries(lines)) {
        const ticket = page.getByRole("article").filter({ hasText: ticketNamed(Number(id))[language] });
        await seen(ticket, text[language]);
      }
      const moving = page.getByRole("heading", { name: WORDS.moving[language] });
      expect(await moving.count(), WORDS.moving[language]).to.equal(isMoving ? 1 : 0);
    });
    if (!debt) return;
    await page.goto(`${torcida.url}/dashboard?view=statement`);
    await inBoth((language) => seen(page.getByRole("article"), debt[language]));
  }

  /** What the ticket's own page says, down to the proof that the browser reads from the chain. */
  async function ticketSays(id: number, texts: readonly InBoth[]): Promise<void> {
    await page.goto(`${torcida.url}/ticket/${id}`);
    await inBoth(async (language) => {
      await page.getByRole("heading", { level: 1, name: ticketNamed(id)[language] }).waitFor();
      await page.getByRole("heading", { name: /^(A prova|The proof)/ }).scrollIntoViewIfNeeded();
      for (const text of texts) await seen(page.getByRole("main"), text[language]);
    });
  }

  async function buy(amount: string): Promise<string> {
    await shop.locator('[name="amount1"]').fill(amount);
    await shop.getByRole("button", { name: "Comprar" }).click();
    await shop.waitForURL(/#direct-/);
    const sale = new URL(shop.url()).hash.replace("#direct-", "");
    await shop.goto(shop.url().replace(/#.*/, ""));
    return sale;
  }

  async function decide(sale: string, verb: string, amount = ""): Promise<void> {
    const body = new URLSearchParams({ amount });
    const { status } = await fetch(`${shopUrl}/sales/direct/${sale}/${verb}`, {
      method: "POST",
      body,
      redirect: "manual",
    });
    expect(status).to.equal(303);
  }

  async function pays(sale: string): Promise<void> {
    await decide(sale, "approve");
    await decide(sale, "pay");
  }

  let first: string;

  it("begins with the visit, from a phone's first page to the shop", async () => {
    await enterAs(page, torcida.url, /Carteira de demonstração/);
    await page.goto(`${torcida.url}/stores/${STORE}`);
    await page.getByRole("button", { name: "Comprar agora" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).click();
    await page.waitForURL(`**/redirect/${STORE}`);
    await page.getByText("4% de cashback: R$ 4,00 a cada R$ 100,00 · com PSG").waitFor();
    await page.getByRole("button", { name: "Comprar agora" }).click();
    await page.waitForURL(`${shopUrl}/**`);
    shop = page;
    page = await context.newPage();
    await page.goto(`${torcida.url}/dashboard`);
    await inBoth((language) =>
      seen(page.getByRole("main"), { pt: "Visita registrada em", en: "Visit recorded:" }[language]),
    );
    token = await page.evaluate(() => localStorage.getItem("auth_token") ?? "");
  });

  it("is tracked, then corrected to less, and each time the buyer reads what is true", async () => {
    first = await buy("200,00");
    const waiting = {
      pt: "Esperando a loja confirmar a compra.",
      en: "Waiting for the store to confirm the purchase.",
    };
    await reads({ figures: { waiting: 8 }, lines: { 1: waiting }, isMoving: true });
    await ticketSays(1, [
      { pt: "R$ 200,00", en: "R$200.00" },
      { pt: "Pendente", en: "Pending" },
      { pt: "Ainda não foi pago.", en: "Not paid yet." },
    ]);
    await decide(first, "correct", "150");
    const corrected = {
      pt: "A loja corrigiu o valor da compra; antes, o cashback era de 8,00 CHZ.",
      en: "The store corrected the purchase; the cashback was 8.00 CHZ before.",
    };
    await reads({ figures: { waiting: 6 }, lines: { 1: corrected }, isMoving: true });
  });

  it("is confirmed and paid, and the ticket proves it", async () => {
    await decide(first, "approve");
    const confirmed = {
      pt: "Confirmada; o pagamento sai quando a loja nos pagar.",
      en: "Confirmed; it is paid when the store pays us.",
    };
    await reads({ figures: { on_the_way: 6 }, lines: { 1: confirmed }, isMoving: true });
    await decide(first, "pay");
    const paid = { pt: "O cashback já está na sua carteira.", en: "The cashback is in your wallet." };
    await reads({ figures: { in_wallet: 6 }, lines: { 1: paid }, isMoving: false });
    await ticketSays(1, [
      { pt: "Confirmado", en: "Confirmed" },
      { pt: "Pago em cashback: 6,00 CHZ", en: "Cashback paid: 6.00 CHZ" },
      {
        pt: "2,00 CHZ a menos porque a loja reduziu a venda, segundo os nossos registros públicos",
        en: "2.00 CHZ less because the store lowered the sale, as our public records say",
      },
    ]);
  });

  it("is returned, which is owed, and the next cashback settles some of it", async () => {
    await decide(first, "decline");
    const returned = {
      pt: "Paga e depois devolvida; a devolução tem a sua própria linha.",
      en: "Paid, then returned; the return has a line of its own.",
    };
    const owed = (amount: number): InBoth => ({
      pt: `Ainda faltam ${chz(amount).pt}, que saem dos próximos cashbacks.`,
      en: `${chz(amount).en} will come off your next cashback.`,
    });
    await reads({ figures: { in_wallet: 6, to_offset: 6 }, lines: { 1: returned }, debt: owed(6), isMoving: false });
    await pays(await buy("50,00"));
    const netted = {
      pt: "Confirmada; o cashback foi descontado por causa de uma compra devolvida.",
      en: "Confirmed; the cashback was deducted for a returned purchase.",
    };
    await reads({
      figures: { in_wallet: 6, to_offset: 4, deducted: 2 },
      lines: { 2: netted },
      debt: owed(4),
      isMoving: false,
    });
    await ticketSays(2, [
      { pt: "Confirmado", en: "Confirmed" },
      { pt: "Nada mais será pago por este ingresso.", en: "Nothing more will be paid for this ticket." },
      {
        pt: "2,00 CHZ descontados pela devolução da compra 1, segundo os nossos registros públicos",
        en: "2.00 CHZ deducted for the return of purchase 1, as our public records say",
      },
    ]);
  });

  it("settles the rest with a part of a larger cashback", async () => {
    await pays(await buy("200,00"));
    const kept = {
      pt: "4,00 CHZ foram descontados por causa de uma compra devolvida.",
      en: "4.00 CHZ was deducted for a returned purchase.",
    };
    const over = { pt: "o valor já foi descontado", en: "the amount has been deducted" };
    await reads({ figures: { in_wallet: 10, deducted: 6 }, lines: { 3: kept }, debt: over, isMoving: false });
  });

  it("is restored, and what was kept for it is paid after all", async () => {
    await decide(first, "restore");
    const waiting = {
      pt: "Esperando a loja confirmar a compra.",
      en: "Waiting for the store to confirm the purchase.",
    };
    const paid = { pt: "O cashback já está na sua carteira.", en: "The cashback is in your wallet." };
    await reads({ figures: { in_wallet: 10, waiting: 6, deducted: 6 }, lines: { 4: waiting }, isMoving: true });
    await pays(first);
    await reads({ figures: { deducted: 6, in_wallet: 16 }, lines: { 4: paid, 1: paid }, isMoving: false });
  });

  it("is declined before it is paid: nothing of it is anywhere", async () => {
    const declined = await buy("300,00");
    await reads({ figures: { deducted: 6, in_wallet: 16, waiting: 12 }, isMoving: true });
    await decide(declined, "decline");
    const cancelled = {
      pt: "A loja cancelou a compra; não há cashback.",
      en: "The store cancelled the purchase; there is no cashback.",
    };
    await reads({ figures: { deducted: 6, in_wallet: 16 }, lines: { 5: cancelled }, isMoving: false });
    await inBoth(async (language) => {
      const ticket = page.getByRole("article").filter({ hasText: ticketNamed(5)[language] });
      await seen(ticket, chz(0)[language]);
    });
    await ticketSays(5, [
      { pt: "Cancelado", en: "Cancelled" },
      { pt: "Compra cancelada", en: "Purchase cancelled" },
      { pt: "Nada mais será pago por este ingresso.", en: "Nothing more will be paid for this ticket." },
      {
        pt: "Não foi pago: a compra foi cancelada, e nada mais será pago por ela.",
        en: "Not paid: the purchase was cancelled, and nothing more will be paid for it.",
      },
    ]);
    expect(await page.getByText(/^Cashback (pago|paid)/).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });
});
