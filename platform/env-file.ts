/**
 * Preloaded by the commands in package.json: reads `.env` if it exists. Variables that are already set take precedence.
 */

import { existsSync } from "node:fs";
import { messageOf } from "../domain/unknown-error.ts";

const FILE = ".env";

if (existsSync(FILE)) {
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    process.stderr.write(`${FILE} cannot be read (${messageOf(error)})\n`);
    process.exit(1);
  }
}
