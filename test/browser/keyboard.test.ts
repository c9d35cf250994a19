import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const PHONE = { width: 360, height: 740 };
/** The viewport above an on-screen keyboard. */
const TYPING = { width: 360, height: 400 };

/** More than any screen has before what the journey needs. */
const MOST_STOPS = 60;

describe("A buyer without a pointer", () => {
  const site = useSite();

  const nameOf = (page: Page) =>
    page.evaluate(() => {
      const one = document.activeElement;
      if (!(one instanceof HTMLElement) || one === document.body) return "";
      const label = one instanceof HTMLInputElement ? one.labels?.[0]?.textContent : undefined;
      return (one.getAttribute("aria-label") ?? label ?? one.textContent ?? "").trim();
    });
  async function tabTo(page: Page, name: RegExp, key = "Tab"): Promise<void> {
    const passed: string[] = [];
    for (let count = 0; count < MOST_STOPS; count++) {
      await page.keyboard.press(key);
      const reached = await nameOf(page);
      if (name.test(reached)) return;
      passed.push(reached);
    }
    throw new Error(`Tab does not reach ${name}: ${passed.join(" | ")}`);
  }
  const press = async (page: Page, name: RegExp) => {
    await tabTo(page, name);
    await page.keyboard.press("Enter");
  };

  it("passes a message by Tab, and is not led back before it", async () => {
    const { page } = await site.open("/auth");
    await page.getByRole("heading", { name: "Passo 1: conecte a carteira" }).waitFor();
    await press(page, /^Por que não há login por e-mail/);
    await page.getByText("É preciso entrar com a carteira").waitFor();
    await tabTo(page, /^Fechar$/);
    await tabTo(page, /^Pular para o conteúdo/);
  });

  it("registers, buys, and reads the statement", async () => {
    const wallet = testWallet();
    site.server.answer("POST /api/purchases/99/withdraw", { body: { success: true } });
    const { page, problems } = await site.open("/auth", { wallet });
    await page.getByRole("heading", { name: "Passo 1: conecte a carteira" }).waitFor();
    await press(page, /^Pular para o conteúdo/);
    await press(page, /^Conectar carteira$/);
    const further = page.getByRole("button", { name: "Continuar para o cadastro" });
    await further.waitFor();
    await press(page, /^Continuar para o cadastro$/);
    await page.getByRole("heading", { name: "Passo 2: complete o cadastro" }).waitFor();
    for (const [label, text] of [
      [/^Nome/, "Ana"],
      [/^Sobrenome/, "Silva"],
      [/^E-mail/, "ana@example.com"],
    ] as const) {
      await tabTo(page, label);
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dashboard");
    await page.getByRole("heading", { level: 2, name: "Seus ingressos" }).waitFor();

    await press(page, /^(Ir às|Explorar) lojas$/);
    await page.waitForURL("**/stores");
    await page.getByRole("button", { name: "Comprar agora – Verdão Store" }).waitFor();
    await press(page, /^Comprar agora – Verdão Store$/);
    await page.getByRole("radio").first().waitFor();
    await press(page, /^Prosseguir$/);
    await page.waitForURL("**/redirect/*");
    // What was bought is in the profile by then.
    site.server.signIn(wallet.address);
    await press(page, /^Cancelar$/);
    await page.waitForURL("**/stores");

    // From the heading back to the navigation.
    await tabTo(page, /^Painel$/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dashboard");
    await page.getByRole("navigation", { name: "Álbum ou extrato" }).waitFor();
    await press(page, /^Extrato$/);
    await page.getByText(/lançamentos?$/).waitFor();
    expect(problems).to.deep.equal([]);
  });
});

describe("A phone's keyboard", () => {
  const site = useSite();

  const boxOf = async (locator: Locator) => {
    const box = await locator.boundingBox();
    if (!box) throw new Error("It has no box");
    return { top: box.y, bottom: box.y + box.height };
  };
  /** Chromium's own keyboard shrinks the page, as `interactive-widget` asks for. */
  const openKeyboard = (page: Page) => page.setViewportSize(TYPING);

  it("shortens the page instead of covering it", async () => {
    const { page } = await site.open("/");
    const viewport = await page.locator("meta[name=viewport]").getAttribute("content");
    expect(viewport).to.include("interactive-widget=resizes-content");
  });

  it("leaves a dialog's buttons and its field in sight", async () => {
    const { page } = await site.openLoggedIn("/visits", { viewport: PHONE });
    await page
      .getByRole("button", { name: /^Minha compra não apareceu/ })
      .first()
      .click();
    const note = page.getByRole("dialog").getByRole("textbox", { name: /Mais alguma coisa/ });
    await note.focus();
    await openKeyboard(page);
    await eventually(async () => {
      const field = await boxOf(note);
      const send = await boxOf(page.getByRole("button", { name: "Enviar" }));
      expect(field.top).to.be.at.least(0);
      expect(field.bottom).to.be.at.most(send.top);
      expect(send.bottom).to.be.at.most(TYPING.height);
    });
  });

  it("does not lift the bar at the bottom, which is back after typing and within reach of Tab", async () => {
    const { page } = await site.open("/stores", { viewport: PHONE });
    const bar = page.getByRole("navigation", { name: "Principal" });
    const search = page.getByLabel("Buscar");
    await search.focus();
    await openKeyboard(page);
    await eventually(async () => expect((await boxOf(bar)).top).to.be.at.least(TYPING.height));
    await page.keyboard.press("Shift+Tab");
    await eventually(async () => expect((await boxOf(bar)).bottom).to.be.at.most(TYPING.height));
    await page.setViewportSize(PHONE);
    await eventually(async () => expect((await boxOf(bar)).bottom).to.equal(PHONE.height));
  });
});
