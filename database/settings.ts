import type { Queries } from "./transaction.ts";

/**
 * `reconciled` is how far database and chain were compared; `catalogue_version` changes with every catalogue write; `payouts_paused` holds the reason, empty when not paused;
 * `network` is the network of these rows; `distributor_flows` sums the distributor's deposits and
 * withdrawals other than payouts, up to a block; `rate_accepted` is the last rate that was accepted from
 * the feed; `chain_genesis` is the chain that these rows are about, as `id hash of block 0`;
 * `operator_nonces`, `minter_nonces` and so on are up to which nonce a key's transactions are explained, and the foreign
 * ones among them.
 */
export type SettingName =
  | "catalogue_version"
  | "payouts_paused"
  | "network"
  | "distributor_flows"
  | "reconciled"
  | "rate_accepted"
  | "chain_genesis"
  | "operator_nonces"
  /** How many differences the last comparison of database and chain found. */
  | "differences"
  /** What had come to need a person when notices were last written, as JSON. */
  | "noticed"
  | "minter_nonces"
  | "confirmer_nonces"
  | "payer_nonces"
  /** When the last backup was finished, and when the last comparison with the chain came to a result; milliseconds. */
  | "backed_up_at"
  | "reconciled_at"
  /** From which block the indexer is asked to read the chain again; empty once it has. */
  | "second_read"
  /** The index was complete: sales that are read may become purchases. */
  | "ids_open";

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

/** Writes a setting unless it has a value already; answers the value that it has from now on. */
export async function writeSettingOnce(queries: Queries, name: SettingName, value: string): Promise<string> {
  const updated_at = BigInt(Date.now());
  await queries
    .insertInto("settings")
    .values({ name, value, updated_at })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await readSetting(queries, name)) ?? value;
}
