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
import { appendAudit, inAuditedTransaction } from "../database/audit-log.ts";
import type { Database } from "../database/connect.ts";
import { chzTextFromWei } from "../domain/money.ts";
import { failureText } from "../platform/failure-text.ts";
import { findWrongTotals } from "../purchases/wrong-totals.ts";
import { pausingReason, type Reconciliation, reconcile } from "../reconcile/reconcile.ts";
import { acceptForeign, foreignText, type WatchedKey } from "../sender/foreign-transactions.ts";
import { PayoutSwitch } from "../sender/payout-switch.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const EXIT_CODES: Record<Reconciliation["outcome"], number> = {
  agree: 0,
  contradiction: 1,
  shortfall: 2,
  "cannot say": 3,
  surplus: 4,
};

try {
  const { values } = parseArgs({ options: { accept: { type: "boolean" }, full: { type: "boolean" } } });
  const environment = readEnvironment(process.env);
  const database = await openDatabase(readOperatorEnvironment(process.env));
  const { options, nodes } = await openReconcile(environment, database);
  await nodes.refuseWrongChain();
  const { everySeconds, ...everything } = options;
  const result = await reconcile(values.full ? everything : { ...everything, everySeconds });
  const reason = pausingReason(result);
  if (reason) await new PayoutSwitch(database, false).pause(reason);
  tell(result);
  const wrongTotals = values.full ? await findWrongTotals(database.kysely) : [];
  for (const sentence of wrongTotals) console.log(`✗ ${sentence}`);
  if (values.accept) await accept(database, environment.keys);
  await database.close();
  process.exitCode =
    EXIT_CODES[wrongTotals.length > 0 && result.outcome === "agree" ? "contradiction" : result.outcome];
} catch (error) {
  console.error(failureText(error));
  process.exitCode = EXIT_CODES["cannot say"];
}

function tell(result: Reconciliation): void {
  if (result.outcome === "cannot say") {
    console.log(`? Cannot say: ${result.reason}`);
    return;
  }
  const { differences, surplusWei, foreign, tokens, block } = result;
  for (const { text } of differences) console.log(`✗ ${text}`);
  for (const one of foreign) console.log(`! ${foreignText(one)}`);
  if (surplusWei > 0n) {
    console.log(
      `! Surplus: the distributor holds ${chzTextFromWei(surplusWei)} CHZ more than it should; payouts continue`,
    );
  }
  console.log(
    differences.length === 0
      ? `✓ Database and chain agree: ${tokens} tokens at block ${block}`
      : `${differences.length} differences among ${tokens} tokens at block ${block}; payouts are paused until you resume them`,
  );
}

async function accept({ kysely }: Database, keys: readonly WatchedKey[]): Promise<void> {
  const actor = `operator ${userInfo().username}`;
  const count = await inAuditedTransaction(kysely, async (queries) => {
    let sum = 0;
    for (const key of keys) {
      const accepted = await acceptForeign(queries, key);
      const entry = { actor, action: "foreign.accept", subject: key.address, detail: { count: accepted } };
      if (accepted > 0 || key.name === "operator") await appendAudit(queries, entry);
      sum += accepted;
    }
    return sum;
  });
  console.log(`${count} foreign transactions are accepted`);
}
