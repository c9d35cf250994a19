import type { FanToken as ApiFanToken, Store as ApiStore, StoreFilters } from "../../domain/api/catalogue.ts";
import type { AppConfig } from "../../domain/api/config.ts";
import type { HeldToken, Me, PublicTicket, PurchaseNft } from "../../domain/api/people.ts";
import type { Debt, PurchaseRecord, Review, Statement, Totals } from "../../domain/api/purchases.ts";
import { DAY_SECONDS } from "../../domain/iso-time.ts";
import { isRecord } from "../../domain/records.ts";
import { joinFullName } from "../../domain/text.ts";
import { toWalletAddress, type WalletAddress } from "../../domain/wallet-address.ts";
import { type ConfigAnswer, completeConfig } from "../app/deployment.ts";

/** Parses the API's responses. Optional fields may be missing in another server's response. */

export type { AppConfig };

/**
 * Ids are text here, so that database ids and sample ids have one type. `plainPercent` is the percent without the boost
 * that runs; empty if none does.
 */
export type StoreCashback = { id: string; category: string; percent: string; categoryEn: string; plainPercent: string };
export type Store = {
  id: string;
  name: string;
  country: string;
  club: string;
  category: string;
  description: string;
  /** Cashback exclusions of this store, in addition to the shop-wide ones. */
  terms: string;
  /** The texts that are also available in English. */
  english: Partial<Record<"country" | "category" | "description" | "terms", string>>;
  logo: string;
  featured: boolean;
  affiliateLink: string;
  /** The store's URL, if its affiliate link is built for each visit. */
  storeUrl: string;
  minCashback: number;
  maxCashback: number;
  cashbacks: StoreCashback[];
  /** It pays more until then; undefined if no boost runs. docs/product.md#boost-turn */
  boost: { endsAt: string } | undefined;
  /** The hold after confirmation, in days; 0 if the shop-wide value applies. */
  holdDays: number;
  /** It cannot sell yet. docs/product.md#store-draft */
  isDraft: boolean;
};

export type FanToken = { id: string; name: string; slug: string; image: string; symbol: string; contract: string };

export type Profile = {
  id: WalletAddress;
  wallet: WalletAddress;
  email: string;
  fullName: string;
  /** CHZ, decimal text. */
  /** Null while the chain does not answer. */
  nativeBalance: string | null;
  tokens: HeldToken[];
  nfts: PurchaseNft[];
  purchases: PurchaseRecord[];
  totals: Totals | undefined;
  statement: Statement | undefined;
  /** Sales that are held for a person, and debts, newest first. */
  reviews: Review[];
  debts: Debt[];
};

/** A row whose fields may have other names or types. */
type Loose = Record<string, unknown>;
export type ProfileAnswer = { data?: Partial<Me> };
export type TicketAnswer = { data?: PublicTicket };

const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const number = (value: unknown): number => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value.replace(",", ".")) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : 0;
};

export function readConfig(answer: ConfigAnswer): AppConfig {
  return completeConfig(answer.data);
}

export type StorePage = {
  stores: Store[];
  /** The `after` of the next page; undefined on the last. */
  next: string | undefined;
  /** Undefined if there were too many to count. */
  total: number | undefined;
  filters: StoreFilters;
};

const NO_FILTERS: StoreFilters = { country: [], category: [], club: [] };

export function readStores(answer: Loose & { filters?: StoreFilters }): StorePage {
  return {
    stores: list(answer.stores ?? answer.data).map((one) => toStore(one)),
    next: text(answer.next_after) || undefined,
    total: number(answer.total) > 10_000 ? undefined : number(answer.total),
    filters: { ...NO_FILTERS, ...answer.filters },
  };
}

export function readStore(answer: Loose): Store {
  const row = answer.store ?? answer.data;
  if (!isRecord(row)) throw new Error("The answer holds no store");
  return toStore(row, answer.cashbacks);
}

