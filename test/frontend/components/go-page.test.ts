import { expect } from "chai";
import { useComponents } from "./support/component-site.ts";

const PAGE = "https://www.loja.com/tv?cor=azul";

describe("A product's link", () => {
  const site = useComponents();
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

  it("that another app shared is the first link in its text", async () => {
    const { page } = await site.open(`/go?title=TV&text=${encodeURIComponent(`Olha esta TV! ${PAGE}.`)}`);
    await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
    expect(linkCalls().map(({ body }) => body)).to.deep.equal([{ url: PAGE }]);
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
