/** Preloaded by the commands of package.json: reads `.env`, where there is one. A variable that is set already wins. */
import { existsSync } from "node:fs";

const FILE = ".env";

if (existsSync(FILE)) {
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    process.stderr.write(`${FILE} cannot be read (${(error as Error).message})\n`);
    process.exit(1);
  }
}
