import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const toast = (page: Page, text: string) =>
  page.locator("[data-sonner-toast]").getByText(text, { exact: true }).waitFor();

/**
 * The dashboard also refreshes by itself: if that comes first, there is nothing left to press. The message ends by itself
 * after some seconds, so the caller looks at once.
 */
async function refreshUntilRefused(page: Page): Promise<void> {
  const pressed = page.getByRole("button", { name: "Atualizar dados da carteira" }).click();
  pressed.catch(() => {});
  await page.getByText("Não autorizado: sessão expirada").waitFor();
}

describe("When things fail @deep", () => {
  const site = useSite();

  it("says 'Falha na conexão' if the login cannot reach the server, and retries", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    site.server.answer("POST /api/login", "drop");
    const { page, problems } = await site.open("/auth", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await toast(page, "Falha na conexão");
    site.server.answer("POST /api/login", undefined);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.waitForURL("**/dashboard");
    expect(problems).to.deep.equal([]);
  });

  it("says 'Registration error' if a registration cannot reach the server", async () => {
    site.server.answer("POST /api/register-user-data", "drop");
    const { page, problems } = await site.open("/auth", { storage: { language: "en" } });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("button", { name: "Continue to registration" }).click();
    await page.getByLabel("First name").fill("Ana");
    await page.getByLabel("Last name").fill("Silva");
    await page.getByRole("textbox", { name: "Email" }).fill("ana@example.com");
    await page.getByRole("button", { name: "Create account" }).click();
    await toast(page, "Registration error");
    expect(await page.getByLabel("First name").inputValue()).to.equal("Ana");
    expect(problems).to.deep.equal([]);
  });

  for (const [path, call] of [
    ["/dashboard", "/api/me"],
    ["/visits", "/api/clicks"],
    ["/visits", "/api/claims"],
    ["/stores", "/api/stores"],
  ] as const)
    it(`says on ${path} that ${call} is malformed or no JSON, and tells the operator without its words`, async () => {
      const secret = "ana@example.com";
      for (const answer of [
        { body: { success: true, data: secret, clicks: secret, claims: { rows: secret }, stores: secret } },
        { text: `{"success":true,"email":"${secret}` },
        { text: `<h1>${secret}</h1>` },
      ]) {
        site.server.reset();
        const wallet = testWallet();
        site.server.signIn(wallet.address);
        site.server.answer(`GET ${call}`, answer);
        const { page } = await site.openLoggedIn(path, { wallet });
        await page.getByText("O servidor respondeu algo que esta página não entende.").first().waitFor();
        await page.getByRole("button", { name: "Tentar de novo" }).first().waitFor();
        await eventually(async () =>
          expect(site.server.callsTo("POST /api/faults").map(({ body }) => body)).to.deep.include({
            ...{ kind: "answer", page: path, at: call, detail: "" },
          }),
        );
        site.server.answer(`GET ${call}`, undefined);
        await page.getByRole("link", { name: "Início" }).first().click();
        await page.getByRole("heading", { level: 1, name: "Cada compra é um ingresso" }).waitFor();
        await page.context().close();
      }
    });

  it("says 'Sign out failed' if the browser does not allow deleting the session", async () => {
    const { page } = await site.openLoggedIn("/", { storage: { language: "en" } });
    await page.evaluate(() => {
      Storage.prototype.removeItem = () => {
        throw new DOMException("forbidden", "SecurityError");
      };
    });
    await page.getByRole("button", { name: "Log out" }).click();
    await toast(page, "Sign out failed");
    await page.getByRole("button", { name: "Log out" }).waitFor();
  });

  it("keeps the session while the server does not respond, says so, and continues when it does", async () => {
    site.server.answer("GET /api/me", "drop");
    const { page, problems } = await site.openLoggedIn("/dashboard");
    await page.getByRole("alert").getByText("O servidor não está respondendo.").first().waitFor();
    expect(await page.evaluate(() => localStorage.getItem("auth_token"))).to.be.a("string");
    site.server.answer("GET /api/me", undefined);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByRole("main").getByText("Ana Maria Silva").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("shows one correct message for a dashboard that cannot be opened", async () => {
    for (const [failure, reason] of [
      ["drop", "O servidor não está respondendo. Espere um instante e tente de novo."],
      [{ status: 503, body: { success: false, error: "x", code: "DATABASE_UNAVAILABLE" } }, /banco de dados/],
      [{ status: 429, body: { success: false, error: "x", code: "TOO_MANY_REQUESTS" } }, /Muitas tentativas/],
    ] as const) {
      site.server.answer("GET /api/me", failure);
      const { page } = await site.openLoggedIn("/dashboard");
      const alert = page.getByRole("alert");
      await alert.getByText("Não foi possível abrir a sua conta").waitFor();
      await alert.getByText(reason).waitFor();
      expect(await alert.locator("p").count()).to.equal(2);
      expect(await page.locator("[data-sonner-toast]").count()).to.equal(0);
    }
  });

  it("says only that the session has ended if a refresh gets a 401", async () => {
    const { page } = await site.openLoggedIn("/dashboard");
    await page.getByRole("main").getByText("Ana Maria Silva").waitFor();
    site.server.answer("GET /api/me", { status: 401, body: { success: false, error: "x" } });
    await refreshUntilRefused(page);
    expect(await page.locator("[data-sonner-toast]").count()).to.equal(1);
    await page.waitForURL(/\/auth/);
    expect(await page.getByText("O servidor não está respondendo").count()).to.equal(0);
  });

  it("says that the user is offline, and loads the stores when the connection is back", async () => {
    const { page, context } = await site.open("/auth");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.evaluate(() => Object.defineProperty(navigator, "onLine", { get: () => false, configurable: true }));
    await context.route(/\/api\/stores\?/, (route) => route.abort("internetdisconnected"));
    await page.getByRole("link", { name: "Lojas" }).click();
    await page.getByRole("alert").getByText("Você está sem internet.").waitFor();
    await context.unroute(/\/api\/stores\?/);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByRole("heading", { name: "Verdão Store" }).waitFor();
  });

  it("still has a message for a connection lost after the first touch: their code came with it", async () => {
    // A profile of its own: one that was used has English in its cache.
    const { page, context } = await site.open("/", { serviceWorkers: "block" });
    await page.getByRole("heading", { level: 1 }).hover();
    await page.locator(".toast-layer > section").waitFor({ state: "attached" });
    await context.setOffline(true);
    await page.getByRole("button", { name: "English" }).click();
    await toast(page, "Não foi possível mudar de idioma");
  });

  it("says that a screen could not be loaded, and reloads it", async () => {
    const { page, context } = await site.open("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await context.route("**/assets/stores-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await page.getByRole("heading", { name: "Esta página não carregou" }).waitFor();
    await page.getByText("O servidor não respondeu.").waitFor();
    await context.unroute("**/assets/stores-*.js");
    await page.getByRole("button", { name: "Recarregar a página" }).click();
    await page.getByRole("heading", { name: "Verdão Store" }).waitFor();
  });

  it("shows one toast for many 401s", async () => {
    const { page } = await site.openLoggedIn("/dashboard");
    await page.getByRole("main").getByText("Ana Maria Silva").waitFor();
    site.server.answer("GET /api/me", { status: 401, body: { success: false, error: "x" } });
    await refreshUntilRefused(page);
    expect(await page.locator("[data-sonner-toast]").count()).to.equal(1);
    await page.waitForURL(/\/auth/);
    expect(await page.evaluate(() => localStorage.getItem("auth_token"))).to.equal(null);
  });

  describe("admin writes that fail", () => {
    const details = async (page: Page) => {
      await page.getByRole("button", { name: /Detalhes.*Verdão Store/ }).click();
      await page.getByRole("button", { name: "Adicionar cashback" }).waitFor();
    };
    const confirm = (page: Page) => page.getByRole("dialog").getByRole("button", { name: "Excluir" }).click();
    const writes: [string, string, string, (page: Page) => Promise<void>][] = [
      [
        "PUT /api/store/1",
        "Erro ao atualizar loja.",
        "stores",
        async (page) => {
          await details(page);
          await page.getByRole("button", { name: "Editar loja" }).click();
          await page.getByRole("button", { name: "Salvar alterações" }).click();
        },
      ],
      [
        "DELETE /api/store/1",
        "Erro ao excluir loja.",
        "stores",
        async (page) => {
          await page.getByRole("button", { name: /Excluir.*Verdão Store/ }).click();
          await confirm(page);
        },
      ],
      [
        "POST /api/store/1/cashback",
        "Erro ao adicionar cashback.",
        "stores",
        async (page) => {
          await details(page);
          await page.getByRole("button", { name: "Adicionar cashback" }).click();
          await page.getByLabel("Categoria").fill("Livros");
          await page.getByLabel("Percentual de cashback").fill("3");
          await page.getByRole("dialog").getByRole("button", { name: "Adicionar" }).click();
        },
      ],
      [
        "PUT /api/store/1/cashback/CASHBACK",
        "Erro ao atualizar cashback.",
        "stores",
        async (page) => {
          await details(page);
          await page.getByRole("button", { name: /Editar.*Camisas/ }).click();
          await page.getByRole("button", { name: "Salvar alterações" }).click();
        },
      ],
      [
        "DELETE /api/store/1/cashback/CASHBACK",
        "Erro ao excluir cashback.",
        "stores",
        async (page) => {
          await details(page);
          await page.getByRole("button", { name: /Excluir.*Camisas/ }).click();
          await confirm(page);
        },
      ],
      [
        "POST /api/admin/fan-token",
        "Não foi possível salvar o fan token",
        "fan-tokens",
        async (page) => {
          await page.getByLabel("Nome").fill("Santos");
          await page.getByLabel("Slug").fill("santos");
          await page.getByLabel("URL da imagem").fill("https://img.example/s.png");
          await page.getByRole("button", { name: "Salvar" }).click();
        },
      ],
      [
        "DELETE /api/admin/fan-token/TOKEN",
        "Não foi possível excluir o fan token",
        "fan-tokens",
        async (page) => {
          await page.getByRole("button", { name: /Excluir.*Palmeiras/ }).click();
          await confirm(page);
        },
      ],
    ];
    for (const [route, words, tab, act] of writes) {
      it(`${route}: '${words}'`, async () => {
        const { server } = site;
        const cashback = server.stores[0]?.cashbacks.find((one) => one.category === "Camisas")?.id;
        const token = server.tokens.find((one) => one.name === "Palmeiras")?.id;
        server.isAdmin = true;
        server.answer(route.replace("CASHBACK", String(cashback)).replace("TOKEN", String(token)), "drop");
        const { page, problems } = await site.openLoggedIn(`/admin?tab=${tab}`);
        await act(page);
        await toast(page, "Erro");
        await toast(page, words);
        await toast(page, "O servidor não está respondendo. Espere um instante e tente de novo.");
        expect(await page.getByText("Failed to").count()).to.equal(0);
        expect(problems).to.deep.equal([]);
      });
    }
  });
});
