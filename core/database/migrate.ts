import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { type Database, type DatabaseEngine, DatabaseUnavailableError } from "./connect.ts";
import { INITIAL_MIGRATION, up as initial } from "./migrations/0001-initial.ts";
import { openWords } from "./migrations/0002-open-words.ts";
import { clubs } from "./migrations/0024-clubs.ts";
import { readSql, runSql } from "./migrations/sql-migration.ts";
import { readSetting, writeSetting } from "./settings.ts";
import { databaseErrorCode, type Queries } from "./transaction.ts";

/**
 * A step of the schema: it adds, with defaults, so that the version before works on. One that removes names in `requires`
 * the migration of the first version that no longer uses what goes. docs/upgrading.md#what-holds-from-100-on
 */
export type SchemaMigration = {
  name: string;
  up: (db: Kysely<unknown>, engine: DatabaseEngine) => Promise<void>;
  requires?: string;
};

/** One that is a file of SQL of its name. */
const bySql = (name: string): SchemaMigration => ({
  name,
  up: (db, engine) => runSql(db, engine, readSql(`${name}.sql`)),
});

/** In order; from 1.0.0 on only ever appended to. */
export const MIGRATIONS: readonly SchemaMigration[] = [
  { name: INITIAL_MIGRATION, up: initial },
  { name: "0002-open-words", up: openWords },
  bySql("0003-account-books"),
  bySql("0004-proposals"),
  bySql("0005-said-of-sales"),
  bySql("0006-facts-of-others"),
  bySql("0007-purses"),
  bySql("0008-people"),
  bySql("0009-chain-grades"),
  bySql("0010-node-calls"),
  bySql("0011-deciders"),
  bySql("0012-paid-rates"),
  bySql("0013-day-shares"),
  bySql("0014-site-files"),
  bySql("0016-store-domains"),
  bySql("0017-push"),
  bySql("0018-contract-events"),
  bySql("0019-ticket-contracts"),
  bySql("0020-returns"),
  bySql("0021-session-writes"),
  bySql("0022-programmes"),
  bySql("0023-offers"),
  { name: "0024-clubs", up: clubs },
  bySql("0025-fans"),
  bySql("0026-traces"),
  bySql("0027-account-losses"),
  bySql("0028-logos-and-months"),
];

/** How often an upgrade is tried beside a shop whose transactions hold what it needs, and how long each waits for that. */
const ATTEMPTS = 20;
const LOCK_TIMEOUT = "2s";
/** PostgreSQL: a deadlock, a lock that was not to be had in time. */
const HELD_CODES = new Set(["40P01", "55P03"]);

/** Another version of this program made the database; the message says what to do. */
export class OtherSchemaError extends DatabaseUnavailableError {
  override readonly docs = "docs/upgrading.md#another-version";
}

/**
 * Creates or upgrades the schema. Processes that start together wait for each other. A database that a newer version has
 * upgraded stays as it is.
 * @throws OtherSchemaError if this version cannot work with it
 * @throws the error of the failing migration; nothing of this call is applied
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<void> {
  const { kysely, location } = database;
  const isBehind = async () => {
    const applied = await requireUsableSchema(kysely, location, migrations);
    return applied.length < migrations.length;
  };
  for (let attempt = 1; await isBehind(); attempt++) {
    try {
      await migrateTo(kysely, database, migrations);
    } catch (error) {
      // A newer version that was first is no failure.
      const isHeld = HELD_CODES.has(databaseErrorCode(error) ?? "") && attempt < ATTEMPTS;
      if (!isHeld && (await isBehind())) throw error;
    }
  }
}

/** Applies those of `migrations` that are missing, which must include all that are applied. */
export async function migrateTo(
  queries: Queries,
  { engine, schemaEditor }: Pick<Database, "engine" | "schemaEditor">,
  migrations: readonly SchemaMigration[],
): Promise<void> {
  // In a transaction of PostgreSQL, the migrator's next statement fails too, and would hide why.
  let failure: unknown;
  const fail = (error: unknown) => {
    failure = error;
    throw error;
  };
  const byName = migrations.map(({ name, up, requires }) => {
    const apply = async (db: Kysely<unknown>) => {
      // What runs would otherwise wait behind it for as long as it waits for the slowest of them.
      if (engine === "postgres") await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(db);
      await up(db, engine);
      if (requires) await writeSetting(db as Queries, "schema_requires", requires);
    };
    return [name, { up: (db: Kysely<unknown>) => apply(db).catch(fail) }] as const;
  });
  const provider = { getMigrations: async () => Object.fromEntries(byName) };
  schemaEditor?.(true);
  try {
    const { error } = await new Migrator({ db: queries, provider }).migrateToLatest();
    if (error) throw failure ?? error;
  } finally {
    schemaEditor?.(false);
  }
}

/**
 * Returns the names of the applied migrations, oldest first; none for a new database.
 * @throws OtherSchemaError if a version that knows `migrations` cannot work with the database at `location`
 */
export async function requireUsableSchema(
  queries: Queries,
  location: string,
  migrations = MIGRATIONS,
): Promise<string[]> {
  const applied = await migrationsOf(queries);
  const isKnown = (name: string) => migrations.some((migration) => migration.name === name);
  if (applied[0] !== undefined && !isKnown(applied[0])) {
    throw new OtherSchemaError(
      `The database ${location} was made by another version before 1.0.0: export its catalogue with that version (npm run catalog -- export FILE), then start anew with an empty folder or database`,
    );
  }
  const newer = applied.findLast((name) => !isKnown(name));
  const requires = newer && (await readSetting(queries, "schema_requires"));
  if (requires && !isKnown(requires)) {
    throw new OtherSchemaError(
      `The database ${location} was upgraded by a newer version (${newer}), which removed what this one uses: start that version, or restore a backup of this one`,
    );
  }
  return applied;
}

/** The names of this version's migrations that are not among `applied`, oldest first. */
export function unappliedOf(applied: readonly string[]): string[] {
  return MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name));
}

/** The names of the applied migrations, oldest first. */
export async function migrationsOf(queries: Queries): Promise<string[]> {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(queries);
  return rows.map((row) => row.name);
}
