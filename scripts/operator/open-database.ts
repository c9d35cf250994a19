import { connect, type Database, DatabaseUnavailableError } from "../../core/database/connect.ts";
import { OtherSchemaError, requireUsableSchema, unappliedOf } from "../../core/database/migrate.ts";
import type { DeployedContracts } from "../../core/process/contracts.ts";
import { requireNetwork } from "../../core/process/database-network.ts";
import type { OperatorEnvironment } from "./environment.ts";

type Pair = Pick<DeployedContracts, "purchaseNft" | "cashbackDistributor">;

/**
 * Opens the database for a command, and prints its location, chain and contracts unless `print` is false. It never creates a database and never
 * migrates the schema: only `start`, `api`, `indexer`, `affiliates`, `migrate` and `restore` do. `mayBeOlder`: also one that no process of
 * this version has upgraded yet.
 * @throws DatabaseUnavailableError if there is none, or if it belongs to another network or version
 */
export async function openDatabase(
  environment: OperatorEnvironment,
  { print = console.log, mayBeOlder = false }: { print?: ((line: string) => void) | false; mayBeOlder?: boolean } = {},
): Promise<Database> {
  const database = await connect(environment.databaseUrl, { mustExist: true });
  try {
    await requireSchema(database, mayBeOlder);
    await requireNetwork(database, environment.network, environment.contracts);
    if (print) print(actingOn(database.location, environment, await indexedContracts(database)));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function requireSchema({ kysely, location }: Database, mayBeOlder: boolean): Promise<void> {
  const applied = await requireUsableSchema(kysely, location);
  if (applied.length === 0) {
    throw new DatabaseUnavailableError(
      `${location} has no tables of Torcida: start the api or the indexer once, or correct DATABASE_URL and DATA_DIR`,
    );
  }
  if (mayBeOlder || unappliedOf(applied).length === 0) return;
  throw new OtherSchemaError(
    `The database ${location} is still that of an earlier version: start the api or the indexer of this one, which upgrades it, or use the earlier version's commands`,
  );
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
