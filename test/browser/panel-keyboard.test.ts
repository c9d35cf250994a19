import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { approvals, COLLEAGUE, fillPanel } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/** More presses of Tab than any screen of the panel has stops. */
const MOST_STOPS = 150;
const DONE = { success: true, message: "Done" };

type Stop = { name: string; isVisible: boolean; isMarked: boolean; isInDialog: boolean };

describe("The panel by keyboard alone @deep", function () {
  this.timeout(300_000);
  const site = useSite();

  async function open(width: number, path: string): Promise<Page> {
    const wallet = testWallet();
    site.server.reset();
    site.server.isAdmin = true;
    site.server.signIn(wallet.address);
    fillPanel(site.server, "owner", wallet.address.toLowerCase());
    const viewport = { width, height: 800 };
    const { page } = await site.openLoggedIn(`/admin?${path}`, { wallet, viewport, reducedMotion: "reduce" });
    await page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
    return page;
  }

  /** The focused element: its name, whether it is on the screen, and whether its focus can be seen. */
  const focused = (page: Page): Promise<Stop> =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      const element = document.activeElement as HTMLElement;
      const label = (element as HTMLInputElement).labels?.[0]?.textContent;
      const { top, bottom } = element.getBoundingClientRect();
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      // A radio button shows its focus on the card around it.
      const card = element.closest(".option");
      const around = card ? getComputedStyle(card) : undefined;
      return {
        name: (element === document.body
          ? ""
          : (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "")
        )
          .replace(/\s+/g, " ")
          .trim(),
        isVisible: bottom > 0 && top < innerHeight,
        isMarked:
          (outlineStyle !== "none" && outlineWidth !== "0px") ||
          boxShadow !== "none" ||
          (around !== undefined && around.outlineStyle !== "none"),
        isInDialog: element.closest("[role=dialog]") !== null,
      };
    });

  /** Presses Tab until an element with this name has the focus; each stop on the way can be seen. */
  async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<void> {
    const passed: string[] = [];
    for (let count = 0; count < MOST_STOPS; count++) {
      await page.keyboard.press(key);
      const stop = await focused(page);
      // After the last stop, the browser itself has the focus.
      if (stop.name === "") continue;
      expect(stop.isVisible, `${stop.name} is on the screen`).to.equal(true);
      expect(stop.isMarked, `the focus of ${stop.name} can be seen`).to.equal(true);
      if (name.test(stop.name)) return;
      passed.push(stop.name);
    }
    throw new Error(`Tab does not reach ${name}: ${passed.join(" | ")}`);
  }
  async function press(page: Page, name: RegExp): Promise<void> {
    await tabTo(page, name);
    await page.keyboard.press("Enter");
  }
  async function pressBack(page: Page, name: RegExp): Promise<void> {
    await tabTo(page, name, "Shift+Tab");
    await page.keyboard.press("Enter");
  }
  /** A dialog takes the focus once it is drawn: a key that comes sooner is still the page's. */
  async function tabToReason(page: Page): Promise<void> {
    const field = page.getByLabel("Motivo");
    await eventually(async () => {
      const isIn = await field.evaluate((one) => one.closest("[role$=dialog]")?.contains(document.activeElement));
      expect(isIn, "the dialog has the focus").to.equal(true);
    });
    await tabTo(page, /^Motivo/);
  }
  const dialog = (page: Page) => page.getByRole("dialog").last();

  /** Tab stays in the open dialog; Escape closes it, and its opener has the focus again. */
  async function expectWayOut(page: Page, opener: RegExp): Promise<void> {
    await dialog(page).waitFor();
    const stops = new Set<string>();
    // Twice around, as far as the names tell the stops apart.
    for (let count = 0, known = 0; count < 25 && known <= stops.size; count++) {
      await page.keyboard.press("Tab");
      const { name, isInDialog } = await focused(page);
      if (name !== "") expect(isInDialog, `${name} is in the dialog`).to.equal(true);
      known = stops.has(name) ? known + 1 : 0;
      stops.add(name);
    }
    expect(stops.size, "Tab moves on").to.be.greaterThan(1);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await expectFocus(page, opener);
  }
  async function expectFocus(page: Page, name: RegExp): Promise<void> {
    await eventually(async () => expect((await focused(page)).name).to.match(name));
  }
  /** Writes the reason in the open dialog and decides. */
  async function decide(page: Page, action: RegExp): Promise<void> {
    await dialog(page).waitFor();
    await tabToReason(page);
    await page.keyboard.type("Conferido");
    await press(page, action);
    await dialog(page).waitFor({ state: "detached" });
  }
  const bodiesOf = (route: string) => site.server.callsTo(route).map((call) => call.body);

  for (const [width, tag] of [
    [360, " @release"],
    [1440, ""],
  ] as const) {
    describe(`${width} px wide${tag}`, () => {
      it("finds a purchase by its order number, opens it and comes back to its row", async () => {
        const page = await open(width, "view=purchases");
        await page.locator("a[data-row]").first().waitFor();
        await page.keyboard.press("/");
        await page.keyboard.type("PED-1009");
        await page.waitForURL(/query=PED-1009/);
        await page.locator("table[aria-busy=false]").waitFor();
        await press(page, /^Nº 9/);
        await dialog(page).getByText("Vida da compra").waitFor();
        await expectWayOut(page, /^Nº 9/);
        await page.keyboard.press("ArrowDown");
        await expectFocus(page, /^Nº 8/);
      });

      it("matches a claim to a sale", async () => {
        const page = await open(width, "view=claims");
        site.server.answer("POST /api/admin/claims/3/match", { body: DONE });
        await page.getByRole("button", { name: /^Ligar a uma venda/ }).waitFor();
        await press(page, /^Ligar a uma venda/);
        await expectWayOut(page, /^Ligar a uma venda/);
        await page.keyboard.press("Enter");
        await dialog(page).getByRole("radio").first().waitFor();
        await tabTo(page, /^Nº 12 /);
        await page.keyboard.press("Space");
        await decide(page, /^Ligar à venda$/);
        expect(bodiesOf("POST /api/admin/claims/3/match")).to.deep.equal([{ sale_id: 12, reason: "Conferido" }]);
      });

      it("releases a held sale", async () => {
        const page = await open(width, "view=sales");
        site.server.answer("POST /api/admin/sales/12/release", { body: DONE });
        await page.locator("a[data-row]").first().waitFor();
        await press(page, /^PED-1012/);
        await page.getByRole("button", { name: "Liberar venda" }).waitFor();
        await press(page, /^Liberar venda$/);
        await page.getByLabel("Motivo").waitFor();
        await page.keyboard.press("Escape");
        await page.getByLabel("Motivo").waitFor({ state: "detached" });
        await expectFocus(page, /^Liberar venda$/);
        await page.keyboard.press("Enter");
        await page.getByLabel("Motivo").waitFor();
        await tabToReason(page);
        await page.keyboard.type("Conferido");
        await press(page, /^Liberar venda$/);
        await page.getByLabel("Motivo").waitFor({ state: "detached" });
        expect(bodiesOf("POST /api/admin/sales/12/release")).to.deep.equal([
          { reason: "Conferido", revision: 1, holds: ["low_commission"] },
        ]);
        await eventually(async () => expect((await focused(page)).name, "the focus is not lost").to.not.equal(""));
      });

      it("retries a payout, pauses and resumes payouts", async () => {
        const page = await open(width, "view=payments");
        site.server.answer("POST /api/admin/operations/9/retry", { body: DONE });
        await page.getByRole("button", { name: /^Tentar de novo – compra nº 9/ }).waitFor();
        await press(page, /^Pausar pagamentos/);
        await expectWayOut(page, /^Pausar pagamentos/);
        await page.keyboard.press("Enter");
        await decide(page, /^Pausar pagamentos$/);
        await page.getByText("Motivo: Conferido").waitFor();
        await expectFocus(page, /^Retomar pagamentos$/);
        await press(page, /^Tentar de novo – compra nº 9/);
        await decide(page, /^Tentar de novo$/);
        await expectFocus(page, /^Compra nº 9/);
        await pressBack(page, /^Retomar pagamentos$/);
        await expectWayOut(page, /^Retomar pagamentos$/);
        await page.keyboard.press("Enter");
        await dialog(page).getByText("Foi pausado por").waitFor();
        await decide(page, /^Retomar pagamentos$/);
        await page.getByText("Pagamentos em andamento").waitFor();
        await expectFocus(page, /^Pausar pagamentos$/);
        expect(bodiesOf("POST /api/admin/payouts")).to.deep.equal([
          { paused: true, reason: "Conferido" },
          { paused: false, reason: "Conferido" },
        ]);
        expect(bodiesOf("POST /api/admin/operations/9/retry")).to.deep.equal([{ reason: "Conferido" }]);
      });

      it("retries all that waits on a page by one confirmation", async () => {
        const page = await open(width, "view=payments");
        for (const id of [8, 9]) site.server.answer(`POST /api/admin/operations/${id}/retry`, { body: DONE });
        const all = /^Tentar de novo os 2 pagamentos parados desta página$/;
        await page.getByRole("button", { name: all }).waitFor();
        await press(page, all);
        await expectWayOut(page, all);
        await page.keyboard.press("Space");
        await dialog(page).getByText("484,29 CHZ").waitFor();
        await decide(page, /^Tentar de novo 2$/);
        const calls = [8, 9].map((id) => bodiesOf(`POST /api/admin/operations/${id}/retry`));
        expect(calls).to.deep.equal([[{ reason: "Conferido" }], [{ reason: "Conferido" }]]);
        await eventually(async () => expect((await focused(page)).name, "the focus is not lost").to.not.equal(""));
      });

      it("imports a catalogue", async () => {
        const page = await open(width, "tab=stores");
        const changes = ["+ store Arena Livros (Brasil)"];
        const fields = [{ field: "country", to: "Brasil" }];
        const preview = [{ kind: "create", what: "store", name: "Arena Livros", fields }];
        site.server.answer("POST /api/admin/catalogue", { body: { ...DONE, applied: false, changes, preview } });
        await page.getByRole("button", { name: "Importar catálogo" }).waitFor();
        await press(page, /^Importar catálogo$/);
        await expectWayOut(page, /^Importar catálogo$/);
        await page.keyboard.press("Enter");
        await dialog(page).waitFor();
        const chosen = page.waitForEvent("filechooser");
        await tabTo(page, /^Arquivo do catálogo/);
        await page.keyboard.press("Enter");
        const buffer = Buffer.from("type,store,name,country\nstore,,Arena Livros,Brasil");
        await (await chosen).setFiles({ name: "lojas.csv", mimeType: "text/csv", buffer });
        await dialog(page).getByText("loja Arena Livros (Brasil)").waitFor();
        await press(page, /^Aplicar 1 mudança$/);
        await dialog(page).waitFor({ state: "detached" });
        await expectFocus(page, /^Importar catálogo$/);
      });

      it("approves a colleague's payout", async () => {
        const page = await open(width, "view=approvals");
        site.server.answer("POST /api/admin/approvals/5/approve", () => {
          const rows = approvals(COLLEAGUE).filter(({ id }) => id !== 5);
          site.server.answer("GET /api/admin/approvals", {
            body: { success: true, rows, next_before: null, total: rows.length },
          });
          return { body: DONE };
        });
        await page.getByRole("button", { name: /^Aprovar – pedido nº 5/ }).waitFor();
        await press(page, /^Aprovar – pedido nº 5/);
        await expectWayOut(page, /^Aprovar – pedido nº 5/);
        await page.keyboard.press("Enter");
        await decide(page, /^Aprovar pagamento$/);
        await page.getByText("Pedido nº 5", { exact: true }).waitFor({ state: "detached" });
        await expectFocus(page, /Pedido nº 4$/);
        expect(bodiesOf("POST /api/admin/approvals/5/approve")).to.deep.equal([{ reason: "Conferido" }]);
      });
    });
  }
});
