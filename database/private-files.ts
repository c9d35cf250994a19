import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, relative, resolve } from "node:path";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

/** From now on this process makes files and folders that only its own user may read: they hold e-mails and logs. */
export function makeFilesPrivate(): void {
  process.umask(OTHERS);
}

/** Creates a folder and its parents, for this user alone. Not with `recursive`, which never returns below /proc. */
export function ensureDirectory(directory: string): void {
  if (existsSync(directory)) return;
  ensureDirectory(dirname(directory));
  mkdirSync(directory, { mode: PRIVATE_FOLDER });
}

/** Creates the folder of the data, or takes others' rights to it away. */
export function ensureDataDirectory(directory: string): void {
  ensureDirectory(directory);
  const { mode } = statSync(directory);
  if ((mode & OTHERS) !== 0 && (mode & STICKY) === 0 && isOnlyForData(directory)) tighten(directory, PRIVATE_FOLDER);
}

/** Not a folder that others need to pass through: the root, the home, or one that the program itself is in. */
function isOnlyForData(directory: string): boolean {
  const path = resolve(directory);
  const holds = (inner: string) => !relative(path, inner).startsWith("..");
  return !holds(process.cwd()) && !holds(homedir());
}

/** Creates an empty file where there is none, so that SQLite never makes one that others may read. */
export function ensurePrivateFile(file: string): void {
  closeSync(openSync(file, "a", PRIVATE_FILE));
  // SQLite gives its log and its index of the log the rights of the database.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    const present = statSync(path, { throwIfNoEntry: false });
    if (present && (present.mode & OTHERS) !== 0) tighten(path, PRIVATE_FILE);
  }
}

/** Another user's file stays as it is: only its owner can change it. */
function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
