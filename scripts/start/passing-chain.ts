import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "./start-error.ts";

const DATABASE = "torcida.db";
const ANVIL = "install Foundry (https://getfoundry.sh), whose anvil keeps its chain";

/**
 * Without anvil the local chain is an in-memory Hardhat node that is recreated on each start. A database of an earlier
 * chain is useless then, so it is recreated too. Returns the message to print.
 * @throws Error with one sentence, if that would delete data worth keeping
 */
export function beginAnew(dataDirectory: string, databaseUrl: string | undefined): string {
  if (databaseUrl) {
    throw new StartError(
      `No anvil for this machine: an in-memory chain cannot be used with DATABASE_URL; unset it, or ${ANVIL}`,
    );
  }
  if (existsSync(join(dataDirectory, "chain-state.json"))) {
    throw new StartError(
      `No anvil for this machine, but ${dataDirectory}/ has the chain of an earlier one: set DATA_DIR to another folder, or ${ANVIL}`,
    );
  }
  const hasEarlier = existsSync(join(dataDirectory, DATABASE));
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(join(dataDirectory, `${DATABASE}${end}`), { force: true });
  const anew = hasEarlier ? "what the last start left in the database is gone" : "the database with it";
  return `! No anvil for this machine: the chain is an in-memory Hardhat node and is recreated on each start, ${anew}`;
}
