import { sql } from "kysely";
import { z } from "zod";
import {
  BACKUP_LONG_SECONDS,
  type BackupRun,
  DRILL_OLD_DAYS,
  type Drill,
  FORECAST_DAYS,
  forecastBackup,
  withRun,
} from "../rules/backups.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import type { SystemFault } from "../rules/system-faults.ts";
import { engineOf } from "./clock.ts";
import { readSetting, writeSetting } from "./settings.ts";
import type { Queries } from "./transaction.ts";

const GIB = 2 ** 30;
const runsSchema = z.array(
  z.object({
    at: z.number(),
    seconds: z.number(),
    bytes: z.number(),
    rows: z.number(),
    freeBytes: z.number(),
    kept: z.number(),
  }),
);
export const drillSchema = z.strictObject({
  ok: z.boolean(),
  archive_at: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  rows: z.int().nonnegative(),
  differences: z.int().nonnegative(),
});
/** `goodAt`: when the last one that found nothing was recorded, milliseconds. */
const drilledSchema = z.object({ last: drillSchema, goodAt: z.number().optional() });

/** The backups that this database remembers, oldest first. */
export async function readBackupRuns(queries: Queries): Promise<BackupRun[]> {
  return readJson(await readSetting(queries, "backup_runs"), runsSchema) ?? [];
}

export async function recordBackupRun(queries: Queries, run: BackupRun): Promise<void> {
  const runs = withRun(await readBackupRuns(queries), run);
  await writeSetting(queries, "backup_runs", JSON.stringify(runs));
}

/** One that found differences does not make the last good one younger. */
export async function recordDrill(queries: Queries, drill: Drill, now = Date.now()): Promise<void> {
  const before = await readDrill(queries);
  const goodAt = drill.ok ? now : before?.goodAt;
  await writeSetting(queries, "drilled", JSON.stringify({ last: drill, ...(goodAt !== undefined && { goodAt }) }));
}

export async function readDrill(queries: Queries): Promise<z.output<typeof drilledSchema> | undefined> {
  return readJson(await readSetting(queries, "drilled"), drilledSchema);
}

/** Seconds since a copy was last restored and agreed with the chain, or since the first backup; undefined without one. */
export async function drillAge(queries: Queries, now = Date.now()): Promise<number | undefined> {
  const since = (await readDrill(queries))?.goodAt ?? (await readBackupRuns(queries))[0]?.at;
  return since === undefined ? undefined : (now - since) / 1_000;
}

/**
 * When PostgreSQL last archived a segment of its write-ahead log, milliseconds; undefined if it archives none.
 * docs/operations.md#base-backup-and-wal-of-your-own-server
 */
export async function walArchivedAt(queries: Queries): Promise<number | undefined> {
  if (engineOf(queries) === "sqlite") return undefined;
  const { rows } = await sql<{ at: string | null }>`
    select (extract(epoch from last_archived_time) * 1000)::text as at from pg_stat_archiver
    where current_setting('archive_mode') <> 'off'`.execute(queries);
  const at = rows[0]?.at;
  return at ? Number(at) : undefined;
}

/** When the last backup was finished, or confirmed elsewhere; later, the archived log goes further. Undefined: never. */
export async function backedUpAt(
  queries: Queries,
  setting: "backed_up_at" | "backup_copied_at",
): Promise<number | undefined> {
  const at = [Number((await readSetting(queries, setting)) ?? 0), (await walArchivedAt(queries)) ?? 0];
  return Math.max(...at) || undefined;
}

/** What the shop outgrows, and copies that nobody has tried. docs/product.md#backups */
export async function backupFaults(queries: Queries, now = Date.now()): Promise<SystemFault[]> {
  const faults: SystemFault[] = [];
  const forecast = forecastBackup(await readBackupRuns(queries));
  const long = forecast && forecast.seconds > BACKUP_LONG_SECONDS;
  if (long && (await walArchivedAt(queries)) === undefined) {
    const minutes = Math.round(forecast.seconds / 60);
    faults.push({ name: "backup_outgrown", text: `A backup will take ${minutes} min in ${FORECAST_DAYS} days` });
  }
  if (forecast && forecast.fill > 1) {
    const size = (forecast.bytes / GIB).toFixed(1);
    const text = `Backups of ${size} GiB each, in ${FORECAST_DAYS} days, do not fit on the disk of their folder`;
    faults.push({ name: "backup_outgrown", text });
  }
  const last = (await readDrill(queries))?.last;
  if (last && !last.ok) {
    const text = `The copy of ${last.archive_at} was restored, and differs from the chain ${last.differences} times`;
    faults.push({ name: "drill_differs", text });
  }
  const days = ((await drillAge(queries, now)) ?? 0) / (DAY_MS / 1_000);
  if (days > DRILL_OLD_DAYS)
    faults.push({ name: "drill_old", text: `No copy was test-restored for ${Math.floor(days)} days` });
  return faults;
}

function readJson<T>(text: string | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    return text ? schema.safeParse(JSON.parse(text)).data : undefined;
  } catch {
    return undefined;
  }
}
