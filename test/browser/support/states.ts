import type { Page } from "playwright-core";
import { fixtureClub, fixtureEvents, fixtureNft, fixturePurchase } from "./fixture-data.ts";
import type { FixtureServer } from "./fixture-server.ts";

/** Every state of a screen: the server's data, and what the user opens. */

export function hang(route: string) {
  return (server: FixtureServer): void => server.answer(route, "hang");
}

export function fail(route: string) {
  return (server: FixtureServer): void =>
    server.answer(route, { status: 500, body: { success: false, error: "Database away" } });
}

/** Of a pasted link: the server's word, with the stores that it names. */
export function refuseLink(code: "LINK_UNKNOWN" | "LINK_AMBIGUOUS") {
  const stores = ["Verdão Store", "Outra loja"].map((name, index) => ({ id: index + 1, name }));
  const refusal =
    code === "LINK_UNKNOWN"
      ? { status: 404, body: { success: false, error: "none", code, like: stores } }
      : { status: 409, body: { success: false, error: "two", code, stores } };
  return (server: FixtureServer): void => server.answer("POST /api/links", refusal);
}

export function invite(server: FixtureServer): void {
  server.config = { ...server.config, invite_bonus_percent: "2" };
  const url = "https://torcida.example/c/abcdefgh23456722";
  server.answer("GET /api/me/invite", {
    body: { success: true, url, used: 3, left: 7, bonus_percent: "2", next_percent: "2" },
  });
}

/** A club of whose fans nothing is told. */
export function withoutFans(slug: string) {
  return (server: FixtureServer): void =>
    server.answer(`GET /api/clubs/${slug}`, { body: { success: true, club: fixtureClub(slug), figures: null } });
}

export function addEvents(server: FixtureServer): void {
  server.events = fixtureEvents();
}

export async function openEvents(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Avisos|Notifications)/ }).click();
  await page.getByRole("dialog").locator("p, li").first().waitFor();
}

export async function openAccountMenu(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Sua conta|Your account)$/ }).click();
  await page.getByRole("navigation", { name: /^(Sua conta|Your account)$/ }).waitFor();
}

/** A purchase of this minute, in progress. */
export function addMoving({ me }: FixtureServer): void {
  const created_at = new Date().toISOString();
  me?.purchases.unshift(
    fixturePurchase({
      id: 3,
      store: "Mercado da Bola",
      created_at,
      date: created_at,
      status: "processing",
      cashback_percent: "4",
      cashback_amount: "4",
      cashback_state: "unpaid",
      minted_at: null,
      confirmed_at: null,
      paid_at: null,
      mint_tx: null,
      status_tx: null,
      payment_tx: null,
      paid_amount: null,
    }),
  );
}

/** The first store pays more for so long; its lower percents are replaced. */
/** A code, a promotion without cashback and one of a shop that writes at length, of the first store. */
export function addOffers(server: FixtureServer): void {
  const ends = (ms: number) => new Date(Date.now() + ms).toISOString();
  const offer = (id: number, more: object) => ({
    ...{
      id,
      store_id: 1,
      store: "Verdão Store",
      kind: "deal",
      title: "Frete grátis",
      code: null,
      terms: null,
      url: null,
    },
    ...{ starts_at: "2026-01-01T00:00:00.000Z", ends_at: null, with_cashback: true },
    ...more,
  });
  const offers = [
    offer(1, { kind: "code", title: "10% em tudo", code: "TORCIDA10", ends_at: ends(5 * 3_600_000 + 60_000) }),
    offer(2, {
      title: "Só no app",
      with_cashback: false,
      ends_at: ends(4 * 86_400_000),
      terms: "Uma vez.\nSem trocas.",
    }),
    offer(3, { kind: "code", title: "<b>a</b>".repeat(15), code: "W".repeat(40), url: "https://www.loja.com/tv" }),
  ];
  server.answer("GET /api/offers", { body: { success: true, offers, next_after: null } });
}

export function boost(server: FixtureServer, leftMs: number): void {
  const [store] = server.stores;
  if (!store) throw new Error("No stores");
  const ends_at = new Date(Date.now() + leftMs).toISOString();
  store.boost = { percent: "10", ends_at, is_whole: true };
  store.cashbacks = store.cashbacks.map((one) => ({
    ...one,
    cashback_percent: "10",
    boost: { plain_percent: one.cashback_percent, ends_at },
  }));
  Object.assign(store, { cashback: "10%", cashback_min: 10, cashback_max: 10, max_cashback: 10 });
}

