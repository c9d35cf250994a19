/**
 * What to do with a database that was restored or moved back in time: `npm run restored [-- --accept]`. Lists what the
 * chain has and the database does not know, and lets mints and confirmations be sent again; payouts stay paused.
 * `--accept` says that the listed tickets are known. Exit codes: 0 done, 1 not yet, with the reason.
 */
import { runRestored } from "./operator/run-restored.ts";

process.exitCode = await runRestored(process.argv.slice(2), process.env, console);
