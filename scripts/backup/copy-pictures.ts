import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureDirectory } from "../../core/database/private-files.ts";
import { finish, inUnfinished } from "./unfinished.ts";

/** A picture is named by its content hash, so an existing file is identical. */
const NAME = /^[0-9a-f]{64}\.\w{3,4}$/;

/** Copies the uploaded pictures missing from the other folder; returns how many. docs/product.md#panel-logo */
export async function copyPictures(from: string, to: string): Promise<number> {
  if (!existsSync(from)) return 0;
  ensureDirectory(to);
  const missing = readdirSync(from).filter((name) => NAME.test(name) && !existsSync(join(to, name)));
  if (missing.length === 0) return 0;
  await inUnfinished(to, async (directory) => {
    for (const name of missing) {
      const part = join(directory, name);
      copyFileSync(join(from, name), part);
      finish(part, join(to, name));
    }
  });
  return missing.length;
}
