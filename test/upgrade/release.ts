import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "release-1.0");

/** Made by `npm run release-files`. */
export const BACKUP = join(FOLDER, "backup.jsonl.gz");
export const CATALOGUES = { json: join(FOLDER, "catalogue.json"), csv: join(FOLDER, "catalogue.csv") };
export const INTERFACES = join(FOLDER, "interfaces.json.gz");
/** The web app as `npm run build` of 1.0.0 made it, without pictures and typeface: each file's path and text, by brotli. */
export const WEB_APP_THEN = join(FOLDER, "web-app.json.br");
/** What each process of 1.0.0 made of its variables: of none but those that it needs, and of all that it reads. */
export const VARIABLES = join(FOLDER, "variables.json");
