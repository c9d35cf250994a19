import { expect } from "chai";
import type { Page } from "playwright-core";
import type { ProposalRow } from "../../core/rules/api/proposals.ts";
import type { FixtureServer } from "./support/fixture-server.ts";
import { BUYER, boostRow, fillPanel, percentApproval, purchases, sales } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";
import { addAllSituations, addEvents, openEvents } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";
import { answersOf, CHANGES, type Change, FOREIGN_WORD } from "./support/tomorrow.ts";

/** `shows`: what is opened there. */
type Place = {
  path: string;
  shows?: string;
  act?: (page: Page, change: Change) => Promise<void>;
  isLoggedIn?: boolean;
};

/** Of an empty list there is nothing to press. */
const press = (name: RegExp) => async (page: Page, change: Change) => {
  const button = page.getByRole("main").getByRole("button", { name }).first();
  if (change !== "with empty lists" || (await button.isVisible())) await button.click();
};

/** One change is tested at each commit, one in depth; the others are a release's. */
const TAGS: Partial<Record<Change, string>> = { "foreign words": " @deep" };

const PAGES: readonly Place[] = [
  ...["/", "/stores", "/stores/1", "/redirect/1", "/ticket/2", "/proof", "/help", "/help/bonus", "/auth"].map(
    (path) => ({
      path,
    }),
  ),
  ...["/dashboard", "/profile", "/visits"].map((path) => ({ path, isLoggedIn: true })),
  { path: "/", isLoggedIn: true, act: openEvents, shows: "notices" },
  ...["in_wallet", "on_the_way", "waiting", "to_offset"].map((figure) => ({
    ...{ path: `/dashboard?figure=${figure}`, isLoggedIn: true },
  })),
  { path: "/dashboard?view=statement", isLoggedIn: true },
  { path: "/dashboard", isLoggedIn: true, act: press(/^Detalhes/), shows: "ticket" },
  { path: "/stores", act: press(/^Comprar agora/), shows: "dialog of a purchase" },
  { path: "/visits", isLoggedIn: true, act: press(/não apareceu/), shows: "claim" },
  { path: "/clubs/palmeiras" },
  { path: `/go?url=${encodeURIComponent("https://verdao.example/camisa")}` },
];

const VIEWS = [
  ...["purchases", "payments", "approvals", "sales", "claims", "accounts", "margin", "operations", "log"].map(
    (view) => `view=${view}`,
  ),
  ...["", "tab=stores", "tab=stores&row=1", "tab=fan-tokens", "tab=users", `tab=users&row=${BUYER}`, "tab=settings"],
  `view=purchases&row=${purchases[0]?.id}`,
  `view=sales&row=${sales[0]?.id}`,
];

/** What the panel's other tests leave empty. */
function addWaiting(server: FixtureServer): void {
  const rows = (list: object[]) => ({ body: { success: true, rows: list, next_before: null, total: list.length } });
  server.answer("GET /api/admin/proposals", rows([proposal]));
  server.answer(
    "GET /api/admin/percent-approvals",
    rows([percentApproval(1, {}), percentApproval(2, { kind: "category" })]),
  );
  server.answer("GET /api/admin/stores/1/boosts", {
    body: { success: true, boosts: [boostRow(1, {})], next_before: null },
  });
  server.answer("GET /api/admin/accounts", { body: { success: true, rows: [] } });
}

const proposal: ProposalRow = {
  id: 3,
  kind: "store_link",
  subject_id: 1,
  subject: "Verdão Store",
  from: "https://old.example",
  to: "https://new.example",
  changes: [{ field: "affiliate_link", from: "https://old.example", to: "https://new.example" }],
  asked_by: BUYER,
  reason: null,
  state: "open",
  takes_effect_at: "2026-11-30T02:59:00.000Z",
  needs_second: true,
  created_at: "2026-11-28T02:59:00.000Z",
  decided_by: null,
  decision_reason: null,
  decided_at: null,
};

/** What a later 1.x may answer, and an earlier one too: docs/upgrading.md */
describe("Answers of another version", function () {
  this.timeout(120_000);
  const site = useSite();

  /** The page stands, nothing was refused as malformed, and every text was found. */
  async function expectWhole(page: Page, problems: readonly string[]): Promise<void> {
    await page.waitForLoadState("networkidle");
    await page.locator("[aria-busy=true], [data-skeleton]").first().waitFor({ state: "detached" });
    // There is no chain to read a ticket from.
    const alerts = page.getByRole("alert").filter({ hasNotText: "A rede Chiliz não está respondendo" });
    expect(await alerts.allTextContents()).to.deep.equal([]);
    expect(site.server.callsTo("POST /api/faults").map(({ body }) => body)).to.deep.equal([]);
    expect(problems).to.deep.equal([]);
  }

  for (const change of CHANGES) {
    const tag = TAGS[change] ?? " @release";
    for (const { path, isLoggedIn, act, shows } of PAGES)
      it(`are shown on ${path}${shows ? `, with its ${shows}` : ""}: ${change}${tag}`, async () => {
        const wallet = testWallet();
        site.server.signIn(wallet.address);
        addAllSituations(site.server);
        addEvents(site.server);
        site.server.alter = answersOf(change);
        const { page, problems } = await (isLoggedIn ? site.openLoggedIn(path, { wallet }) : site.open(path));
        await page.locator("h1").first().waitFor();
        await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
        await act?.(page, change);
        await expectWhole(page, problems);
        expect(await page.locator("body").innerText()).to.not.include(FOREIGN_WORD);
      });

    for (const view of VIEWS)
      it(`are shown in the panel (${view || "overview"}): ${change}${tag}`, async () => {
        const wallet = testWallet();
        site.server.isAdmin = true;
        site.server.signIn(wallet.address);
        fillPanel(site.server, "owner", wallet.address.toLowerCase());
        addWaiting(site.server);
        site.server.alter = answersOf(change);
        const { page, problems } = await site.openLoggedIn(`/admin?${view}`, { wallet });
        // Not by its role: behind an open sheet it has none.
        await page.locator("h1").waitFor();
        await expectWhole(page, problems);
      });
  }

  it("says that a purchase is in a situation that the page does not know", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    addAllSituations(site.server);
    me.nfts = [];
    site.server.alter = answersOf("foreign words");
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByText("Em uma situação que esta página ainda não conhece.").first().waitFor();
    expect(await page.getByText(FOREIGN_WORD).count()).to.equal(0);
  });
});
