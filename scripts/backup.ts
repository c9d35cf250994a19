/** Backs up the whole database to one file while the system runs: `npm run backup -- [--to FOLDER] [--keep N] [--every SECONDS]`. */

import { readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mergeErasedList } from "../api/people/erased-list.ts";
import { auditHeadText, readAuditHead } from "../core/database/audit-log.ts";
import { recordBackupRun } from "../core/database/backup-runs.ts";
import type { Database } from "../core/database/connect.ts";
import { ensureDirectory, makeFilesPrivate } from "../core/database/private-files.ts";
import { writeSetting } from "../core/database/settings.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { copyPictures } from "./backup/copy-pictures.ts";
import { sendCopy } from "./backup/send-copy.ts";
import { writeArchive } from "./backup/write-archive.ts";
import { actAsOwnerOf } from "./operator/act-as-owner.ts";
import { type OperatorEnvironment, readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const NAME = /^torcida-[0-9TZ-]+\.jsonl\.gz$/;

makeFilesPrivate();
try {
  const { values } = parseArgs({
    options: { to: { type: "string" }, keep: { type: "string" }, every: { type: "string" } },
  });
  const environment = readOperatorEnvironment(process.env);
  actAsOwnerOf(environment.dataDirectory);
  const folder = values.to ?? join(environment.dataDirectory, "backups");
  const keep = wholeNumber("--keep", values.keep);
  const everySeconds = wholeNumber("--every", values.every);
  if (everySeconds === undefined) await backUp(environment, folder, keep);
  else await backUpEvery(everySeconds, () => backUp(environment, folder, keep));
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0)) throw new UsageError(`${option} must be a whole number above 0`);
  return value;
}

/** For environments without a timer, such as a container. A failed backup is retried at the next interval. */
async function backUpEvery(seconds: number, work: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort());
  while (!ending.signal.aborted) {
    await work().catch((error: unknown) => console.error(failureText(error)));
    await delay(seconds * 1_000, undefined, { signal: ending.signal }).catch(() => {});
  }
}

async function backUp(environment: OperatorEnvironment, folder: string, keep: number | undefined): Promise<void> {
  const database = await openDatabase(environment);
  try {
    await backUpFrom(database, environment, folder, keep);
  } finally {
    await database.close();
  }
}

async function backUpFrom(
  database: Database,
  { dataDirectory, erasedFile, backupReceiver }: OperatorEnvironment,
  folder: string,
  keep: number | undefined,
): Promise<void> {
  ensureDirectory(folder);
  // The copy says where the log ended, so that a log that is cut later is known by it.
  const audit = auditHeadText(await readAuditHead(database.kysely));
  await writeSetting(database.kysely, "audit_head", audit).catch(() => {});
  console.log(`The audit log ends with ${audit}`);
  const stamp = new Date().toISOString().replace(/[:.]/g, "-");
  const started = performance.now();
  const { file, rows, bytes } = await writeArchive(database, join(folder, `torcida-${stamp}.jsonl.gz`));
  console.log(`${file}: ${rows} rows. It contains personal data and signed transactions: protect it like the database`);
  const pictures = await copyPictures(join(dataDirectory, "assets"), join(folder, "assets"));
  if (pictures > 0)
    console.log(`${join(folder, "assets")}: ${pictures} more pictures. Keep the folder next to the file`);
  mergeErasedList(erasedFile, join(folder, "erased"));
  // Not sooner: without its pictures a backup is not whole.
  const seconds = (performance.now() - started) / 1_000;
  const old = keep === undefined ? [] : backupsIn(folder).slice(0, -keep);
  for (const one of old) rmSync(join(folder, one));
  const { bavail, bsize } = statfsSync(folder);
  const kept = backupsIn(folder).length;
  await recorded(async () => {
    await recordBackupRun(database.kysely, { at: Date.now(), seconds, bytes, rows, freeBytes: bavail * bsize, kept });
    await writeSetting(database.kysely, "backed_up_at", String(Date.now()));
  });
  if (!backupReceiver) return;
  await sendCopy(file, backupReceiver);
  await recorded(() => writeSetting(database.kysely, "backup_copied_at", String(Date.now())));
  console.log("BACKUP_RECEIVER has an encrypted copy");
}

/** In the database, for the metrics and their alerts. */
async function recorded(work: () => Promise<void>): Promise<void> {
  await work().catch((error: Error) =>
    console.error(`The backup is complete, but its time was not recorded: ${error.message}`),
  );
}

/** Oldest first: the name contains the time. */
function backupsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}
