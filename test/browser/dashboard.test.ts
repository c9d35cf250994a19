import { readFileSync } from "node:fs";
import { expect } from "chai";
import { eventually, until } from "../testing/until.ts";
import { countRenders } from "./support/chromium.ts";
import { fixturePurchase } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { addAllSituations } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const ENGLISH = { storage: { language: "en" } };

describe("Dashboard", () => {
  const site = useSite();

  it("asks for its figures once when it is opened, and again whenever it is come back to", async () => {
    const { page } = await site.openLoggedIn("/dashboard");
    const asked = () => site.server.callsTo("GET /api/me").length;
    await page.locator(".stat").first().getByText("14,00 CHZ").waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked()).to.equal(1);
    await page.getByRole("link", { name: "Lojas" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Lojas parceiras" }).waitFor();
    await page.getByRole("link", { name: "Painel" }).first().click();
    await until("the figures are read again", () => asked() === 2);
  });

  it("falls back to a placeholder if an NFT's image is broken, in its dialog too", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    for (const nft of me.nfts) nft.metadata.image = `${site.server.url}/api/broken.png`;
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    const card = page.getByRole("article").first();
    await card.getByText("No picture").waitFor();
    await card.locator("img").waitFor({ state: "detached" });
    await card.getByRole("button", { name: "Details" }).click();
    await page.getByRole("dialog").getByText("No picture").waitFor();
    await page.getByRole("dialog").locator("img").waitFor({ state: "detached" });
  });

  it("has a statement of all purchases, twelve at a time, filtered, as CSV", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address, { nfts: [] });
    const day = (index: number) => new Date(Date.now() - index * 86_400_000).toISOString();
    me.purchases = Array.from({ length: 36 }, (_, index) =>
      fixturePurchase({
        id: 100 - index,
        store: index % 2 ? "=Mercado da Bola" : "Verdão Store",
        status: index % 3 ? "confirmed" : "processing",
        situation: index % 3 ? "paid" : "recorded",
        cashback_state: index % 3 ? "paid" : "unpaid",
        paid_value: index === 1 ? "6.30" : null,
        paid_rate_day: index === 1 ? "2026-05-01" : null,
        created_at: day(index),
        date: day(index),
        destination: wallet.address,
      }),
    );
    site.server.answer("GET /api/purchases", ({ query }) => {
      const purchases = me.purchases.filter((one) => one.id < Number(query.before));
      return { body: { success: true, purchases, next_before: null } };
    });
    const { page, problems } = await site.openLoggedIn("/dashboard?view=statement", { wallet });
    const rows = page.locator("[aria-labelledby=statement] li:has(> article)");
    await page.getByText("36 lançamentos").waitFor();
    const hasRows = (count: number) => eventually(async () => expect(await rows.count()).to.equal(count));
    await hasRows(12);
    const first = rows.nth(1);
    await first.getByRole("heading", { name: "=Mercado da Bola" }).waitFor();
    for (const text of ["Nº 99", "R$", "%", `${wallet.address.slice(0, 6)}...`])
      expect(await first.textContent()).to.include(text);
    await first.getByText("R$ 6,30 no dia do pagamento (cotação de 1 de mai. de 2026)").waitFor();
    for (const row of [first, rows.nth(2)]) await row.getByText("R$ 7,00 hoje").waitFor();
    await page.getByRole("button", { name: "Mostrar mais" }).click();
    await hasRows(24);
    await page.getByRole("combobox", { name: "Status" }).selectOption("processing");
    await page.getByText("12 lançamentos").waitFor();
    // Older than a quarter of an hour and without a token, and still there.
    await rows.first().getByText("O ingresso está sendo emitido").waitFor();
    await page.getByRole("combobox", { name: "Status" }).selectOption("");
    await page.getByRole("combobox", { name: "Loja" }).selectOption("=Mercado da Bola");
    await page.getByText("18 lançamentos").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Baixar CSV" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8").split("\r\n");
    // The last line ends too.
    expect(lines).to.have.length(20);
    expect(lines[0]).to.match(/^\uFEFF"Compra";"Data \(São Paulo\)";"Loja";"Valor \(R\$\)";/);
    // A spreadsheet must not take a store's name for a formula.
    expect(lines[1]).to.include(';"\'=Mercado da Bola";');
    await page.getByRole("combobox", { name: "Status" }).selectOption("cancelled");
    await page.getByText("Nenhuma compra com estes filtros.").waitFor();
    await page.getByRole("button", { name: "Limpar filtros" }).click();
    await page.getByText("36 lançamentos").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("is green where it is confirmed and yellow everywhere else, in border and badge, as ticket and as line", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    addAllSituations(site.server);
    const [GREEN, YELLOW, BADGE] = ["rgb(10, 107, 61)", "rgb(255, 201, 60)", "rgb(122, 82, 0)"];
    for (const path of ["/dashboard", "/dashboard?view=statement"]) {
      const { page } = await site.openLoggedIn(path, { wallet, storage: { theme: "light" } });
      const cards = page.getByRole("article").filter({ hasText: /Confirmado|Pendente|Cancelado/ });
      if (path.includes("statement")) await page.getByRole("button", { name: "Mostrar mais" }).click();
      await cards.nth(10).waitFor();
      await page.getByText("Conferindo na rede...").waitFor({ state: "detached" });
      const looks = await cards.evaluateAll((found) =>
        found.map((card) => {
          const badge = card.querySelector(".stamp");
          return [
            badge?.textContent === "Confirmado",
            getComputedStyle(card).borderLeftColor,
            badge && getComputedStyle(badge).borderTopColor,
          ];
        }),
      );
      for (const look of looks) expect(look).to.deep.equal(look[0] ? [true, GREEN, GREEN] : [false, YELLOW, BADGE]);
      expect(new Set(looks.map(String)).size, path).to.equal(2);
    }
  });

  it("keeps what was just paid in the strip while the page is open, so that nothing below jumps", async () => {
    const wallet = testWallet();
    const paid_at = new Date(Date.now() - 30_000).toISOString();
    const purchases = [fixturePurchase({ id: 3, situation: "paid", paid_at })];
    const me = site.server.signIn(wallet.address, { purchases });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, hasOwnClock: true });
    const strip = page.getByRole("region", { name: "Cashback na sua carteira" });
    await strip.waitFor();
    // What arrives later renders the page again.
    Object.assign(me.statement, { in_wallet: "8", total: "15" });
    await page.clock.runFor(90_000);
    await page.locator(".stat").first().getByText("15,00 CHZ").waitFor();
    expect(await strip.count()).to.equal(1);
    await page.reload();
    await page.getByRole("region", { name: "Onde está o seu cashback" }).waitFor();
    expect(await strip.count()).to.equal(0);
  });

  it("renders nothing in ten seconds in which nothing changed, though it asks every second", async () => {
    const wallet = testWallet();
    const created_at = new Date().toISOString();
    const fresh = { created_at, date: created_at, minted_at: null, confirmed_at: null, paid_at: null };
    const me = site.server.signIn(wallet.address, {
      nfts: [],
      purchases: [fixturePurchase({ id: 3, status: "processing", cashback_state: "unpaid", ...fresh })],
    });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, hasOwnClock: true });
    await countRenders(page);
    await page.getByText("Cashback a caminho").waitFor();
    await page.waitForLoadState("networkidle");
    // At the start of a minute, as the page says the minute of its figures.
    await page.clock.pauseAt(new Date(Math.ceil(Date.now() / 60_000 + 1) * 60_000 + 1_000));
    await page.clock.runFor(2_000);
    const renders = () => page.evaluate(() => window.renders ?? 0);
    const asked = () => site.server.callsTo("GET /api/me").length;
    const passSeconds = async (count: number) => {
      for (let second = 0; second < count; second += 1) {
        const before = asked();
        await until("the profile is read again", async () => {
          await page.clock.runFor(250);
          return asked() > before;
        });
      }
    };
    await passSeconds(2);
    const before = await renders();
    expect(before).to.be.above(0);
    await passSeconds(10);
    expect(await renders()).to.equal(before);
    Object.assign(me.purchases[0] ?? {}, { status: "pending", minted_at: created_at });
    await passSeconds(1);
    await until("what changed is rendered", async () => {
      await page.clock.runFor(250);
      return (await renders()) > before;
    });
  });

  it("shows the time of its figures, even offline, and reloads them when it becomes visible", async () => {
    const { page, context } = await site.openLoggedIn("/dashboard");
    await page.getByText(/^Dados das \d\d:\d\d$/).waitFor();
    await context.setOffline(true);
    await page.getByText(/^Você está sem internet\. Estes valores são das \d\d:\d\d\.$/).waitFor();
    const before = site.server.callsTo("GET /api/me").length;
    await context.setOffline(false);
    await page.getByText(/^Dados das \d\d:\d\d$/).waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await until("the figures are read again", () => site.server.callsTo("GET /api/me").length > before);
  });

  it("filters and exports all of 10,000 purchases", async () => {
    const wallet = testWallet();
    const { server } = site;
    const total = 10_000;
    const purchases = Array.from({ length: total }, (_, index) => {
      const id = total - index;
      const created_at = new Date(Date.UTC(2026, 10, 1) - index * 3_600_000).toISOString();
      return fixturePurchase({ id, created_at, date: created_at, store: id === 7 ? "Loja Antiga" : "Verdão Store" });
    });
    server.signIn(wallet.address, { nfts: [], purchases: purchases.slice(0, 24) });
    server.answer("GET /api/purchases", ({ query }) => {
      const older = purchases.filter((one) => one.id < Number(query.before)).slice(0, 500);
      const last = older.length === 500 ? older.at(-1)?.id : null;
      return { body: { success: true, purchases: older, next_before: last } };
    });
    const { page } = await site.openLoggedIn("/dashboard?view=statement", { wallet });
    const statement = page.getByRole("region", { name: "Extrato" });
    await statement.getByText("24 lançamentos").waitFor();
    await statement.getByLabel("Status").selectOption("cancelled");
    await statement.getByText("Nenhuma compra com estes filtros.").waitFor();
    expect(server.callsTo("GET /api/purchases")).to.have.length(20);
    await statement.getByLabel("Status").selectOption("");
    await statement.getByText("10.000 lançamentos").waitFor();
    await statement.getByLabel("Loja").selectOption("Loja Antiga");
    await statement.getByText("1 lançamento", { exact: true }).waitFor();
    await statement.getByLabel("Loja").selectOption("");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      statement.getByRole("button", { name: "Baixar CSV" }).click(),
    ]);
    expect(readFileSync(await file.path(), "utf8").split("\r\n")).to.have.length(total + 2);
    for (let click = 0; click < 5; click++) await statement.getByRole("button", { name: "Mostrar mais" }).click();
    await eventually(async () => expect(await statement.getByRole("article").count()).to.equal(72));
  });
});
