import { expect } from "chai";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

/** Milliseconds of script that four letters may take; on a quiet machine they take 8, on one with much to do 52. */
const MOST_MS = 150;

describe("Three hundred stores @deep", () => {
  const site = useSite();

  it(`take four letters of the search in at most ${MOST_MS} ms of script`, async () => {
    const [sample] = site.server.stores;
    if (!sample) throw new Error("There is no sample store");
    site.server.stores = Array.from({ length: 300 }, (_, index) => ({
      ...sample,
      id: index + 1,
      name: `Loja ${index}`,
    }));
    const { page } = await site.open("/stores");
    const cards = page.getByRole("article");
    for (let shown = 24; shown < 300; shown += 24) {
      await eventually(async () => expect(await cards.count()).to.equal(shown));
      await page.getByRole("button", { name: "Mostrar mais lojas" }).click();
    }
    await eventually(async () => expect(await cards.count()).to.equal(300));
    const session = await page.context().newCDPSession(page);
    // The processor's time, not the clock's: other programs do not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const scriptMs = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return 1_000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN);
    };
    const field = page.getByLabel("Buscar");
    await field.focus();
    const before = await scriptMs();
    await field.pressSequentially("loja", { delay: 50 });
    expect(await field.inputValue()).to.equal("loja");
    const taken = (await scriptMs()) - before;
    expect(taken).to.be.lessThan(MOST_MS);
  });
});
