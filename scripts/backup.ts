/** Backs up the whole database to one file while the system runs: `npm run backup -- [--to FOLDER] [--keep N]`. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "../database/connect.ts";
import { ensureDirectory, makeFilesPrivate } from "../database/private-files.ts";
import { writeSetting } from "../database/settings.ts";
import { writeArchive } from "./backup/write-archive.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const NAME = /^torcida-[0-9TZ-]+\.jsonl\.gz$/;

makeFilesPrivate();
try {
  const { values } = parseArgs({ options: { to: { type: "string" }, keep: { type: "string" } } });
  const environment = readOperatorEnvironment(process.env);
  const folder = values.to ?? join(environment.dataDirectory, "backups");
  const keep = values.keep === undefined ? undefined : Number(values.keep);
  if (keep !== undefined && !(Number.isInteger(keep) && keep > 0))
    throw new Error("--keep must be a whole number above 0");
  const database = await openDatabase(environment, { anyVersion: true });
  ensureDirectory(folder);
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const name = join(folder, `torcida-${stamp}.jsonl.gz`);
  const { file, rows } = await write(database, name).finally(() => database.close());
  console.log(`${file}: ${rows} rows. It holds personal data and signed transactions: protect it like the database`);
  const old = keep === undefined ? [] : backupsIn(folder).slice(0, -keep);
  for (const one of old) rmSync(join(folder, one));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/** Its time is kept in the database, for the metric and its alert. */
async function write(database: Database, name: string): ReturnType<typeof writeArchive> {
  const written = await writeArchive(database, name);
  await writeSetting(database.kysely, "backed_up_at", String(Date.now())).catch((error: Error) =>
    console.error(`The backup is complete; its time was not noted: ${error.message}`),
  );
  return written;
}

/** Oldest first: the name contains the time. */
function backupsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}
