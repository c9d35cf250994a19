import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { type Database, type DatabaseEngine, DatabaseUnavailableError } from "./connect.ts";
import { INITIAL_MIGRATION, up as initial } from "./migrations/0001-initial.ts";
import { openWords } from "./migrations/0002-open-words.ts";
import { accountBooks } from "./migrations/0003-account-books.ts";
import { proposals } from "./migrations/0004-proposals.ts";
import { saidOfSales } from "./migrations/0005-said-of-sales.ts";
import { factsOfOthers } from "./migrations/0006-facts-of-others.ts";
import { purses } from "./migrations/0007-purses.ts";
import { people } from "./migrations/0008-people.ts";
import { chainGrades } from "./migrations/0009-chain-grades.ts";
import { nodeCalls } from "./migrations/0010-node-calls.ts";
import { deciders } from "./migrations/0011-deciders.ts";
import { paidRates } from "./migrations/0012-paid-rates.ts";
import { dayShares } from "./migrations/0013-day-shares.ts";
import { siteFiles } from "./migrations/0014-site-files.ts";
import { storeDomains } from "./migrations/0016-store-domains.ts";
import { push } from "./migrations/0017-push.ts";
import { contractEvents } from "./migrations/0018-contract-events.ts";
import { ticketContracts } from "./migrations/0019-ticket-contracts.ts";
import { returns } from "./migrations/0020-returns.ts";
import { sessionWrites } from "./migrations/0021-session-writes.ts";
import { programmes } from "./migrations/0022-programmes.ts";
import { offers } from "./migrations/0023-offers.ts";
import { clubs } from "./migrations/0024-clubs.ts";
import { fans } from "./migrations/0025-fans.ts";
import { traces } from "./migrations/0026-traces.ts";
import { accountLosses } from "./migrations/0027-account-losses.ts";
import { logosAndMonths } from "./migrations/0028-logos-and-months.ts";
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

/** In order; from 1.0.0 on only ever appended to. */
export const MIGRATIONS: readonly SchemaMigration[] = [
  { name: INITIAL_MIGRATION, up: initial },
  { name: "0002-open-words", up: openWords },
  { name: "0003-account-books", up: accountBooks },
  { name: "0004-proposals", up: proposals },
  { name: "0005-said-of-sales", up: saidOfSales },
  { name: "0006-facts-of-others", up: factsOfOthers },
  { name: "0007-purses", up: purses },
  { name: "0008-people", up: people },
  { name: "0009-chain-grades", up: chainGrades },
  { name: "0010-node-calls", up: nodeCalls },
  { name: "0011-deciders", up: deciders },
  { name: "0012-paid-rates", up: paidRates },
  { name: "0013-day-shares", up: dayShares },
  { name: "0014-site-files", up: siteFiles },
  { name: "0016-store-domains", up: storeDomains },
  { name: "0017-push", up: push },
  { name: "0018-contract-events", up: contractEvents },
  { name: "0019-ticket-contracts", up: ticketContracts },
  { name: "0020-returns", up: returns },
  { name: "0021-session-writes", up: sessionWrites },
  { name: "0022-programmes", up: programmes },
  { name: "0023-offers", up: offers },
  { name: "0024-clubs", up: clubs },
  { name: "0025-fans", up: fans },
  { name: "0026-traces", up: traces },
  { name: "0027-account-losses", up: accountLosses },
  { name: "0028-logos-and-months", up: logosAndMonths },
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
