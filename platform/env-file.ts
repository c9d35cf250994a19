/**
 * Preloaded by the commands in package.json: reads `.env` if it exists. Variables that are already set take precedence.
 */
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
