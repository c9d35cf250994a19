import { HOUR_MS } from "../rules/iso-time.ts";
import { SYSTEM_FAULTS, type SystemFault } from "../rules/system-faults.ts";
import { backedUpAt } from "./backup-runs.ts";
import { readClock } from "./clock.ts";
import type { Queries } from "./transaction.ts";

const BACKUPS = [
  { setting: "backed_up_at", name: "backup_old", what: "The last backup is" },
  { setting: "backup_copied_at", name: "backup_copy_old", what: "The last copy of a backup on another machine is" },
] as const;

/** The backups that have stopped; not those that never began. */
export async function oldBackups(queries: Queries, now = Date.now()): Promise<SystemFault[]> {
  const faults: SystemFault[] = [];
  for (const { setting, name, what } of BACKUPS) {
    const at = await backedUpAt(queries, setting);
    const ageMs = now - (at ?? now);
    if (ageMs > SYSTEM_FAULTS[name].seconds * 1_000)
      faults.push({ name, text: `${what} ${Math.floor(ageMs / HOUR_MS)} hours old` });
  }
  return faults;
}

/** How far this host's clock is ahead of the database's, in seconds. */
export async function readClockOffset(queries: Queries): Promise<number> {
  const asked = Date.now();
  const theirs = await readClock(queries);
  return ((asked + Date.now()) / 2 - theirs) / 1_000;
}

export function clockProblem(offset: number): string | undefined {
  if (Math.abs(offset) <= SYSTEM_FAULTS.clock_off.seconds) return undefined;
  return `The clock of this host is ${Math.abs(offset).toFixed(1)} s ${offset > 0 ? "ahead of" : "behind"} the database's`;
}
