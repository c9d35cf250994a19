import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

const PHONE = { width: 360, height: 740 };
/** The viewport above an on-screen keyboard. */
const TYPING = { width: 360, height: 400 };

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
