import { connect, type Database, DatabaseUnavailableError } from "../../database/connect.ts";
import { requireUsableSchema } from "../../database/migrate.ts";
import { requireNetwork } from "../../platform/database-network.ts";
import type { OperatorEnvironment } from "./environment.ts";

/**
 * Opens the database for a command, and prints its location, chain and contracts unless `print` is false. It never creates a database and never
 * migrates the schema: only `start`, `api`, `indexer` and `restore` do.
 * @throws DatabaseUnavailableError if there is none, or if it belongs to another network or version
 */
export async function openDatabase(
  environment: OperatorEnvironment,
  { print = console.log }: { print?: ((line: string) => void) | false } = {},
): Promise<Database> {
  const database = await connect(environment.databaseUrl, { mustExist: true });
  try {
    await requireSchema(database);
    await requireNetwork(database, environment.network, environment.contracts);
    if (print) print(`Acting on ${await descriptionOf(database, environment)}`);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function requireSchema({ kysely, location }: Database): Promise<void> {
  const applied = await requireUsableSchema(kysely, location);
  if (applied.length === 0) {
    throw new DatabaseUnavailableError(
      `${location} has no tables of Torcida: start the api or the indexer once, or correct DATABASE_URL and DATA_DIR`,
    );
  }
}

async function descriptionOf(
  database: Database,
  { network, chainId, contracts }: OperatorEnvironment,
): Promise<string> {
  const indexed = await database.kysely.selectFrom("chain_source").selectAll().executeTakeFirst();
  const nft = contracts?.purchaseNft ?? indexed?.purchase_nft;
  const distributor = contracts?.cashbackDistributor ?? indexed?.cashback_distributor;
  const deployed = nft ? `PurchaseNFT ${nft}, CashbackDistributor ${distributor}` : "no contracts yet";
  return `the database ${database.location} of ${network} (chain ${chainId}): ${deployed}`;
}
