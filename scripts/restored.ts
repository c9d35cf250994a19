/**
 * What to do with a database that was restored or moved back in time: `npm run restored [-- --accept]`. Lists what the
 * chain has and the database does not know, and lets mints and confirmations be sent again; payouts stay paused.
 * `--accept` says that the listed tickets and payouts are known. Exit codes: 0 done, 1 not yet, with the reason.
 */
import { userInfo } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readEnvironment } from "../api/environment.ts";
import { openReconcile } from "../api/operations/open-reconcile.ts";
import { type ErasedList, leaveAgain, leftText, readErasedList } from "../api/people/erased-list.ts";
import { endSignIns } from "../api/people/sessions.ts";
import { appendAudit, auditProblem, inAuditedTransaction } from "../core/database/audit-log.ts";
import { indexedBlock } from "../core/database/chain-cursor.ts";
import type { Database } from "../core/database/connect.ts";
import { inTransaction } from "../core/database/transaction.ts";
import type { Variables } from "../core/process/environment.ts";
import { failureText } from "../core/process/failure-text.ts";
import { INDEXER_LEASE, isHeld } from "../core/process/lease.ts";
import { differentPayouts } from "../core/reconcile/ledger.ts";
import { findGap, type ReconcileOptions } from "../core/reconcile/reconcile.ts";
import { acceptUnclaimed, listUnclaimed, readAccepted, type UnclaimedTicket } from "../core/reconcile/unclaimed.ts";
import { chzTextFromGwei, reaisText } from "../core/rules/money.ts";
import { ticketStatus } from "../core/rules/purchase/life.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import {
  acceptNonces,
  explainNonces,
  foreignText,
  listForeign,
  listLost,
} from "../core/sender/foreign-transactions.ts";
import { beginRecovery, endRecovery, readRecovery, wasRecovered } from "../core/sender/payout-switch.ts";
import { listSigned } from "../core/sender/receipts.ts";
import { skipIds } from "./backup/next-ids.ts";
import { readOperatorEnvironment, type Terminal } from "./operator/environment.ts";
import { openDatabase } from "./operator/open-database.ts";

/** How long the running indexer may take to reach the head at the start of the command. */
const INDEX_MS = 30_000;
const LOOK_MS = 200;

/** The chain may still have, or get, what the index does not show. */
class NotYetError extends TorcidaError {
  override readonly docs = "docs/runbook/database-lost.md";
}

type Print = Terminal["log"];
type Tickets = { unclaimed: number; unknown: number };

/** Runs `npm run restored` with these arguments and variables; prints an error as one sentence. Returns the exit code. */
export async function runRestored(args: readonly string[], env: Variables, terminal: Terminal): Promise<0 | 1> {
  try {
    const { accept = false } = parseArgs({ args: [...args], options: { accept: { type: "boolean" } } }).values;
    const environment = readEnvironment(env);
    const operator = readOperatorEnvironment(env);
    const database = await openDatabase(operator, { print: terminal.log });
    try {
      const { options, nodes } = await openReconcile(environment, database);
      await nodes.refuseWrongChain();
      const left = readErasedList(operator.erasedFile, environment);
      await tellAudit(database, operator.saleRefKeys, terminal.log);
      await recover(options, { accept, left }, terminal.log);
      return 0;
    } finally {
      await database.close();
    }
  } catch (error) {
    terminal.error(failureText(error));
    return 1;
  }
}

/** A backup that lacks the end of its log, or was changed, was not made by `npm run backup`. docs/product.md#audit-log */
async function tellAudit({ kysely }: Database, saleRefKeys: readonly string[], print: Print): Promise<void> {
  const problem = await auditProblem(kysely, saleRefKeys);
  if (problem) print(`! The audit log is not whole: ${problem}. Compare it with another backup before you go on`);
}

/** @throws NotYetError while the index or a transaction of ours may still change what the chain has */
async function recover(
  options: ReconcileOptions,
  { accept, left }: { accept: boolean; left: ErasedList },
  print: Print,
): Promise<void> {
  const { database, keys } = options;
  const { kysely } = database;
  // Accepting after a recovery must not pause what a person has resumed since.
  const isOver = accept && (await wasRecovered(kysely));
  if (!isOver) await hold(database, left, print);
  await reachHead(options);
  await explainAll(options);
  await refusePending(options);
  for (const one of await listForeign(kysely, keys)) print(`! ${foreignText(one)}`);
  const lost = await listLost(kysely, keys);
  for (const one of lost) print(`  ${foreignText(one)}`);
  print(`${lost.length} transactions of ours were not known to the database`);
  const block = (await indexedBlock(kysely)) ?? 0n;
  const accepted = await readAccepted(kysely, options.contracts);
  const tickets = await printTickets(options, accepted, print);
  const payouts = await printPayouts(options, accepted, print);
  await inAuditedTransaction(kysely, null, async (queries) => {
    for (const key of keys) await acceptNonces(queries, key, "lost");
    if (accept) await acceptUnclaimed(queries, options.contracts, block);
    if (await readRecovery(queries)) await endRecovery(queries);
    const actor = `operator ${userInfo().username}`;
    const detail = { lost: lost.length, tickets: tickets.unclaimed, payouts, accepted: accept };
    await appendAudit(queries, { actor, action: "database.restored", subject: "database", detail });
  });
  printNextSteps(accept ? 0 : tickets.unknown + payouts, print);
}

