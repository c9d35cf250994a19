import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export async function storeDomains(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await runSql(db, engine, readSql("0016-store-domains.sql"));
}
