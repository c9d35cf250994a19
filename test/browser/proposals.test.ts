import { expect } from "chai";
import type { ProposalRow } from "../../core/rules/api/proposals.ts";
import { BUYER, COLLEAGUE, fillPanel } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";

const LINK: ProposalRow = {
  ...{ id: 3, kind: "store_link", subject_id: 1, subject: "Verdão Store", reason: null, state: "open" },
  ...{ from: "https://verdao.example/{click}", to: "https://outra.example/{click}" },
  changes: [{ field: "affiliate_link", from: "https://verdao.example/{click}", to: "https://outra.example/{click}" }],
  ...{ asked_by: COLLEAGUE, takes_effect_at: null, needs_second: true, created_at: "2026-11-27T12:00:00.000Z" },
  ...{ decided_by: null, decision_reason: null, decided_at: null },
};

/** Agreed to; its day is still to come. */
const AGREED: ProposalRow = {
  ...{ ...LINK, id: 5, kind: "erase", subject_id: COLLEAGUE, subject: null, from: null, to: null, changes: [] },
  ...{ state: "agreed", needs_second: false, takes_effect_at: "2026-11-30T12:00:00.000Z", asked_by: BUYER },
  ...{ decided_by: COLLEAGUE, decided_at: "2026-11-27T13:00:00.000Z" },
};

/** docs/product.md#proposals */
describe("What waits for a second person, in the panel", () => {
  const site = useSite();

  it("says what would change, and is agreed to with a reason", async () => {
    const rows = [LINK, { ...LINK, id: 4, kind: "store_merchant" as const, asked_by: BUYER }];
    fillPanel(site.server, "catalogue", BUYER);
    site.server.answer("GET /api/admin/proposals", ({ query }) => {
      const asked = query.state === "coming" ? [AGREED] : rows;
      return { body: { success: true, rows: asked, next_before: null, total: asked.length } };
    });
    for (const verb of ["3/agree", "4/undo"])
      site.server.answer(`POST /api/admin/proposals/${verb}`, () => {
        rows.shift();
        return { body: { success: true, message: "ok" } };
      });
    site.server.isAdmin = true;
    const { page } = await site.openLoggedIn("/admin?view=approvals");
    await page.getByRole("heading", { name: "Mudanças que esperam" }).waitFor();
    await page.getByText("De https://verdao.example/{click} para https://outra.example/{click}").first().waitFor();
    await page.getByText("Outra pessoa concordou").waitFor();
    await page.getByText("Espera a data marcada.").waitFor();
    expect(await page.getByRole("button", { name: "Concordar – Apagar um cadastro" }).count()).to.equal(0);
    await page.getByRole("button", { name: "Concordar – Link da loja Verdão Store" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Motivo").fill("Confirmado com a loja");
    await dialog.getByRole("button", { name: "Concordar" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(site.server.callsTo("POST /api/admin/proposals/3/agree")[0]?.body).to.deep.equal({
      reason: "Confirmado com a loja",
    });
    await page.getByRole("button", { name: "Concordar – Link da loja Verdão Store" }).waitFor({ state: "detached" });
  });
});
