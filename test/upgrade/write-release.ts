/**
 * Writes what a 1.0.0 installation leaves behind, for the tests of upgrades: `npm run release-files`. From the release of
 * 1.0.0 on it refuses: what an installation has made can only be taken forward. docs/upgrading.md
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import packageJson from "../../package.json" with { type: "json" };
import { fillShop } from "./filled-shop.ts";
import { readInterfaces } from "./interfaces.ts";
import { BACKUP, CATALOGUES, INTERFACES } from "./release.ts";

if (Number(packageJson.version.split(".")[0]) >= 1) {
  console.error("1.0.0 is released: its files stay as they are; add a migration instead (docs/upgrading.md)");
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "torcida-release-"));
const world = await fillShop();
try {
  const environment = { ...process.env, DATABASE_URL: world.database.location, DATA_DIR: folder };
  const run = (...args: string[]) => execFileSync(process.execPath, args, { env: environment, stdio: "inherit" });
  run("scripts/backup.ts", "--to", folder);
  for (const file of Object.values(CATALOGUES)) run("scripts/catalog.ts", "export", file);
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"));
  renameSync(join(folder, file), BACKUP);
  writeFileSync(INTERFACES, gzipSync(JSON.stringify(readInterfaces())));
} finally {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
