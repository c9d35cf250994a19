import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { DatabaseEngine } from "../connect.ts";
import { readSql, runSql } from "./sql-migration.ts";

const SCHEMA = readSql("0001-initial.sql");

/**
 * The schema of 1.0.0. Before it, the schema was edited where it stood: the fingerprint in the name tells which databases
 * another text has made. docs/upgrading.md#another-version
 */
export const INITIAL_MIGRATION = `0001-initial-${hash("sha256", SCHEMA).slice(0, 8)}`;

export const up = (db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> => runSql(db, engine, SCHEMA);
