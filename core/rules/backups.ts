import { DAY_MS } from "./iso-time.ts";

/** One backup of the whole database, as `npm run backup` measured it. */
export type BackupRun = {
  /** When it was finished, milliseconds UTC. */
  at: number;
  seconds: number;
  bytes: number;
  rows: number;
  /** On the disk of the folder, once it was finished. */
  freeBytes: number;
  /** How many backups the folder holds. */
  kept: number;
};

/** What the last line of `npm run drill` says. `archive_at`: ISO 8601, UTC; `differences`: how many were found. */
export type Drill = { ok: boolean; archive_at: string; seconds: number; rows: number; differences: number };

/** Half of what the unit gives a backup, copy included. docs/product.md#backups */
export const BACKUP_LONG_SECONDS = 900;
export const DRILL_OLD_DAYS = 40;
export const FORECAST_DAYS = 90;
/** One a day is kept of those before the last ones. */
export const RUNS_KEPT = 60;
const RECENT = 5;

export type BackupForecast = {
  /** Of one backup in `FORECAST_DAYS`. */
  seconds: number;
  bytes: number;
  /** The part of the folder's disk that as many of them would fill; above 1 they do not fit. */
  fill: number;
};

/**
 * A backup's length and size grow with its rows: what the last ones took, times what the rows will be if they go on as
 * between the first and the last of these runs, oldest first. Undefined without any.
 */
export function forecastBackup(runs: readonly BackupRun[]): BackupForecast | undefined {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) return undefined;
  const days = (last.at - first.at) / DAY_MS;
  const rowsADay = days >= 1 ? Math.max(0, last.rows - first.rows) / days : 0;
  const growth = (last.rows + rowsADay * FORECAST_DAYS) / Math.max(1, last.rows);
  // One that had a busy machine is no measure.
  const lengths = runs
    .slice(-RECENT)
    .map(({ seconds, rows }) => (seconds / Math.max(1, rows)) * last.rows)
    .sort((one, other) => one - other);
  const bytes = last.bytes * growth;
  return {
    seconds: (lengths[Math.floor(lengths.length / 2)] ?? 0) * growth,
    bytes,
    fill: (bytes * last.kept) / Math.max(1, last.freeBytes + last.bytes * last.kept),
  };
}

/** The runs to remember, oldest first: the last ones, and before them the last of each day. */
export function withRun(runs: readonly BackupRun[], run: BackupRun): BackupRun[] {
  const all = [...runs, run];
  const dayOf = ({ at }: BackupRun) => Math.floor(at / DAY_MS);
  return all
    .filter((one, index) => index >= all.length - RECENT || dayOf(one) !== dayOf(all[index + 1] ?? run))
    .slice(-RUNS_KEPT);
}
