import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../../core/database/connect.ts";
import { type Finding, failure, healthy, warning } from "./finding.ts";

const UNITS = "/etc/systemd/system";
/** docs/upgrading.md#files-that-a-machine-has-outside-the-code */
const ANEW = "docs/upgrading.md#files-that-a-machine-has-outside-the-code";

/**
 * The units of `folder` that start something else than `deploy/run`: what they name may have moved or gone with this version.
 * Nothing where there are none, as in a container.
 */
export function examineUnits(folder = UNITS): Finding[] {
  const units = existsSync(folder) ? globSync("torcida-*.service", { cwd: folder }).sort() : [];
  const old = units.filter((unit) => !/^ExecStart=\S*\/deploy\/run /m.test(readFileSync(join(folder, unit), "utf8")));
  if (old.length > 0)
    return [failure("units", `${old.join(", ")} of ${folder} call files that this version may not have`, ANEW)];
  return units.length > 0 ? [healthy("units", `those of ${folder} call deploy/run`)] : [];
}

/** PostgreSQL's `restore_command`, if it names the file that 1.0 had: a recovery would find no archive. */
export async function examineRestoreCommand({
  kysely,
  engine,
}: Pick<Database, "kysely" | "engine">): Promise<Finding[]> {
  if (engine !== "postgres") return [];
  const { rows } = await sql<{ setting: string }>`
    select setting from pg_settings where name = 'restore_command'`.execute(kysely);
  const command = rows[0]?.setting ?? "";
  if (!command.includes("restore-wal") || command.includes("deploy/run restore-wal")) return [];
  return [warning("restore_command", `${command} calls a file that this version does not have`, ANEW)];
}
