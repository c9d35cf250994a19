import { sql } from "kysely";
import type { Queries } from "../../database/transaction.ts";
import { chzTextFromGwei, percentText, reaisText } from "../../domain/money.ts";
import { purchaseStatusFromChain } from "../../domain/purchase/life.ts";

/** An event in the life of a purchase. Times are milliseconds UTC; `source` is where it is recorded. */
export type Step = { atMs: bigint; source: "database" | "chain"; text: string; minedHash?: string };

export type Trace = { wallet: string; steps: Step[]; openQuestions: string[] };

/** Everything in the database about a purchase, oldest first; undefined if there is none with this id. */
export async function tracePurchase(queries: Queries, id: bigint): Promise<Trace | undefined> {
  const purchase = await queries.selectFrom("purchases").selectAll().where("id", "=", id).executeTakeFirst();
  if (!purchase) return undefined;
  const steps: Step[] = [
    {
      atMs: purchase.created_at,
      source: "database",
      text: `registered at store ${purchase.store_id} (${purchase.store_name}): R$ ${reaisText(purchase.amount_cents)} at ${percentText(purchase.cashback_bps)} % + ${percentText(purchase.bonus_bps)} % bonus, ${purchase.source}`,
    },
    ...mark(purchase.approved_at, "approved by the store's network"),
    ...mark(purchase.reversed_at, "taken back by the store or its network"),
    ...mark(purchase.settled_at, "settled: nothing is left to do"),
  ];
  const { steps: sent, openQuestions } = await operationSteps(queries, id);
  steps.push(...sent, ...(await chainSteps(queries, id)), ...(await adjustmentSteps(queries, id)));
  if (purchase.payable_at !== null && purchase.payable_at > BigInt(Date.now())) {
    openQuestions.push(`its cashback is held until ${new Date(Number(purchase.payable_at)).toISOString()}`);
  }
  return {
    wallet: purchase.wallet,
    steps: inOrder(steps),
    openQuestions,
  };
}

/** Block times have seconds: an event is listed after its transaction, whatever the clocks say. */
function inOrder(steps: readonly Step[]): Step[] {
  const minedAt = new Map<string, bigint>();
  for (const { source, minedHash, atMs } of steps) if (source === "database" && minedHash) minedAt.set(minedHash, atMs);
  const orderOf = ({ atMs, minedHash }: Step) => minedAt.get(minedHash ?? "") ?? atMs;
  return steps.toSorted((one, other) => Number(orderOf(one) - orderOf(other)));
}

function mark(atMs: bigint | null, text: string): Step[] {
  return atMs === null ? [] : [{ atMs, source: "database", text }];
}

/** Its operations, with each signature and each outcome. */
async function operationSteps(queries: Queries, id: bigint) {
  const operations = await queries
    .selectFrom("operations")
    .selectAll()
    .where("subject_id", "=", id)
    .where("kind", "in", ["mint", "confirm", "cancel", "pay"])
    .orderBy("id")
    .execute();
  const steps: Step[] = [];
  const openQuestions: string[] = [];
  for (const operation of operations) {
    const amount = operation.amount_gwei === null ? "" : ` of ${chzTextFromGwei(operation.amount_gwei)} CHZ`;
    const name = `${operation.kind}${amount}`;
    steps.push({ atMs: operation.created_at, source: "database", text: `${name} queued` });
    if (operation.transaction_id !== null) {
      steps.push(...(await transactionSteps(queries, operation.transaction_id, operation.kind)));
    }
    if (operation.status !== "done") {
      openQuestions.push(`${name} is ${operation.status}${operation.error ? `: ${operation.error}` : ""}`);
    }
  }
  return { steps, openQuestions };
}

async function transactionSteps(queries: Queries, transactionId: bigint, kind: string): Promise<Step[]> {
  const transaction = await queries
    .selectFrom("transactions")
    .selectAll()
    .where("id", "=", transactionId)
    .executeTakeFirstOrThrow();
  const hashes = await queries
    .selectFrom("transaction_hashes")
    .select(["hash", "created_at"])
    .where("transaction_id", "=", transactionId)
    .orderBy("created_at")
    .execute();
  const signed = hashes.map(({ hash, created_at }, index): Step => {
    const how = index === 0 ? "signed" : "signed again with a higher fee";
    return { atMs: created_at, source: "database", text: `${kind} ${how}: nonce ${transaction.nonce}, ${hash}` };
  });
  if (transaction.status === "signed") return signed;
  const outcome =
    transaction.status === "void"
      ? "lost its nonce to a transaction that is not ours"
      : `${transaction.succeeded === 1n ? "mined" : "reverted"} in block ${transaction.block_number} as ${transaction.mined_hash}${transaction.status === "confirmed" ? ", final" : ""}`;
  const mined = transaction.mined_hash === null ? {} : { minedHash: transaction.mined_hash };
  return [...signed, { atMs: transaction.updated_at, source: "database", text: `${kind} ${outcome}`, ...mined }];
}

/** The indexed events of its ticket. */
async function chainSteps(queries: Queries, id: bigint): Promise<Step[]> {
  const events = await queries
    .selectFrom("chain_events")
    .innerJoin("chain_blocks", "chain_blocks.number", "chain_events.block_number")
    .select(["kind", "arguments", "block_number", "transaction_hash", "timestamp"])
    .where("token_id", "=", id)
    .orderBy("block_number")
    .orderBy("log_index")
    .execute();
  return events.map(({ kind, arguments: given, block_number, transaction_hash, timestamp }) => ({
    atMs: timestamp * 1_000n,
    source: "chain",
    text: `${kind} ${given} in block ${block_number}, ${transaction_hash}`,
    minedHash: transaction_hash,
  }));
}

async function adjustmentSteps(queries: Queries, id: bigint): Promise<Step[]> {
  const { rows } = await sql<{ amount_gwei: bigint; created_at: bigint }>`
    select amount_gwei, created_at from adjustments where purchase_id = ${id} order by created_at`.execute(queries);
  return rows.map(({ amount_gwei, created_at }) => ({
    atMs: BigInt(created_at),
    source: "database",
    text: `${BigInt(amount_gwei) < 0n ? "credited to the buyer" : "owed back by the buyer"}: ${chzTextFromGwei(BigInt(amount_gwei) < 0n ? -BigInt(amount_gwei) : BigInt(amount_gwei))} CHZ`,
  }));
}

/** The current state of a purchase in the contracts, in one line. `status` is the contract's number. */
export function chainStateText(state: {
  status: number;
  owner: string | undefined;
  isPaid: boolean;
  block: bigint;
}): string {
  const token =
    state.owner === undefined
      ? "no token"
      : `the token is ${purchaseStatusFromChain(state.status)} and belongs to ${state.owner}`;
  return `at block ${state.block}: ${token}, ${state.isPaid ? "paid" : "not paid"}`;
}
