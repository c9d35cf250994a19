import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export async function programmes(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await runSql(db, engine, readSql("0022-programmes.sql"));
}