function toStore(row: Loose & Partial<Record<keyof ApiStore, unknown>>, cashbacks: unknown = row.cashbacks): Store {
  const rates = list(cashbacks).map((one) => ({
    id: text(one.id),
    category: text(one.category),
    percent: text(one.cashback_percent),
    categoryEn: text(one.category_en).trim(),
    plainPercent: isRecord(one.boost) ? text(one.boost.plain_percent) : "",
  }));
  const percents = rates.map((one) => number(one.percent));
  const max = number(row.cashback_max) || number(row.max_cashback) || Math.max(0, ...percents);
  const min = number(row.cashback_min) || (percents.length > 0 ? Math.min(...percents) : max);
  return {
    id: text(row.id),
    name: text(row.name),
    country: text(row.country).trim(),
    club: text(row.club).trim(),
    category: text(row.category).trim(),
    description: text(row.description),
    terms: text(row.terms).trim(),
    english: englishOf(row),
    logo: text(row.logo),
    featured: row.featured === true || row.featured === 1,
    affiliateLink: text(row.affiliate_link) || text(row.affiliateLink),
    storeUrl: text(row.store_url),
    minCashback: min,
    maxCashback: max,
    cashbacks: rates,
    boost: isRecord(row.boost) ? { endsAt: text(row.boost.ends_at) } : undefined,
    holdDays: Math.round(number(row.hold_seconds) / DAY_SECONDS),
    isDraft: row.is_draft === true,
  };
}

function englishOf(row: Loose): Store["english"] {
  const named = (["country", "category", "description", "terms"] as const).map(
    (name) => [name, text(row[`${name}_en`]).trim()] as const,
  );
  return Object.fromEntries(named.filter(([, english]) => english));
}

export function readFanTokens(answer: Loose): FanToken[] {
  return list(answer.data ?? answer.tokens).map((row: Loose & Partial<Record<keyof ApiFanToken, unknown>>) => ({
    id: text(row.id),
    name: text(row.name),
    slug: text(row.slug).toLowerCase(),
    image: text(row.image),
    symbol: text(row.symbol) || text(row.slug).toUpperCase(),
    contract: text(row.contract),
  }));
}

export function readProfile({ data }: ProfileAnswer): Profile {
  if (!data || !text(data.wallet)) throw new Error("The answer holds no profile");
  const wallet = toWalletAddress(text(data.wallet));
  return {
    id: wallet,
    wallet,
    email: text(data.email),
    fullName: joinFullName(text(data.first_name), text(data.last_name)),
    nativeBalance: data.nativeBalance === null ? null : text(data.nativeBalance) || "0",
    tokens: readHeldTokens(data.tokens),
    nfts: list(data.nfts).map(toNft),
    purchases: data.purchases ?? [],
    totals: data.totals,
    statement: data.statement,
    reviews: data.reviews ?? [],
    debts: data.debts ?? [],
  };
}

/** A list of balances, or a map from symbol to balance. */
function readHeldTokens(value: unknown): HeldToken[] {
  const rows: Loose[] = isRecord(value)
    ? Object.entries(value).map(([symbol, balance]) => ({ symbol, balance }))
    : list(value);
  return rows.map((row) => ({
    symbol: text(row.symbol) || text(row.slug) || text(row.id),
    balance: row.balance === null ? null : text(row.balance) || text(row.amount) || "0",
    decimals: number(row.decimals),
    contract: text(row.contract),
  }));
}

export type { PublicTicket };

export function readTicket({ data }: TicketAnswer): PublicTicket {
  if (!data?.tokenId) throw new Error("The answer holds no ticket");
  const { store_id, status, minted, settled = null, paid = null, is_over = false } = data;
  return { ...toNft(data), store_id, status, minted, settled, paid, is_over };
}

function toNft(row: Loose): PurchaseNft {
  const metadata = isRecord(row.metadata) ? row.metadata : {};
  return {
    tokenId: text(row.tokenId),
    txHash: text(row.txHash),
    contract: text(row.contract),
    name: text(row.name),
    symbol: text(row.symbol),
    metadata: {
      name: text(metadata.name),
      image: text(metadata.image),
      description: text(metadata.description),
      attributes: list(metadata.attributes).map((one) => ({
        trait_type: text(one.trait_type),
        value: text(one.value),
      })),
    },
  };
}
