import type { z } from "zod";
import type { storePaceResponseSchema } from "../../core/rules/api/catalogue.ts";
import type { AppConfig } from "../../core/rules/api/config.ts";
import type { eventSchema, eventsResponseSchema } from "../../core/rules/api/events.ts";
import type { chooseMailRequestSchema, mailChoiceSchema } from "../../core/rules/api/mail.ts";
import type { PaymentsOfYear, paymentsResponseSchema } from "../../core/rules/api/payments.ts";
import type {
  CheckUserResponse,
  logoutEverywhereResponseSchema,
  sessionsResponseSchema,
} from "../../core/rules/api/people.ts";
import type { booksSchema, walletBooksSchema, walletTicketsSchema } from "../../core/rules/api/proof.ts";
import type { RegisteredPurchase } from "../../core/rules/api/purchases.ts";
import type { claimSchema, clickSchema, createClaimRequestSchema } from "../../core/rules/api/sales.ts";
import type { Language } from "../../core/rules/languages.ts";
import { LIST_LIMIT } from "../../core/rules/product.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { type ConfigAnswer, completeConfig } from "../app/deployment.ts";
import type { Heard } from "./heard.ts";
import { call, callForText, MalformedAnswer, sendFile } from "./http.ts";
import {
  type FanToken,
  type OwnSession,
  type Profile,
  type PublicTicket,
  type PurchaseRecord,
  readFanTokens,
  readProfile,
  readStore,
  readStores,
  type Store,
  type StorePage,
} from "./shapes.ts";

/** The buyer's calls, one function each. */

type Signal = { signal?: AbortSignal };

/** What `read` makes of an answer. @throws MalformedAnswer if it cannot read it, and what `call` throws */
export async function get<Answer, T>(
  path: string,
  read: (answer: Heard<Answer>) => T,
  signal?: AbortSignal,
): Promise<T> {
  const answer = await call<Heard<Answer>>("GET", path, undefined, signal);
  try {
    return read(answer);
  } catch {
    throw new MalformedAnswer(path, "");
  }
}

/** @throws TypeError if they are no list */
function listed<T>(rows: T[]): T[] {
  if (!Array.isArray(rows)) throw new TypeError("No list");
  return rows;
}

export async function getConfig({ signal }: Signal = {}): Promise<AppConfig> {
  return completeConfig((await call<ConfigAnswer>("GET", "/api/config", undefined, signal)).data);
}

/** The parameters of `GET /api/stores`; an empty one is left out. */
export type StoreSearch = Partial<
  Record<"query" | "country" | "category" | "club" | "featured" | "sort" | "after" | "limit" | "ids", string>
>;

