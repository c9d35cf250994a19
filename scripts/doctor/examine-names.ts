import type { PublicClient } from "viem";
import { listMisnamed, type Misnamed, nameReader } from "../../core/catalogue/chain-names.ts";
import type { Database } from "../../core/database/connect.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { shortMessageOf } from "../../core/rules/unknown-error.ts";
import type { OperatorEnvironment } from "../operator/environment.ts";
import { openDatabase } from "../operator/open-database.ts";
import { type Finding, failure, healthy, warning } from "./finding.ts";

const SHOWN = 5;

/** Compares the name of every store with its name on chain, which tickets show. */
export async function examineNames(client: PublicClient, environment: OperatorEnvironment): Promise<Finding[]> {
  const { contracts } = environment;
  if (!contracts) return [];
  // Problems with the database itself are reported by another finding.
  const database = await openDatabase(environment, { print: false }).catch(() => undefined);
  if (!database) return [];
  try {
    const misnamed: Misnamed[] = [];
    for await (const page of listMisnamed(database.kysely, nameReader(client, contracts))) misnamed.push(...page);
    return [...nameFindings(misnamed), ...(await sampleFindings(database, environment))];
  } catch (error) {
    return [failure("store names", shortMessageOf(error), "docs/runbook/rpc-away.md")];
  } finally {
    await database.close();
  }
}

function nameFindings(misnamed: readonly Misnamed[]): Finding[] {
  const unnamed = misnamed.filter(({ onChain }) => onChain === "");
  const otherwise = misnamed.filter(({ onChain }) => onChain !== "");
  const toDo =
    "The api that sends registers them within minutes: check for waiting operations (npm run payouts -- list)";
  return [
    otherwise.length === 0
      ? healthy("store names", "every store name on chain matches the catalogue")
      : failure(
          "store names",
          `tickets show another name for ${listed(otherwise.map(({ id, name, onChain }) => `store ${id}: ${onChain}, not ${name}`))}`,
          toDo,
        ),
    ...(unnamed.length === 0
      ? []
      : [
          warning(
            "store names",
            `not registered on chain: ${listed(unnamed.map(({ id, name }) => `store ${id}, ${name}`))}`,
            toDo,
          ),
        ]),
  ];
}

/** The sample stores belong to the local chain alone. */
async function sampleFindings({ kysely }: Database, { network }: OperatorEnvironment): Promise<Finding[]> {
  if (network === "localhost") return [];
  const samples = await kysely
    .selectFrom("stores")
    .select(["id", "name"])
    .where("deleted_at", "is", null)
    .where(
      "affiliate_link",
      "in",
      SAMPLE_STORES.map(({ affiliateLink }) => affiliateLink),
    )
    .orderBy("id")
    .execute();
  if (samples.length === 0) return [];
  return [
    failure(
      "sample stores",
      `sample stores are on sale: ${listed(samples.map(({ id, name }) => `store ${id}, ${name}`))}`,
      "Delete them in the panel under Lojas, or give them a real name and link; a new name is also registered on chain",
    ),
  ];
}

function listed(items: readonly string[]): string {
  const more = items.length > SHOWN ? ` and ${items.length - SHOWN} more` : "";
  return items.slice(0, SHOWN).join("; ") + more;
}
