/**
 * Payout control for operators: `npm run payouts -- --pause REASON | --resume` pauses and resumes payouts; `list |
 * retry ID… | release [REASON]` lists waiting and failed operations and retries them; `dismiss ID…` removes those that
 * can never be sent.
 */

import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { type AuditEntry, appendAudit, inAuditedTransaction } from "../core/database/audit-log.ts";
import { countRows } from "../core/database/capped-count.ts";
import type { Database } from "../core/database/connect.ts";
import { inStretch } from "../core/database/index-range.ts";
import { listNewest } from "../core/database/newest-page.ts";
import { OPERATION_REASONS } from "../core/database/operations.ts";
import type { Queries } from "../core/database/transaction.ts";
import { failureText, UsageError } from "../core/process/failure-text.ts";
import { lockPurchasesWithSales } from "../core/purchases/locks.ts";
import { isMove } from "../core/rules/purchase/life.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import { PayoutSwitch } from "../core/sender/payout-switch.ts";
import { findOperationById, operationsIn, release, toOperationRecord, withdraw } from "../core/sender/queue.ts";
import { readOperatorEnvironment } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

const USAGE = `npm run payouts -- --pause "why"        pauses payouts
npm run payouts -- --resume             resumes payouts
npm run payouts -- list                 lists waiting and failed operations with their reasons
npm run payouts -- retry ID…            retries these operations now
npm run payouts -- release [REASON]     retries all of them now, or those with this reason
npm run payouts -- dismiss ID…          removes operations that can never be sent (invalid) from the list`;
const STUCK = ["waiting", "failed"] as const;
const LISTED = 500;
const ACTOR = `operator ${userInfo().username}`;

/** The operation is unknown, or in a state that the command does not act on. */
class OperationStateError extends TorcidaError {
  override readonly docs = "docs/runbook/operations-wait.md";
}

try {
  const { values, positionals } = parseArgs({
    options: { pause: { type: "string" }, resume: { type: "boolean" } },
    allowPositionals: true,
  });
  const run = commandOf(values, positionals);
  const database = await openDatabase(readOperatorEnvironment(process.env));
  try {
    await run(database);
  } finally {
    await database.close();
  }
} catch (error) {
  console.error(failureText(error));
  process.exitCode = 1;
}

function commandOf(
  values: { pause?: string | undefined; resume?: boolean | undefined },
  [name, ...rest]: string[],
): (database: Database) => Promise<void> {
  const { pause, resume } = values;
  if (name === undefined && (pause === undefined) !== (resume === undefined)) {
    return (database) => setPause(database, pause);
  }
  if (pause === undefined && resume === undefined) {
    if (name === "list" && rest.length === 0) return list;
    if (name === "retry" && rest.length > 0) return (database) => retry(database, rest.map(readId));
    if (name === "dismiss" && rest.length > 0) return (database) => dismiss(database, rest.map(readId));
    if (name === "release" && rest.length <= 1) return (database) => releaseAll(database, rest[0]);
  }
  throw new UsageError(USAGE);
}

