import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

/** What the contracts say, and who used a cold key. */
export const contractEvents = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0018-contract-events.sql"));
