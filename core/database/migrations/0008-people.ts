import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

/** What a user sees of their sessions, and by what links to an inbox are counted. */
export const people = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0008-people.sql"));
