import { sql } from "kysely";
import { type Contracts, distributorsOf, ticketContractsOf } from "../chain/deployment.ts";
import { DatabaseUnavailableError } from "../database/connect.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import { CHAIN_IDS, type Network } from "../rules/networks.ts";

/** The database belongs to another network than this process. */
export class OtherNetworkError extends DatabaseUnavailableError {
  override readonly docs = "docs/product.md#chain-networks";
}

type Place = { kysely: Queries; location: string };

/** Records the network of a database; must be called by every process that writes. @throws OtherNetworkError */
export async function claimForNetwork(database: Place, network: Network): Promise<void> {
  const noted = await readSetting(database.kysely, "network");
  if (noted === network) return requireNetwork(database, network);
  // A first start with the wrong NETWORK must not write anything.
  if (await hasRows(database.kysely)) await requireNetwork(database, network);
  await writeSetting(database.kysely, "network", network);
}

async function hasRows(queries: Queries): Promise<boolean> {
  for (const table of ["stores", "users", "purchases", "chain_source"] as const) {
    if (await queries.selectFrom(table).select(sql`1`.as("one")).limit(1).executeTakeFirst()) return true;
  }
  return false;
}

/**
 * Rejects a database of another network or, if given, of other contracts.
 * @throws OtherNetworkError
 */
export async function requireNetwork(database: Place, network: Network, contracts?: Contracts): Promise<void> {
  const noted = await readSetting(database.kysely, "network");
  const indexed = await database.kysely.selectFrom("chain_source").selectAll().executeTakeFirst();
  const refuse = (ofWhat: string, forWhat: string): never => {
    throw new OtherNetworkError(
      `${database.location} is of ${ofWhat}, but this process is for ${forWhat}: correct NETWORK, or DATABASE_URL and DATA_DIR`,
    );
  };
  if (noted !== undefined && noted !== network) refuse(noted, network);
  if (!indexed) return;
  if (Number(indexed.chain_id) !== CHAIN_IDS[network]) refuse(`chain ${indexed.chain_id}`, network);
  if (!contracts) return;
  for (const [name, known, wanted] of [
    ["PurchaseNFT", indexed.purchase_nft, ticketContractsOf(contracts)],
    // A predecessor is accepted until the indexer runs with the successor.
    ["CashbackDistributor", indexed.cashback_distributor, distributorsOf(contracts)],
  ] as const) {
    if (!wanted.includes(known)) refuse(`${name} ${known}`, `${network}'s ${wanted[0]}`);
  }
}
