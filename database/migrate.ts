import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { type Database, DatabaseUnavailableError } from "./connect.ts";
import { INITIAL_MIGRATION, up as initial } from "./migrations/0001-initial.ts";
import type { Queries } from "./transaction.ts";

/** Another version of this program made the database; the message says what to do. */
export class OtherSchemaError extends DatabaseUnavailableError {
  override readonly name = "OtherSchemaError";
  override readonly docs = "docs/upgrading.md#another-version";
}

/**
 * Creates the schema if there is none. Processes that start together wait for each other.
 * @throws OtherSchemaError if another version made the database
 * @throws the error of the failing migration; nothing of this call is applied
 */
export async function migrate({ kysely, engine, location }: Database): Promise<void> {
  refuseOtherSchema(await migrationsOf(kysely), location);
  const migrations = { [INITIAL_MIGRATION]: { up: (db: Kysely<unknown>) => initial(db, engine) } };
  const { error } = await new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  if (error) throw error;
}

/** @throws OtherSchemaError if these migrations of the database at `location` are of another version */
export function refuseOtherSchema(migrations: readonly string[], location: string): void {
  if (migrations.length > 0 && !migrations.includes(INITIAL_MIGRATION)) {
    throw new OtherSchemaError(
      `The database ${location} was made by another version before 1.0.0: export its catalogue with that version (npm run catalog -- export FILE), then start anew with an empty folder or database`,
    );
  }
  const newer = migrations.find((name) => name !== INITIAL_MIGRATION);
  if (newer !== undefined) {
    throw new OtherSchemaError(
      `The database ${location} was upgraded by a newer version (${newer}): start that version, or restore a backup of this one`,
    );
  }
}

/** The names of the applied migrations, oldest first. */
export async function migrationsOf(queries: Queries): Promise<string[]> {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(queries);
  return rows.map((row) => row.name);
}
