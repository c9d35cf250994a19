import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

/** What networks, the configuration and the chain said of what was done, by which it is decided anew. */
export const factsOfOthers = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0006-facts-of-others.sql"));
