import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

/** What accounts were paid for, what waits for them, and what has arrived. docs/product.md#accounts */
export const accountBooks = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> =>
  runSql(db, engine, readSql("0003-account-books.sql"));
