import { expect } from "chai";
import { chalkContrastOf } from "../../frontend/club/club-colours.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

describe("The user's club", () => {
  const site = useSite();

  it("colours stubs and stands, puts its stores first, and stays on the device", async () => {
    const { page, problems } = await site.open("/");
    const stub = () =>
      page
        .locator(".hero")
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.getByRole("heading", { name: "Qual é o seu clube?" }).waitFor();
    const before = await stub();
    await page.getByRole("button", { name: "Palmeiras" }).click();
    await page.getByRole("heading", { name: "Qual é o seu clube?" }).waitFor({ state: "detached" });
    await eventually(async () => expect(await stub()).not.to.equal(before));
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await eventually(async () => expect(await page.getByRole("article").first().textContent()).to.include("Palmeiras"));
    await page.reload();
    await page.getByRole("button", { name: "Seu clube: Palmeiras. Trocar" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sem clube" }).click();
    // The dialog's entry of the history goes last, and would take the next page with it.
    await page.waitForFunction(() => !history.state?.dialog);
    await page.goto(site.server.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await eventually(async () => expect(await stub()).to.equal(before));
    expect(await page.getByRole("heading", { name: "Qual é o seu clube?" }).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("keeps the contrast of text on its colour", () => {
    const names = [
      "Palmeiras",
      "Flamengo",
      "PSG",
      "Corinthians",
      ...Array.from({ length: 500 }, (_, index) => `Clube ${index}`),
    ];
    for (const name of names) expect(chalkContrastOf(name), name).to.be.at.least(7);
  });
});
