/** The indexer's process: the chain into the database. Design, sections 5, 6 and 9. */
import { enableCompileCache } from "node:module";

// Before anything else is loaded, and therefore not a static import: a second start reads what the first one compiled.
enableCompileCache();
const { readEnvironment } = await import("./environment.ts");
const { openLog } = await import("./log.ts");
const { runIndexer } = await import("./run-indexer.ts");

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ending.abort());

try {
  const environment = await readEnvironment(process.env);
  await runIndexer({ environment, log: openLog(environment.logLevel), signal: ending.signal });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
