import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

const SQL = readSql("0009-chain-grades.sql");

/** Who signs with a key, and bonuses that are read after the click. */
export const chainGrades = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> => runSql(db, engine, SQL);
