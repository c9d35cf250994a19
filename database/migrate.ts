import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { type Database, DatabaseUnavailableError } from "./connect.ts";
import { up as initial } from "./migrations/0001-initial.ts";
import { up as approvals } from "./migrations/0002-approvals.ts";
import { up as operationStates } from "./migrations/0003-operation-states.ts";
import { up as sales } from "./migrations/0004-sales.ts";
import { up as totals } from "./migrations/0007-totals.ts";
import { up as panel } from "./migrations/0010-panel.ts";
import { up as dayTotals } from "./migrations/0011-day-totals.ts";
import { up as claimedClicks } from "./migrations/0012-claimed-clicks.ts";
import { up as notices } from "./migrations/0013-notices.ts";
import { up as approvalRequests } from "./migrations/0014-approvals.ts";
import { up as leanIndexes } from "./migrations/0015-lean-indexes.ts";
import { up as approvalTerms } from "./migrations/0016-approval-terms.ts";
import { up as catalogueLanguages } from "./migrations/0017-catalogue-languages.ts";
import { up as statedReasons } from "./migrations/0018-stated-reasons.ts";
import { up as totalsRevision } from "./migrations/0019-totals-revision.ts";
import { up as duePurchases } from "./migrations/0020-due-purchases.ts";
import { up as networkAmounts } from "./migrations/0021-network-amounts.ts";
import { up as paymentAmounts } from "./migrations/0022-payment-amounts.ts";
import { up as unusedIndex } from "./migrations/0023-unused-index.ts";
import { up as boundedReads } from "./migrations/0024-bounded-reads.ts";
import { up as fewerIndexes } from "./migrations/0025-fewer-indexes.ts";
import type { Queries } from "./transaction.ts";

/** A newer version of this program has migrated the database; the message says what to do. */
export class NewerSchemaError extends DatabaseUnavailableError {
  override readonly name = "NewerSchemaError";
  override readonly docs = "docs/upgrading.md#going-back";
}

/**
 * Migrates the schema to the latest version, or only up to the migration `upTo`. Processes that start together wait for
 * each other.
 * @throws NewerSchemaError if the database has migrations that this version does not know
 * @throws the error of the failing migration; no migration of this call is applied
 */
export async function migrate({ kysely, engine, location }: Database, upTo?: string): Promise<void> {
  const migrations = migrationsFor(engine);
  const done = await migrationsOf(kysely);
  const newer = done.find((name) => !(name in migrations));
  if (newer !== undefined) {
    throw new NewerSchemaError(
      `The database ${location} was upgraded by a newer version (${newer}): start that version, or restore a backup of this one`,
    );
  }
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  const { error } = upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
  if (error) throw error;
}

function migrationsFor(engine: Database["engine"]): Record<string, Migration> {
  return {
    "0001-initial": { up: (db) => initial(db, engine) },
    "0002-approvals": { up: (db) => approvals(db, engine) },
    "0003-operation-states": { up: (db) => operationStates(db, engine) },
    "0004-sales": { up: (db) => sales(db, engine) },
    "0007-totals": { up: (db) => totals(db, engine) },
    "0010-panel": { up: (db) => panel(db, engine) },
    "0011-day-totals": { up: (db) => dayTotals(db, engine) },
    "0012-claimed-clicks": { up: claimedClicks },
    "0013-notices": { up: (db) => notices(db, engine) },
    "0014-approvals": { up: (db) => approvalRequests(db, engine) },
    "0015-lean-indexes": { up: leanIndexes },
    "0016-approval-terms": { up: (db) => approvalTerms(db, engine) },
    "0017-catalogue-languages": { up: catalogueLanguages },
    "0018-stated-reasons": { up: statedReasons },
    "0019-totals-revision": { up: (db) => totalsRevision(db, engine) },
    "0020-due-purchases": { up: (db) => duePurchases(db, engine) },
    "0021-network-amounts": { up: networkAmounts },
    "0022-payment-amounts": { up: paymentAmounts },
    "0023-unused-index": { up: unusedIndex },
    "0024-bounded-reads": { up: (db) => boundedReads(db, engine) },
    "0025-fewer-indexes": { up: fewerIndexes },
  };
}

/** Migrations that the database is missing. */
export async function pendingMigrations({ kysely, engine }: Database): Promise<string[]> {
  const done = await migrationsOf(kysely);
  return Object.keys(migrationsFor(engine)).filter((name) => !done.includes(name));
}

/** The names of the applied migrations, oldest first. */
export async function migrationsOf(queries: Queries): Promise<string[]> {
  const tables = await queries.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(queries);
  return rows.map((row) => row.name);
}
