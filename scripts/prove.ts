/**
 * Verifies a wallet's cashback from the chain alone: `npm run prove -- --wallet 0x… [--purchase N] [--rpc URL]
 * [--network NAME]`. Reads the deployment record and a public node, never the database. Prints each purchase's value ×
 * percent × rate next to the amount paid, then one line of JSON: `{ purchases, expected, paid, less, more, missing,
 * matches }`, CHZ as decimals.
 */
import { runProve } from "./prove/run-prove.ts";

process.exitCode = await runProve(process.argv.slice(2), process.env, console);
