import { expect } from "chai";
import type { Page } from "playwright-core";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { useSite } from "./support/site.ts";
import { refuseLink } from "./support/states.ts";

const PAGE = "https://www.loja.com/tv?cor=azul";

describe("A product's link", () => {
  const site = useSite();
  const linkCalls = () => site.server.calls.filter(({ path }) => path === "/api/links");

  it("is pasted on the stores page and opens its store's buy dialog", async () => {
    const { page } = await site.open("/stores");
    await page.getByLabel("Cole o link do produto").fill(PAGE);
    await page.getByRole("button", { name: "Abrir", exact: true }).click();
    await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
    expect(new URL(page.url()).pathname).to.equal("/go");
    expect(linkCalls().map(({ body }) => body)).to.deep.equal([{ url: PAGE }]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Comprar com cashback" }).waitFor();
    await page.getByText(PAGE).waitFor();
  });

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [360, 1280]) {
      const options = { viewport: { width, height: 740 }, storage: { language } };
      const fits = async (page: Page) =>
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);

      it(`leads from where it is pasted to the shop, in ${language} on ${width} px`, async () => {
        site.server.config = { ...site.server.config, simulated: false };
        const out = "https://rede.example/?to=tv&click=abc";
        site.server.answer("POST /api/links", ({ body }) => ({
          body: {
            ...{ success: true, message: "", purchase: null, store: { id: 1, name: "Verdão Store" }, url: body.url },
            ...{ leads_to_page: true, is_short: false, was_referral: false },
            ...(body.user
              ? { click: { id: "abc", store_id: 1, expires_at: "2027-01-01T00:00:00Z", affiliate_url: out } }
              : {}),
          },
        }));
        const { page, context, problems } = await site.openLoggedIn("/stores", options);
        await context.route("https://rede.example/**", (route) => route.fulfill({ body: "the store" }));
        if (width === 360) await page.getByRole("link", { name: texts["go.field"] }).click();
        await page.getByLabel(texts["go.field"]).fill(` ${PAGE} `);
        await page.getByRole("button", { name: texts["go.open"], exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: texts["buy.proceed"] }).click();
        await page.waitForURL("**/redirect/1");
        await page.getByRole("heading", { name: texts["redirect.title"] }).waitFor();
        await fits(page);
        await page.getByRole("button", { name: texts["store.buy"] }).click();
        await page.waitForURL(out);
        const asked = linkCalls().map(({ body }) => [body.url, Boolean(body.user)]);
        expect(asked, "recorded once").to.deep.equal([
          [PAGE, false],
          [PAGE, true],
        ]);
        expect(problems).to.deep.equal([]);
      });

      it(`that is shared, ambiguous or unknown is answered in ${language} on ${width} px`, async () => {
        const shared = `/go?text=${encodeURIComponent(`TV: ${PAGE}`)}`;
        refuseLink("LINK_UNKNOWN")(site.server);
        const { page } = await site.open(shared, options);
        await page.getByText(texts["goPage.unknown"]).waitFor();
        await page.getByText(texts["goPage.unknown.like"]).waitFor();
        await fits(page);
        refuseLink("LINK_AMBIGUOUS")(site.server);
        await page.reload();
        await page.getByText(texts["goPage.which"]).waitFor();
        await fits(page);
        site.server.answer("POST /api/links", undefined);
        await page.getByRole("button", { name: "Outra loja" }).click();
        await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: texts["goPage.buy"] }).waitFor();
        await fits(page);
        expect(linkCalls().at(-1)?.body).to.deep.equal({ url: PAGE, store_id: "2" });
      });
    }
  }

  it("that another app shared is the first link in its text", async () => {
    const { page } = await site.open(`/go?title=TV&text=${encodeURIComponent(`Olha esta TV! ${PAGE}.`)}`);
    await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
    expect(linkCalls().map(({ body }) => body)).to.deep.equal([{ url: PAGE }]);
  });

  it("is where a user goes, in live mode by the click that stands for it", async () => {
    site.server.config = { ...site.server.config, simulated: false };
    const out = "https://rede.example/?to=tv&click=abc";
    site.server.answer("POST /api/links", ({ body }) => ({
      body: {
        ...{ success: true, message: "", purchase: null, store: { id: 1, name: "Verdão Store" }, url: PAGE },
        ...{ leads_to_page: true, is_short: false, was_referral: true },
        ...(body.user
          ? { click: { id: "abc", store_id: 1, expires_at: "2027-01-01T00:00:00Z", affiliate_url: out } }
          : {}),
      },
    }));
    const { page, context } = await site.openLoggedIn(`/go?url=${encodeURIComponent(PAGE)}`);
    await context.route("https://rede.example/**", (route) => route.fulfill({ body: "the store" }));
    await page.getByText("Este link rendia comissão para outra pessoa").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).click();
    await page.waitForURL("**/redirect/1");
    await page.getByRole("button", { name: "Comprar agora" }).click();
    await page.waitForURL(out);
    const [, asked] = linkCalls();
    expect(asked?.body).to.include({ url: PAGE, store_id: 1 });
    expect(site.server.calls.some(({ path }) => path === "/api/register-purchase")).to.equal(false);
  });

  it("comes back after the login", async () => {
    const { page } = await site.open(`/go?url=${encodeURIComponent(PAGE)}`);
    const dialog = page.getByRole("dialog", { name: "Verdão Store" });
    expect(await dialog.getByRole("link", { name: "Sem cashback" }).getAttribute("href")).to.equal(PAGE);
    await dialog.getByRole("button", { name: "Entrar e ganhar" }).click();
    await page.waitForURL("**/auth?next=*");
    const next = new URL(page.url()).searchParams.get("next") ?? "";
    expect(new URL(next, page.url()).searchParams.get("url")).to.equal(PAGE);
  });

  const refuse = (status: number, body: object) =>
    site.server.answer("POST /api/links", { status, body: { success: false, error: "no", ...body } });

  it("of an unknown shop says so, with the stores that it may mean", async () => {
    refuse(404, { code: "LINK_UNKNOWN", like: [{ id: 1, name: "Verdão Store" }] });
    const { page } = await site.open("/go?url=https%3A%2F%2Fverda0.com");
    await page.getByText("Ainda não temos cashback nesta loja").waitFor();
    await page.getByText("Você quis dizer uma destas?").waitFor();
    await page.getByRole("button", { name: "Verdão Store" }).click();
    await page.waitForURL("**/stores/1");
  });

  it("of a shop in two programmes asks which", async () => {
    site.server.answer("POST /api/links", ({ body }) =>
      body.store_id === undefined
        ? {
            status: 409,
            body: {
              ...{ success: false, error: "two", code: "LINK_AMBIGUOUS" },
              stores: [
                { id: 1, name: "Verdão Store" },
                { id: 2, name: "Outra" },
              ],
            },
          }
        : {
            body: {
              ...{ success: true, message: "", purchase: null, store: { id: 1, name: "Verdão Store" }, url: PAGE },
              ...{ leads_to_page: false, is_short: false, was_referral: false },
            },
          },
    );
    const { page } = await site.open(`/go?url=${encodeURIComponent(PAGE)}`);
    await page.getByText("Mais de uma loja parceira vende neste site").waitFor();
    await page.getByRole("button", { name: "Verdão Store" }).click();
    await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
    expect(linkCalls().at(-1)?.body).to.deep.equal({ url: PAGE, store_id: "1" });
    await page.keyboard.press("Escape");
    await page.getByText("Esta loja não aceita link direto").waitFor();
  });

  it("that is none says what one is, and a server that is away can be asked again", async () => {
    refuse(400, { code: "LINK_INVALID", field: "url" });
    const { page } = await site.open("/go?url=tv");
    await page.getByText("Isto não é o link de uma página").waitFor();
    await page.getByLabel("Cole o link do produto").waitFor();
    refuse(503, { code: "DATABASE_UNAVAILABLE" });
    await page.goto(`${site.server.url}/go?url=${encodeURIComponent(PAGE)}`);
    await page.getByText("Não deu para procurar a loja").waitFor();
    site.server.answer("POST /api/links", undefined);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
  });

  it("is explained where there is none", async () => {
    const { page } = await site.open("/go");
    await page.getByText("No iPhone").waitFor();
    expect(linkCalls()).to.deep.equal([]);
  });
});
