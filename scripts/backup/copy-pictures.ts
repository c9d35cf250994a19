import { copyFileSync, existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory } from "../../database/private-files.ts";

/** A picture is named by its content hash, so an existing file is identical. */
const NAME = /^[0-9a-f]{64}\.\w{3,4}$/;

/** Copies the uploaded pictures missing from the other folder; returns how many. docs/product.md#panel-logo */
export function copyPictures(from: string, to: string): number {
  if (!existsSync(from)) return 0;
  ensureDirectory(to);
  const missing = readdirSync(from).filter((name) => NAME.test(name) && !existsSync(join(to, name)));
  for (const name of missing) {
    // An interrupted copy never gets the final name.
    const part = join(to, `.${process.pid}.part`);
    copyFileSync(join(from, name), part);
    renameSync(part, join(to, name));
  }
  return missing.length;
}
