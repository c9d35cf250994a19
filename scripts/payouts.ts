/** Pauses or resumes payouts from the operator's shell: `npm run payouts -- --pause REASON | --resume`. */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { appendAudit, inAuditedTransaction } from "../database/audit-log.ts";
import { PayoutSwitch } from "../sender/payout-switch.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

try {
  const { values } = parseArgs({ options: { pause: { type: "string" }, resume: { type: "boolean" } } });
  if ((values.pause === undefined) === (values.resume === undefined)) {
    throw new Error('npm run payouts -- --pause "why", or npm run payouts -- --resume');
  }
  const database = await openDatabase(readOperatorEnvironment(process.env));
  try {
    const payouts = new PayoutSwitch(database, false);
    const before = await payouts.reason();
    await inAuditedTransaction(database.kysely, async (queries) => {
      if (values.pause !== undefined) await payouts.pause(values.pause, queries);
      else await payouts.resume(queries);
      const action = values.pause === undefined ? "payouts.resume" : "payouts.pause";
      const detail = { reason: values.pause ?? before ?? "" };
      await appendAudit(queries, { actor: `operator ${userInfo().username}`, action, subject: "payouts", detail });
    });
    const reason = await payouts.reason();
    console.log(reason ? `Payments are paused: ${reason}` : "Payments go on");
  } finally {
    await database.close();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
