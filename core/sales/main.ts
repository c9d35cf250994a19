/** The network reader: reads affiliate networks into the database, one process at a time. docs/product.md#sales. */

import { connect } from "../database/connect.ts";
import { makeFilesPrivate } from "../database/private-files.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { watchFile } from "../database/watch-file.ts";
import { EnvironmentError } from "../process/environment.ts";
import { failureText } from "../process/failure-text.ts";
import { assertLease, leadWhileHeld, newLeaseHolder } from "../process/lease.ts";
import { openLog } from "../process/log.ts";
import { onceDatabaseAnswers, prepareDatabase } from "../process/prepare-database.ts";
import { openTracing } from "../process/tracing.ts";
import { polledAccounts } from "./accounts.ts";
import { readEnvironment } from "./environment.ts";
import { openReaderHealth, type ReaderStatus } from "./health-server.ts";
import { noteAccounts } from "./known-accounts.ts";
import { findNetwork } from "./networks.ts";
import { Reader } from "./reader.ts";

/** Another process reads within this time after a `kill -9`. */
const LEASE_MS = 10_000;
const LOOK_AT_FILE_EVERY_MS = 1_000;

makeFilesPrivate();
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort());

try {
  await main();
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const environment = readEnvironment(process.env);
  const { dataDirectory, databaseUrl, network: chainNetwork, logLevel, port, host } = environment;
  let polled = polledAccounts(environment.accounts);
  if (polled.length === 0) throw new EnvironmentError("AFFILIATE_ACCOUNTS has no account of a polled network");
  const log = openLog(logLevel, "affiliates");
  const endTracing = await openTracing("affiliates", environment.traces);
  const onWait = (reason: string) => log.warn({ reason }, "Waiting for the database");
  const status: ReaderStatus = { isReading: false, queries: undefined };
  const endServer = port > 0 ? await openReaderHealth({ port, host, accounts: polled, status }) : () => {};
  ending.signal.addEventListener("abort", endServer);
  await prepareDatabase({ databaseUrl, dataDirectory, network: chainNetwork, onWait, signal: ending.signal });
  if (ending.signal.aborted) return;
  const database = await connect(databaseUrl);
  status.queries = database.kysely;
  const note = (queries: Queries) => noteAccounts(queries, environment.accounts, environment.closedAccounts);
  const noted = await onceDatabaseAnswers(() => inTransaction(database.kysely, note), {
    onWait,
    signal: ending.signal,
  });
  if (!noted) return database.close();
  polled = polledAccounts(noted.configured);
  const rules = environment.rulesOf(noted.known);
  const endWatching = watchFile(database, LOOK_AT_FILE_EVERY_MS, (error) => {
    log.fatal(error.message);
    process.exit(1);
  });
  const onError = (error: unknown) => log.warn({ reason: String(error) }, "The database is unavailable; retrying");
  const leading = { database, name: "affiliates", holder: newLeaseHolder("affiliates"), ttlMs: LEASE_MS };
  const names = polled.map(({ network, account }) => `${network}/${account}`);
  await leadWhileHeld(
    {
      ...leading,
      signal: ending.signal,
      onError,
      onStandby: () => log.info("Another process reads the networks; standing by"),
    },
    async (lease, signal) => {
      log.info({ accounts: names }, "Reading the networks");
      status.isReading = true;
      await Promise.all(
        polled.map(async (account) => {
          const network = findNetwork(account.network);
          if (!network) throw new Error(`There is no network ${account.network}`);
          const options = { database, network, account, rules, log, signal };
          await new Reader({ ...options, assertLease: (queries) => assertLease(queries, lease) }).run();
        }),
      );
      status.isReading = false;
    },
  );
  endWatching();
  await Promise.all([database.close(), endTracing()]);
  log.info("The network reader has stopped");
}