async function hold(database: Database, left: ErasedList, print: Print): Promise<void> {
  const { next, again } = await inTransaction(database.kysely, async (queries) => {
    await beginRecovery(queries, { code: "moved_back" });
    await endSignIns(queries);
    const again = leftText(await leaveAgain(queries, left), left);
    return { next: await skipIds(database, queries), again };
  });
  print(`Nothing is sent meanwhile, payouts are paused, everyone must log in again, and purchase ids go on at ${next}`);
  if (again) print(again);
}

/** Waits until the index has every block that the chain had when this began. */
async function reachHead(options: ReconcileOptions): Promise<void> {
  const deadline = performance.now() + INDEX_MS;
  for (let gap = await findGap(options, 0n); gap; gap = await findGap(options, 0n)) {
    if (!(await isHeld(options.database, INDEXER_LEASE)))
      throw new NotYetError(`${gap}. Start the indexer, wait until its /readyz answers 200, and run this again`);
    if (performance.now() > deadline)
      throw new NotYetError(`${gap}. Wait until the indexer's /readyz answers 200, then run this again`);
    await delay(LOOK_MS);
  }
}

async function explainAll(options: ReconcileOptions): Promise<void> {
  for (const key of options.keys) {
    for (let before = ""; ; ) {
      const { isWhole, below } = await explainNonces({ ...options, key });
      if (isWhole) break;
      if (before === String(below))
        throw new NotYetError(
          `Nonce ${below} of the ${key.name}'s key is signed, and not certain to be ours yet: start the api, and run this again in a minute`,
        );
      before = String(below);
    }
  }
}

/** A transaction that waits in a node and is not known here may still mint or pay. */
async function refusePending({ client, database, keys }: ReconcileOptions): Promise<void> {
  for (const { name, address } of keys) {
    const [mined, pending] = await client.onOneNode((node) =>
      Promise.all([
        node.getTransactionCount({ address, blockTag: "latest" }),
        node.getTransactionCount({ address, blockTag: "pending" }),
      ]),
    );
    const ours = new Set((await listSigned(database.kysely, { of: address })).map(({ nonce }) => Number(nonce)));
    for (let nonce = mined; nonce < pending; nonce++) {
      if (!ours.has(nonce))
        throw new NotYetError(
          `Nonce ${nonce} of the ${name}'s key waits in a node and is not known here: wait until it is mined, or replace it by an empty transaction with a higher fee`,
        );
    }
  }
}

async function printTickets({ database }: ReconcileOptions, accepted: bigint, print: Print): Promise<Tickets> {
  const tickets: Tickets = { unclaimed: 0, unknown: 0 };
  for await (const ticket of listUnclaimed(database.reader)) {
    tickets.unclaimed += 1;
    if (ticket.mintedBlock > accepted) tickets.unknown += 1;
    print(`  ${ticketText(ticket)}`);
  }
  print(`${tickets.unclaimed} tickets have no purchase; ${tickets.unknown} of them nobody has accepted`);
  return tickets;
}

/** Returns how many payouts of another amount than the outbox asked for nobody has accepted. */
async function printPayouts({ database }: ReconcileOptions, after: bigint, print: Print): Promise<number> {
  const payouts = await differentPayouts(database.reader, { after }).execute();
  for (const { token_id, recipient, amount_gwei, queued_gwei, transaction_hash } of payouts) {
    const [paid, due] = [amount_gwei, queued_gwei ?? 0n].map(chzTextFromGwei);
    print(`  Purchase ${token_id} of ${recipient} was paid ${paid} CHZ, not ${due}: ${transaction_hash}`);
  }
  print(`${payouts.length} payouts are of another amount than the outbox asked for`);
  return payouts.length;
}

function ticketText({ tokenId, owner, storeId, valueCents, status, saleRef, isPaid }: UnclaimedTicket): string {
  const origin = saleRef === 0n ? "of a simulated purchase, never paid again" : "adopted once its sale is read";
  const state = `${ticketStatus(status)}, ${isPaid ? "paid" : "not paid"}`;
  return `Ticket ${tokenId} of ${owner}: store ${storeId}, ${reaisText(valueCents)}, ${state}; ${origin}`;
}

function printNextSteps(unknown: number, print: Print): void {
  print("Mints and confirmations are sent again. Now:");
  const steps = [
    "Start the api and the network reader; a direct shop reports again every sale since the backup",
    ...(unknown > 0
      ? ["Once you know each ticket and payout above that is still left: npm run restored -- --accept"]
      : []),
    "npm run reconcile, until it finds no difference",
    "npm run payouts -- --resume",
  ];
  for (const [index, step] of steps.entries()) print(`${index + 1}. ${step}`);
}

if (import.meta.main) process.exitCode = await runRestored(process.argv.slice(2), process.env, console);
