import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

export const logosAndMonths = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0028-logos-and-months.sql"));
