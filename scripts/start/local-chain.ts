import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CHAIN_IDS } from "../../domain/networks.ts";

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
