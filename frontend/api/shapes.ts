import type { z } from "zod";
import type {
  FanToken as ApiFanToken,
  Store as ApiStore,
  fanTokensResponseSchema,
  StoreFilters,
  storeResponseSchema,
  storesResponseSchema,
} from "../../core/rules/api/catalogue.ts";
import type {
  Me as AnsweredMe,
  OwnSession as AnsweredSession,
  PublicTicket as AnsweredTicket,
} from "../../core/rules/api/people.ts";
import type { PurchaseRecord as AnsweredPurchase } from "../../core/rules/api/purchases.ts";
import { DAY_SECONDS } from "../../core/rules/iso-time.ts";
import { LANGUAGE_NAMES, type Language, textIn } from "../../core/rules/languages.ts";
import { recordOf } from "../../core/rules/records.ts";
import { joinFullName } from "../../core/rules/text.ts";
import { toWalletAddress, type WalletAddress } from "../../core/rules/wallet-address.ts";
import type { Heard } from "./heard.ts";

/** The API's answers as the buyer's screens use them. */

/** A text in each language. */
type Said = Record<Language, string>;
const TEXTS = ["country", "category", "description", "terms"] as const;
/** `terms`: what earns no cashback in this store, in addition to the shop-wide exclusions. */
export type StoreTexts = Record<(typeof TEXTS)[number], string>;

/**
 * Ids are text here, so that database ids and sample ids have one type. `plainPercent` is the percent without the boost
 * that runs; empty if none does.
 */
export type StoreCashback = { id: string; category: string; percent: string; names: Said; plainPercent: string };
export type Store = {
  id: string;
  name: string;
  country: string;
  club: string;
  /** Empty if it is of no club that is known. */
  clubSlug: string;
  /** The fan token of the club that a person chose for it. docs/product.md#club-match */
  clubToken: string | null;
  category: string;
  /** docs/product.md#store-languages */
  texts: Record<Language, StoreTexts>;
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
  isPaused: boolean;
};

export type FanToken = Omit<ApiFanToken, "id" | "contract"> & { id: string; contract: string };

export type PurchaseRecord = Heard<AnsweredPurchase>;
export type PublicTicket = Heard<AnsweredTicket>;
export type OwnSession = Heard<AnsweredSession>;
type Me = Heard<AnsweredMe>;

/** `totals` is undefined if the server sends none. docs/product.md#cashback-totals */
export type Profile = Omit<Me, "wallet" | "first_name" | "last_name" | "totals"> & {
  wallet: WalletAddress;
  fullName: string;
  totals: Me["totals"] | undefined;
};

type ProfileAnswer = { data?: Omit<Me, "totals"> & Partial<Pick<Me, "totals">> };

export type StorePage = {
  stores: Store[];
  /** The `after` of the next page; undefined on the last. */
  next: string | undefined;
  /** Undefined if there were too many to count. */
  total: number | undefined;
  filters: StoreFilters;
};

export function readStores({ stores, next_after, total, filters }: z.infer<typeof storesResponseSchema>): StorePage {
  return {
    stores: stores.map(toStore),
    next: next_after === null ? undefined : String(next_after),
    total: total > 10_000 ? undefined : total,
    filters,
  };
}

export function readStore({ store }: Partial<z.infer<typeof storeResponseSchema>>): Store {
  if (!store) throw new Error("The answer holds no store");
  return toStore(store);
}

function toStore(row: ApiStore): Store {
  return {
    id: String(row.id),
    name: row.name,
    country: row.country.trim(),
    club: row.club?.trim() ?? "",
    clubSlug: row.club_slug ?? "",
    clubToken: row.club_token_slug ?? null,
    category: row.category?.trim() ?? "",
    texts: recordOf(LANGUAGE_NAMES, (language) => recordOf(TEXTS, (field) => textIn(row, field, language))),
    logo: row.logo ?? "",
    featured: row.featured,
    affiliateLink: row.affiliate_link ?? "",
    storeUrl: row.store_url ?? "",
    minCashback: row.cashback_min,
    maxCashback: row.cashback_max,
    cashbacks: row.cashbacks
      .filter((one) => !one.is_unpaid)
      .map((one) => ({
        id: String(one.id),
        category: one.category,
        percent: one.cashback_percent,
        names: recordOf(LANGUAGE_NAMES, (language) => textIn(one, "category", language)),
        plainPercent: one.boost?.plain_percent ?? "",
      })),
    boost: row.boost && { endsAt: row.boost.ends_at },
    holdDays: Math.round((row.hold_seconds ?? 0) / DAY_SECONDS),
    isDraft: row.is_draft,
    isPaused: Boolean(row.paused),
  };
}

export function readFanTokens({ data }: z.infer<typeof fanTokensResponseSchema>): FanToken[] {
  return data.map((row) => ({ ...row, id: String(row.id), contract: row.contract ?? "" }));
}

export function readProfile({ data }: ProfileAnswer): Profile {
  if (!data?.wallet) throw new Error("The answer holds no profile");
  const { wallet, first_name, last_name, ...rest } = data;
  return { totals: undefined, ...rest, wallet: toWalletAddress(wallet), fullName: joinFullName(first_name, last_name) };
}
