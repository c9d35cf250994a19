import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { unfold } from "./support/admin-dialogs.ts";
import { useSite } from "./support/site.ts";
import { addAllSituations } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

/** The common behaviour of dialogs, tested on the buy dialog and on one of the panel. */
describe("Dialogs", () => {
  const site = useSite();
  const dialogOf = (page: Page) => page.getByRole("dialog");
  const hint = (page: Page) => page.getByRole("button", { name: /holding bonus/i });
  const hasFocus = (button: Locator) =>
    eventually(async () => expect(await button.evaluate((one) => one === document.activeElement)).to.equal(true));
  /** By keyboard: focus by a click shows no tooltip. */
  const focusHint = async (page: Page) => {
    await page.getByRole("radio").first().focus();
    await page.keyboard.press("Tab");
    await hasFocus(hint(page));
  };

  async function openPurchase(options: Parameters<typeof site.openLoggedIn>[1] = {}) {
    const visit = await site.openLoggedIn("/stores", { ...options, storage: { language: "en" } });
    const buy = visit.page.getByRole("button", { name: /Buy now/ }).first();
    await (options.hasTouch ? buy.tap() : buy.click());
    await dialogOf(visit.page).getByRole("definition").last().waitFor();
    return { ...visit, buy };
  }

  async function openNewStore(prepare?: (page: Page) => Promise<unknown>) {
    site.server.isAdmin = true;
    const visit = await site.openLoggedIn("/admin?tab=stores");
    await prepare?.(visit.page);
    await visit.page.getByRole("button", { name: "Nova loja" }).click();
    await dialogOf(visit.page).waitFor();
    return visit;
  }

  it("keep the focus inside, in both directions", async () => {
    const { page } = await openPurchase();
    for (const key of ["Tab", "Shift+Tab"]) {
      const visited = new Set<string>();
      for (let press = 0; press < 14; press++) {
        await page.keyboard.press(key);
        // Wrapping around at either end takes a frame.
        await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
        visited.add(await page.evaluate(() => document.activeElement?.outerHTML ?? ""));
      }
      expect(visited.size, key).to.be.at.least(4);
    }
  });

  it("are named by their title, and hide the page behind them from screen readers", async () => {
    const { page } = await openPurchase();
    await page.getByRole("dialog", { name: /^Buy at / }).waitFor();
    await page.getByRole("main").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("main").waitFor();
  });

  it("lock the page's scrolling while they are open", async () => {
    const { page } = await openPurchase({ viewport: { width: 360, height: 640 } });
    const before = await page.evaluate(() => scrollY);
    await page.mouse.move(3, 3);
    await page.mouse.wheel(0, 400);
    // Scrolling happens within the next frames.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
    expect(await page.evaluate(() => scrollY)).to.equal(before);
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "detached" });
    // The scroll lock ends in a later frame, and swallows wheel events before that.
    await eventually(async () => {
      await page.mouse.wheel(0, 400);
      expect(await page.evaluate(() => scrollY)).to.be.greaterThan(before);
    });
  });

  it("close one by one on Back, which then leads to the page before as ever", async () => {
    const { page } = await site.open("/", { storage: { language: "en" } });
    await page.getByRole("link", { name: "Stores", exact: true }).click();
    const buy = page.getByRole("button", { name: /Buy now/ }).first();
    for (const close of [() => page.goBack(), () => page.keyboard.press("Escape")]) {
      await buy.click();
      await page.waitForFunction(() => history.state?.dialog);
      await close();
      await dialogOf(page).waitFor({ state: "detached" });
      await page.waitForFunction(() => !history.state?.dialog);
      expect(new URL(page.url()).pathname).to.equal("/stores");
    }
    await buy.click();
    await page.waitForFunction(() => history.state?.dialog);
    await dialogOf(page).getByRole("button", { name: "Without cashback" }).click();
    await page.waitForURL("**/redirect/*");
    await page.goBack();
    await page.waitForURL("**/stores");
    await eventually(async () => expect(await page.evaluate(() => history.state?.dialog)).to.equal(undefined));
    expect(await dialogOf(page).count()).to.equal(0);
    await page.goBack();
    await page.waitForURL(`${site.server.url}/`);
  });

  describe("on a phone", () => {
    type Opened = { path: string; opener: RegExp; prepare?: (server: typeof site.server) => void; isVisitor?: true };
    const opened: Record<string, Opened> = {
      "the wallet chooser": { path: "/auth", opener: /^(Outra carteira|Conectar carteira)$/, isVisitor: true },
      "the choice of a club": { path: "/", opener: /^Escolher o clube/ },
      "the filters of the stores": { path: "/stores", opener: /^Filtr/ },
      notices: { path: "/stores", opener: /^Avisos/ },
      "a ticket's details": { path: "/dashboard", opener: /^Detalhes/ },
      "the withdrawal of a credit": { path: "/dashboard", opener: /^Sacar/, prepare: addAllSituations },
      "a claim": { path: "/visits", opener: /não apareceu|Não recebi|Faltou/ },
      "the end of an account": { path: "/profile", opener: /^Apagar a minha conta/ },
    };
    for (const [what, { path, opener, prepare, isVisitor }] of Object.entries(opened)) {
      it(`let Back and Escape close ${what}, which leads back to its button`, async () => {
        const wallet = testWallet({ names: ["Lua", "Rio"] });
        if (!isVisitor) site.server.signIn(wallet.address);
        site.server.config.simulated = path !== "/visits";
        prepare?.(site.server);
        const open = isVisitor ? site.open : site.openLoggedIn;
        const { page } = await open(path, { wallet, viewport: { width: 360, height: 740 } });
        const button = page.getByRole("button", { name: opener }).first();
        for (const close of [() => page.goBack(), () => page.keyboard.press("Escape")]) {
          await button.click();
          await dialogOf(page).waitFor();
          await page.waitForFunction(() => history.state?.dialog);
          expect(await page.locator("[role=dialog] .dialog-head button:focus").count(), "begins at its end").to.equal(
            0,
          );
          await dialogOf(page).locator(":focus").waitFor();
          await close();
          await dialogOf(page).waitFor({ state: "detached" });
          await page.waitForFunction(() => !history.state?.dialog);
          expect(new URL(page.url()).pathname).to.equal(path);
          await hasFocus(button);
        }
      });
    }
  });

  it("close on a press on the backdrop, but not on one that started inside", async () => {
    const { page, buy } = await openPurchase();
    const box = await dialogOf(page).boundingBox();
    if (!box) throw new Error("The dialog has no box");
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(4, 4);
    await page.mouse.up();
    expect(await dialogOf(page).count()).to.equal(1);
    await page.mouse.click(4, 4);
    await dialogOf(page).waitFor({ state: "detached" });
    await hasFocus(buy);
  });

  it("stay open while a toast above them is dismissed", async () => {
    const { page } = await openNewStore();
    await page.getByRole("button", { name: "Criar loja" }).click();
    const toast = page.locator("[data-sonner-toast]").filter({ hasText: "Campos obrigatórios" });
    await toast.getByRole("button", { name: "Fechar" }).click();
    await toast.waitFor({ state: "detached" });
    expect(await dialogOf(page).count()).to.equal(1);
  });

  it("hide no toast from a screen reader, not even one whose code arrives after the dialog", async () => {
    const isOpen = Promise.withResolvers<void>();
    const { page } = await openNewStore((before) =>
      before.route("**/assets/dist-*.js", async (route) => {
        await isOpen.promise;
        await route.continue();
      }),
    );
    await page.getByRole("button", { name: "Criar loja" }).click();
    isOpen.resolve();
    const toast = page.locator("[data-sonner-toast]").filter({ hasText: "Campos obrigatórios" });
    await toast.getByRole("button", { name: "Fechar" }).waitFor();
  });

  it("focus the first invalid field", async () => {
    const { page } = await openNewStore();
    await page.getByLabel("Nome *").fill("Arena");
    await page.getByRole("button", { name: "Criar loja" }).click();
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "country");
    await page.getByLabel("País *").fill("Brasil");
    await unfold(page.getByRole("dialog"));
    await page.getByLabel("URL do logo").fill("http://img.example/logo.png");
    await page.getByRole("button", { name: "Criar loja" }).click();
    await page
      .getByRole("alert")
      .getByText("URL do logo precisa ser um endereço público da internet que começa com https://.")
      .waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "logo");
    // Also in a section that is folded.
    const network = page.getByText("Rede de afiliados", { exact: true });
    await page.getByLabel("URL do logo").fill("");
    await page.getByLabel("Dias para reclamar").fill("-1");
    await network.click();
    await page.getByLabel("Dias para reclamar").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Criar loja" }).click();
    await page.getByRole("alert").getByText("Dias para reclamar não pode ser menor que zero.").waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "claim_days");
    expect(site.server.callsTo("POST /api/store")).to.have.length(0);
  });

  it("allow a wallet's window above them, also by keyboard", async () => {
    const { page } = await site.open("/", { wallet: testWallet({ presence: "none" }), storage: { language: "en" } });
    await page.getByRole("button", { name: "View stores" }).click();
    await dialogOf(page)
      .getByRole("button", { name: /Demo wallet/ })
      .press("Enter");
    const consent = page.getByRole("dialog", { name: "Torcida wants to connect to your wallet" });
    await consent.waitFor();
    for (const [key, tag] of [
      ["Tab", "PRE"],
      ["Shift+Tab", "BUTTON"],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForFunction((name) => document.activeElement?.tagName === name, tag);
    }
    await page.keyboard.press("Shift+Tab");
    await page.waitForFunction(() => document.activeElement?.textContent === "Reject");
    await page.keyboard.press("Enter");
    await consent.waitFor({ state: "detached" });
    // After a refusal the choice is still open.
    await dialogOf(page)
      .getByRole("button", { name: /Demo wallet/ })
      .click();
    await consent.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Wallet connected successfully!", { exact: true }).waitFor();
    await dialogOf(page).waitFor({ state: "detached" });
  });

  it("write no style elements, and violate no content policy", async () => {
    const { page, problems } = await site.openLoggedIn("/stores", { storage: { language: "en" } });
    const buy = page.getByRole("button", { name: /Buy now/ }).first();
    await buy.waitFor();
    const styles = () => page.evaluate(() => document.querySelectorAll("style").length);
    const before = await styles();
    await buy.click();
    await dialogOf(page).getByRole("definition").last().waitFor();
    await focusHint(page);
    await page.getByRole("tooltip").waitFor();
    expect(await styles()).to.equal(before);
    await page.keyboard.press("Escape");
    await page.getByRole("tooltip").waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "detached" });
    expect(await styles()).to.equal(before);
    expect(problems).to.deep.equal([]);
  });

  describe("the tooltip", () => {
    it("shows by hover and by focus; Escape hides it and leaves the dialog", async () => {
      const { page } = await openPurchase();
      expect(await page.getByRole("tooltip").count()).to.equal(0);
      await hint(page).hover();
      await page.getByRole("tooltip").waitFor();
      await page.mouse.move(4, 4);
      await page.getByRole("tooltip").waitFor({ state: "hidden" });
      await focusHint(page);
      await page.getByRole("tooltip").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("tooltip").waitFor({ state: "hidden" });
      expect(await dialogOf(page).count()).to.equal(1);
    });

    it("shows by touch, within the screen, and describes its button", async () => {
      const { page } = await openPurchase({ viewport: { width: 360, height: 640 }, hasTouch: true });
      await hint(page).tap();
      await eventually(async () => {
        const box = await page.getByRole("tooltip").boundingBox();
        expect(box?.x).to.be.at.least(0);
        expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.at.most(360);
        const described = await hint(page).evaluate(
          (button) => document.getElementById(button.getAttribute("aria-describedby") ?? "")?.textContent,
        );
        expect(described).to.equal(await page.getByRole("tooltip").textContent());
      });
      await dialogOf(page).getByRole("heading").first().tap();
      await page.getByRole("tooltip").waitFor({ state: "hidden" });
      expect(await dialogOf(page).count()).to.equal(1);
    });
  });
});
