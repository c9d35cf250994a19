import type { z } from "zod";
import type { SaleReport } from "../domain/sale/report.ts";

/** What every account of a polled network is configured by. */
export type PolledAccount = {
  network: string;
  account: string;
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

/** One account while it is read: its calls go through the budget, one after the other. */
export type Session<Account> = {
  account: Account;
  /** What an adapter keeps between calls, such as an access token; gone with the process. */
  memory: Map<string, string>;
  /**
   * The answer's text.
   * @throws CallRefusedError where the network refuses, CallFailedError where it does not answer as it should
   */
  call(request: Request): Promise<string>;
};

/** A way to ask for sales by one of their times. */
export type Pass = {
  name: string;
  /** The longest window that the network takes. */
  maximumMs: number;
  /** Whether the nightly reading repeats it over all months that may still change. */
  isNightly: boolean;
};

/** A page of what was read: sales, and how many rows could not even be told apart. */
export type Page = { reports: SaleReport[]; unreadable: number };

/**
 * One affiliate network: how it is linked to, what it pushes and how it is read. `affiliates/networks.ts` lists them.
 * An adapter turns the network's words into a `SaleReport` and guesses nothing: what it does not know is `drift`.
 */
export type AffiliateNetwork<Account extends PolledAccount> = {
  name: string;
  accountSchema: z.ZodType<Account>;
  /** A link to the store that carries the click; undefined where the network's links cannot be built. */
  buildLink(account: Account, target: { advertiserId: string; storeUrl: string; click: string }): string | undefined;
  /** What a sale's key looks like: anything else in a push is somebody's invention. */
  keyPattern: RegExp;
  /** The keys of the sales that a push is about. A push is never believed: they are read. */
  readPush(push: { query: URLSearchParams; form: URLSearchParams; text: string }): string[];
  passes: readonly Pass[];
  /** All sales of a window, page by page. */
  readWindow(session: Session<Account>, pass: Pass, window: { from: Date; to: Date }): AsyncIterable<Page>;
  /** How many sales one `readSales` takes at most. */
  salesPerCall: number;
  /** Sales by their keys; what the network does not know is left out. */
  readSales(session: Session<Account>, sales: readonly { saleKey: string; occurredAt: Date | null }[]): Promise<Page>;
};
