import { statSync } from "node:fs";
import { TorcidaError } from "../rules/torcida-error.ts";

/** The file is no longer the one that was opened: writes are lost. */
export class DatabaseReplacedError extends TorcidaError {
  override readonly docs = "docs/runbook/database-lost.md";
  /** SQLite's code for a database that it cannot write to. */
  readonly code = "SQLITE_IOERR_REPLACED";
}

/** Remembers the file at a path. The returned function says whether that file was deleted or replaced since. */
export function rememberFile(path: string): () => DatabaseReplacedError | undefined {
  const opened = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === opened.ino) return undefined;
    // Once it is gone, a process that starts would make an empty one.
    const [what, toDo] = now
      ? ["replaced", "Start this process again"]
      : ["deleted", "Stop every process, and restore a backup before you start one"];
    return new DatabaseReplacedError(
      `The database ${path} was ${what} while it was open; nothing is written any more. ${toDo}`,
    );
  };
}

/** Checks a SQLite file periodically, and calls back when it was deleted or replaced. */
export function watchFile(
  { engine, location }: { engine: string; location: string },
  everyMs: number,
  onReplaced: (error: DatabaseReplacedError) => void,
): () => void {
  if (engine !== "sqlite") return () => {};
  const findReplacement = rememberFile(location);
  const timer = setInterval(() => {
    const replacement = findReplacement();
    if (!replacement) return;
    clearInterval(timer);
    onReplaced(replacement);
  }, everyMs);
  return () => clearInterval(timer);
}
