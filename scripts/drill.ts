/**
 * Tries a backup: `npm run drill -- --from FILE --identity FILE`. Restores the newest copy of a folder, or one file, into a
 * scratch database, brings its index to the chain's head, and compares it with the chain; nothing is sent, and the shop's
 * database is not touched. `--from postgres://…` takes a PostgreSQL that was recovered from a base backup and WAL. The last
 * line is for the shop: `npm run drill -- --record LINE`. Exit codes: 0 it agrees, 1 it does not, or there is no answer.
 */
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { mergeErasedList, readErasedList } from "../api/people/erased-list.ts";
import { appendAudit, auditProblem, inAuditedTransaction } from "../core/database/audit-log.ts";
import { drillSchema, recordDrill } from "../core/database/backup-runs.ts";
import { indexedBlock } from "../core/database/chain-cursor.ts";
import { connect, type Database, isPostgres, locationOf } from "../core/database/connect.ts";
import { TABLE_NAMES } from "../core/database/generated/schema.ts";
import { ensureDataDirectory, makeFilesPrivate } from "../core/database/private-files.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { openLog } from "../core/process/log.ts";
import { findWrongTotals } from "../core/purchases/wrong-totals.ts";
import { differentPayouts } from "../core/reconcile/ledger.ts";
import { findGap, type ReconcileOptions, reconcile } from "../core/reconcile/reconcile.ts";
import { listUnclaimed } from "../core/reconcile/unclaimed.ts";
import type { Drill } from "../core/rules/backups.ts";
import { readEnvironment as readIndexerEnvironment } from "../indexer/environment.ts";
import { runIndexer } from "../indexer/run-indexer.ts";
import { ArchiveError } from "./backup/archive-error.ts";
import { openCopy } from "./backup/open-copy.ts";
import { readArchive } from "./backup/read-archive.ts";
import { inUnfinished } from "./backup/unfinished.ts";
import { actAsOwnerOf } from "./operator/act-as-owner.ts";
import { type OperatorEnvironment, readOperatorEnvironment, type Terminal } from "./operator/environment.ts";
import { openKnownChain } from "./operator/open-chain.ts";
import { openDatabase } from "./operator/open-database.ts";

const LOOK_MS = 200;
/** How many of the differences are printed. */
const SHOWN = 20;

/** Runs `npm run drill` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
async function runDrill(args: readonly string[], env: Variables, terminal: Terminal): Promise<0 | 1> {
  try {
    const options = { from: { type: "string" }, identity: { type: "string" }, record: { type: "string" } } as const;
    const { from, identity, record } = parseArgs({ args: [...args], options }).values;
    const environment = readOperatorEnvironment(env);
    if (record !== undefined) return await give(record, environment, terminal);
    if (from === undefined)
      throw new UsageError("Use: npm run drill -- --from FILE --identity FILE, and at the shop -- --record LINE");
    actAsOwnerOf(environment.dataDirectory);
    ensureDataDirectory(environment.dataDirectory);
    return await inUnfinished(environment.dataDirectory, async (scratch) => {
      const drill = await rehearse({ from, identity, scratch, environment, env, print: terminal.log });
      terminal.log(JSON.stringify(drill));
      return drill.ok ? 0 : 1;
    });
  } catch (error) {
    terminal.error(failureText(error));
    return 1;
  }
}

/** At the shop, for its metrics. @throws UsageError */
async function give(line: string, environment: OperatorEnvironment, terminal: Terminal): Promise<0> {
  const drill = drillOf(line);
  const database = await openDatabase(environment, { print: terminal.log });
  try {
    await inAuditedTransaction(database.kysely, null, async (queries) => {
      await recordDrill(queries, drill);
      const actor = `operator ${userInfo().username}`;
      await appendAudit(queries, { actor, action: "database.drilled", subject: "database", detail: drill });
    });
  } finally {
    await database.close();
  }
  terminal.log(drill.ok ? "The shop knows that this copy can be restored" : "The shop tells that this copy differs");
  return 0;
}

function drillOf(line: string): Drill {
  try {
    return drillSchema.parse(JSON.parse(line));
  } catch {
    throw new UsageError(`--record takes the last line of npm run drill, in '…', not ${line.slice(0, 100)}`);
  }
}

type Rehearsal = {
  from: string;
  identity: string | undefined;
  scratch: string;
  environment: OperatorEnvironment;
  env: Variables;
  print: Terminal["log"];
};

