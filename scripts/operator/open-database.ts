import { connect, type Database, DatabaseUnavailableError } from "../../core/database/connect.ts";
import { requireUsableSchema } from "../../core/database/migrate.ts";
import type { DeployedContracts } from "../../core/process/contracts.ts";
import { requireNetwork } from "../../core/process/database-network.ts";
import type { OperatorEnvironment } from "./environment.ts";

type Pair = Pick<DeployedContracts, "purchaseNft" | "cashbackDistributor">;

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
    if (print) print(actingOn(database.location, environment, await indexedContracts(database)));
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

async function indexedContracts({ kysely }: Database): Promise<Pair | undefined> {
  const indexed = await kysely.selectFrom("chain_source").selectAll().executeTakeFirst();
  return indexed && { purchaseNft: indexed.purchase_nft, cashbackDistributor: indexed.cashback_distributor };
}

/** What a command says first. `indexed`: the contracts that the database knows, if it has any. */
export function actingOn(
  location: string,
  { network, chainId, contracts }: OperatorEnvironment,
  indexed?: Pair | undefined,
): string {
  const pair = contracts ?? indexed;
  const deployed = pair
    ? `PurchaseNFT ${pair.purchaseNft}, CashbackDistributor ${pair.cashbackDistributor}`
    : "no contracts yet";
  return `Acting on the database ${location} of ${network} (chain ${chainId}): ${deployed}`;
}
