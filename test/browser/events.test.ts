import { expect } from "chai";
import { eventually } from "../testing/until.ts";
import { fixtureEvents } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";

describe("The bell", () => {
  const site = useSite();
  const withEvents = () => {
    site.server.events = fixtureEvents();
  };

  it("is not there for a visitor", async () => {
    const { page } = await site.open("/");
    await page.getByRole("button", { name: "English" }).waitFor();
    expect(await page.getByRole("button", { name: /^Avisos/ }).count()).to.equal(0);
    expect(site.server.callsTo("GET /api/events")).to.deep.equal([]);
  });

  it("counts what is unread, lists all by keyboard, and marks it as read", async () => {
    withEvents();
    const { page, problems } = await site.openLoggedIn("/");
    const bell = page.getByRole("button", { name: "Avisos: 3 novos" });
    await bell.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Avisos" });
    await dialog.getByText("Compra de R$ 1.249,90 registrada.").waitFor();
    expect(await dialog.getByRole("listitem").count()).to.equal(8);
    await dialog.getByText("Motivo: O pedido foi cancelado na loja.").waitFor();
    await eventually(async () =>
      expect(site.server.callsTo("POST /api/events/read")[0]?.body).to.deep.equal({ through: 100 }),
    );
    expect(await dialog.getByText("(novo)").count(), "marked while the list is open").to.equal(3);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).to.equal("Avisos"),
    );
    expect(problems).to.deep.equal([]);
  });

  it("closes on Back, and leads to the dashboard and to the visits in English", async () => {
    withEvents();
    const { page } = await site.openLoggedIn("/stores", { storage: { language: "en" } });
    const open = async () => {
      await page.getByRole("button", { name: /^Notifications/ }).click();
      await page.waitForFunction(() => history.state?.dialog);
    };
    await open();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).to.equal("/stores");
    await open();
    await page
      .getByText("You received CHZ 87.49 of cashback")
      .or(page.getByText("You received 87.49 CHZ of cashback"))
      .click();
    await page.waitForURL("**/dashboard");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await open();
    await page.getByText("We found the purchase of").click();
    await page.waitForURL("**/visits");
  });

  it("goes by e-mail where the user chooses it in the profile", async () => {
    const { page, problems } = await site.openLoggedIn("/profile");
    const paid = page.getByRole("checkbox", { name: "Cashback pago" });
    // Not before the choice is known.
    await eventually(async () => expect(await paid.isEnabled()).to.equal(true));
    expect(await page.getByRole("checkbox", { checked: true }).count(), "opt-in").to.equal(0);
    await paid.press("Space");
    await page.getByText(/^Falta confirmar /).waitFor();
    expect(site.server.callsTo("POST /api/me/mail/send"), "not before a press").to.have.length(0);
    const send = page.getByRole("button", { name: "Enviar o link" });
    // Not before the choice is saved.
    await eventually(async () => expect(await send.isEnabled()).to.equal(true));
    await send.press("Enter");
    await page.getByText(/^Enviamos um link para /).waitFor();
    await page.getByRole("button", { name: "Enviar de novo" }).waitFor();
    expect(site.server.callsTo("PUT /api/me/mail")[0]?.body).to.deep.equal({ topics: ["paid"], language: "pt" });
    expect(await paid.isChecked()).to.equal(true);
    expect(problems).to.deep.equal([]);
  });

  it("loads older ones on request, and says when they cannot be loaded", async () => {
    const [event] = fixtureEvents();
    site.server.answer("GET /api/events", ({ query }) => ({
      body: {
        success: true,
        events: [{ ...event, id: query.before ? 5 : 90, store: query.before ? "Loja antiga" : "Loja nova" }],
        unread: 100,
        next_before: query.before ? null : 90,
      },
    }));
    const { page } = await site.openLoggedIn("/");
    await page.getByRole("button", { name: "Avisos: 99+ novos" }).click();
    const dialog = page.getByRole("dialog", { name: "Avisos" });
    await dialog.getByText("Loja nova").waitFor();
    await dialog.getByRole("button", { name: /mais/i }).click();
    await dialog.getByText("Loja antiga").waitFor();
    expect(await dialog.getByRole("button", { name: /mais/i }).count()).to.equal(0);
    await page.keyboard.press("Escape");
    site.server.answer("GET /api/events", { status: 500, body: { success: false, error: "Database away" } });
    await page.getByRole("button", { name: /^Avisos/ }).click();
    await page.getByText("Não foi possível carregar os seus avisos").waitFor();
  });
});
