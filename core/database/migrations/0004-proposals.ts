import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

const ADDED = readSql("0004-proposals.sql");

export const proposals = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> => runSql(db, engine, ADDED);
