import type { Queries } from "./transaction.ts";

/**
 * `reconciled` is how far database and chain have been compared; `catalogue_version` changes with every catalogue
 * write; `payouts_paused` holds the reason, empty when not paused; `network` is the network of these rows;
 * `distributor_flows` sums the distributor's deposits and withdrawals other than payouts, up to a block;
 * `rate_accepted` is the last rate that was accepted from the feed; `chain_genesis` is the chain these rows belong to,
 * as `id hash of block 0`; `operator_nonces`, `minter_nonces` and so on hold the nonce up to which a key's transactions
 * are accounted for, and the foreign ones among them.
 */
export type SettingName =
  | "catalogue_version"
  | "payouts_paused"
  /** The system's own reason as JSON; empty for a person's reason. */
  | "payouts_paused_cause"
  | "network"
  /** The end of the audit log when it was last told, as `auditHeadText`; the admins of the last start. */
  | "audit_head"
  | "admin_wallets"
  | "distributor_flows"
  | "reconciled"
  | "rate_accepted"
  | "chain_genesis"
  | "operator_nonces"
  /** The number of differences found by the last comparison of database and chain. */
  | "differences"
  /** The first differences as JSON: kind and purchase. */
  | "difference_list"
  /** The open tasks when notices were last written, as JSON. */
  | "noticed"
  | "minter_nonces"
  | "confirmer_nonces"
  | "payer_nonces"
  /** When the last backup finished, its copy was elsewhere, and the last comparison with the chain completed; milliseconds. */
  | "backed_up_at"
  | "backup_copied_at"
  /** How long the last backups took, and the last trial of a copy, as JSON. */
  | "backup_runs"
  | "drilled"
  | "reconciled_at"
  /** The block from which the indexer is asked to reread the chain; empty once it has. */
  | "second_read"
  /** When the index was last known to be complete, so that sales may become purchases; milliseconds. */
  | "ids_open"
  /** Up to which block tickets without a purchase are known to an operator, as JSON with their contract. */
  | "unclaimed_accepted"
  /** Why the database may be older than the chain, as JSON; empty once an operator has run `npm run restored`. */
  | "recovery"
  /** The migration that a version must know to work with this schema; none if every version since the first can. */
  | "schema_requires"
  /** No boost is more, in basis points: `BOOST_MAX_PERCENT` of the api that started last. */
  | "boost_max_bps"
  /** Whether sales are real, `true` or `false`, as the api that started last says; until one has, they are not. */
  | "sales_are_live"
  /** A digest of the rules by which sales were decided last. */
  | "sale_rules"
  /** When a store, or what an account may lose, last changed so that it can end what sales are held for; milliseconds. */
  | "held_changed_at"
  /** Which payouts by staff take a second person, and who may decide, as JSON: in force, and of each api that runs. */
  | "approval_rules"
  /** Nothing: held by whoever counts the links of e-mails. */
  | "links_counted"
  /** Signs where the next page of a public list starts. */
  | "cursor_key"
  /** Makes links that end e-mails, where there is no `SALE_REF_KEY`. */
  | "unsubscribe_key"
  /** Up to which time and id rows were looked at for deletion. */
  | "clicks_swept"
  | "claim_pictures_swept"
  /** Nothing: written to see whether the database can write. */
  | "write_probe";

export async function readSetting(queries: Queries, name: SettingName): Promise<string | undefined> {
  const row = await queries.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(queries: Queries, name: SettingName, value: string): Promise<void> {
  const updated_at = BigInt(Date.now());
  await queries
    .insertInto("settings")
    .values({ name, value, updated_at })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value, updated_at }))
    .execute();
}

/** Writes a setting unless it already has a value; returns the resulting value. */
export async function writeSettingOnce(queries: Queries, name: SettingName, value: string): Promise<string> {
  const updated_at = BigInt(Date.now());
  await queries
    .insertInto("settings")
    .values({ name, value, updated_at })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await readSetting(queries, name)) ?? value;
}
