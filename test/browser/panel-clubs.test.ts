import { expect } from "chai";
import { saveClubRequestSchema } from "../../core/rules/api/clubs.ts";
import { eventually } from "../testing/until.ts";
import { fixtureClub } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";

/** docs/product.md#clubs */
describe("Clubs in the panel", () => {
  const site = useSite();
  const CLUBS = ["palmeiras", "remo", "vasco-da-gama"].map((slug) => fixtureClub(slug));

  async function openClubs() {
    site.server.isAdmin = true;
    site.server.answer("GET /api/clubs", { body: { success: true, clubs: CLUBS } });
    site.server.answer("POST /api/admin/clubs", { body: { success: true, message: "ok" } });
    return site.openLoggedIn("/admin?view=clubs");
  }
  const sent = () => site.server.callsTo("POST /api/admin/clubs").map(({ body }) => body);

  it("are found by any of their names, and changed with the shirt and the contrast in view", async () => {
    const { page, problems } = await openClubs();
    await page.getByLabel("Buscar clube").fill("verdao");
    await page.getByRole("heading", { name: "Palmeiras" }).waitFor();
    expect(await page.getByRole("heading", { name: "Remo" }).count()).to.equal(0);
    await page.getByRole("button", { name: "Editar – Palmeiras" }).click();
    expect(await page.getByLabel("Slug").getAttribute("readonly")).to.equal("");
    await page.getByLabel("Cores").fill("#ffd400 #006633");
    await page.getByLabel("Desenho da camisa").selectOption("hoops");
    const preview = page.locator("p", { hasText: "Palmeiras 8%" }).locator("..");
    await eventually(async () =>
      expect(await preview.evaluate((element) => getComputedStyle(element).backgroundColor)).to.equal(
        "rgb(255, 212, 0)",
      ),
    );
    await page.getByText(/Contraste sobre o fundo: texto \d+\.\d : 1, destaque \d+\.\d : 1/).waitFor();
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByText("Clube salvo com sucesso!").waitFor();
    const [club] = sent();
    expect(club).to.include({ slug: "palmeiras", colours: "#ffd400 #006633", pattern: "hoops", token_slug: null });
    const read = saveClubRequestSchema.parse(club);
    expect(read.aliases, "no alias is lost").to.deep.equal(CLUBS[0]?.aliases);
    expect(problems).to.deep.equal([]);
  });

  it("are refused as the api refuses them, before it is asked", async () => {
    const { page } = await openClubs();
    await page.getByRole("textbox", { name: "Nome", exact: true }).fill("Náutico");
    await page.getByLabel("Slug").fill("Náutico!");
    await page.getByLabel("Cores").fill("vermelho");
    await page.getByLabel("País").fill("Brasil");
    await page.getByRole("button", { name: "Salvar" }).click();
    await eventually(async () => expect(await page.getByLabel("Cores").getAttribute("aria-invalid")).to.equal("true"));
    expect(await page.getByLabel("Slug").getAttribute("aria-invalid")).to.equal("true");
    expect(sent()).to.deep.equal([]);
    await page.getByLabel("Slug").fill("nautico");
    await page.getByLabel("Cores").fill("#d0021b #ffffff");
    site.server.answer("POST /api/admin/clubs", {
      status: 409,
      body: { success: false, error: "taken", code: "CLUB_NAME_TAKEN", field: "name" },
    });
    await page.getByRole("button", { name: "Salvar" }).click();
    await page.getByRole("alert").getByText("Já existe um clube com este nome.").first().waitFor();
  });

  it("join a token and are deleted only by whoever may write the catalogue", async () => {
    const approvers = { catalogue: [], payments: [] };
    site.server.answer("GET /api/admin/role", {
      body: { success: true, role: "support", permissions: [], percent_alone: 10, approvers },
    });
    const { page } = await openClubs();
    const button = page.getByRole("button", { name: /Excluir – Remo/ });
    await button.waitFor();
    await eventually(async () => expect(await button.isDisabled()).to.equal(true));
  });

  it("ask before one is deleted, and say what it takes from its stores", async () => {
    const { page } = await openClubs();
    site.server.answer("DELETE /api/admin/clubs/remo", { body: { success: true, message: "ok" } });
    await page.getByRole("button", { name: "Excluir – Remo" }).click();
    const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
    await dialog.getByText(/ficam sem clube/).waitFor();
    await dialog.getByRole("button", { name: "Excluir" }).click();
    await page.getByText("Clube excluído com sucesso!").waitFor();
    expect(site.server.callsTo("DELETE /api/admin/clubs/remo")).to.have.length(1);
  });
});
