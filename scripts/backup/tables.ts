import type { Database } from "../../database/connect.ts";
import { OtherSchemaError } from "../../database/migrate.ts";
import type { Schema } from "../../database/schema.ts";
import { keysOf } from "../../domain/records.ts";

export type TableName = keyof Schema;

/** Every table with its primary key, the order of reading; referenced tables come first. */
export const TABLES: Readonly<Record<TableName, readonly string[]>> = {
  users: ["wallet"],
  sessions: ["token_hash"],
  sign_in_nonces: ["nonce"],
  stores: ["id"],
  store_words: ["word", "store_id"],
  store_cashbacks: ["id"],
  store_boosts: ["id"],
  percent_approvals: ["id"],
  fan_tokens: ["id"],
  clicks: ["id"],
  sales: ["id"],
  sale_revisions: ["id"],
  sale_hints: ["id"],
  unread_rows: ["network", "account", "row_key"],
  sale_totals: ["network", "account", "store_id", "month"],
  store_clicks: ["store_id", "month", "slot"],
  claims: ["id"],
  claim_pictures: ["claim_id"],
  affiliate_cursors: ["network", "account", "pass"],
  affiliate_status: ["network", "account"],
  chz_rates: ["day"],
  fx_rates: ["currency", "day"],
  fx_requests: ["currency", "day"],
  purchases: ["id"],
  due_purchases: ["purchase_id"],
  changed_facts: ["fact"],
  buyer_totals: ["wallet"],
  shop_totals: ["name", "slot"],
  day_totals: ["day", "name", "slot"],
  simulated_days: ["day", "wallet"],
  decided_days: ["decider", "day"],
  events: ["id"],
  event_readers: ["wallet"],
  mails: ["id"],
  notices: ["id"],
  approvals: ["id"],
  adjustments: ["purchase_id", "revision_id"],
  affiliate_events: ["network", "event_id"],
  idempotency_keys: ["wallet", "key"],
  settings: ["name"],
  audit_log: ["id"],
  transactions: ["id"],
  transaction_hashes: ["hash"],
  operations: ["id"],
  chain_blocks: ["number"],
  chain_events: ["block_number", "log_index"],
  chain_cursor: ["id"],
  chain_source: ["id"],
  nfts: ["token_id"],
  payouts: ["token_id"],
  leases: ["name"],
};

export const TABLE_NAMES: readonly TableName[] = keysOf(TABLES);

/** Columns that the database computes: they cannot be written. */
export const COMPUTED: ReadonlySet<string> = new Set(["sells"]);

/** Tables with ids assigned by the database. */
export const NUMBERED: readonly TableName[] = [
  "stores",
  "store_cashbacks",
  "store_boosts",
  "percent_approvals",
  "fan_tokens",
  "clicks",
  "sales",
  "sale_revisions",
  "sale_hints",
  "claims",
  "purchases",
  "events",
  "mails",
  "notices",
  "approvals",
  "audit_log",
  "transactions",
  "operations",
];

/** Throws if the database has a table that is not in this list, because it would silently be left out. */
export async function refuseUnknownTables({ kysely }: Database): Promise<void> {
  const present = (await kysely.introspection.getTables()).map((table) => table.name);
  const unknown = present.filter((name) => !(name in TABLES) && !name.startsWith("sqlite_"));
  if (unknown.length > 0) {
    throw new OtherSchemaError(
      `The backup of this version does not know ${unknown.join(", ")}: make it with the version that upgraded the database`,
    );
  }
}
