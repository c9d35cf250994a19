import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { glimpse } from "./support/chromium.ts";
import { useSite } from "./support/site.ts";

/** How long after a failed check the next one is at the latest. */
const RETRY_MS = 8_000;

describe("Admin", () => {
  const site = useSite();

  async function openPanel(tab = "") {
    site.server.isAdmin = true;
    const visit = await site.openLoggedIn(tab ? `/admin?tab=${tab}` : "/admin");
    await visit.page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
    return visit;
  }
  const toast = (page: Page, text: string) =>
    // One that says the same may still be closing.
    page.locator("[data-sonner-toast]").getByText(text, { exact: true }).last().waitFor();

  describe("who may open it", () => {
    it("redirects a user who is not an admin to the dashboard, with the reason", async () => {
      const { page } = await site.openLoggedIn("/");
      await glimpse(page, `${site.server.url}/admin`, ["Redirecionando..."]);
      await page.waitForURL("**/dashboard");
      await toast(page, "Acesso negado");
      await toast(page, "Você não tem permissão para acessar o painel de administração.");
      expect(await page.getByRole("button", { name: "Painel de Admin" }).count()).to.equal(0);
    });

    it("says that it is checking, and redirects if the check fails; the button appears after the retry", async () => {
      const release = site.server.hold("GET /api/is-admin", { status: 500, body: {} });
      const { page } = await site.openLoggedIn("/admin", { hasOwnClock: true });
      await page.getByText("Verificando permissões de administrador...").waitFor();
      release();
      await page.waitForURL("**/dashboard");
      await toast(page, "Ocorreu um erro ao verificar suas permissões de administrador.");
      expect(site.server.callsTo("GET /api/is-admin")).to.have.length(1);
      site.server.answer("GET /api/is-admin", { body: { success: true, isAdmin: true } });
      await page.clock.fastForward(RETRY_MS);
      await page.getByRole("button", { name: "Painel de Admin" }).waitFor();
      expect(site.server.callsTo("GET /api/is-admin")).to.have.length(2);
    });

    it("checks once for a user, however many pages are opened", async () => {
      const { page } = await openPanel();
      await page.getByRole("link", { name: "Lojas" }).click();
      await page.getByRole("link", { name: "Painel", exact: true }).click();
      await page.getByRole("button", { name: "Painel de Admin" }).click();
      await page.getByRole("tab", { name: "Configurações" }).waitFor();
      expect(site.server.callsTo("GET /api/is-admin")).to.have.length(1);
    });

    it("loads no admin code outside of it", async () => {
      const { page } = await site.open("/");
      await page.getByRole("heading", { level: 1 }).waitFor();
      const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
      expect(loaded.filter((name) => /panel-|admin-(?!status)/.test(name))).to.deep.equal([]);
    });
  });

  describe("stores", () => {
    it("adds, edits and deletes cashback categories; a comma is sent as a dot", async () => {
      site.server.answer("POST /api/store/1/cashback", { body: { success: true, message: "ok", id: 7 } });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByRole("button", { name: "Adicionar cashback" }).click();
      await page.getByText("Use ponto como separador decimal, por exemplo 5.75.").waitFor();
      const dialog = page.getByRole("dialog");
      const add = dialog.getByRole("button", { name: "Adicionar" });
      await add.click();
      await toast(page, "Categoria e percentual são obrigatórios.");
      await dialog.getByLabel("Categoria").fill("Livros");
      for (const [wrong, rule] of [
        ["abc", "precisa ser um número, sem sinal"],
        ["101", "pode ser no máximo 100"],
        ["5.755", "aceita até 2 casas decimais"],
      ] as const) {
        await dialog.getByLabel("Percentual de cashback").fill(wrong);
        await add.click();
        await dialog.getByRole("alert").getByText(`Percentual de cashback ${rule}.`).waitFor();
      }
      await dialog.getByLabel("Código do grupo").fill("g".repeat(65));
      await add.click();
      const tooLong = dialog.getByText("Código do grupo aceita até 64 caracteres.");
      await tooLong.waitFor();
      const described = await dialog.getByLabel("Código do grupo").getAttribute("aria-describedby");
      expect(described?.split(" ")).to.include(await tooLong.getAttribute("id"));
      await dialog.getByLabel("Código do grupo").fill("");
      await dialog.getByLabel("Percentual de cashback").fill("5,75");
      await dialog.getByLabel("Nome em inglês").fill("Books");
      await add.click();
      await toast(page, "Cashback adicionado com sucesso!");
      expect(site.server.callsTo("POST /api/store/1/cashback").map((call) => call.body)).to.deep.equal([
        { category: "Livros", category_en: "Books", cashback_percent: "5.75" },
      ]);

      const first = site.server.stores[0]?.cashbacks[0];
      const route = `/api/store/1/cashback/${first?.id}`;
      site.server.answer(`PUT ${route}`, { body: { success: true, message: "ok" } });
      await page.getByRole("button", { name: new RegExp(`Editar.*${first?.category}`) }).click();
      await dialog.getByLabel("Categoria").fill("");
      await dialog.getByLabel("Percentual de cashback").fill("6");
      await dialog.getByRole("button", { name: "Salvar alterações" }).click();
      await toast(page, "Cashback atualizado com sucesso!");
      expect(site.server.callsTo(`PUT ${route}`)[0]?.body).to.deep.equal({ cashback_percent: "6" });

      site.server.answer(`DELETE ${route}`, { status: 500, body: {} });
      await page.getByRole("button", { name: new RegExp(`Excluir.*${first?.category}`) }).click();
      await dialog.getByText("Esta ação não pode ser desfeita.").waitFor();
      await dialog.getByRole("button", { name: "Excluir" }).click();
      await toast(page, "Erro ao excluir cashback.");
      site.server.answer(`DELETE ${route}`, { body: { success: true, message: "ok" } });
      await page.getByRole("button", { name: new RegExp(`Excluir.*${first?.category}`) }).click();
      await dialog.getByRole("button", { name: "Excluir" }).click();
      await toast(page, "Cashback excluído com sucesso!");
    });

    it("can be edited by keyboard only", async () => {
      site.server.answer("PUT /api/store/1", { body: { success: true, message: "ok" } });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Editar loja" }).focus();
      await page.keyboard.press("Enter");
      await page.getByLabel("Nome *").focus();
      await page.keyboard.press("End");
      await page.keyboard.type(" 2");
      await page.keyboard.press("Enter");
      await toast(page, "Loja atualizada com sucesso!");
      expect(site.server.callsTo("PUT /api/store/1")[0]?.body.name).to.equal("Verdão Store 2");
      await page.waitForFunction(() => document.activeElement?.textContent?.includes("Editar loja"));
    });
  });

  describe("fan tokens", () => {
    it("marks what is missing or wrong, and lower-cases the slug as it is typed", async () => {
      const { page } = await openPanel("fan-tokens");
      const save = page.getByRole("button", { name: "Salvar" });
      await save.click();
      await eventually(async () => {
        expect(await page.getByText("Este campo é obrigatório").count()).to.equal(3);
        expect(await page.getByLabel("Nome").getAttribute("aria-invalid")).to.equal("true");
        expect(await page.getByLabel("Nome").evaluate((field) => field === document.activeElement)).to.equal(true);
      });
      await page.getByLabel("Slug").pressSequentially("Foot Ball");
      expect(await page.getByLabel("Slug").inputValue()).to.equal("foot ball");
      await page.getByLabel("Slug").press("Home");
      await page.getByLabel("Slug").pressSequentially("AB");
      expect(await page.getByLabel("Slug").inputValue()).to.equal("abfoot ball");
      await page.getByRole("alert").getByText("Use só letras minúsculas, números e hífens").waitFor();
      expect(site.server.callsTo("POST /api/admin/fan-token")).to.have.length(0);
    });

    it("previews the image, falls back if it does not load, and clears the error with a new URL", async () => {
      const { page, problems } = await openPanel("fan-tokens");
      await page.route("https://img.example/**", (route) =>
        route.request().url().endsWith("good.svg")
          ? route.fulfill({
              contentType: "image/svg+xml",
              body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
            })
          : route.abort(),
      );
      await page.getByLabel("URL da imagem").fill("https://img.example/bad.png");
      await page.getByRole("img", { name: "A imagem não carregou" }).waitFor();
      await page.getByLabel("URL da imagem").fill("https://img.example/good.svg");
      await page.getByRole("img", { name: /Prévia/ }).waitFor();
      // The policy forbids it, so it is not requested.
      await page.getByLabel("URL da imagem").fill("http://img.example/good.svg");
      await page.getByRole("img", { name: "A imagem não carregou" }).waitFor();
      expect(problems).to.deep.equal([]);
    });
  });
});
