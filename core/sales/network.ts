import { z } from "zod";
import type { SaleReport } from "../rules/sale/report.ts";
import type { AccountTerms } from "../rules/sale/rules.ts";
import type { NetworkOffer } from "./offer-row.ts";
import type { ProgrammeCalls } from "./programmes.ts";
import type { UnreadRow } from "./row.ts";

/** The configuration of an account of a polled network. */
export type PolledAccount = AccountTerms & {
  /** Its other names; `account` is the first, under which its sales are recorded. */
  aliases?: readonly string[];
  push_secrets: readonly string[];
  api_url: string;
  poll_seconds: number;
  calls_per_minute: number;
};

export type Request = {
  method?: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
};

/** One account while it is being read: its calls run one at a time, within the budget. */
export type Session<Account> = {
  account: Account;
  /** Adapter state between calls, such as an access token; in memory only. */
  memory: Map<string, string>;
  /**
   * The response's text.
   * @throws CallRefusedError if the network refuses, NetworkAwayError if it does not respond as expected
   */
  call(request: Request): Promise<string>;
};

/** A query for sales by one of their timestamps. */
export type Pass = {
  name: string;
  /** The longest window that the network accepts. */
  maximumMs: number;
  /** Whether the nightly read repeats it over all months that may still change. */
  isNightly: boolean;
};

/** A page of sales, and the rows that are none or are not understood. */
export type Page = { reports: SaleReport[]; unread: UnreadRow[] };

/**
 * One affiliate network: its links, its pushes and its queries. `core/sales/networks.ts` lists them. An adapter
 * translates the network's data into a `SaleReport` and guesses nothing: anything it does not understand is `drift`.
 */
export type AffiliateNetwork<Account extends PolledAccount> = {
  name: string;
  accountSchema: z.ZodType<Account>;
  /** What the network calls an account. */
  identityOf(account: Account): string;
  /** A link to the store that carries the click; undefined if the network's links cannot be built. */
  buildLink(account: Account, target: { advertiserId: string; storeUrl: string; click: string }): string | undefined;
  /** The format of a sale's key: a push with any other key is ignored, a row with one is not read. */
  keyPattern: RegExp;
  /** The keys of the sales that a push mentions. A push is never trusted: these sales are read. */
  readPush(push: { query: URLSearchParams; form: URLSearchParams; text: string }): string[];
  passes: readonly Pass[];
  readWindow(session: Session<Account>, pass: Pass, window: { from: Date; to: Date }): AsyncIterable<Page>;
  /** The maximum number of sales per `readSales` call. */
  salesPerCall: number;
  /** The offers of joined programmes, page by page; those of other advertisers than these are left out later. */
  readOffers?(session: Session<Account>, advertiserIds: readonly string[]): AsyncIterable<NetworkOffer[]>;
  /** Sales by their keys; unknown keys are left out. */
  readSales(session: Session<Account>, sales: readonly { saleKey: string; occurredAt: Date | null }[]): Promise<Page>;
  programmes: ProgrammeCalls<Account>;
  /** The most calls that a day's round over programmes and offers takes. docs/product.md#sales-budget */
  catalogueCalls(of: { programmes: number; stores: number }): number;
};

/** How an adapter reads offers, as far as its account has what it needs. */
export type OffersOf<Account> = (
  session: Session<Account>,
  advertiserIds: readonly string[],
) => AsyncIterable<NetworkOffer[]>;

const NAME = z.string().regex(/^[a-z0-9-]{1,32}$/, "must be 1 to 32 lower-case letters, digits and hyphens");

const secretSchema = z.string().min(8, "must have at least 8 characters");

/** What every account may say of its money. docs/product.md#accounts */
const moneyShape = {
  credit_reais: z.number().min(0).max(1_000_000_000).multipleOf(0.01).optional(),
  day_share_percent: z.number().int().min(1).max(100).optional(),
  cashback_share_percent: z.number().int().min(0).max(100).optional(),
};

/** The fields that every polled network's accounts have; the defaults are the network's. */
export function polledAccountShape<Name extends string>(
  network: Name,
  defaults: { apiUrl: string; callsPerMinute: number },
) {
  return {
    network: z.literal(network),
    account: NAME,
    push_secrets: z.array(secretSchema).default([]),
    api_url: z
      .url({ protocol: /^https?$/, error: "must be an http(s):// address" })
      .transform((url) => url.replace(/\/+$/, ""))
      .default(defaults.apiUrl),
    poll_seconds: z.number().positive().max(86_400).default(600),
    calls_per_minute: z.number().int().positive().default(defaults.callsPerMinute),
    ...moneyShape,
  };
}

export const directAccountSchema = z.strictObject({
  network: z.literal("direct"),
  account: NAME,
  secrets: z.array(secretSchema).min(1, "must hold at least one secret"),
  ...moneyShape,
});

export const wordSchema = z
  .union([z.string(), z.number()])
  .transform(String)
  .pipe(z.string().min(1, "must not be empty").max(512, "must be at most 512 characters"));
