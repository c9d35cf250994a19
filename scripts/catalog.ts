/**
 * Imports, exports and compares stores, store categories and fan tokens: `npm run catalog -- import|export|diff FILE`.
 * An import lists its changes; with `--apply` it makes them, all or nothing. The sender then registers new stores on
 * chain. `looks` lists the stores whose tickets the chain draws otherwise than their club looks; with `--apply` the sender
 * sends what differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BaseError } from "viem";
import { CatalogueFileError, formatOf, readCatalogueFile, writeCatalogue } from "../core/catalogue/catalogue-file.ts";
import { listUnlike, lookReader, sendLooks, type Unlike } from "../core/catalogue/chain-looks.ts";
import { nameReader, skipRegisteredIds } from "../core/catalogue/chain-names.ts";
import { apply, changeText, diffFile, exportRows } from "../core/catalogue/changes.ts";
import type { Database } from "../core/database/connect.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import type { CatalogueChange } from "../core/rules/api/admin-catalogue.ts";
import { CLUB_PATTERNS } from "../core/rules/clubs/club.ts";
import type { TicketLook } from "../core/rules/clubs/ticket-look.ts";
import { fileText } from "../core/rules/spreadsheet.ts";
import type { Terminal } from "./operator/environment.ts";
import { type OperatorEnvironment, readOperatorEnvironment } from "./operator/environment.ts";
import { openKnownChain } from "./operator/open-chain.ts";
import { openDatabase } from "./operator/open-database.ts";

const USAGE =
  "npm run catalog -- import FILE [--apply] | export FILE | diff FILE (FILE ends in .csv or .json) | looks [--apply]";

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
  if (verb === "looks" && file === undefined) return runLooks(env, values.apply === true, print);
  if (!verb || !["import", "export", "diff"].includes(verb) || !file || rest.length > 0) throw new UsageError(USAGE);
  const environment = readOperatorEnvironment(env);
  const read = verb === "export" ? undefined : readCatalogueFile(formatOf(file), fileText(readFileSync(file)));
  const database = await openDatabase(environment, { print });
  try {
    if (!read) {
      const rows = await exportRows(database);
      writeFileSync(file, writeCatalogue(formatOf(file), rows, "pt"));
      print(`${rows.length} rows are in ${file}`);
      return;
    }
    const { catalogue } = read;
    const changes = await diffFile(database, read);
    if (verb === "import" && values.apply) {
      if (catalogue.stores.length > 0) await skipIdsOnChain(environment, database);
      report(await apply(database, catalogue, "catalog script"), "made", print);
    } else {
      report(changes, "to make; add --apply to an import to make them", print);
    }
  } finally {
    await database.close();
  }
}

/** Compares the looks of stores with the chain, and queues those that differ: stopped anywhere, it is run again. */
async function runLooks(env: Variables, isApplied: boolean, print: Print): Promise<void> {
  const environment = readOperatorEnvironment(env);
  const { contracts } = environment;
  if (!contracts) throw new UsageError("There are no contracts yet: npm run deploy");
  const database = await openDatabase(environment, { print });
  const { client, nodes } = await openKnownChain(environment, database, contracts.purchaseNft);
  try {
    const readLook = lookReader(client, contracts);
    const unlike: Unlike[] = isApplied ? await sendLooks(database, readLook) : [];
    if (!isApplied) for await (const page of listUnlike(database.kysely, readLook)) unlike.push(...page);
    for (const { id, name, onChain, wanted } of unlike)
      print(`~ store ${id}, ${name}: ${lookText(onChain)} → ${lookText(wanted)}`);
    const what = isApplied ? "queued; the api that sends sends them" : "to send; add --apply to send them";
    print(unlike.length === 0 ? "Every ticket is drawn as its store's club looks" : `${unlike.length} looks ${what}`);
  } finally {
    nodes.close();
    await database.close();
  }
}

const lookText = ({ first, second, pattern }: TicketLook): string =>
  first === 0 ? "none" : `${colourText(first)} ${colourText(second)} ${CLUB_PATTERNS[pattern] ?? pattern}`;
const colourText = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;

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