async function rehearse(given: Rehearsal): Promise<Drill> {
  const { environment, env, print, scratch } = given;
  const started = performance.now();
  const { databaseUrl, archive_at, rows } = await filled(given);
  const database = await connect(databaseUrl, { mustExist: true });
  try {
    const archivedBlock = (await indexedBlock(database.kysely)) ?? -1n;
    print(`${rows} rows of ${archive_at} are restored; the index ends at block ${archivedBlock}`);
    const found = await findWrongTotals(database.kysely);
    const audit = await auditProblem(database.kysely, environment.saleRefKeys);
    if (audit) found.push(`The audit log is not whole: ${audit}`);
    found.push(...(await compare({ database, databaseUrl, archivedBlock, environment, env, scratch, print })));
    for (const text of found.slice(0, SHOWN)) print(`✗ ${text}`);
    if (found.length === 0) print("✓ The copy and the chain agree");
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    return { ok: found.length === 0, archive_at, seconds, rows, differences: found.length };
  } finally {
    await database.close();
  }
}

/** A scratch database with the copy's rows; PostgreSQL has recovered its own. @throws ArchiveError */
async function filled({ from, identity, scratch, environment, print }: Rehearsal) {
  if (isPostgres(from)) {
    if (from === environment.databaseUrl)
      throw new UsageError("--from is DATABASE_URL itself: recover into a server of its own, and name that one");
    print(`Trying ${locationOf(from)}`);
    const database = await connect(from);
    try {
      const at = database.kysely.selectFrom("settings").select(({ fn }) => fn.max("updated_at").as("at"));
      const newest = await at.executeTakeFirstOrThrow();
      const rows = await countAll(database);
      return { databaseUrl: from, archive_at: new Date(Number(newest.at)).toISOString(), rows };
    } finally {
      await database.close();
    }
  }
  const { archive, folder } = await openCopy(from, identity, scratch);
  print(`Trying ${archive}`);
  const databaseUrl = join(scratch, "scratch.db");
  const erasedFile = join(scratch, "erased.scratch");
  mergeErasedList(join(folder, "erased"), erasedFile);
  const [SALE_REF_KEY, ...SALE_REF_KEYS] = environment.saleRefKeys;
  const erased = readErasedList(erasedFile, { SALE_REF_KEY, SALE_REF_KEYS });
  const { createdAt, rows } = await readArchive(archive, { databaseUrl, network: environment.network, erased });
  return { databaseUrl, archive_at: createdAt, rows };
}

async function countAll({ kysely }: Database): Promise<number> {
  let rows = 0;
  for (const table of TABLE_NAMES) {
    const counted = await sql<{ n: bigint }>`select count(*) as n from ${sql.table(table)}`.execute(kysely);
    rows += Number(counted.rows[0]?.n ?? 0n);
  }
  return rows;
}

/** What the copy says otherwise than the chain, once its index is at the head; what is younger than the copy it cannot know. */
async function compare(given: {
  database: Database;
  databaseUrl: string;
  archivedBlock: bigint;
  environment: OperatorEnvironment;
  env: Variables;
  scratch: string;
  print: Terminal["log"];
}): Promise<string[]> {
  const { database, databaseUrl, archivedBlock, environment, env, scratch, print } = given;
  const { contracts } = environment;
  if (!contracts) throw new ArchiveError("No contracts are known here: set DEPLOYMENTS_DIR, or their addresses");
  const { client, nodes } = await openKnownChain(environment, database, contracts.purchaseNft);
  await nodes.refuseWrongChain();
  const options: ReconcileOptions = {
    database,
    client,
    contracts,
    // The keys of a shop are not where its copies are; their nonces are compared at the shop.
    keys: [],
    startBlock: BigInt(contracts.startBlock),
  };
  const ending = new AbortController();
  const indexing = runIndexer({
    environment: { ...readIndexerEnvironment(env), databaseUrl, dataDirectory: scratch, host: "127.0.0.1", port: 0 },
    log: openLog("silent", "indexer"),
    signal: ending.signal,
  });
  // Awaited below.
  indexing.catch(() => {});
  try {
    print("The index reads what is newer from the chain …");
    const failed = indexing.then(() => Promise.reject(new ArchiveError("The index ended before the chain's head")));
    while (await Promise.race([failed, findGap(options, 0n)])) await Promise.race([failed, delay(LOOK_MS)]);
    const result = await Promise.race([failed, reconcile(options)]);
    if (result.outcome === "cannot say") throw new ArchiveError(result.reason);
    const younger = new Set<bigint>();
    for await (const { tokenId, mintedBlock } of listUnclaimed(database.reader))
      if (mintedBlock > archivedBlock) younger.add(tokenId);
    const payouts = await differentPayouts(database.reader, { after: archivedBlock }).execute();
    for (const { token_id } of payouts) younger.add(token_id);
    print(`${result.tokens} tickets are compared at block ${result.block}; ${younger.size} are younger than the copy`);
    return result.differences
      .filter(({ tokenId }) => tokenId === undefined || !younger.has(tokenId))
      .map(({ text }) => text);
  } finally {
    ending.abort();
    await indexing.catch(() => {});
  }
}

if (import.meta.main) {
  makeFilesPrivate();
  process.exitCode = await runDrill(process.argv.slice(2), process.env, console);
}
