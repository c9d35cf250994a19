import { setTimeout as delay } from "node:timers/promises";
import { connect, DatabaseUnavailableError, isPassingFault } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { ensureDataDirectory } from "../database/private-files.ts";
import type { Network } from "../rules/networks.ts";
import { messageOf } from "../rules/unknown-error.ts";
import { claimForNetwork } from "./database-network.ts";

type Patience = {
  /** Called with the reason for waiting, at most once a minute while it does not change. */
  onWait: (reason: string) => void;
  signal?: AbortSignal;
};

export type PrepareDatabaseParameters = Patience & { databaseUrl: string; dataDirectory: string; network: Network };

const RETRY_MS = 1_000;
const REPEAT_MS = 60_000;

/**
 * Prepares the database for a process that writes: waits while its server does not respond, migrates the
 * schema, and records the network. Returns early if the signal aborts.
 * @throws DatabaseUnavailableError if waiting would not help
 */
export async function prepareDatabase(parameters: PrepareDatabaseParameters): Promise<void> {
  ensureDataDirectory(parameters.dataDirectory);
  await onceDatabaseAnswers(() => prepareOnce(parameters), parameters);
}

/**
 * Repeats the work of a start while the database is away or its disk is full: nothing else would start the process again.
 * Returns what it returned; undefined once the signal has aborted.
 */
export async function onceDatabaseAnswers<T>(
  work: () => Promise<T>,
  { onWait, signal }: Patience,
): Promise<T | undefined> {
  let said = { reason: "", at: 0 };
  while (!signal?.aborted) {
    try {
      return await work();
    } catch (error) {
      if (!isPassingFault(error)) throw error;
      const reason = messageOf(error);
      if (reason !== said.reason || performance.now() - said.at >= REPEAT_MS) {
        onWait(reason);
        said = { reason, at: performance.now() };
      }
      await delay(RETRY_MS, undefined, { ...(signal && { signal }) }).catch(() => {});
    }
  }
  return undefined;
}

async function prepareOnce({ databaseUrl, network }: PrepareDatabaseParameters): Promise<void> {
  const database = await connect(databaseUrl);
  try {
    await migrate(database);
    await claimForNetwork(database, network);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError || isPassingFault(error)) throw error;
    const reason = messageOf(error);
    throw new DatabaseUnavailableError(`The database ${database.location} could not be migrated (${reason})`);
  } finally {
    await database.close();
  }
}
