/** Entry point of the indexer process: chain → database. docs/indexer.md. */

import { enableCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import type { Logger } from "../core/process/log.ts";
import type { IndexerEnvironment } from "./environment.ts";

// The heap stays as small as V8 starts it, until the backfill lets it grow.
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--expose-gc");
// Not a static import, so that the compile cache is enabled before anything else is loaded.
enableCompileCache();
const { readEnvironment } = await import("./environment.ts");
const { openLog } = await import("../core/process/log.ts");
const { refusePlaintext } = await import("../core/process/trusted-nodes.ts");
const { runIndexer } = await import("./run-indexer.ts");
const { makeFilesPrivate } = await import("../core/database/private-files.ts");

makeFilesPrivate();
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort());

try {
  const flag = readFlag(process.argv.slice(2));
  const environment = readEnvironment(process.env);
  await refusePlaintext(environment.nodeSettings);
  const log = openLog(flag ? "warn" : environment.logLevel, "indexer");
  if (flag === "--verify") await runVerify(environment, log);
  else await runIndexer({ environment, log, signal: ending.signal, reset: flag === "--reset" });
  if (flag === "--reset" && !ending.signal.aborted) process.stdout.write("The index was rebuilt from the chain\n");
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`);
  process.exitCode = 1;
}

function readFlag([flag, ...rest]: string[]): string | undefined {
  if (rest.length === 0 && (flag === undefined || flag === "--reset" || flag === "--verify")) return flag;
  throw new UsageError("Use: npm run indexer [-- --reset | --verify]");
}

async function runVerify(environment: IndexerEnvironment, log: Logger): Promise<void> {
  const { verify } = await import("./verify.ts");
  const report = (line: string) => process.stdout.write(`${line}\n`);
  const differences = await verify({ environment, log, signal: ending.signal, report });
  if (ending.signal.aborted) report("Stopped before the end");
  else report(differences === 0 ? "The index equals the chain" : `${differences} differences; --reset rebuilds it`);
  if (differences > 0 || ending.signal.aborted) process.exitCode = 1;
}
