/**
 * Imports, exports and compares stores, store categories and fan tokens: `npm run catalog -- import|export|diff FILE`.
 * An import lists its changes; with `--apply` it makes them, all or nothing. The sender then registers new stores on
 * chain.
 */
import { runCatalog } from "./operator/run-catalog.ts";

process.exitCode = await runCatalog(process.argv.slice(2), process.env, console);
