import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export async function returns(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await runSql(db, engine, readSql("0020-returns.sql"));
}
