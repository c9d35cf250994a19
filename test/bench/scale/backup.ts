import { rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { readErasedList } from "../../../api/people/erased-list.ts";
import type { Database } from "../../../core/database/connect.ts";
import { readArchive } from "../../../scripts/backup/read-archive.ts";
import { writeArchive } from "../../../scripts/backup/write-archive.ts";
import { memoryMb } from "./processes.ts";

/**
 * A backup and its restore into a new database of the same engine: seconds on the clock and of this process's work, rows,
 * MiB of the file, and of memory at most.
 */
export async function measureBackup(
  database: Database,
  databaseUrl: string,
  directory: string,
): Promise<Record<string, number>> {
  const file = join(directory, "measured.jsonl.gz");
  const isSqlite = database.engine === "sqlite";
  const restored = isSqlite ? join(directory, "restored.db") : new URL("restored", databaseUrl).toString();
  const drop = sql`drop database if exists restored`;
  try {
    const backup = await timed(() => writeArchive(database, file));
    if (!isSqlite) {
      await drop.execute(database.kysely);
      await sql`create database restored`.execute(database.kysely);
    }
    const erased = readErasedList("none", { SALE_REF_KEYS: [] });
    const restore = await timed(() => readArchive(file, { databaseUrl: restored, network: "localhost", erased }));
    return {
      rows: backup.result.rows,
      backupSeconds: backup.seconds,
      backupWorkSeconds: backup.workSeconds,
      archiveMib: Math.round(backup.result.bytes / 2 ** 20),
      restoreSeconds: restore.seconds,
      restoreWorkSeconds: restore.workSeconds,
      memoryMb: memoryMb(process.pid, "VmHWM"),
    };
  } finally {
    if (!isSqlite) await drop.execute(database.kysely);
    for (const path of [file, ...["", "-wal", "-shm"].map((end) => join(directory, `restored.db${end}`))])
      rmSync(path, { force: true });
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number; workSeconds: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const rounded = (ms: number) => Math.round(ms / 100) / 10;
  return {
    result,
    seconds: rounded(performance.now() - started),
    workSeconds: rounded((user + system) / 1_000),
  };
}
