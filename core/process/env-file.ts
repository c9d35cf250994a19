/**
 * Preloaded by the commands in package.json: reads `.env` if it exists. Variables that are already set take precedence.
 * `--help` prints what the command's file says of it, and ends.
 */

import { existsSync, readFileSync } from "node:fs";
import { messageOf } from "../rules/unknown-error.ts";

const FILE = ".env";

const [, command = "", ...given] = process.argv;
if (given.includes("--help")) {
  const [, about = ""] = readFileSync(command, "utf8").match(/^\/\*\*(.*?)\*\//su) ?? [];
  const lines = about.split("\n").map((line) => line.replace(/^ *\*? ?/u, "").trimEnd());
  process.stdout.write(`${lines.join("\n").trim() || "The commands are listed in README.md"}\n`);
  process.exit(0);
}

if (existsSync(FILE)) {
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    process.stderr.write(`${FILE} cannot be read (${messageOf(error)})\n`);
    process.exit(1);
  }
}
