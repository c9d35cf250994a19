import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { ApiEnvironment } from "../../api/environment.ts";
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

/** On mainnet, one person should not be able to pay any sum alone. docs/product.md#panel-approvals */
export function examineApprovals(environment: Pick<ApiEnvironment, "CHAIN_ID" | "APPROVAL_ABOVE_CHZ">): Finding[] {
  if (environment.CHAIN_ID !== 88888 || environment.APPROVAL_ABOVE_CHZ !== undefined) return [];
  const toDo = "Set APPROVAL_ABOVE_CHZ: what one person's decisions may pay a day";
  return [warning("approvals", "one person alone can let any sum be paid", toDo)];
}

export function unknownNames(file: string, documented: string): string[] {
  const known = new Set(documented.match(/\b[A-Z][A-Z0-9_]+(?==)/g));
  return Object.keys(parseEnv(file)).filter((name) => !known.has(name) && !OF_OTHERS.test(name));
}
