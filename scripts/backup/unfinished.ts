import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../core/rules/unknown-error.ts";
import { ArchiveError } from "./archive-error.ts";

const UNFINISHED = ".unfinished-";
const ABANDONED_AFTER_MS = 86_400_000;
const NO_SPACE: readonly unknown[] = ["ENOSPC", "EDQUOT", "SQLITE_FULL"];

/**
 * Writes files in a folder of their own inside `folder`, which is gone afterwards: what is interrupted never gets its
 * final name, and what was killed is removed a day later.
 */
export async function inUnfinished<T>(folder: string, work: (directory: string) => Promise<T>): Promise<T> {
  removeAbandoned(folder);
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(folder, UNFINISHED));
    return await work(directory);
  } catch (error) {
    if (!NO_SPACE.includes(codeOf(error))) throw error;
    throw new ArchiveError(`${folder} is full: free up space, or move older backups elsewhere; then run this again`);
  } finally {
    if (directory) rmSync(directory, { recursive: true, force: true });
  }
}

/** Gives a complete file its name; afterwards a power failure takes neither from it. */
export function finish(part: string, file: string): void {
  flush(part);
  renameSync(part, file);
  flush(dirname(file));
}

function flush(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What a backup that was killed left holds personal data. Another host may be writing here, so the age decides. */
function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(UNFINISHED))) {
    const left = statSync(join(folder, name), { throwIfNoEntry: false });
    if (left && Date.now() - left.mtimeMs > ABANDONED_AFTER_MS)
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}
