import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { codeOf } from "../rules/unknown-error.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * From now on this process creates files and directories that only its user can read, because they contain e-mail
 * addresses and logs.
 */
export function makeFilesPrivate(): void {
  process.umask(OTHERS);
}

/** Creates a folder and its parents, for this user alone. Not with `recursive`, which never returns below /proc. */
export function ensureDirectory(directory: string): void {
  if (existsSync(directory)) return;
  ensureDirectory(dirname(directory));
  mkdirSync(directory, { mode: PRIVATE_FOLDER });
}

/** Creates the data folder, or removes other users' access to it. */
export function ensureDataDirectory(directory: string): void {
  ensureDirectory(directory);
  const { mode } = statSync(directory);
  if ((mode & OTHERS) !== 0 && (mode & STICKY) === 0 && isOnlyForData(directory)) tighten(directory, PRIVATE_FOLDER);
}

/** Not for a folder that other users need to traverse: the root, the home, or one that contains the program. */
function isOnlyForData(directory: string): boolean {
  const path = resolve(directory);
  const holds = (inner: string) => !relative(path, inner).startsWith("..");
  return !holds(process.cwd()) && !holds(homedir());
}

/** Creates an empty file if there is none, so that SQLite does not create one that others can read. */
export function ensurePrivateFile(file: string): void {
  closeSync(openSync(file, "a", PRIVATE_FILE));
  // SQLite creates its WAL files with the permissions of the database.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const present = statSync(path, { throwIfNoEntry: false });
    if (present && (present.mode & OTHERS) !== 0) tighten(path, PRIVATE_FILE);
  }
}

/** Ignores another user's file: only its owner can change it. */
function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}
