import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import type { ApiEnvironment } from "../../api/environment.ts";
import { permissionsOf } from "../../core/rules/roles.ts";
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

/** Without it, what is hashed by it can be guessed by whoever reads the database or a copy. docs/product.md#sale-ref */
export function examineSaleRefKey(environment: Pick<ApiEnvironment, "network" | "SALE_REF_KEY">): Finding[] {
  if (environment.network === "localhost" || environment.SALE_REF_KEY !== undefined) return [];
  const detail =
    "SALE_REF_KEY is not set: who reads a backup can guess wallets and addresses in it, and make links of mails";
  return [warning("hashes", detail, "Make one with openssl rand -hex 32, and keep it with the keys, not with backups")];
}

type Deciders = Pick<
  ApiEnvironment,
  "network" | "ADMIN_WALLETS" | "APPROVAL_ABOVE_CHZ" | "BOOST_APPROVAL_ABOVE_PERCENT"
>;

/** Whether there is a second person for what takes two. docs/product.md#panel-approvals */
export function examineAdmins(environment: Deciders): Finding[] {
  if (environment.network === "localhost") return [];
  const toDo = "Add their wallets to ADMIN_WALLETS, each with its role, and restart the api";
  if (environment.ADMIN_WALLETS.length === 0) return [warning("admins", "nobody can use the panel", toDo)];
  return decisionsOfTwo(environment).flatMap(({ what, permission }) => {
    const able = environment.ADMIN_WALLETS.filter(({ role }) => permissionsOf(role).includes(permission));
    if (able.length > 1) return [];
    const who = able.length === 1 ? "only one wallet" : "no wallet";
    return [warning("admins", `${what} take two persons, and ${who} may decide them: they would wait for ever`, toDo)];
  });
}

function decisionsOfTwo({ APPROVAL_ABOVE_CHZ: chz, BOOST_APPROVAL_ABOVE_PERCENT: percent }: Deciders) {
  const payouts = { what: `payouts above ${chz} CHZ a day`, permission: "payments" } as const;
  const percents = { what: `boosts and percents above ${percent} %`, permission: "catalogue" } as const;
  // Nothing is above 100 %.
  return [...(chz === undefined ? [] : [payouts]), ...(percent < 100 ? [percents] : [])];
}

export function unknownNames(file: string, documented: string): string[] {
  const known = new Set(documented.match(/\b[A-Z][A-Z0-9_]+(?==)/g));
  return Object.keys(parseEnv(file)).filter((name) => !known.has(name) && !OF_OTHERS.test(name));
}