export async function getStores(search: StoreSearch, { signal }: Signal = {}): Promise<StorePage> {
  const given = Object.entries(search).filter(([, value]) => value);
  const path = `/api/stores${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
  return get(path, readStores, signal);
}

export async function getStore(id: string, { signal }: Signal = {}): Promise<Store> {
  const path = `/api/stores/${encodeURIComponent(id)}`;
  return get(path, readStore, signal);
}

export async function getStorePace(id: string, { signal }: Signal = {}) {
  const path = `/api/stores/${encodeURIComponent(id)}/pace`;
  return (await call<z.infer<typeof storePaceResponseSchema>>("GET", path, undefined, signal)).pace;
}

export async function getFanTokens({ signal }: Signal = {}): Promise<FanToken[]> {
  return get("/api/fan-tokens", readFanTokens, signal);
}

export async function getMe({ signal }: Signal = {}): Promise<Profile> {
  return get("/api/me", readProfile, signal);
}

function readTicket({ data }: { data?: PublicTicket }): PublicTicket {
  if (!data?.tokenId) throw new Error("The answer holds no ticket");
  return data;
}

export async function getTicket(tokenId: string, { signal }: Signal = {}): Promise<PublicTicket> {
  const path = `/api/nfts/${encodeURIComponent(tokenId)}`;
  return get(path, readTicket, signal);
}

type WalletBooks = z.infer<typeof walletBooksSchema>["purchases"];
export type WalletTicket = z.infer<typeof walletTicketsSchema>["tickets"][number];

/** Every ticket of a wallet from the index, newest first, page by page. */
export async function getWalletTickets(wallet: string, { signal }: Signal = {}): Promise<WalletTicket[]> {
  const tickets: WalletTicket[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const path = pageOf(`/api/wallets/${wallet}/tickets`, before);
    const page: z.infer<typeof walletTicketsSchema> = await call("GET", path, undefined, signal);
    tickets.push(...page.tickets);
    before = page.next_before;
  }
  return tickets;
}

export async function getWalletBooks(wallet: string, { signal }: Signal = {}): Promise<WalletBooks> {
  const books: WalletBooks = [];
  for (let before: number | null | undefined; before !== null; ) {
    const query = new URLSearchParams({ wallet, ...(before === undefined ? {} : { before: String(before) }) });
    const page: z.infer<typeof walletBooksSchema> = await call("GET", `/api/proof?${query}`, undefined, signal);
    books.push(...page.purchases);
    before = page.next_before;
  }
  return books;
}

export async function getBooks(): Promise<z.infer<typeof booksSchema>["data"]> {
  return (await call<z.infer<typeof booksSchema>>("GET", "/api/books")).data;
}

export type PurchasePage = { purchases: PurchaseRecord[]; next_before: number | null };

export function getPurchases(before: number, { signal }: Signal = {}): Promise<PurchasePage> {
  return get(
    pageOf("/api/purchases", before),
    ({ purchases, next_before }: PurchasePage) => ({ purchases: listed(purchases), next_before }),
    signal,
  );
}

/** An id has at most 15 digits. */
const LARGEST_ID = 999_999_999_999_999;

/** Every page of a list of the user's own. */
export async function getAll<T>(page: (before?: number) => Promise<OwnPage<T>>): Promise<T[]> {
  let { rows, next_before } = await page();
  const all = [...rows];
  while (next_before !== null) {
    ({ rows, next_before } = await page(next_before));
    all.push(...rows);
  }
  return all;
}

export function getAllPurchases(): Promise<PurchaseRecord[]> {
  return getAll(async (before = LARGEST_ID) => {
    const { purchases, next_before } = await getPurchases(before);
    return { rows: purchases, next_before };
  });
}

export async function getIsAdmin({ signal }: Signal = {}): Promise<boolean> {
  const answer = await call<{ isAdmin?: boolean }>("GET", "/api/is-admin", undefined, signal);
  return answer.isAdmin === true;
}

export type CheckedUser = { exists: boolean; challenge?: CheckUserResponse["challenge"] };

export function checkUser(address: WalletAddress): Promise<CheckedUser> {
  return call<CheckedUser>("POST", "/api/check-user", { address });
}

export type SignedLogin = { address: WalletAddress; signature: string; nonce?: string };

export function login(request: SignedLogin): Promise<{ token: string }> {
  return call("POST", "/api/login", request);
}

export type PersonalData = { first_name: string; last_name: string; email: string };
export type SignedRegistration = SignedLogin & PersonalData & { mail_language?: Language; invite?: string };

export function registerUser(request: SignedRegistration): Promise<{ token?: string }> {
  return call("POST", "/api/register-user-data", request);
}

/** The signature of what only the wallet's owner may do; none until the server asks for it. */
export type SignedWish = { nonce?: string; signature?: string };
export type WishPurpose = "erase" | "email";

export async function askChallenge(purpose: WishPurpose): Promise<CheckUserResponse["challenge"]> {
  return (await call<Pick<CheckUserResponse, "challenge">>("POST", "/api/challenge", { purpose })).challenge;
}

export function updateProfile(profile: PersonalData & SignedWish): Promise<unknown> {
  return call("PUT", "/api/me", profile);
}

type MailChoice = Heard<z.infer<typeof mailChoiceSchema>>;

export function getMailChoice(): Promise<MailChoice> {
  return call("GET", "/api/me/mail");
}

export function chooseMail(choice: z.input<typeof chooseMailRequestSchema>): Promise<MailChoice> {
  return call("PUT", "/api/me/mail", choice);
}

/** Sends the link that verifies the profile's address. */
export function sendMailLink(): Promise<unknown> {
  return call("POST", "/api/me/mail/send");
}

export async function getSessions(): Promise<OwnSession[]> {
  return (await call<z.infer<typeof sessionsResponseSchema>>("GET", "/api/me/sessions")).sessions;
}

export function endSession(id: string): Promise<unknown> {
  return call("DELETE", `/api/me/sessions/${encodeURIComponent(id)}`);
}

/** What the user was paid in a year; in this one if none is given. */
export async function getPayments(year?: number): Promise<PaymentsOfYear> {
  return (await call<z.infer<typeof paymentsResponseSchema>>("GET", `/api/me/payments${year ? `?year=${year}` : ""}`))
    .data;
}

/** Each payment of a year, as CSV for spreadsheets of a language. */
export function getPaymentsCsv(year: number, language: Language): Promise<string> {
  return callForText(`/api/me/payments?year=${year}&language=${language}`, "text/csv");
}

/** Answers the day, unless the server is one of 1.0.0, which erases at once. */
export function eraseProfile(wish: SignedWish): Promise<{ takes_effect_at?: string }> {
  return call("DELETE", "/api/me", wish.nonce === undefined ? undefined : wish);
}

export function keepProfile(): Promise<unknown> {
  return call("POST", "/api/me/keep");
}

export function logoutEverywhere(): Promise<z.infer<typeof logoutEverywhereResponseSchema>> {
  return call("POST", "/api/logout-everywhere");
}

export function logout(): Promise<unknown> {
  return call("POST", "/api/logout");
}

export type PurchaseRequest = { user: string; store_id: number | string; amount: number; token_slug?: string };

export type WayOut = {
  /** Where to send the buyer: with the purchase's click, or in live mode with the visit's. */
  affiliateUrl: string | null | undefined;
  /** The simulated purchase; in live mode there is none yet. */
  purchaseId: number | undefined;
};

/** The same key registers once, however often the call is repeated. */
export async function registerPurchase(request: PurchaseRequest, key: string): Promise<WayOut> {
  const headers = { "idempotency-key": key };
  const answer = await call<Partial<RegisteredPurchase>>("POST", "/api/register-purchase", request, undefined, headers);
  return { affiliateUrl: (answer.click ?? answer.purchase)?.affiliate_url, purchaseId: answer.purchase?.id };
}

export function withdrawPurchase(id: number): Promise<unknown> {
  return call("POST", `/api/purchases/${id}/withdraw`);
}

export type Click = Heard<z.infer<typeof clickSchema>>;
export type Claim = Heard<z.infer<typeof claimSchema>>;
type OwnPage<T> = { rows: T[]; next_before: number | null };

export async function getClicks(before?: number): Promise<OwnPage<Click>> {
  return get(
    pageOf("/api/clicks", before),
    ({ clicks, next_before }: { clicks: Click[]; next_before: number | null }) => ({
      rows: listed(clicks),
      next_before,
    }),
  );
}

/** Those that no network reported, also after the product went live. */
export async function getSimulatedPurchases(before?: number): Promise<OwnPage<PurchaseRecord>> {
  const path = `${pageOf("/api/purchases", before)}&source=simulated`;
  return get(path, ({ purchases, next_before }: PurchasePage) => ({ rows: listed(purchases), next_before }));
}

export async function getClaims(before?: number): Promise<OwnPage<Claim>> {
  return get(
    pageOf("/api/claims", before),
    ({ claims, next_before }: { claims: Claim[]; next_before: number | null }) => ({
      rows: listed(claims),
      next_before,
    }),
  );
}

export type Event = Heard<z.infer<typeof eventSchema>>;
export type EventsPage = OwnPage<Event> & { unread: number };

const EVENTS_A_PAGE = 20;

/** What happened to the user's purchases and claims before an id, newest first. */
export async function getEvents(before?: number, limit = EVENTS_A_PAGE): Promise<EventsPage> {
  const path = `/api/events?limit=${limit}${before === undefined ? "" : `&before=${before}`}`;
  return get(path, ({ events, unread, next_before }: Heard<z.infer<typeof eventsResponseSchema>>) => ({
    rows: listed(events),
    unread,
    next_before,
  }));
}

export function markEventsRead(through: number): Promise<unknown> {
  return call("POST", "/api/events/read", { through });
}

const pageOf = (path: string, before: number | undefined): string =>
  before === undefined ? `${path}?limit=${LIST_LIMIT}` : `${path}?limit=${LIST_LIMIT}&before=${before}`;

export async function createClaim(claim: z.input<typeof createClaimRequestSchema>): Promise<Claim> {
  return (await call<{ claim: Claim }>("POST", "/api/claims", claim)).claim;
}

export const attachPicture = (claimId: number, picture: Blob): Promise<unknown> =>
  sendFile("POST", `/api/claims/${claimId}/picture`, picture, picture.type);
