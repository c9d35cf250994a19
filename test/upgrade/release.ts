import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "release-1.0");

/** Made by `npm run release-files`. */
export const BACKUP = join(FOLDER, "backup.jsonl.gz");
export const CATALOGUE = join(FOLDER, "catalogue.json");
export const INTERFACES = join(FOLDER, "interfaces.json.gz");
