import { statSync } from "node:fs";

/** The database's file is not the one that was opened: what is written goes nowhere. */
export class DatabaseReplacedError extends Error {
  override readonly name = "DatabaseReplacedError";
  /** As SQLite names what it cannot write to. */
  readonly code = "SQLITE_IOERR_REPLACED";
}

/** Remembers which file stands at a path; the answer throws once it is gone or another one stands there. */
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

/** Looks at a SQLite file now and then, and calls back when it is gone or another file stands in its place. */
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
