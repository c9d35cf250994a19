import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * A command started by root goes on as the owner of the data directory: a database, backup or picture of root's could
 * not be written by the service.
 */
export function actAsOwnerOf(directory: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(existing(resolve(directory)));
  if (uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path));
}
