import { statSync } from "node:fs";

/** The file is no longer the one that was opened: writes are lost. */
export class DatabaseReplacedError extends Error {
  override readonly name = "DatabaseReplacedError";
  /** SQLite's code for a database that it cannot write to. */
  readonly code = "SQLITE_IOERR_REPLACED";
}

/** Remembers the file at a path. The returned function throws once the file was deleted or replaced. */
export function fileGuard(path: string): () => void {
  const opened = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === opened.ino) return;
    const what = now ? "replaced" : "deleted";
    throw new DatabaseReplacedError(
      `The database ${path} was ${what} while it was open; nothing is written any more. Start this process again`,
    );
  };
}

/** Checks a SQLite file periodically, and calls back when it was deleted or replaced. */
export function watchFile(
  { engine, location }: { engine: string; location: string },
  everyMs: number,
  onReplaced: (error: Error) => void,
): () => void {
  if (engine !== "sqlite") return () => {};
  const requireSameFile = fileGuard(location);
  const timer = setInterval(() => {
    try {
      requireSameFile();
    } catch (error) {
      clearInterval(timer);
      onReplaced(error as Error);
    }
  }, everyMs);
  return () => clearInterval(timer);
}
