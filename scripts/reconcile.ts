/**
 * Compares the database with the chain and reports the outcome: `npm run reconcile [-- --full] [-- --accept]`. Exit
 * codes: 0 agree, 1 contradiction, 2 shortfall, 3 cannot say, 4 surplus. Only 1 and 2 pause payouts. `--accept` marks
 * the foreign transactions with our keys as known. Without `--full` it compares what changed since the last run and a
 * slice of the rest; `--full` compares everything and recounts all totals.
 */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { readEnvironment } from "../api/environment.ts";
import { openReconcile } from "../api/operations/open-reconcile.ts";
import { appendAudit, inAuditedTransaction } from "../core/database/audit-log.ts";
import type { Database } from "../core/database/connect.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText } from "../core/process/failure-text.ts";
import { findWrongTotals } from "../core/purchases/wrong-totals.ts";
import { pausingReason, type Reconciliation, reconcile } from "../core/reconcile/reconcile.ts";
import { chzTextFromWei } from "../core/rules/money.ts";
import { acceptNonces, foreignText, type WatchedKey } from "../core/sender/foreign-transactions.ts";
import { PayoutSwitch } from "../core/sender/payout-switch.ts";
import type { Terminal } from "./operator/environment.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const EXIT_CODES = {
  agree: 0,
  contradiction: 1,
  shortfall: 2,
  "cannot say": 3,
  surplus: 4,
} as const satisfies Record<Reconciliation["outcome"], number>;

type ExitCode = (typeof EXIT_CODES)[Reconciliation["outcome"]];

/** Runs `npm run reconcile` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
export async function runReconcile(args: readonly string[], env: Variables, terminal: Terminal): Promise<ExitCode> {
  try {
    const options = { accept: { type: "boolean" }, full: { type: "boolean" } } as const;
    return await compare(parseArgs({ args: [...args], options }).values, env, terminal.log);
  } catch (error) {
    terminal.error(failureText(error));
    return EXIT_CODES["cannot say"];
  }
}

async function compare(
  { accept, full }: { accept?: boolean; full?: boolean },
  env: Variables,
  print: Terminal["log"],
): Promise<ExitCode> {
  const environment = readEnvironment(env);
  const database = await openDatabase(readOperatorEnvironment(env), { print });
  try {
    const { options, nodes } = await openReconcile(environment, database);
    await nodes.refuseWrongChain();
    const { everySeconds, ...everything } = options;
    const result = await reconcile(full ? everything : { ...everything, everySeconds });
    const reason = pausingReason(result);
    if (reason) await new PayoutSwitch(database, false).pause(reason);
    for (const line of linesOf(result)) print(line);
    const wrongTotals = full ? await findWrongTotals(database.kysely) : [];
    for (const sentence of wrongTotals) print(`✗ ${sentence}`);
    if (accept) print(`${await acceptAll(database, environment.keys)} foreign transactions are accepted`);
    return EXIT_CODES[wrongTotals.length > 0 && result.outcome === "agree" ? "contradiction" : result.outcome];
  } finally {
    await database.close();
  }
}

const LOST = "docs/runbook/database-lost.md";

function linesOf(result: Reconciliation): string[] {
  if (result.outcome === "cannot say") return [`? Cannot say: ${result.reason}`];
  const { differences, surplusWei, foreign, lost, tokens, unclaimed, block } = result;
  const surplus = `! Surplus: the distributor holds ${chzTextFromWei(surplusWei)} CHZ more than it should; payouts continue`;
  const among = `${tokens} token${tokens === 1 ? "" : "s"} at block ${block}`;
  return [
    ...differences.map(({ text }) => `✗ ${text}`),
    ...[...foreign, ...lost].map((one) => `! ${foreignText(one)}`),
    ...(surplusWei > 0n ? [surplus] : []),
    ...(unclaimed.unknown > 0 ? [`! Tickets without a purchase: ${LOST} says what to do`] : []),
    // Nothing to do: `npm run restored` would pause payouts and end every session.
    ...(unclaimed.accepted > 0 ? [`  ${unclaimed.accepted} without a purchase, accepted by an operator`] : []),
    differences.length === 0
      ? `✓ Database and chain agree: ${among}`
      : `${differences.length} differences among ${among}; payouts are paused until you resume them`,
  ];
}

/** Marks the foreign transactions with these keys as known, and returns their number. */
async function acceptAll({ kysely }: Database, keys: readonly WatchedKey[]): Promise<number> {
  const actor = `operator ${userInfo().username}`;
  return inAuditedTransaction(kysely, null, async (queries) => {
    let sum = 0;
    for (const key of keys) {
      const accepted = await acceptNonces(queries, key, "foreign");
      const entry = { actor, action: "foreign.accept", subject: key.address, detail: { count: accepted } };
      if (accepted > 0 || key.name === "operator") await appendAudit(queries, entry);
      sum += accepted;
    }
    return sum;
  });
}

if (import.meta.main) process.exitCode = await runReconcile(process.argv.slice(2), process.env, console);
