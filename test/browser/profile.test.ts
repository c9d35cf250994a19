import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { OwnSession } from "../../core/rules/api/people.ts";
import { eventually } from "../testing/until.ts";
import { fixtureClaims, fixtureClicks, fixturePayments } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

describe("Profile", () => {
  const site = useSite();

  it("changes names and e-mail, exports the data, and erases the account after confirmation", async () => {
    const wallet = testWallet();
    const { server } = site;
    server.signIn(wallet.address);
    server.answer("PUT /api/me", ({ body }) => {
      Object.assign(server.me ?? {}, body);
      return { body: { success: true, message: "ok" } };
    });
    server.answer("GET /api/purchases", {
      body: { success: true, purchases: server.me?.purchases, next_before: null },
    });
    server.answer("DELETE /api/me", { body: { success: true, message: "ok" } });
    const { page, problems } = await site.openLoggedIn("/profile", { wallet });
    await page.getByLabel("Sobrenome").fill("de Souza");
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText("Perfil salvo").waitFor();
    expect(server.callsTo("PUT /api/me")[0]?.body).to.include({ first_name: "Ana", last_name: "de Souza" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Baixar os meus dados" }).click(),
    ]);
    const data = JSON.parse(readFileSync(await file.path(), "utf8"));
    expect(data.wallet).to.equal(wallet.address);
    expect(data.purchases).to.have.length(server.me?.purchases.length ?? -1);
    expect(data.visits).to.have.length(fixtureClicks().length);
    expect(data.claims).to.have.length(fixtureClaims().length);
    expect(data.events).to.have.length(server.events.length);
    expect(data.mail.topics).to.deep.equal(server.mailTopics);
    await page.getByRole("button", { name: "Apagar a minha conta" }).click();
    expect(server.callsTo("DELETE /api/me")).to.have.length(0);
    await page.getByRole("dialog").getByRole("button", { name: "Apagar", exact: true }).click();
    await page.getByText("Conta apagada").waitFor();
    await page.waitForURL(`${server.url}/`);
    expect(server.callsTo("DELETE /api/me")).to.have.length(1);
    expect(server.callsTo("POST /api/logout"), "its sessions have ended").to.have.length(0);
    expect(await page.getByText("Você saiu da conta").count()).to.equal(0);
    expect(await page.evaluate(() => localStorage.getItem("auth_token"))).to.equal(null);
    expect(problems).to.deep.equal([]);
  });

  it("saves no name that its form could not show again", async () => {
    const { page } = await site.openLoggedIn("/profile");
    await page.getByLabel("Nome", { exact: true }).fill("Ana Maria");
    await page.getByLabel("Sobrenome", { exact: true }).fill("a".repeat(80));
    await page.getByRole("button", { name: "Salvar" }).click();
    const whole = { name: "Sobrenome", description: "O nome inteiro é longo demais. Abrevie um dos nomes." };
    await page.getByRole("textbox", whole).waitFor();
    expect(site.server.calls.filter(({ method, path }) => method === "PUT" && path === "/api/me")).to.deep.equal([]);
  });

  it("signs what erases the account, shows the day on every page, and keeps the account by one button", async () => {
    const wallet = testWallet();
    const { server } = site;
    server.signIn(wallet.address);
    const day = "2026-12-01T12:00:00.000Z";
    const statement = `Apagar minha conta Torcida de ${wallet.address}`;
    const challenge = { nonce: "1".repeat(32), message: statement, expires_at: day };
    server.answer("POST /api/challenge", { body: { success: true, challenge } });
    server.answer("DELETE /api/me", ({ body }) => {
      if (!(body as { signature?: string } | undefined)?.signature)
        return { status: 403, body: { success: false, error: "Sign", message: "Sign", code: "SIGNATURE_NEEDED" } };
      Object.assign(server.me ?? {}, { erasure: { takes_effect_at: day, is_own: true } });
      return { status: 202, body: { success: true, message: "ok", takes_effect_at: day } };
    });
    server.answer("POST /api/me/keep", () => {
      Object.assign(server.me ?? {}, { erasure: null });
      return { body: { success: true, message: "ok" } };
    });
    const { page, problems } = await site.openLoggedIn("/profile", { wallet });
    await page.getByRole("button", { name: "Apagar a minha conta" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Apagar", exact: true }).click();
    // The wallet was not connected yet: it is now, and the next press asks it to sign.
    await page.getByText("Se ela acabou de se conectar, tente de novo.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Apagar", exact: true }).click();
    const notice = page.getByRole("status").filter({ hasText: "A sua conta vai ser apagada em" });
    await notice.waitFor();
    const told = page.getByRole("region", { name: "Seus dados" }).getByText("A sua conta vai ser apagada em");
    await eventually(async () => expect(await told.evaluate((one) => one === document.activeElement)).to.equal(true));
    const sent = server.callsTo("DELETE /api/me").map(({ body }) => body);
    expect(sent.at(-1)).to.include({ nonce: challenge.nonce });
    expect(wallet.signed).to.deep.equal([statement]);
    expect(await page.getByRole("button", { name: "Apagar a minha conta" }).count()).to.equal(0);
    await notice.getByRole("button", { name: "Manter minha conta" }).click();
    await page.getByText("A sua conta continua.").waitFor();
    await notice.waitFor({ state: "detached" });
    expect(problems.filter((one) => !one.includes("403"))).to.deep.equal([]);
  });

  it("says what each year's CHZ was and is worth, and saves its payments", async () => {
    const { page } = await site.openLoggedIn("/profile");
    const card = page.getByRole("region", { name: "Seu ano em CHZ" });
    await card.getByText("12,50 CHZ").waitFor();
    for (const text of [
      "Em 3 pagamentos",
      "R$ 4,20",
      "R$ 11,00",
      /Falta a cotação de 1 pagamento/,
      /1 pagamento usa a cotação/,
    ]) {
      await card.getByText(text).waitFor();
    }
    site.server.answer("GET /api/me/payments", { text: "Data;CHZ" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      card.getByRole("button", { name: "Baixar o extrato (CSV)" }).click(),
    ]);
    expect(file.suggestedFilename()).to.equal("torcida-2026.csv");
    expect(readFileSync(await file.path(), "utf8")).to.equal("\uFEFFData;CHZ");
    expect(site.server.callsTo("GET /api/me/payments").at(-1)?.query).to.deep.equal({ year: "2026", language: "pt" });
    site.server.answer("GET /api/me/payments", { body: { success: true, data: fixturePayments(2025) } });
    await card.getByLabel("Ano").selectOption("2025");
    await card.getByText("Nenhum pagamento em 2025.").waitFor();
    expect(await card.getByRole("button").count()).to.equal(0);
    expect(site.server.callsTo("GET /api/me/payments").at(-1)?.query).to.deep.equal({ year: "2025" });
  });

  it("shows where the user is signed in, and ends one of these sessions", async () => {
    const session = (id: string, more: Partial<OwnSession> = {}): OwnSession => ({
      ...{
        id,
        started_at: "2026-11-20T12:00:00Z",
        used_at: "2026-11-21T12:00:00Z",
        device: "phone",
        is_current: false,
      },
      ...more,
    });
    const { server } = site;
    server.sessions = [
      session("a", { device: "computer", is_current: true }),
      session("b"),
      session("c", { device: null }),
    ];
    server.answer("DELETE /api/me/sessions/b", () => {
      server.sessions = server.sessions.filter(({ id }) => id !== "b");
      return { body: { success: true, message: "ok" } };
    });
    const { page, problems } = await site.openLoggedIn("/profile");
    const card = page.getByRole("listitem");
    await card.filter({ hasText: "Computador" }).getByText("Este aparelho").waitFor();
    await card.filter({ hasText: "Outro aparelho" }).waitFor();
    await page.getByRole("button", { name: /^Encerrar o acesso: Celular ou tablet/ }).click();
    await card.filter({ hasText: "Celular" }).waitFor({ state: "detached" });
    expect(server.callsTo("DELETE /api/me/sessions/b")).to.have.length(1);
    expect(problems).to.deep.equal([]);
  });

  it("ends with what erases the account, also while the choice of e-mails is on its way", async () => {
    const titles = async (visit: Awaited<ReturnType<typeof site.openLoggedIn>>) => {
      for (const name of ["Seu ano em CHZ", "Contar na minha torcida"])
        await visit.page.getByRole("heading", { name }).waitFor();
      return visit.page.getByRole("main").getByRole("heading", { level: 2 }).allTextContents();
    };
    const all = [
      "Seu cadastro",
      "Contar na minha torcida",
      "Seu ano em CHZ",
      "Avisos por e-mail",
      "Onde você entrou",
      "Seus dados",
    ];
    const release = site.server.hold("GET /api/me/mail");
    const visit = await site.openLoggedIn("/profile");
    expect(await titles(visit)).to.deep.equal(all);
    const paid = visit.page.getByRole("checkbox", { name: "Cashback pago" });
    expect(await paid.isDisabled()).to.equal(true);
    release();
    await visit.page.getByText("Por enquanto, você não recebe avisos por e-mail.").waitFor();
    expect(await paid.isEnabled()).to.equal(true);
    site.server.config.mail = false;
    expect(await titles(await site.openLoggedIn("/profile"))).to.deep.equal(
      all.filter((one) => !one.includes("e-mail")),
    );
  });

  it("ends the other sessions, says how many, and stays logged in", async () => {
    site.server.answer("POST /api/logout-everywhere", { body: { success: true, message: "ok", ended: 2 } });
    const { page } = await site.openLoggedIn("/profile");
    await page.getByRole("button", { name: "Sair dos outros aparelhos" }).click();
    await page.getByText("2 acessos encerrados").waitFor();
    expect(site.server.callsTo("POST /api/logout-everywhere")).to.have.length(1);
    await page.getByLabel("Sobrenome").waitFor();
  });

  it("show the operator's contact, and say so if there is none", async () => {
    const { page } = await site.open("/help/contact");
    await page.getByText("ainda não publicou um endereço de atendimento").waitFor();
    expect(await page.getByRole("link", { name: /@/ }).count()).to.equal(0);
    site.server.config.support_contact = "ajuda@loja.example";
    await page.reload();
    const email = page.getByRole("link", { name: "ajuda@loja.example" });
    expect(await email.getAttribute("href")).to.equal("mailto:ajuda@loja.example");
    site.server.config.support_contact = "https://ajuda.loja.example/chamados";
    await page.reload();
    const help = page.getByRole("link", { name: "ajuda.loja.example" });
    expect(await help.getAttribute("href")).to.equal("https://ajuda.loja.example/chamados");
  });
});

describe("Help", () => {
  const site = useSite();

  it("has separate pages, and a calculator for the active program", async () => {
    const { page, problems } = await site.open("/");
    await page.getByRole("link", { name: "Perguntas frequentes" }).click();
    await page.getByRole("heading", { level: 1, name: "Ajuda" }).waitFor();
    await page.getByRole("link", { name: "Quando o cashback chega" }).click();
    await page.getByRole("heading", { level: 1, name: "Quando o cashback chega" }).waitFor();
    await page.getByRole("link", { name: "Como funciona o bônus" }).click();
    await page.getByText("Bônus: +3%").waitFor();
    await page.getByLabel("Quantos tokens você tem").fill("50");
    await page.getByText("Bônus: +4%").waitFor();
    await page.getByLabel("O token é do clube da loja").uncheck();
    await page.getByText("Bônus: +0%").waitFor();
    await page.goto(`${site.server.url}/help/bonus?lang=en`);
    await page.getByRole("heading", { level: 1, name: "How the bonus works" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
