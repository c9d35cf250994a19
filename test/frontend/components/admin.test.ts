import { expect } from "chai";
import type { AuditLogEntry, Overview } from "../../../core/rules/api/administration.ts";
import { panelPermissionsOf } from "../../../core/rules/roles.ts";
import { unfold } from "../../browser/support/admin-dialogs.ts";
import { BUYER, boostRow, fillPanel, percentApproval } from "../../browser/support/panel-data.ts";
import { eventually } from "../../testing/until.ts";
import { type ComponentPage as Page, useComponents } from "./support/component-site.ts";

describe("Admin", () => {
  const site = useComponents();

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
    it("redirects a visitor to the login, with the reason", async () => {
      const { page } = await site.open("/admin");
      await page.waitForURL(/\/auth/);
      await toast(page, "Acesso negado");
      await toast(page, "Você precisa estar logado para acessar esta página.");
    });
  });

  it("has five tabs, by click and by arrow key", async () => {
    const { page, problems } = await openPanel();
    await eventually(async () =>
      expect(await page.getByRole("tab").allTextContents()).to.deep.equal([
        "Dashboard",
        "Lojas",
        "Fan Tokens",
        "Usuários",
        "Configurações",
      ]),
    );
    await page.getByRole("tab", { name: "Usuários" }).click();
    await page.getByText("em desenvolvimento").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByText("As configurações estão em desenvolvimento.").waitFor();
    await page.keyboard.press("Home");
    await page.getByText("Atividade recente").waitFor();
    expect(problems.filter((text) => !text.includes("404"))).to.deep.equal([]);
  });

  it("shows the sample figures as examples, and the true ones once the server has them", async () => {
    const { page } = await openPanel();
    await page.getByText("Números de exemplo").waitFor();
    for (const figure of ["12", "1.204", "2.945", "9.721"]) await page.getByText(figure, { exact: true }).waitFor();

    site.server.answer("GET /api/admin/overview", { body: { success: true, data: OVERVIEW } });
    site.server.answer("GET /api/admin/audit-log", {
      body: { success: true, rows: [AUDIT_ENTRY], next_before: null, total: 1 },
    });
    await page.reload();
    await page.getByText("4.321", { exact: true }).waitFor();
    await page.getByText("12,50", { exact: true }).first().waitFor();
    await page.getByText("cadastrou a loja nº 9").waitFor();
    await page.getByText("Números de exemplo").waitFor({ state: "detached" });
  });

  it("is entirely in Portuguese for an English user: dates, numbers, and the server's English messages", async () => {
    site.server.answer("GET /api/admin/overview", { body: { success: true, data: OVERVIEW } });
    site.server.answer("GET /api/admin/audit-log", { status: 500, body: { success: false, error: "Database away" } });
    site.server.isAdmin = true;
    const { page } = await site.openLoggedIn("/admin", { storage: { language: "en" } });
    await page.getByText("4.321", { exact: true }).waitFor();
    await page
      .getByText(/\d\d?\sde\s[a-z]{3}\.\sde\s\d{4}/)
      .first()
      .waitFor();
    await page.getByText("Algo deu errado do nosso lado. Tente de novo.").waitFor();
    await page
      .getByRole("alert")
      .filter({ hasText: "Não foi possível carregar o registro." })
      .getByRole("button", { name: "Tentar de novo" })
      .waitFor();
    await page.getByRole("tab", { name: "Lojas" }).click();
    for (const [answer, words] of [
      [
        {
          error: "name must be at most 160 bytes (letters of some scripts count up to four times)",
          field: "name",
          rule: "max_bytes",
          params: { max: 160 },
        },
        "Nome aceita até 160 bytes (letras de alguns alfabetos contam por até quatro).",
      ],
      [
        { error: "logo must be a public https:// address", field: "logo", rule: "public_link" },
        "URL do logo precisa ser um endereço público da internet que começa com https://.",
      ],
      [
        { error: "The database does not answer now; try again", code: "DATABASE_UNAVAILABLE" },
        "O nosso banco de dados não está respondendo agora. Tente de novo em instantes.",
      ],
    ] as const) {
      const body = { success: false, code: "INVALID_REQUEST", message: answer.error, ...answer };
      site.server.answer("POST /api/store", { status: 400, body });
      await page.getByRole("button", { name: "Nova loja" }).click();
      await page.getByLabel("Nome *").fill("Arena");
      await page.getByLabel("País *").fill("Brasil");
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, words);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  it("offers to continue a broad search if the first part found nothing", async () => {
    const rows: unknown[] = [];
    site.server.answer("GET /api/admin/purchases", {
      body: { success: true, rows, next_before: 77, total: 10_001 },
    });
    site.server.isAdmin = true;
    const { page } = await site.openLoggedIn("/admin?view=purchases&query=0x&state=pending");
    await page.getByText("Nada até aqui").waitFor();
    site.server.answer("GET /api/admin/purchases", { body: { success: true, rows, next_before: null, total: 10_001 } });
    await page.getByRole("button", { name: "Procurar mais" }).click();
    await page.getByText("Fim da lista").waitFor();
    expect(new URL(page.url()).searchParams.get("query")).to.equal("0x");
  });

  describe("stores", () => {
    it("creates one with exactly the fields that were filled in", async () => {
      const [sample] = site.server.stores;
      if (!sample) throw new Error("There is no sample store");
      site.server.answer("POST /api/store", () => {
        const lacking = { affiliate_link: null, cashback_max: 0, cashbacks: [], is_draft: true };
        site.server.stores.push({ ...sample, id: 99, name: "Arena Livros", ...lacking });
        return { body: { success: true, message: "created", id: 99 } };
      });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: "Nova loja" }).click();
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, "Campos obrigatórios");
      await toast(page, "Nome e país são campos obrigatórios.");
      await page.getByLabel("Nome *").fill(" Arena Livros ");
      await page.getByLabel("País *").fill("Brasil");
      await page.getByLabel("Clube", { exact: true }).fill("Santos");
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, "Loja criada com sucesso!");
      // The text of the earlier message is replaced, long before the message would end by itself.
      await page.getByText("Nome e país são campos obrigatórios.").waitFor({ state: "detached", timeout: 2_000 });
      expect(site.server.callsTo("POST /api/store").map((call) => call.body)).to.deep.equal([
        { name: "Arena Livros", country: "Brasil", club: "Santos" },
      ]);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // The next step: what it lacks to sell, beside the buttons for it.
      await page.getByRole("heading", { name: "Arena Livros" }).waitFor();
      await page.getByText(/^Só o painel a mostra: faltam \d passos para o torcedor ganhar aqui\.$/).waitFor();
      await page.getByText("Falta uma categoria com percentual acima de zero.").waitFor();
      await page.getByRole("button", { name: "Preencher – o percentual" }).waitFor();
    });

    it("shows the server's reason for a rejection, or its own sentence if there is none", async () => {
      const { page } = await openPanel("stores");
      const create = async () => {
        await page.getByRole("button", { name: "Nova loja" }).click();
        await page.getByLabel("Nome *").fill("Arena");
        await page.getByLabel("País *").fill("Brasil");
        await page.getByRole("button", { name: "Criar loja" }).click();
      };
      const taken = { success: false, error: "This name is taken", code: "STORE_NAME_TAKEN" };
      site.server.answer("POST /api/store", { status: 409, body: taken });
      await create();
      await toast(page, "Erro");
      await toast(page, "Já existe uma loja com este nome.");
      site.server.answer("POST /api/store", { body: { success: false } });
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, "Erro ao criar loja.");
      for (const answer of [
        { status: 409, body: { success: false, error: "Já existe a loja Arena" } },
        { body: { success: false, message: "Loja repetida" } },
      ]) {
        site.server.answer("POST /api/store", answer);
        await page.getByRole("button", { name: "Criar loja" }).click();
        await toast(page, answer.body.error ?? answer.body.message ?? "");
      }
      site.server.answer("POST /api/store", { status: 503, text: "<html>" });
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, "Erro ao criar loja.");
      await toast(page, "O servidor respondeu com o erro 503.");
      site.server.answer("POST /api/store", "drop");
      await page.getByRole("button", { name: "Criar loja" }).click();
      await toast(page, "O servidor não está respondendo. Espere um instante e tente de novo.");
    });

    it("shows the details only while a store is selected; going back clears the selection", async () => {
      const { page } = await openPanel("stores");
      const inner = page.getByRole("tablist", { name: "Lojas" });
      const showsTabs = (...names: string[]) =>
        eventually(async () => expect(await inner.getByRole("tab").allTextContents()).to.deep.equal(names));
      await showsTabs("Lista de lojas", "Sugeridas");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByRole("heading", { name: "Verdão Store" }).waitFor();
      await page.getByText("3,5% - 5%", { exact: true }).waitFor();
      await showsTabs("Lista de lojas", "Sugeridas", "Detalhes da loja");
      await inner.getByRole("tab", { name: "Lista de lojas" }).click();
      await showsTabs("Lista de lojas", "Sugeridas");
    });

    it("moves the focus to the details and back", async () => {
      site.server.answer("DELETE /api/store/1", { body: { success: true, message: "ok" } });
      const { page } = await openPanel("stores");
      const focused = (text: string) =>
        page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text);
      const details = () => page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).press("Enter");
      await details();
      await focused("Verdão Store");
      await page.getByRole("button", { name: "Voltar à lista" }).press("Enter");
      await focused("Lojas");
      await details();
      await page.getByRole("tab", { name: "Lista de lojas" }).click();
      await focused("Lista de lojas");
      await details();
      await page.getByRole("button", { name: "Excluir loja" }).press("Enter");
      await page.getByRole("dialog").getByRole("button", { name: "Excluir" }).press("Enter");
      await focused("Lojas");
    });

    it("edits one: emptied fields are cleared", async () => {
      site.server.answer("PUT /api/store/1", { body: { success: true, message: "ok" } });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByRole("button", { name: "Editar loja" }).click();
      await page.getByLabel("Nome *").fill("Verdão");
      await page.getByLabel("Clube", { exact: true }).fill("");
      await page.getByRole("button", { name: "Salvar alterações" }).click();
      await toast(page, "Loja atualizada com sucesso!");
      expect(site.server.callsTo("PUT /api/store/1")[0]?.body).to.deep.equal({
        name: "Verdão",
        country: "Brasil",
        club: null,
      });
    });

    it("saves and shows exclusions and English texts, and names the field that the server rejects", async () => {
      const texts = {
        terms: "Sem cashback em vale-presentes.",
        country_en: "Federative Republic of Brazil",
        category_en: "Books",
        description_en: "All the club's books.",
        terms_en: "No cashback on gift cards.",
      };
      const [store] = site.server.stores;
      Object.assign(store ?? {}, { terms: "Sem cashback em livros." });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByText("Sem cashback em livros.").waitFor();
      await page.getByRole("button", { name: "Editar loja" }).click();
      const dialog = page.getByRole("dialog");
      expect(await dialog.getByLabel("Exclusões", { exact: true }).inputValue()).to.equal("Sem cashback em livros.");
      await unfold(dialog);
      for (const [label, text] of [
        ["Exclusões", texts.terms],
        ["País em inglês", texts.country_en],
        ["Categoria em inglês", texts.category_en],
        ["Descrição em inglês", texts.description_en],
        ["Exclusões em inglês", texts.terms_en],
      ] as const)
        await dialog.getByLabel(label, { exact: true }).fill(` ${text} `);
      const inEnglish = dialog.getByLabel("Exclusões em inglês");
      expect(await inEnglish.getAttribute("lang")).to.equal("en");
      const save = dialog.getByRole("button", { name: "Salvar alterações" });
      const error = "terms_en must be at most 1000 characters";
      site.server.answer("PUT /api/store/1", {
        status: 400,
        body: {
          success: false,
          error,
          message: error,
          code: "INVALID_REQUEST",
          field: "terms_en",
          rule: "max_length",
          params: { max: 1000 },
        },
      });
      await dialog.getByText("Em inglês", { exact: true }).click();
      await inEnglish.waitFor({ state: "hidden" });
      await save.click();
      // The section opens by itself, and its invalid field has the focus.
      await dialog.getByText("Exclusões em inglês aceita até 1000 caracteres.").waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "terms_en");
      site.server.answer("PUT /api/store/1", { body: { success: true, message: "ok" } });
      Object.assign(store ?? {}, texts);
      await save.click();
      await toast(page, "Loja atualizada com sucesso!");
      expect(site.server.callsTo("PUT /api/store/1").at(-1)?.body).to.deep.equal({
        name: "Verdão Store",
        country: "Brasil",
        ...texts,
      });
      for (const text of Object.values(texts)) await page.getByText(text, { exact: true }).waitFor();
      await page.getByRole("button", { name: "Editar loja" }).click();
      await unfold(dialog);
      await inEnglish.fill("");
      await save.click();
      await dialog.waitFor({ state: "detached" });
      expect(site.server.callsTo("PUT /api/store/1").at(-1)?.body.terms_en).to.equal(null);
    });

    it("asks before it deletes one, and clears the selection of a deleted one", async () => {
      site.server.answer("DELETE /api/store/1", { body: { success: true, message: "ok" } });
      const { page } = await openPanel("stores");
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByRole("button", { name: "Excluir loja" }).click();
      await page.getByRole("dialog").getByText("Esta ação não pode ser desfeita.").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Cancelar" }).click();
      expect(site.server.callsTo("DELETE /api/store/1")).to.have.length(0);
      await page.getByRole("button", { name: "Excluir loja" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Excluir" }).click();
      await toast(page, "Loja excluída com sucesso!");
      await page.getByRole("button", { name: "Nova loja" }).waitFor();
      await page.getByRole("tab", { name: "Detalhes da loja" }).waitFor({ state: "detached" });
    });

    it("says how many visits to a store became sales, in the list and by month", async () => {
      const months = [
        { month: "2026-11", clicks: 80, sales: 6 },
        { month: "2026-10", clicks: 0, sales: 1 },
      ];
      site.server.answer("GET /api/admin/stores/1/conversion", { body: { success: true, months } });
      const { page } = await openPanel("stores");
      await page.getByText("Em 3 meses: 120 visitas · 9 vendas · conversão de 7,5%").first().waitFor();
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      const table = page.getByRole("table", { name: /^Visitas, vendas/ });
      await table.getByRole("row", { name: "nov. de 2026 80 6 7,5%" }).waitFor();
      await table.getByRole("row", { name: "out. de 2026 0 1 –" }).waitFor();
    });

    it("plans a boost in São Paulo's time, says that it waits for a second person, and ends one", async () => {
      const boosts = [boostRow(4, {})];
      const route = "GET /api/admin/stores/1/boosts";
      const answer = () => site.server.answer(route, { body: { success: true, boosts, next_before: null } });
      answer();
      site.server.answer("POST /api/admin/stores/1/boosts", {
        status: 202,
        body: { success: true, message: "ok", id: 5, boost: boosts[0], approval_id: 3 },
      });
      site.server.answer("POST /api/admin/boosts/4/end", { body: { success: true, message: "ok" } });
      fillPanel(site.server, "owner", BUYER);
      site.server.isAdmin = true;
      const { page, problems } = await site.openLoggedIn("/admin?tab=stores&row=1");
      await page.getByText("De 24 de nov. de 2026, 00:00 a 29 de nov. de 2026, 23:59 (São Paulo)").waitFor();
      await page.getByRole("button", { name: "Turbinar" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Percentual turbinado").fill("0");
      await dialog.getByLabel(/^Termina/).fill("2020-01-01T10:00");
      await dialog.getByRole("button", { name: "Planejar" }).click();
      await dialog.getByText(/^Informe um percentual até 100/).waitFor();
      await dialog.getByText("O fim precisa vir depois do começo e de agora.").waitFor();
      await dialog.getByLabel("Percentual turbinado").fill("10");
      await dialog.getByRole("alert").nth(1).waitFor({ state: "detached" });
      expect(await dialog.getByRole("status").count()).to.equal(0);
      await dialog.getByLabel("Percentual turbinado").fill("12,5");
      await dialog
        .getByText("12,5% passa de 10%, o máximo que uma pessoa define sozinha. Só vale quando Equipe (operação)")
        .waitFor();
      await dialog.getByLabel(/^Termina/).fill("2030-01-06T23:59");
      await dialog.getByRole("button", { name: "Planejar" }).click();
      await toast(page, "Pedido feito: o percentual passa do que uma pessoa define sozinha, e está em Aprovações.");
      expect(site.server.callsTo("POST /api/admin/stores/1/boosts").map((call) => call.body)).to.deep.equal([
        { percent: "12.5", category_id: null, starts_at: null, ends_at: "2030-01-07T02:59:00.000Z" },
      ]);
      await page.getByRole("button", { name: "Encerrar agora" }).click();
      boosts[0] = boostRow(4, { state: "over" });
      answer();
      await dialog.getByRole("button", { name: "Encerrar agora" }).click();
      await page.getByText("Terminou", { exact: true }).waitFor();
      expect(site.server.callsTo("POST /api/admin/boosts/4/end")).to.have.length(1);
      expect(problems).to.deep.equal([]);
    });

    it("says before a percent is raised that nobody else could agree, whichever way it is raised", async () => {
      fillPanel(site.server, "owner", BUYER);
      site.server.answer("GET /api/admin/role", {
        body: {
          ...{ success: true, role: "owner", permissions: panelPermissionsOf("owner") },
          ...{ percent_alone: 8, approvers: { catalogue: [], payments: [] } },
        },
      });
      const [store] = site.server.stores;
      const category = (id: number, name: string, cashback_percent: string) => ({
        id,
        category: name,
        cashback_percent,
      });
      if (store) store.cashbacks = [{ ...category(1, "TVs", "20"), group_code: "TV" }, category(2, "Som", "3")];
      site.server.isAdmin = true;
      const { page } = await site.openLoggedIn("/admin?tab=stores&row=1");
      const dialog = page.getByRole("dialog");
      const notice = dialog.getByRole("status");
      const alone =
        /^20% passa de 8%.*Ninguém mais pode aprovar.*Defina até 8%.*ADMIN_WALLETS.*BOOST_APPROVAL_ABOVE_PERCENT/;
      const said = async () => (await notice.allTextContents()).join("");
      await page.getByRole("button", { name: "Turbinar" }).click();
      await dialog.getByLabel("Percentual turbinado").fill("20");
      expect(await said()).to.match(alone);
      await dialog.getByRole("button", { name: "Cancelar" }).click();
      await page.getByRole("button", { name: "Editar – TVs" }).click();
      expect(await said(), "nothing is raised yet").to.equal("");
      await dialog.getByRole("checkbox", { name: /^Padrão/ }).check();
      expect(await said(), "the mark raises what no group names").to.match(alone);
      await dialog.getByRole("checkbox", { name: /^Padrão/ }).uncheck();
      await dialog.getByLabel("Percentual de cashback").fill("8");
      expect(await said(), "lowered").to.equal("");
      await dialog.getByRole("button", { name: "Cancelar" }).click();
      await page.getByRole("button", { name: "Adicionar cashback" }).click();
      await dialog.getByLabel("Percentual de cashback").fill("20");
      expect(await said()).to.match(/^Se a loja tem mais de um dia: 20% passa de 8%/);
      await dialog.getByRole("button", { name: "Cancelar" }).click();
      await page.getByRole("button", { name: "Excluir – Som" }).click();
      expect(await said(), "its sales would get the other percent").to.match(alone);
      Object.assign(store ?? {}, { network: "direct" });
      await page.reload();
      await page.getByRole("button", { name: "Adicionar cashback" }).click();
      await dialog.getByLabel("Percentual de cashback").fill("20");
      expect(await said(), "a direct shop's first day needs somebody too").to.match(alone);
    });

    it("says where a network does not pay for a percent, or for a fan's bonus on top, before it sells", async () => {
      fillPanel(site.server, "owner", BUYER);
      const [store] = site.server.stores;
      const category = { id: 1, category: "TVs", cashback_percent: "3.5", commission_percent: "6", is_by_hand: true };
      Object.assign(store ?? {}, { club: "Palmeiras", cashbacks: [category] });
      site.server.isAdmin = true;
      const { page } = await site.openLoggedIn("/admin?tab=stores&row=1");
      await page
        .getByText(
          "a rede paga 6% · com o bônus de até 4%, passa do que a rede paga (6%): a plataforma banca a diferença",
        )
        .waitFor();
      await page.getByRole("button", { name: "Editar – TVs" }).click();
      const dialog = page.getByRole("dialog");
      const said = async () => (await dialog.getByRole("status").allTextContents()).join("");
      expect(await said()).to.match(/^Com o bônus de até 4%, passa do que a rede paga \(6%\)/);
      await dialog.getByLabel("Percentual de cashback").fill("2");
      expect(await said()).to.equal("");
      await dialog.getByLabel("Percentual de cashback").fill("6,25");
      expect(await said()).to.match(/6,25% passa do que a rede paga \(6%\): .*ficam retidas/);
      Object.assign(store ?? {}, { club: null, club_slug: null });
      await page.reload();
      await page.getByText("a rede paga 6%", { exact: true }).waitFor();
    });

    it("shows a percent that waits to a second person, who approves it", async () => {
      const rows = [percentApproval(2, {})];
      site.server.answer("POST /api/admin/percent-approvals/2/approve", () => {
        rows.pop();
        return { body: { success: true, message: "ok" } };
      });
      fillPanel(site.server, "catalogue", BUYER);
      site.server.answer("GET /api/admin/percent-approvals", () => ({
        body: { success: true, rows, next_before: null, total: rows.length },
      }));
      site.server.isAdmin = true;
      const { page } = await site.openLoggedIn("/admin?view=approvals");
      await page.getByRole("button", { name: "Aprovar – 12% em toda a loja" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Motivo").fill("Combinado com a loja");
      await dialog.getByRole("button", { name: "Aprovar percentual" }).click();
      await page.getByRole("heading", { name: "Percentuais que esperam" }).waitFor({ state: "detached" });
      await eventually(async () => {
        const [decided] = site.server.callsTo("POST /api/admin/percent-approvals/2/approve");
        expect(decided?.body).to.deep.equal({ reason: "Combinado com a loja" });
      });
    });

    it("says that the stores, or a store's cashbacks, could not be loaded", async () => {
      site.server.answer("GET /api/admin/stores", { status: 500, body: {} });
      const { page } = await openPanel("stores");
      await toast(page, "Não foi possível carregar as lojas.");
      site.server.answer("GET /api/admin/stores", undefined);
      site.server.answer("GET /api/stores/1", { status: 500, body: {} });
      await page.getByRole("button", { name: "Tentar de novo" }).click();
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await toast(page, "Não foi possível carregar os cashbacks da loja.");
    });
  });

  describe("fan tokens", () => {
    it("is in Portuguese for an English user too", async () => {
      site.server.isAdmin = true;
      const { page } = await site.openLoggedIn("/admin?tab=fan-tokens", { storage: { language: "en" } });
      await page.getByRole("button", { name: "Salvar" }).click();
      await eventually(async () => expect(await page.getByText("Este campo é obrigatório").count()).to.equal(3));
    });

    it("creates, edits and deletes tokens, and asks before deleting", async () => {
      site.server.answer("POST /api/admin/fan-token", { body: { success: true, message: "ok", id: 5 } });
      const { page } = await openPanel("fan-tokens");
      await page.getByLabel("Nome").fill("Santos");
      await page.getByLabel("Slug").fill("SANTOS");
      await page.getByLabel("URL da imagem").fill("https://img.example/santos.png");
      await page.getByRole("button", { name: "Salvar" }).click();
      await toast(page, "Fan token salvo com sucesso");
      await page.getByRole("button", { name: /Editar.*Palmeiras/ }).click();
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "name");
      await page.getByLabel("Nome").fill("Palmeiras FC");
      await page.getByLabel("URL da imagem").fill("https://img.example/p.png");
      await page.getByRole("button", { name: "Salvar" }).click();
      await page.getByRole("heading", { name: "Novo fan token" }).waitFor();
      await page.getByRole("button", { name: /Editar.*Palmeiras/ }).click();
      await page.getByRole("button", { name: "Novo fan token" }).click();
      await page.getByRole("heading", { name: "Novo fan token" }).waitFor();
      const name = page.getByLabel("Nome");
      expect(await name.inputValue()).to.equal("");
      expect(await name.evaluate((field) => field === document.activeElement)).to.equal(true);
      const sent = site.server.callsTo("POST /api/admin/fan-token").map((call) => call.body);
      const token = site.server.tokens.find((one) => one.name === "Palmeiras");
      expect(sent).to.deep.equal([
        { name: "Santos", slug: "santos", image: "https://img.example/santos.png" },
        { id: token?.id, name: "Palmeiras FC", slug: "verdao", image: "https://img.example/p.png" },
      ]);

      site.server.answer(`DELETE /api/admin/fan-token/${token?.id}`, () => {
        site.server.tokens.splice(
          site.server.tokens.findIndex((one) => one.id === token?.id),
          1,
        );
        return { body: { success: true, message: "ok" } };
      });
      const remove = page.getByRole("button", { name: /Excluir.*Palmeiras/ });
      await remove.click();
      await page.getByRole("dialog").getByRole("button", { name: "Cancelar" }).click();
      await eventually(async () =>
        expect(await remove.evaluate((button) => button === document.activeElement)).to.equal(true),
      );
      await remove.click();
      await page.getByRole("dialog").getByRole("button", { name: "Excluir" }).click();
      await toast(page, "Fan token excluído com sucesso");
      await remove.waitFor({ state: "detached" });
      await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    });
  });
});

const OVERVIEW: Overview = {
  stores: 8,
  users: 4_321,
  purchases: 77,
  cashback_paid: "12.5",
  cashback_open: "3",
  purchases_by_status: { processing: 0, pending: 1, confirmed: 76, cancelled: 0 },
  activity: [
    { id: 1, store: "Verdão Store", amount: "100.00", status: "confirmed", created_at: "2026-06-01T12:00:00.000Z" },
  ],
  payouts: { paused: false, reason: null, cause: null },
  sender: { address: "0x0", balance: "10", distributor_balance: "900", in_flight: 0, queued: 0, failed: 0, keys: [] },
};

const AUDIT_ENTRY: AuditLogEntry = {
  id: 1,
  at: "2026-06-01T12:00:00.000Z",
  actor: "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  action: "store.create",
  subject: "store 9",
  params: {},
  detail: "{}",
  hash: "00",
};
