import type { Generated, GeneratedAlways } from "kysely";
import type { PercentApprovalState } from "../../domain/api/boosts.ts";
import type { RARE_STORE_TEXTS, STORE_COUNTS, STORE_TEXTS } from "../../domain/api/catalogue.ts";
import type { BoostDecision } from "../../domain/boost.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

export type CatalogueTables = {
  stores: StoresTable;
  store_words: StoreWordsTable;
  store_cashbacks: StoreCashbacksTable;
  store_boosts: StoreBoostsTable;
  percent_approvals: PercentApprovalsTable;
  fan_tokens: FanTokensTable;
};

type StoreColumns = Record<keyof typeof STORE_TEXTS | keyof typeof RARE_STORE_TEXTS, string | null> &
  Record<keyof typeof STORE_COUNTS, bigint | null>;

type StoresTable = StoreColumns & {
  id: Generated<bigint>;
  name: string;
  country: string;
  featured: bigint;
  /** The name for searching and sorting in the panel: `searchKey`. */
  name_key: Generated<string>;
  /** For filters: `searchKey`, empty if there is none. */
  country_key: Generated<string>;
  category_key: Generated<string>;
  club_key: Generated<string>;
  /** With the boosts that run; turned when one starts or ends. */
  max_cashback_bps: Generated<bigint>;
  /** 1n if it has a link and cashback: it is on offer once its name is on chain. */
  sells: GeneratedAlways<bigint>;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};

/** The words by which the stores page finds a store. */
type StoreWordsTable = { store_id: bigint; word: string };

type StoreCashbacksTable = {
  id: Generated<bigint>;
  store_id: bigint;
  category: string;
  category_en: Generated<string | null>;
  cashback_bps: bigint;
  /** The network's commission group; null if the percent is for no particular group. */
  group_code: string | null;
  /** 1n for the category of unknown groups. */
  is_default: Generated<bigint>;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};

/** A higher percent for a time. docs/product.md#boost */
type StoreBoostsTable = {
  id: Generated<bigint>;
  store_id: bigint;
  /** Null: for the whole store. */
  category_id: bigint | null;
  boost_bps: bigint;
  starts_at: bigint;
  /** Earlier than planned if an admin ended it. */
  ends_at: bigint;
  planned_end_at: bigint;
  decision: BoostDecision;
  /** Who planned it. */
  planned_by: string;
  created_at: bigint;
  /** When the store's highest percent must be computed again: its start, then its end; null once it is over. */
  turns_at: bigint | null;
};

/** A percent above the limit of what one person may promise. docs/product.md#percent-approvals */
type PercentApprovalsTable = {
  id: Generated<bigint>;
  store_id: bigint;
  /** The boost; null if it is a category's own percent. */
  boost_id: bigint | null;
  /** The category; null for a boost of the whole store and for a category that is created by the approval. */
  category_id: bigint | null;
  category: string | null;
  bps: bigint;
  /** The category's percent when it was asked; null for boosts and new categories. */
  from_bps: bigint | null;
  /** The other fields of a category that the approval creates, as JSON. */
  fields: string | null;
  state: PercentApprovalState;
  asked_by: string;
  decided_by: string | null;
  decision_reason: string | null;
  created_at: bigint;
  decided_at: bigint | null;
};

type FanTokensTable = {
  id: Generated<bigint>;
  name: string;
  slug: string;
  symbol: string;
  image: string;
  /** The ERC-20 contract whose balance counts; null counts as no holding. */
  contract: WalletAddress | null;
  created_at: bigint;
  updated_at: bigint;
  deleted_at: bigint | null;
};
