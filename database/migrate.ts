import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "./connect.ts";
import { up as initial } from "./migrations/0001-initial.ts";
import { up as approvals } from "./migrations/0002-approvals.ts";

/**
 * Migrates the schema to the latest version. Processes that start together wait for each other.
 * @throws the error of the failing migration; earlier migrations stay applied.
 */
export async function migrate({ kysely, engine }: Database): Promise<void> {
  const migrations: Record<string, Migration> = {
    "0001-initial": { up: (db) => initial(db, engine) },
    "0002-approvals": { up: (db) => approvals(db, engine) },
  };
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
