import type { Generated } from "kysely";
import type { Situation } from "../../domain/purchase/situation.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { ChangedFact } from "../changed-facts.ts";

/** Purchases, and counters kept with them. */
export type PurchaseTables = {
  purchases: PurchasesTable;
  due_purchases: DuePurchasesTable;
  changed_facts: ChangedFactsTable;
  buyer_totals: BuyerTotalsTable;
  shop_totals: ShopTotalsTable;
  day_totals: DayTotalsTable;
  simulated_days: SimulatedDaysTable;
  decided_days: DecidedDaysTable;
  adjustments: AdjustmentsTable;
  chz_rates: ChzRatesTable;
};

/** What changed for many sales or payouts at once, and up to which one they were decided anew. */
type ChangedFactsTable = { fact: ChangedFact; store_id: bigint; after_id: bigint };

/** The first rate of a day of São Paulo (`YYYY-MM-DD`): what CHZ that was paid on it is said to be worth. */
type ChzRatesTable = { day: string; wei_per_cent: bigint; accepted_at: bigint };

/** What simulated purchases of a UTC day are worth; the empty wallet stands for all. */
type SimulatedDaysTable = { day: bigint; wallet: string; cents: bigint };

/** The payouts that one person's decisions led to in a UTC day, those that wait for a second person included. */
type DecidedDaysTable = { decider: string; day: bigint; gwei: bigint };

type PurchasesTable = {
  /** Also the token id. */
  id: Generated<bigint>;
  wallet: WalletAddress;
  store_id: bigint;
  /** Frozen: the store's name at the time of the purchase. */
  store_name: string;
  amount_cents: bigint;
  cashback_bps: bigint;
  bonus_bps: bigint;
  token_slug: string | null;
  /** The block at which the buyer's holding was read; null without a fan token. */
  holdings_block: bigint | null;
  metadata_uri: string;
  source: "simulated" | "live";
  /** The rate, frozen at confirmation; null before. */
  wei_per_cent: bigint | null;
  /** When its cashback becomes payable; null until it is confirmed. */
  payable_at: bigint | null;
  /** The unguessable id by which an affiliate network reports the sale. */
  click_id: string;
  /** The part of its cashback that was kept to settle debt. docs/product.md#debt. */
  offset_gwei: Generated<bigint>;
  /** The network approved the sale: it is confirmed and, after the hold, paid automatically. */
  approved_at: bigint | null;
  /** The store or its network reversed the sale. */
  reversed_at: bigint | null;
  /** Nothing is left to do: the payout is final, or the purchase is cancelled or fully offset. */
  settled_at: bigint | null;
  /** The sale of this purchase; null if it is simulated. */
  sale_id: bigint | null;
  /** What its ticket carries so that the chain knows the sale, as a signed 64-bit integer; 0 if it is simulated. */
  sale_ref: Generated<bigint>;
  /** The exact cashback in cents × basis points: at most value × percent. */
  cashback_cent_bps: Generated<bigint>;
  created_at: bigint;
  /** How it was counted in the totals; null if it never was. Only `purchases/counting.ts` writes these. */
  counted_status: bigint | null;
  /** Its cashback; null while its rate is not frozen. */
  counted_gwei: bigint | null;
  counted_cent_bps: Generated<bigint>;
  counted_paid_gwei: Generated<bigint>;
  counted_open: Generated<bigint>;
  /** Where it was when it was counted; in live mode a simulated one may be `never_paid` since. */
  situation: Generated<Situation>;
  /** An admin holds it: it is neither confirmed nor paid until it is released. */
  held_at: bigint | null;
  held_by: string | null;
  held_reason: string | null;
  /** The last person, or `service`, whose decision lets it be paid; null if nobody had to decide. */
  decided_by: string | null;
  /** As its payout is counted in `decided_days`. */
  decided_day: bigint | null;
  decided_gwei: bigint | null;
  /** The request that its payout waits for. */
  approval_id: bigint | null;
};

/** When the next step of a purchase is due; without a row, only a change can lead to one. */
type DuePurchasesTable = {
  purchase_id: bigint;
  due_at: bigint | null;
  /** The same as a block that the index must have reached. */
  due_block: bigint | null;
  /** Why its next step could not be decided when it was due, and how often. */
  problem: string | null;
  attempts: Generated<bigint>;
};

/** Totals of a buyer's purchases. Cashback without a frozen rate is summed as cents × basis points. */
type BuyerTotalsTable = {
  wallet: WalletAddress;
  processing: bigint;
  pending: bigint;
  confirmed: bigint;
  cancelled: bigint;
  /** Of processing and pending purchases. */
  pending_gwei: bigint;
  pending_cent_bps: bigint;
  confirmed_gwei: bigint;
  confirmed_cent_bps: bigint;
  paid_gwei: bigint;
  /** Grows with every change of the others. */
  revision: Generated<bigint>;
};

/** Totals of the whole shop; add up the rows of a name. */
type ShopTotalsTable = {
  name: string;
  slot: bigint;
  value: bigint;
};

/** Totals of a UTC day; add up the rows of a name. */
type DayTotalsTable = {
  /** Days since 1970-01-01. */
  day: bigint;
  name: string;
  slot: bigint;
  value: bigint;
};

/** The debt for a paid purchase; negative if it is lifted. */
type AdjustmentsTable = {
  purchase_id: bigint;
  /** The revision that caused it; 0n for a purchase without a sale. */
  revision_id: bigint;
  wallet: WalletAddress;
  cent_bps: bigint;
  amount_gwei: bigint;
  created_at: bigint;
};
