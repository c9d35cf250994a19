import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export async function ticketContracts(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await runSql(db, engine, readSql("0019-ticket-contracts.sql"));
}
