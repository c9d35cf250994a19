/**
 * Imports, exports and compares stores, store categories and fan tokens: `npm run catalog -- import|export|diff FILE`.
 * An import lists its changes; with `--apply` it makes them, all or nothing. The sender then registers new stores on
 * chain.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BaseError } from "viem";
import { CatalogueFileError, formatOf, readCatalogue, writeCatalogue } from "../core/catalogue/catalogue-file.ts";
import { nameReader, skipRegisteredIds } from "../core/catalogue/chain-names.ts";
import { apply, changeText, diff, exportRows } from "../core/catalogue/changes.ts";
import type { Database } from "../core/database/connect.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import type { CatalogueChange } from "../core/rules/api/admin-catalogue.ts";
import { fileText } from "../core/rules/spreadsheet.ts";
import type { Terminal } from "./operator/environment.ts";
import { type OperatorEnvironment, readOperatorEnvironment } from "./operator/environment.ts";
import { openKnownChain } from "./operator/open-chain.ts";
import { openDatabase } from "./operator/open-database.ts";

const USAGE = "npm run catalog -- import FILE [--apply] | export FILE | diff FILE (FILE ends in .csv or .json)";

/** Runs `npm run catalog` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
export async function runCatalog(args: readonly string[], env: Variables, terminal: Terminal): Promise<0 | 1> {
  try {
    await runCommand(args, env, (line) => terminal.log(line));
    return 0;
  } catch (error) {
    const isOfFile = error instanceof CatalogueFileError;
    terminal.error(isOfFile ? `${error.message}\nNothing was imported.` : failureText(error));
    return 1;
  }
}

type Print = (line: string) => void;

async function runCommand(args: readonly string[], env: Variables, print: Print): Promise<void> {
  const options = { apply: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [verb, file, ...rest] = positionals;
  if (!verb || !["import", "export", "diff"].includes(verb) || !file || rest.length > 0) throw new UsageError(USAGE);
  const environment = readOperatorEnvironment(env);
  const catalogue = verb === "export" ? undefined : readCatalogue(formatOf(file), fileText(readFileSync(file)));
  const database = await openDatabase(environment, { print });
  try {
    if (!catalogue) {
      const rows = await exportRows(database);
      writeFileSync(file, writeCatalogue(formatOf(file), rows, "pt"));
      print(`${rows.length} rows are in ${file}`);
    } else if (verb === "import" && values.apply) {
      if (catalogue.stores.length > 0) await skipIdsOnChain(environment, database);
      report(await apply(database, catalogue, "catalog script"), "made", print);
    } else {
      report(await diff(database, catalogue), "to make; add --apply to an import to make them", print);
    }
  } finally {
    await database.close();
  }
}

/** A new store must not get an id under which another store is registered on chain. */
async function skipIdsOnChain(environment: OperatorEnvironment, database: Database): Promise<void> {
  const { contracts } = environment;
  if (!contracts) return;
  const { client, nodes } = await openKnownChain(environment, database, contracts.purchaseNft);
  try {
    await skipRegisteredIds(database, nameReader(client, contracts));
  } catch (error) {
    const reason = error instanceof BaseError ? error.shortMessage : String(error);
    const text = `The registered store ids could not be read from the chain (${reason}); check RPC_URLS`;
    throw new CatalogueFileError([{ problem: "no_chain", text }]);
  } finally {
    nodes.close();
  }
}

function report(changes: readonly CatalogueChange[], what: string, print: Print): void {
  for (const change of changes) print(changeText(change));
  print(
    changes.length === 0
      ? "Nothing to change"
      : `${changes.length} ${changes.length === 1 ? "change" : "changes"} ${what}`,
  );
}

if (import.meta.main) process.exitCode = await runCatalog(process.argv.slice(2), process.env, console);
