import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export const traces = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0026-traces.sql"));
