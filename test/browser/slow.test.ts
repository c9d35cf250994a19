import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { SESSION_TOKEN } from "./support/fixture-server.ts";
import { BUYER, COLLEAGUE, fillPanel } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";
import { SlowPages } from "./support/slow-pages.ts";
import { testWallet } from "./support/test-wallet.ts";

const NEW_LOGO = "https://img.example/new.png";

const expectCount = (found: Locator, count: number) =>
  eventually(async () => expect(await found.count()).to.equal(count));

/** On a processor twenty times slower, responses and renders arrive after the user has continued. */
describe("On a slow device @release", function () {
  this.timeout(180_000);
  const site = useSite();

  const slow = new SlowPages();
  afterEach(() => slow.end());
  const slowDown = () => slow.begin(site.browser);
  /** Another page than the panel by its path. */
  async function openPanel(search: string) {
    const wallet = testWallet();
    site.server.isAdmin = true;
    fillPanel(site.server, "owner", wallet.address);
    const visit = await site.openLoggedIn(search.startsWith("/") ? search : `/admin${search}`, { wallet });
    // Hidden from screen readers while a sheet is open.
    await visit.page.locator("h1").first().waitFor();
    return visit;
  }

  describe("a search field", () => {
    /** Around the debounce, so that the address changes between letters. */
    const TYPING_MS = 230;
    const TYPED = "camisa do verdao 2026";

    it("keeps every letter in a list of the panel, and the address follows", async () => {
      const { page } = await openPanel("?view=purchases");
      const field = page.getByRole("searchbox");
      await field.waitFor();
      await slowDown();
      await field.pressSequentially(TYPED, { delay: TYPING_MS });
      expect(await field.inputValue()).to.equal(TYPED);
      await eventually(async () => expect(new URL(page.url()).searchParams.get("query")).to.equal(TYPED));
      expect(await field.inputValue()).to.equal(TYPED);
    });

    it("keeps every letter among the stores, and the address follows", async () => {
      const { page } = await site.open("/stores");
      const field = page.getByRole("searchbox");
      await field.waitFor();
      await slowDown();
      await field.pressSequentially(TYPED, { delay: TYPING_MS });
      expect(await field.inputValue()).to.equal(TYPED);
      await eventually(async () => expect(new URL(page.url()).searchParams.get("q")).to.equal(TYPED));
      expect(await field.inputValue()).to.equal(TYPED);
    });

    it("takes over an address that changes by other means", async () => {
      const { page } = await site.open("/stores?q=verdao");
      const field = page.getByRole("searchbox");
      await eventually(async () => expect(await field.inputValue()).to.equal("verdao"));
      await page.getByRole("link", { name: "Lojas" }).first().click();
      await eventually(async () => expect(await field.inputValue()).to.equal(""));
    });

    it("is cleared with the filters, also before the address has what was typed", async () => {
      const { page } = await site.open("/stores?country=Brasil");
      const field = page.getByRole("searchbox");
      const clear = page.getByRole("button", { name: "Limpar filtros" });
      await clear.waitFor();
      await slowDown();
      // In one task of the page, so that no debounce can end in between.
      await page.evaluate(() => {
        const input = document.querySelector<HTMLInputElement>("input[type=search]");
        const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Limpar filtros");
        if (!input || !button) throw new Error("no field or button");
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, "zzz");
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        button.click();
      });
      await clear.waitFor({ state: "detached" });
      expect(await field.inputValue()).to.equal("");
      expect(new URL(page.url()).search).to.equal("");
    });
  });

  /** The page has handled what it received. */
  const settled = (page: Page) =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const toasts = (page: Page) => page.locator("[data-sonner-toast]");

  describe("a dialog that was cancelled", () => {
    const reason = (page: Page) => page.getByRole("dialog").last().getByLabel("Motivo").fill("Conferido");
    const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
    const openStore = async (page: Page) => {
      await press(page, /Detalhes.*Verdão Store/);
      await page.getByRole("button", { name: "Adicionar cashback" }).waitFor();
    };
    const cases: {
      name: string;
      search: string;
      before?: (page: Page) => Promise<void>;
      opener: string | RegExp;
      fill?: (page: Page) => Promise<void>;
      action: string;
      route: string;
      /** What is loaded again after the answer. */
      reloads: string;
    }[] = [
      {
        name: "a new store",
        search: "?tab=stores",
        opener: "Nova loja",
        fill: async (page) => {
          await page.getByLabel("Nome *").fill("Arena");
          await page.getByLabel("País *").fill("Brasil");
        },
        action: "Criar loja",
        route: "POST /api/store",
        reloads: "GET /api/admin/stores",
      },
      {
        name: "a store's deletion",
        search: "?tab=stores",
        before: openStore,
        opener: "Excluir loja",
        action: "Excluir",
        route: "DELETE /api/store/1",
        reloads: "GET /api/admin/role",
      },
      {
        name: "a new category",
        search: "?tab=stores",
        before: openStore,
        opener: "Adicionar cashback",
        fill: async (page) => {
          await page.getByLabel("Categoria").last().fill("Camisas");
          await page.getByLabel("Percentual de cashback").fill("5");
        },
        action: "Adicionar",
        route: "POST /api/store/1/cashback",
        reloads: "GET /api/stores/1",
      },
      {
        name: "a fan token's deletion",
        search: "?tab=fan-tokens",
        opener: /^Excluir –/,
        action: "Excluir",
        route: "DELETE /api/admin/fan-token/1",
        reloads: "GET /api/fan-tokens",
      },
      {
        name: "a payment's retry",
        search: "?view=payments",
        opener: /Tentar de novo – compra nº 9/,
        fill: reason,
        action: "Tentar de novo",
        route: "POST /api/admin/operations/9/retry",
        reloads: "GET /api/admin/payments",
      },
      {
        name: "a pause of all payments",
        search: "?view=payments",
        opener: "Pausar pagamentos",
        fill: reason,
        action: "Pausar pagamentos",
        route: "POST /api/admin/payouts",
        reloads: "GET /api/admin/payments",
      },
      {
        name: "a sale's release",
        search: "?view=sales&row=12",
        opener: "Liberar venda",
        fill: reason,
        action: "Liberar venda",
        route: "POST /api/admin/sales/12/release",
        reloads: "GET /api/admin/sales/12",
      },
      {
        name: "a claim's refusal",
        search: "?view=claims",
        opener: /Recusar – pedido/,
        fill: reason,
        action: "Recusar reclamação",
        route: "POST /api/admin/claims/3/refuse",
        reloads: "GET /api/admin/claims",
      },
      {
        name: "the end of a person's sessions",
        search: `?tab=users&row=${BUYER}`,
        opener: "Encerrar sessões",
        fill: reason,
        action: "Encerrar sessões",
        route: `POST /api/admin/users/${BUYER}/sessions/revoke`,
        reloads: `GET /api/admin/users/${BUYER}`,
      },
    ];
    for (const { name, search, before, opener, fill, action, route, reloads } of cases) {
      it(`neither closes nor announces over the next one when it is answered: ${name}`, async () => {
        const { page } = await openPanel(search);
        await before?.(page);
        // Also a sheet below, which is hidden from screen readers.
        const dialogs = page.locator("[role=dialog]");
        const openers = page.getByRole("button", { name: opener }).first();
        await openers.waitFor();
        const around = await dialogs.count();
        const release = site.server.hold(route, { body: { success: true, message: "Done", id: 77 } });
        await openers.click();
        await expectCount(dialogs, around + 1);
        await fill?.(page);
        await dialogs.last().getByRole("button", { name: action }).click();
        await eventually(async () => expect(site.server.callsTo(route)).to.have.length(1));
        await dialogs.last().getByRole("button", { name: "Cancelar" }).click();
        await expectCount(dialogs, around);
        await openers.click();
        await expectCount(dialogs, around + 1);
        const loaded = site.server.callsTo(reloads).length;
        await slowDown();
        release();
        await eventually(async () => expect(site.server.callsTo(reloads).length).to.be.greaterThan(loaded));
        await settled(page);
        expect(await dialogs.count()).to.equal(around + 1);
        expect(await toasts(page).allTextContents()).to.deep.equal([]);
      });
    }

    it("does not send a shopper to the store", async () => {
      const { page } = await site.openLoggedIn("/stores");
      const route = "POST /api/register-purchase";
      const release = site.server.hold(route);
      await page
        .getByRole("button", { name: /Comprar agora/ })
        .first()
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).click();
      await eventually(async () => expect(site.server.callsTo(route)).to.have.length(1));
      await page.getByRole("dialog").getByRole("button", { name: "Cancelar" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await slowDown();
      const answered = page.waitForResponse(/register-purchase/);
      release();
      await (await answered).finished();
      await settled(page);
      expect(new URL(page.url()).pathname).to.equal("/stores");
    });

    it("decides nothing that the wallet signs afterwards", async () => {
      const route = "POST /api/admin/sales/12/release";
      const { page, wallet } = await openPanel("/");
      await page.getByRole("button", { name: "Ver lojas" }).first().click();
      await page.getByText("Carteira conectada com sucesso!").waitFor();
      await page.goto(`${site.server.url}/admin?view=sales&row=12`);
      site.server.answer(route, {
        status: 403,
        body: { success: false, error: "Sign in again", code: "SIGN_IN_AGAIN" },
      });
      await page.getByRole("button", { name: "Liberar venda" }).click();
      await reason(page);
      const dialog = page.getByRole("dialog").last();
      await dialog.getByRole("button", { name: "Liberar venda" }).click();
      const sign = dialog.getByRole("button", { name: "Assinar e continuar" });
      await sign.waitFor();
      site.server.answer(route, { body: { success: true, message: "Done" } });
      const asked = () => wallet.asked.filter((method) => method === "personal_sign").length;
      wallet.delay("personal_sign", 1_000);
      await sign.click();
      await eventually(async () => expect(asked()).to.equal(1));
      await dialog.getByRole("button", { name: "Cancelar" }).click();
      const answered = page.waitForResponse(/\/api\/me/);
      await (await answered).finished();
      await settled(page);
      expect(site.server.callsTo(route)).to.have.length(1);
    });
  });

  it("leaves the focus in the field that is being corrected", async () => {
    const { page } = await site.openLoggedIn("/visits");
    await page
      .getByRole("button", { name: /Minha compra não apareceu/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    const order = dialog.getByLabel("Número do pedido");
    await order.focus();
    // A busy page runs its timers late, and a key press before them.
    await page.evaluate(() => {
      const { setTimeout } = window;
      window.setTimeout = ((work: TimerHandler, ms = 0) => setTimeout(work, ms + 300)) as typeof window.setTimeout;
    });
    await page.keyboard.press("Enter");
    await dialog.getByText("Escreva o número do pedido.").waitFor();
    await page.keyboard.type("VS-77-1234567", { delay: 50 });
    expect(await order.inputValue()).to.equal("VS-77-1234567");
  });

  it("saves a store without undoing a logo that was uploaded meanwhile", async () => {
    const { page } = await openPanel("?tab=stores&row=1");
    await page.getByRole("button", { name: "Editar loja" }).waitFor();
    const release = site.server.hold("POST /api/admin/stores/1/logo", {
      body: { success: true, message: "Logo saved", logo: NEW_LOGO },
    });
    // The fixed responses read every body as JSON.
    const picture = { name: "logo.png", mimeType: "image/png", buffer: Buffer.from("{}") };
    await page.getByLabel("Enviar logo").setInputFiles(picture);
    await page.getByRole("button", { name: "Editar loja" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Clube").fill("Santos");
    await slowDown();
    const [store] = site.server.stores;
    if (store) store.logo = NEW_LOGO;
    release();
    await eventually(async () => expect(await dialog.getByLabel("URL do logo").inputValue()).to.equal(NEW_LOGO));
    site.server.answer("PUT /api/store/1", { body: { success: true, message: "Done" } });
    await dialog.getByRole("button", { name: "Salvar alterações" }).click();
    await eventually(async () => expect(site.server.callsTo("PUT /api/store/1")).to.have.length(1));
    const { body } = site.server.callsTo("PUT /api/store/1")[0] ?? {};
    expect(body).to.deep.equal({ name: store?.name, country: store?.country, club: "Santos" });
  });

  describe("an import of the catalogue", () => {
    const ROUTE = "POST /api/admin/catalogue";
    const previewOf = (name: string) => ({
      body: {
        success: true,
        message: "1 change",
        applied: false,
        changes: [`+ store ${name} (Brasil)`],
        preview: [{ kind: "create", what: "store", name, fields: [{ field: "country", to: "Brasil" }] }],
      },
    });
    const CHANGES = previewOf("Arena");
    async function openImport() {
      const { page } = await openPanel("?tab=stores");
      await page.getByRole("button", { name: "Importar catálogo" }).click();
      return { page, dialog: page.getByRole("dialog") };
    }
    const send = (dialog: Locator, name: string) =>
      dialog
        .getByLabel(/Arquivo do catálogo/)
        .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(`type,name\nstore,${name}\n`) });

    it("whose answer is lost is not said to have changed nothing, and is checked again", async () => {
      site.server.answer(ROUTE, CHANGES);
      const { dialog } = await openImport();
      site.server.answer(ROUTE, ({ body }) => (body.apply ? "drop" : CHANGES));
      await send(dialog, "lojas.csv");
      await slowDown();
      await dialog.getByRole("button", { name: "Aplicar 1 mudança" }).click();
      await dialog
        .getByRole("alert")
        .getByText(/podem ter entrado, ou não/)
        .waitFor();
      expect(await dialog.getByText("Nada foi mudado").count()).to.equal(0);

      // Still unknown if the check gets no response either.
      site.server.answer(ROUTE, "drop");
      await dialog.getByRole("button", { name: "Conferir de novo" }).click();
      await dialog.getByText("Conferindo o arquivo...").waitFor({ state: "detached" });
      await dialog
        .getByRole("alert")
        .getByText(/podem ter entrado, ou não/)
        .waitFor();
      expect(await dialog.getByText("Nada foi mudado").count()).to.equal(0);

      site.server.answer(ROUTE, {
        body: { success: true, message: "No changes", applied: false, changes: [], preview: [] },
      });
      await dialog.getByRole("button", { name: "Conferir de novo" }).click();
      await dialog.getByText("O arquivo é igual ao catálogo: não há o que mudar.").waitFor();
    });

    it("that was refused changed nothing, and says so", async () => {
      const { dialog } = await openImport();
      const problems = [{ problem: "field", place: 2, field: "country", broken: { rule: "missing" } }];
      const refusal = { success: false, error: "line 2: country is missing", code: "CATALOGUE_FILE", problems };
      site.server.answer(ROUTE, ({ body }) => (body.apply ? { status: 400, body: refusal } : CHANGES));
      await send(dialog, "lojas.csv");
      await dialog.getByRole("button", { name: "Aplicar 1 mudança" }).click();
      await dialog.getByRole("alert").getByText("Nada foi mudado", { exact: false }).waitFor();
      await dialog.getByText("Linha 2: País não pode ficar vazio.").waitFor();
    });

    it("shows the changes of the file chosen last, though the one before is answered later", async () => {
      const { page, dialog } = await openImport();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      site.server.answer(ROUTE, async ({ body }) => {
        const isFirst = String(body.content).includes("first");
        if (isFirst) await released;
        return previewOf(isFirst ? "Primeira" : "Segunda");
      });
      await send(dialog, "first.csv");
      await eventually(async () => expect(site.server.callsTo(ROUTE)).to.have.length(1));
      await send(dialog, "second.csv");
      await dialog.getByText("loja Segunda (Brasil)").waitFor();
      await slowDown();
      const answered = page.waitForResponse(/admin\/catalogue/);
      release();
      await (await answered).finished();
      await settled(page);
      await dialog.getByText("loja Segunda (Brasil)").waitFor();
    });
  });

  describe("what was typed before the session ended", () => {
    const RESTORED = "Recuperamos o que você tinha escrito aqui e não salvou.";
    const UNAUTHORIZED = { status: 401, body: { success: false, error: "Session expired" } };

    const forms: {
      name: string;
      search: string;
      /** Opens the form. */
      open: (page: Page) => Promise<unknown>;
      /** By label. */
      typed: Record<string, string>;
      action: string;
      route: string;
      cancel?: true;
    }[] = [
      {
        name: "a new store",
        search: "/admin?tab=stores",
        open: (page) => page.getByRole("button", { name: "Nova loja" }).click(),
        typed: { "Nome *": "Arena", "País *": "Brasil", Descrição: "Livros de futebol" },
        action: "Criar loja",
        route: "POST /api/store",
        cancel: true,
      },
      {
        name: "a store",
        search: "/admin?tab=stores&row=1",
        open: (page) => page.getByRole("button", { name: "Editar loja" }).click(),
        typed: { Clube: "Santos" },
        action: "Salvar alterações",
        route: "PUT /api/store/1",
        cancel: true,
      },
      {
        name: "a category",
        search: "/admin?tab=stores&row=1",
        open: (page) => page.getByRole("button", { name: "Adicionar cashback" }).click(),
        typed: { Categoria: "Camisas", "Código do grupo": "G-1", "Percentual de cashback": "5.75" },
        action: "Adicionar",
        route: "POST /api/store/1/cashback",
        cancel: true,
      },
      {
        name: "a decision's reason",
        search: "/admin?view=sales&row=12",
        open: (page) => page.getByRole("button", { name: "Liberar venda" }).click(),
        typed: { Motivo: "Comissão acertada por fora" },
        action: "Liberar venda",
        route: "POST /api/admin/sales/12/release",
        cancel: true,
      },
      {
        name: "a fan token",
        search: "/admin?tab=fan-tokens",
        open: (page) => page.getByLabel("Slug").waitFor(),
        typed: { Nome: "Palmeiras", Slug: "verdao" },
        action: "Salvar",
        route: "POST /api/admin/fan-token",
      },
      {
        name: "a profile",
        search: "/profile",
        open: (page) => page.getByLabel("Sobrenome").waitFor(),
        typed: { Sobrenome: "Albuquerque" },
        action: "Salvar",
        route: "PUT /api/me",
      },
    ];
    const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
    const fill = async (page: Page, typed: Record<string, string>) => {
      for (const [label, text] of Object.entries(typed)) await field(page, label).fill(text);
    };
    const expectTyped = async (page: Page, typed: Record<string, string>) => {
      for (const [label, text] of Object.entries(typed)) {
        await eventually(async () => expect(await field(page, label).inputValue(), label).to.equal(text));
      }
    };
    const logInAgain = (page: Page) =>
      page.evaluate((token) => localStorage.setItem("auth_token", token), SESSION_TOKEN);

    for (const { name, search, open, typed, action, route, cancel } of forms) {
      it(`is there again after the next login: ${name}`, async () => {
        const { page } = await openPanel(search);
        await open(page);
        await fill(page, typed);
        const speedUp = await slowDown();
        site.server.answer(route, UNAUTHORIZED);
        await page.getByRole("button", { name: action, exact: true }).last().click();
        await field(page, Object.keys(typed)[0] ?? "").waitFor({ state: "detached" });
        if (search.startsWith("/admin")) {
          await page.waitForURL(/auth/);
          expect(new URL(page.url()).searchParams.get("next")).to.equal(search);
        }
        speedUp();
        await logInAgain(page);
        await page.goto(site.server.url + search);
        await open(page);
        await page.getByText(RESTORED).waitFor();
        await expectTyped(page, typed);
        if (cancel) {
          await page.getByRole("button", { name: "Cancelar" }).last().click();
        } else {
          site.server.answer(route, { body: { success: true, message: "Done" } });
          await page.getByRole("button", { name: action, exact: true }).last().click();
          await toasts(page).first().waitFor();
        }
        // The dialog that closed with the session may still be taking its entry out of the history.
        await page.goto(site.server.url + search).catch(() => page.goto(site.server.url + search));
        await open(page);
        expect(await page.getByText(RESTORED).count()).to.equal(0);
      });
    }

    it("is not shown to whoever signs in in another tab, but to its author later", async () => {
      const { page, context } = await openPanel("?tab=stores");
      const [own] = [site.server.me];
      const other = site.server.signIn(COLLEAGUE);
      site.server.answer("GET /api/me", ({ authorization }) => ({
        body: { success: true, data: authorization === `Bearer ${SESSION_TOKEN}` ? own : other },
      }));
      const newStore = page.getByRole("button", { name: "Nova loja" });
      await newStore.click();
      await fill(page, { "Nome *": "Arena" });
      const tab = await context.newPage();
      await tab.goto(`${site.server.url}/help/privacy`);
      await tab.evaluate(() => localStorage.setItem("auth_token", "of-somebody-else"));
      await page.bringToFront();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await newStore.click();
      await page.getByRole("dialog").waitFor();
      expect(await field(page, "Nome *").inputValue()).to.equal("");
      expect(await page.getByText(RESTORED).count()).to.equal(0);
      await tab.bringToFront();
      await logInAgain(tab);
      await page.bringToFront();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await newStore.click();
      await page.getByText(RESTORED).waitFor();
      await expectTyped(page, { "Nome *": "Arena" });
    });

    it("is deleted when its author logs out", async () => {
      const { page } = await openPanel("?tab=fan-tokens");
      await fill(page, { Nome: "Palmeiras" });
      await page.getByRole("button", { name: "Sair" }).first().click();
      await page.getByRole("button", { name: "Sair" }).first().waitFor({ state: "detached" });
      const kept = await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("draft ")));
      expect(kept).to.deep.equal([]);
    });
  });

  describe("a decision on a sale that the network changed while it was read", () => {
    const decisions = {
      release: { opener: "Liberar venda", sale: 12 },
      decline: { opener: "Recusar venda", sale: 12 },
      assign: { opener: "Ligar a uma visita", action: "Ligar à visita", sale: 11 },
    };
    for (const [verb, { sale, opener, ...named }] of Object.entries(decisions)) {
      it(`is refused, and is made on what the network says now: ${verb}`, async () => {
        const { page } = await openPanel(`?view=sales&row=${sale}`);
        const route = `POST /api/admin/sales/${sale}/${verb}`;
        await page.setViewportSize({ width: 360, height: 640 });
        await page.getByRole("button", { name: opener }).click();
        const dialog = page.getByRole("dialog").last();
        if (verb === "assign") await dialog.getByLabel("Código da visita").fill("a".repeat(26));
        await dialog.getByLabel("Motivo").fill("Conferido");
        await slowDown();
        const seen = await page.evaluate((path) => fetch(path).then((one) => one.json()), `/api/admin/sales/${sale}`);
        const changed = { ...seen, sale: { ...seen.sale, revision: 2, amount: "777.00", amount_brl: "777.00" } };
        site.server.answer(`GET /api/admin/sales/${sale}`, { body: changed });
        site.server.answer(route, ({ body }) =>
          body.revision === 2
            ? { body: { success: true, message: "Done" } }
            : { status: 409, body: { success: false, error: "The network changed this sale", code: "SALE_CHANGED" } },
        );
        const decide = dialog.getByRole("button", { name: "action" in named ? named.action : opener });
        await decide.click();
        const refusal = dialog.getByRole("alert").getByText(/A rede mudou esta venda/);
        await refusal.waitFor();
        // Above the buttons, without scrolling.
        await eventually(async () => {
          const [said, buttons] = await Promise.all([refusal.boundingBox(), decide.boundingBox()]);
          expect((said?.y ?? 0) + (said?.height ?? 0)).to.be.at.most(buttons?.y ?? 0);
        });
        await dialog.getByText("777,00", { exact: false }).first().waitFor();
        await decide.click();
        await eventually(async () => expect(site.server.callsTo(route)).to.have.length(2));
        const sent = site.server.callsTo(route).map(({ body }) => body.revision);
        expect(sent).to.deep.equal([1, 2]);
      });
    }
  });

  describe("presses in quick succession", () => {
    const DONE = { body: { success: true, message: "Done", id: 77 } };
    const reason = (page: Page) => page.getByRole("dialog").last().getByLabel("Motivo").fill("Conferido");
    const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
    const buttons: {
      name: string;
      path: string;
      open: (page: Page) => Promise<unknown>;
      action: string;
      route: string;
    }[] = [
      {
        name: "a new store",
        path: "?tab=stores",
        open: async (page) => {
          await press(page, "Nova loja");
          await page.getByLabel("Nome *").fill("Arena");
          await page.getByLabel("País *").fill("Brasil");
        },
        action: "Criar loja",
        route: "POST /api/store",
      },
      {
        name: "a deletion",
        path: "?tab=fan-tokens",
        open: (page) => press(page, /^Excluir –/),
        action: "Excluir",
        route: "DELETE /api/admin/fan-token/1",
      },
      {
        name: "a fan token",
        path: "?tab=fan-tokens",
        open: async (page) => {
          await page.getByLabel("Nome", { exact: true }).fill("Palmeiras");
          await page.getByLabel("Slug").fill("verdao");
        },
        action: "Salvar",
        route: "POST /api/admin/fan-token",
      },
      {
        name: "a new category",
        path: "?tab=stores&row=1",
        open: async (page) => {
          await press(page, "Adicionar cashback");
          await page.getByLabel("Categoria").last().fill("Camisas");
          await page.getByLabel("Percentual de cashback").fill("5");
        },
        action: "Adicionar",
        route: "POST /api/store/1/cashback",
      },
      {
        name: "a decision",
        path: "?view=payments",
        open: async (page) => {
          await press(page, /Tentar de novo – compra nº 9/);
          await reason(page);
        },
        action: "Tentar de novo",
        route: "POST /api/admin/operations/9/retry",
      },
      {
        name: "a purchase",
        path: "/stores",
        open: (page) => press(page, /Comprar agora/),
        action: "Prosseguir",
        route: "POST /api/register-purchase",
      },
      {
        name: "a profile",
        path: "/profile",
        open: (page) => page.getByLabel("Sobrenome").fill("Souza"),
        action: "Salvar",
        route: "PUT /api/me",
      },
    ];
    for (const { name, path, open, action, route } of buttons) {
      it(`send one request: ${name}`, async () => {
        const { page } = await openPanel(path);
        await open(page);
        const release = site.server.hold(route, route.includes("purchase") ? undefined : DONE);
        const button = page.getByRole("button", { name: action, exact: true }).last();
        await eventually(async () => expect(await button.isEnabled()).to.equal(true));
        await slowDown();
        // In one task of the page: no render comes between them.
        await button.evaluate((one: HTMLButtonElement) => {
          for (let count = 0; count < 3; count++) one.click();
        });
        await eventually(async () => expect(site.server.callsTo(route)).to.have.length(1));
        const answered = page.waitForResponse((one) => new URL(one.url()).pathname === route.split(" ")[1]);
        release();
        await (await answered).finished();
        await settled(page);
        expect(site.server.callsTo(route)).to.have.length(1);
      });
    }
  });
});
