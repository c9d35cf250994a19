import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Finding, warning } from "./finding.ts";

/** Read by Node.js or the operating system, not by us. */
const OF_OTHERS =
  /^(NODE_|TZ$|LANG$|LC_|HTTPS?_PROXY$|NO_PROXY$|POSTGRES_PASSWORD$|REPLICATION_PASSWORD$|GRAFANA_PASSWORD$|ALERT_URL$)/;

/** Names in `.env` that nothing reads, which are most likely misspelt. */
export function examineEnvFile(): Finding[] {
  if (!existsSync(".env") || !existsSync(".env.example")) return [];
  return unknownNames(readFileSync(".env", "utf8"), readFileSync(".env.example", "utf8")).map((name) =>
    warning(
      "configuration",
      `${name} in .env is read by nothing`,
      "Correct its name; .env.example lists every variable",
    ),
  );
}

export function unknownNames(file: string, documented: string): string[] {
  const known = new Set(documented.match(/\b[A-Z][A-Z0-9_]+(?==)/g));
  return Object.keys(parseEnv(file)).filter((name) => !known.has(name) && !OF_OTHERS.test(name));
}
