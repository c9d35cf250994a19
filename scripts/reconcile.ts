/**
 * Compares the database with the chain and reports the outcome: `npm run reconcile [-- --full] [-- --accept]`. Exit
 * codes: 0 agree, 1 contradiction, 2 shortfall, 3 cannot say, 4 surplus. Only 1 and 2 pause payouts. `--accept` marks
 * the foreign transactions with our keys as known. Without `--full` it compares what changed since the last run and a
 * slice of the rest; `--full` compares everything and recounts all totals.
 */
import { runReconcile } from "./operator/run-reconcile.ts";

process.exitCode = await runReconcile(process.argv.slice(2), process.env, console);