/** One purchase in each situation that a buyer meets, a debt that is half settled, and a sale in review. */
export function addAllSituations({ me }: FixtureServer): void {
  if (!me) return;
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const unpaid = { cashback_state: "unpaid", paid_at: null, payment_tx: null, paid_amount: null } as const;
  const purchase = (id: number, change: Partial<(typeof me.purchases)[number]>) =>
    fixturePurchase({ id, created_at: day(50 - id), date: day(50 - id), store: "Mercado da Bola", ...change });
  me.purchases = [
    purchase(22, { ...unpaid, situation: "payout_delayed" }),
    purchase(21, { ...unpaid, situation: "awaiting_approval" }),
    purchase(20, { ...unpaid, situation: "payout_refused" }),
    purchase(19, {
      ...{ ...unpaid, situation: "awaiting_store", status: "pending", stored_status: "Pendente" },
      usual_at: day(-12),
    }),
    purchase(18, { ...unpaid, situation: "in_review", status: "pending", stored_status: "Pendente" }),
    purchase(17, { ...unpaid, situation: "awaiting_network", usual_at: day(2) }),
    purchase(16, { ...unpaid, situation: "waiting_period", expected_at: day(-21) }),
    purchase(15, { ...unpaid, situation: "credit", cashback_state: "deferred" }),
    purchase(14, { situation: "paid", paid_amount: "3", kept_amount: "4" }),
    purchase(13, { situation: "paid_then_returned" }),
    purchase(12, { ...unpaid, situation: "declined", status: "cancelled", stored_status: "Cancelado" }),
  ];
  me.nfts = me.purchases.map((one) => fixtureNft(one, me.wallet));
  me.statement = {
    in_wallet: "10",
    on_the_way: "28",
    waiting: "30.5",
    to_offset: "3",
    deducted: "4",
    total: "72.5",
    sum: "65.5",
    next_at: day(-21),
  };
  me.reviews = [
    {
      id: 7,
      store_id: 3,
      store: "Loja do Palmeiras",
      order: "2026-118",
      amount: "50.00",
      cashback_amount: "2.5",
      at: day(1),
    },
  ];
  me.debts = [{ purchase_id: 13, store: "Mercado da Bola", amount: "7", at: day(20) }];
}

/** Only stored records, as before the first block. */
export function withoutNfts({ me }: FixtureServer): void {
  if (me) me.nfts = [];
}

export function empty({ me }: FixtureServer): void {
  if (me)
    Object.assign(me, {
      nfts: [],
      purchases: [],
      totals: { total: "0", confirmed: "0", pending: "0", paid: "0", count: 0, confirmed_count: 0, pending_count: 0 },
      statement: {
        in_wallet: "0",
        on_the_way: "0",
        waiting: "0",
        to_offset: "0",
        deducted: "0",
        total: "0",
        sum: "0",
        next_at: null,
      },
    });
}

export async function openChooser(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("button").first().click();
  await page.getByRole("dialog").waitFor();
}

/** Connects on another network, and waits for the notice. */
export async function seeOtherNetwork(page: Page): Promise<void> {
  await page.getByRole("main").getByRole("button").first().click();
  await page.locator(".notice").waitFor();
  await page.locator("[data-sonner-toast]").first().waitFor();
}

export async function seeDialog(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("definition").last().waitFor();
}

/** The one that a page opens by itself. */
export async function closeDialog(page: Page): Promise<void> {
  await seeDialog(page);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

export async function openBuyDialog(page: Page): Promise<void> {
  await page.getByRole("article").getByRole("button").first().click();
  await page.getByRole("dialog").getByRole("definition").last().waitFor();
}

export async function openBuyFailure(page: Page): Promise<void> {
  await page.getByRole("article").getByRole("button").first().click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
}

export async function openRegistration(page: Page): Promise<void> {
  await page.locator("main .button").first().click();
  await page.locator("main [aria-live] button").click();
  await page.locator("form").waitFor();
}
