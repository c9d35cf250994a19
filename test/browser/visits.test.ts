import { expect } from "chai";
import { readPicture } from "../../api/assets/picture.ts";
import { eventually } from "../testing/until.ts";
import { fixtureClaims, fixtureClicks } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const PHONE = { width: 360, height: 740 };

describe("Visits and claims", () => {
  const site = useSite();

  it("lists visits and claims, each with its state", async () => {
    const { page, problems } = await site.openLoggedIn("/visits");
    await page.getByText(/No modo de demonstração, a compra vale na hora/).waitFor();
    const visits = page.getByRole("region", { name: "Visitas", exact: true });
    await visits.getByRole("article").first().waitFor();
    await eventually(async () => expect(await visits.getByRole("article").count()).to.equal(4));
    await visits.getByText(/Não apareceu\? Você pode abrir uma reclamação a partir de/).waitFor();
    await visits.getByText(/O prazo para reclamar acabou em/).waitFor();
    await eventually(async () => expect(await visits.getByRole("button").count()).to.equal(2));
    const amount = "R$\u00a017,49 de cashback em R$\u00a0249,90";
    expect(await visits.getByRole("paragraph").filter({ hasText: amount }).count()).to.equal(2);
    await visits.getByText("A loja informou 2 compras. 1 foi cancelada.").waitFor();
    const simulated = page.getByRole("region", { name: "Compras simuladas" });
    await simulated
      .getByRole("paragraph")
      .filter({ hasText: /^7,00 CHZ de cashback em R\$\s100,00$/ })
      .first()
      .waitFor();
    await simulated.getByText("O cashback já está na sua carteira.").first().waitFor();
    const claims = page.getByRole("region", { name: "Cashback não recebido" });
    await claims.getByText("Em análise").waitFor();
    await claims.getByText("Motivo: O pedido foi cancelado na loja.").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("sends a claim by keyboard only, after naming missing fields", async () => {
    const { server } = site;
    server.answer("POST /api/claims", { body: { success: true, message: "Claim received", claim: {} } });
    const { page } = await site.openLoggedIn("/visits");
    const button = page.getByRole("button", { name: /Minha compra não apareceu/ }).first();
    await button.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Compra que não apareceu: Verdão Store" });
    await dialog.waitFor();
    await dialog.getByLabel("Número do pedido").focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("Escreva o número do pedido.").waitFor();
    expect(server.callsTo("POST /api/claims")).to.have.length(0);
    await page.keyboard.type("VS-77");
    await page.keyboard.press("Tab");
    await page.keyboard.type("1.249,90");
    await page.keyboard.press("Enter");
    await page.getByText("Reclamação enviada").waitFor();
    await dialog.waitFor({ state: "detached" });
    const sent = server.callsTo("POST /api/claims")[0]?.body;
    expect(sent).to.include({ store_id: 2, click_id: "b".repeat(26), order_ref: "VS-77", amount: "1249.90" });
    expect(sent?.date).to.match(/^\d{4}-\d\d-\d\d$/);
  });

  it("attaches a picture, made small, and says by when an answer comes", async () => {
    const { server } = site;
    const claim = { id: 77 };
    server.answer("POST /api/claims", { body: { success: true, message: "Claim received", claim } });
    server.answer("POST /api/claims/77/picture", { body: { success: true, message: "Picture attached" } });
    const { page } = await site.openLoggedIn("/visits");
    await page.getByText(/^Estamos procurando a sua compra com a loja. Respondemos até/).waitFor();
    await page.getByText("Com foto anexada").waitFor();
    await page
      .getByRole("button", { name: /Minha compra não apareceu/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Número do pedido").fill("VS-77");
    await dialog.getByLabel("Valor da compra (R$)").fill("10");
    const file = dialog.getByLabel(/^Foto do comprovante \(opcional\)/);
    await dialog.getByText("Nenhuma foto escolhida").waitFor();
    await file.setInputFiles({ name: "x.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
    await dialog.getByText("Não conseguimos abrir esta foto.").waitFor();
    const large = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 4_000, height: 2_000 });
      canvas.getContext("2d")?.fillRect(0, 0, 4_000, 2_000);
      return canvas.toDataURL("image/png").split(",")[1] ?? "";
    });
    await file.setInputFiles({ name: "recibo.png", mimeType: "image/png", buffer: Buffer.from(large, "base64") });
    await dialog.getByText("recibo.png").waitFor();
    await dialog.getByText("Não conseguimos abrir esta foto.").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Enviar" }).click();
    await page.getByText("Reclamação enviada").waitFor();
    const [sent] = server.callsTo("POST /api/claims/77/picture");
    expect(readPicture(sent?.bytes ?? Buffer.alloc(0)).type).to.equal("image/jpeg");
  });

  it("says in the dialog why a claim is refused", async () => {
    site.server.answer("POST /api/claims", {
      status: 409,
      body: { success: false, error: "This order was already claimed", code: "CLAIMED" },
    });
    const { page } = await site.openLoggedIn("/visits");
    await page
      .getByRole("button", { name: /Minha compra não apareceu/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Número do pedido").fill("VS-77");
    await dialog.getByLabel("Valor da compra (R$)").fill("10");
    await dialog.getByRole("button", { name: "Enviar" }).click();
    await dialog.getByText("Já existe uma reclamação sua para este pedido. Acompanhe na lista.").waitFor();
  });

  it("explains the empty list, a failure, and how to log in", async () => {
    const { server } = site;
    server.answer("GET /api/clicks", { body: { success: true, clicks: [], next_before: null } });
    server.answer("GET /api/claims", { body: { success: true, claims: [], next_before: null } });
    server.answer("GET /api/purchases", { body: { success: true, purchases: [], next_before: null } });
    const empty = await site.openLoggedIn("/visits");
    await empty.page.getByText("Nenhuma visita ainda").waitFor();
    server.answer("GET /api/clicks", { status: 500, body: { success: false, error: "x" } });
    const away = await site.openLoggedIn("/visits");
    await away.page.getByText("Não foi possível carregar as suas visitas").waitFor();
    const visitor = await site.open("/visits");
    await visitor.page.getByText("Entre na sua conta para ver as suas visitas.").waitFor();
    expect(server.callsTo("GET /api/clicks").every((call) => call.authorization !== undefined)).to.equal(true);
  });

  it("writes a moment in the reader's time and language, and an order's day as the store wrote it", async () => {
    const [claim] = fixtureClaims();
    const [, click] = fixtureClicks();
    const claims = [{ ...claim, date: "2026-11-14" }];
    const clicks = [{ ...click, created_at: "2026-11-15T01:30:00.000Z" }];
    site.server.answer("GET /api/claims", { body: { success: true, claims, next_before: null } });
    site.server.answer("GET /api/clicks", { body: { success: true, clicks, next_before: null } });
    for (const [language, day, moment] of [
      ["pt", "14 de nov. de 2026", "14 de nov. de 2026, 22:30"],
      ["en", "Nov 14, 2026", "Nov 14, 2026, 10:30\u202fPM"],
    ] as const) {
      const options = { timezoneId: "America/Sao_Paulo", storage: { language } };
      const { page } = await site.openLoggedIn("/visits", options);
      await page.getByText(moment, { exact: true }).waitFor();
      await page.getByRole("article").filter({ hasText: "VS-1003" }).getByText(day, { exact: true }).waitFor();
      await page.getByRole("button", { name: /não apareceu|is missing/ }).click();
      const asked = page.getByRole("dialog").getByLabel(/^(Data da compra|Date of purchase)$/);
      expect(await asked.inputValue()).to.equal("2026-11-14");
    }
  });

  it("keeps simulated purchases after the product went live, and asks for those alone", async () => {
    const { server } = site;
    server.config = { ...server.config, simulated: false };
    const { page } = await site.openLoggedIn("/visits");
    await page.getByText(/Faltou alguma compra\?/).waitFor();
    const simulated = page.getByRole("region", { name: "Compras simuladas" });
    await simulated.getByRole("article").first().waitFor();
    server.answer("GET /api/purchases", { body: { success: true, purchases: [], next_before: null } });
    const asked = page.waitForRequest((request) => request.url().includes("/api/purchases?"));
    await page.reload();
    expect(new URL((await asked).url()).searchParams.get("source")).to.equal("simulated");
    await page.getByRole("region", { name: "Visitas", exact: true }).waitFor();
    expect(await simulated.count()).to.equal(0);
  });

  it("loads older visits page by page", async () => {
    const { server } = site;
    const visit = (id: number) => ({
      id: String.fromCharCode(96 + id).repeat(26),
      store_id: 2,
      store: `Loja ${id}`,
      token_slug: null,
      created_at: "2026-05-02T12:00:00.000Z",
      expires_at: "2099-05-02T12:00:00.000Z",
      claimable_at: "2026-05-09T12:00:00.000Z",
      usual_days: null,
      ...{ sales: 0, declined: 0, amount: null, cashback: null },
    });
    let isFirst = true;
    server.answer("GET /api/clicks", () => {
      const page = isFirst ? { clicks: [visit(2)], next_before: 2 } : { clicks: [visit(1)], next_before: null };
      isFirst = false;
      return { body: { success: true, ...page } };
    });
    const { page } = await site.openLoggedIn("/visits");
    await page.getByText("Loja 2").first().waitFor();
    await page.getByRole("button", { name: "Mostrar mais" }).click();
    await page.getByText("Loja 1").first().waitFor();
    await page.getByRole("button", { name: "Mostrar mais" }).waitFor({ state: "detached" });
  });
});

describe("On a phone", () => {
  const site = useSite();

  it("has the navigation at the bottom, where it covers nothing", async () => {
    const { page } = await site.open("/", { viewport: PHONE });
    const nav = page.getByRole("navigation", { name: "Principal" });
    await nav.getByRole("link", { name: "Lojas" }).waitFor();
    // The app takes the first paint's navigation in place, and the page grows while its stores arrive.
    await eventually(async () => {
      const box = await nav.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).to.equal(PHONE.height);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      const last = await page.locator(".site-footer p").last().boundingBox();
      expect((last?.y ?? 0) + (last?.height ?? 0)).to.be.lessThan(box?.y ?? 0);
    });
    for (const link of await nav.getByRole("link").all()) {
      const target = await link.boundingBox();
      expect(target?.height ?? 0).to.be.at.least(44);
      expect(target?.width ?? 0).to.be.at.least(44);
    }
  });

  it("shows several stores at once, and their main action within the first screen", async () => {
    const { page } = await site.open("/stores", { viewport: PHONE });
    const buttons = page.getByRole("button", { name: "Comprar agora" });
    for (const [path, height] of [
      ["/stores", PHONE.height],
      ["/stores/1", 640],
    ] as const) {
      await page.setViewportSize({ ...PHONE, height });
      await page.goto(site.server.url + path);
      await buttons.first().waitFor();
      const nav = await page.getByRole("navigation", { name: "Principal" }).boundingBox();
      const box = await buttons.first().boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0), path).to.be.lessThan(nav?.y ?? 0);
    }
    await page.goto(`${site.server.url}/stores`);
    await buttons.nth(1).waitFor();
    expect((await page.getByRole("article").first().boundingBox())?.height ?? 0).to.be.lessThan(260);
  });

  it("opens dialogs at the bottom edge, where the thumb is", async () => {
    const { page } = await site.open("/stores/1", { viewport: PHONE, wallet: testWallet() });
    await page.getByRole("button", { name: "Comprar agora" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Entrar e ganhar" }).waitFor();
    await eventually(async () => {
      const box = await dialog.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).to.equal(PHONE.height);
    });
  });

  it("keeps what was chosen in the sheet, whether Back or its button closes it", async () => {
    const { page } = await site.open("/", { viewport: PHONE, wallet: testWallet() });
    const sheet = page.getByRole("dialog", { name: "Filtros" });
    for (const close of [() => page.goBack(), () => sheet.getByRole("button", { name: /^Ver \d+ lojas?$/ }).click()]) {
      await page.getByRole("link", { name: "Lojas", exact: true }).click();
      await page.getByRole("button", { name: "Filtros" }).click();
      await sheet.getByLabel("País").selectOption("França");
      await page.waitForFunction(() => location.search !== "" && history.state?.dialog);
      await close();
      await sheet.waitFor({ state: "detached" });
      await page.waitForFunction(() => !history.state?.dialog);
      await page.getByRole("button", { name: "Filtros (1)" }).waitFor();
      expect(new URL(page.url()).searchParams.get("country")).to.equal("França");
      await page.goBack();
      await page.waitForURL(`${site.server.url}/`);
    }
  });

  it("has the filters in a sheet, and keeps them in the URL", async () => {
    const { page } = await site.open("/stores", { viewport: PHONE, wallet: testWallet() });
    await page.getByRole("button", { name: "Filtros" }).click();
    const sheet = page.getByRole("dialog", { name: "Filtros" });
    await sheet.getByLabel("País").selectOption("Brasil");
    await sheet.getByRole("button", { name: /^Ver \d+ lojas$/ }).click();
    await sheet.waitFor({ state: "detached" });
    expect(new URL(page.url()).searchParams.get("country")).to.equal("Brasil");
    await page.getByRole("button", { name: "Filtros (1)" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Limpar filtros" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Filtros", exact: true }).waitFor();
    expect(new URL(page.url()).search).to.equal("");
  });
});
