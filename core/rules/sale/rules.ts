import type { HoldLimits } from "./holds.ts";

/** The account that reports a sale. */
export type AccountKey = { network: string; account: string };

/** What the operator's file says of an account's money. docs/sales.md#accounts */
export type AccountTerms = AccountKey & {
  /** What may be paid before it has arrived; unset: nothing for a direct shop, any sum for a network that is polled. */
  credit_reais?: number | undefined;
  /** The part of the day's cap that it gets while others wait. */
  day_share_percent?: number | undefined;
  /** The part of its commissions that buyers get, where a percent follows them; unset: `CASHBACK_SHARE_PERCENT`. */
  cashback_share_percent?: number | undefined;
};

/**
 * An account that is configured, or was; sales are recorded under its first name. docs/product.md#sales-accounts
 */
export type KnownAccount = AccountTerms & {
  /** Its other names. */
  aliases?: readonly string[];
  /** Milliseconds: when it was no longer configured; null or absent: it is. */
  goneAt?: bigint | null;
};

/** The network of the sales that this system makes up. docs/product.md#purchase-simulated */
export const SIMULATED = "simulated";

/** The source of exchange rates to reais: a daily feed, or fixed rates. docs/product.md#sales-currency */
export type FxRates = { url: string | undefined; fixed: ReadonlyMap<string, bigint> };

/** Rules for all sales, unless a store overrides them. */
export type SaleRules = {
  limits: HoldLimits;
  mintDelayMs: bigint;
  /** From approval to payout, for networks that do not report payment. */
  holdMs: bigint;
  accounts: readonly KnownAccount[];
  /** The part of commissions that buyers get, in hundredths, where no account, store or category says another one. */
  sharePercent?: bigint | undefined;
  /** Only what networks report is paid: simulated purchases of before are not. */
  isLive?: boolean | undefined;
  fx: FxRates;
  /** What the tickets of a sale carry, by each key of the operator's, the current one first. docs/product.md#sale-ref */
  saleRefs: (sale: AccountKey & { saleKey: string }) => readonly bigint[];
};
