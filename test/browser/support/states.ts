import type { Page } from "playwright-core";
import { fixturePurchase } from "./fixture-data.ts";
import type { FixtureServer } from "./fixture-server.ts";

/** Every state of a screen: the server's data, and what the user opens. */

export function hang(route: string) {
  return (server: FixtureServer): void => server.answer(route, "hang");
}

export function fail(route: string) {
  return (server: FixtureServer): void =>
    server.answer(route, { status: 500, body: { success: false, error: "Database away" } });
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
    }),
  );
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
    });
}

export async function openChooser(page: Page): Promise<void> {
  await page.locator(".hero .button").first().click();
  await page.getByRole("dialog").waitFor();
}

/** Connects on another network, and waits for the notice. */
export async function seeOtherNetwork(page: Page): Promise<void> {
  await page.locator(".hero .button").first().click();
  await page.locator(".notice").waitFor();
  await page.locator("[data-sonner-toast]").first().waitFor();
}

export async function openBuyDialog(page: Page): Promise<void> {
  await page.locator(".store-card button").first().click();
  await page.locator(".summary").waitFor();
}

export async function openBuyFailure(page: Page): Promise<void> {
  await page.locator(".store-card button").first().click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
}

export async function openRegistration(page: Page): Promise<void> {
  await page.locator("main .button").first().click();
  await page.locator("main [aria-live] button").click();
  await page.locator("form").waitFor();
}