function readId(text: string): bigint {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${text} is not the id of an operation\n${USAGE}`);
  return BigInt(text);
}

async function setPause(database: Database, pause: string | undefined): Promise<void> {
  const payouts = new PayoutSwitch(database, false);
  const before = await payouts.reason();
  await inAuditedTransaction(database.kysely, null, async (queries) => {
    if (pause !== undefined) await payouts.pause(pause, queries);
    else await payouts.resume(queries);
    const action = pause === undefined ? "payouts.resume" : "payouts.pause";
    const note = { words: { reason: pause ?? before ?? "" } };
    await appendAudit(queries, { actor: ACTOR, action, subject: "payouts", detail: {}, note });
  });
  const reason = await payouts.reason();
  console.log(reason ? `Payouts are paused: ${reason}` : "Payouts are not paused");
}

async function list({ kysely }: Database): Promise<void> {
  const stuck = kysely.selectFrom("operations").selectAll().where("status", "in", STUCK);
  const operations = await listNewest(stuck, "id", { limit: LISTED });
  for (const operation of operations) {
    const one = toOperationRecord(operation);
    const amount = one.amount === null ? "" : ` of ${one.amount} CHZ`;
    console.log(
      `${one.id}  ${one.kind} ${one.subject_id}${amount}  ${one.state} since ${one.since}  ${one.reason}: ${one.error}  next try ${one.next_try_at ?? "by hand"}`,
    );
  }
  const ofStatuses = STUCK.map(
    (one) => sql`select 1 from (select 1 from operations ${inStretch(kysely, operationsIn(one))}) as stretch`,
  );
  const total = await countRows(kysely, sql.join(ofStatuses, sql` union all `));
  console.log(total === 0 ? "No operation is waiting or failed" : `${total} operations are waiting or failed`);
}

/** The operations, once nobody else decides about their buyers. docs/architecture.md#locks */
async function lockKnown(queries: Queries, ids: readonly bigint[]) {
  const read = async () => {
    const known = [];
    for (const id of ids) known.push({ id, known: await findOperationById(queries, id) });
    return known;
  };
  const purchases = (await read()).flatMap(({ known }) => (known && isMove(known.kind) ? [known.subject_id] : []));
  await lockPurchasesWithSales(queries, purchases);
  return read();
}

async function retry(database: Database, ids: readonly bigint[]): Promise<void> {
  await inAuditedTransaction(database.kysely, null, async (queries) => {
    const entries: AuditEntry[] = [];
    for (const { id, known } of await lockKnown(queries, ids)) {
      if ((await release(queries, { id })) === 0n) {
        throw new OperationStateError(
          known
            ? `Operation ${id} is ${known.status}: only a waiting or failed one can be retried`
            : `There is no operation ${id}`,
        );
      }
      const detail = { kind: known?.kind, subject_id: Number(known?.subject_id), reason: known?.reason };
      entries.push({ actor: ACTOR, action: "operation.retry", subject: `operation ${id}`, detail });
    }
    for (const entry of entries) await appendAudit(queries, entry);
  });
  console.log(`${ids.length} ${ids.length === 1 ? "operation is" : "operations are"} retried now`);
}

async function dismiss(database: Database, ids: readonly bigint[]): Promise<void> {
  await inAuditedTransaction(database.kysely, null, async (queries) => {
    const entries: AuditEntry[] = [];
    for (const { id, known } of await lockKnown(queries, ids)) {
      if (!known) throw new OperationStateError(`There is no operation ${id}`);
      if (known.status !== "failed" || known.reason !== "invalid") {
        const state = [known.status, known.reason].filter(Boolean).join(", ");
        throw new OperationStateError(
          `Operation ${id} is ${state}: only a failed operation with reason invalid can be dismissed`,
        );
      }
      await withdraw(queries, known.kind, known.subject_id, `Dismissed: ${known.error}`);
      const detail = { kind: known.kind, subject_id: Number(known.subject_id), reason: known.error };
      entries.push({ actor: ACTOR, action: "operation.dismiss", subject: `operation ${id}`, detail });
    }
    for (const entry of entries) await appendAudit(queries, entry);
  });
  console.log(`${ids.length} ${ids.length === 1 ? "operation is" : "operations are"} dismissed`);
}

/** Returns how many; no operation waits for an unknown reason. */
async function releaseOf(queries: Queries, reason: string | undefined): Promise<bigint> {
  if (reason === undefined) return release(queries);
  const known = OPERATION_REASONS.find((one) => one === reason);
  return known === undefined ? 0n : release(queries, { reason: known });
}

async function releaseAll(database: Database, reason: string | undefined): Promise<void> {
  const count = await inAuditedTransaction(database.kysely, null, async (queries) => {
    const released = await releaseOf(queries, reason);
    const detail = { reason: reason ?? "all", count: Number(released) };
    await appendAudit(queries, { actor: ACTOR, action: "operation.release", subject: "operations", detail });
    return released;
  });
  console.log(`${count} ${count === 1n ? "operation is" : "operations are"} retried now`);
}
