import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import { StartError } from "./run-to-end.ts";

const DATABASE = "torcida.db";
const ANVIL = "install Foundry (https://getfoundry.sh), whose anvil keeps its chain";

/** How often the chain's state is written to disk, which is the most a power failure can lose. */
const STATE_INTERVAL_SECONDS = 2;

/**
 * The anvil to run: the npm package's binary (killing its `.bin` wrapper would leave the node running), otherwise
 * an `anvil` on the PATH; undefined if there is neither.
 */
export function findAnvil(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    return join(
      dirname(require.resolve(`@foundry-rs/anvil-linux-${process.arch === "x64" ? "amd64" : "arm64"}/package.json`)),
      "bin",
      "anvil",
    );
  } catch {
    try {
      return execFileSync("sh", ["-c", "command -v anvil"], { encoding: "utf8" }).trim() || undefined;
    } catch {
      return undefined;
    }
  }
}

/** Spicy's id and rules, a block every second and on every transaction. docs/product.md#chain-networks. */
export function anvilArguments(chainPort: number, stateFile: string): string[] {
  return [
    "--chain-id",
    String(CHAIN_IDS.spicy),
    "--hardfork",
    "cancun",
    "--block-time",
    "1",
    "--mixed-mining",
    "--silent",
    "--host",
    "127.0.0.1",
    "--port",
    String(chainPort),
    "--state",
    stateFile,
    "--state-interval",
    String(STATE_INTERVAL_SECONDS),
  ];
}

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
