import { type RawBuilder, type Selectable, sql } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { selectPurchases } from "../purchases/queries.ts";

export type Operation = Selectable<Schema["operations"]>;
export type StoredTransaction = Selectable<Schema["transactions"]>;
export type TransactionHash = Selectable<Schema["transaction_hashes"]>;

/** `afterMs` is how long it waits before it may be sent; without it, not at all. */
export type NewOperation = { kind: OperationKind; subjectId: bigint; afterMs?: bigint; amountGwei?: bigint };

/** A time from now on, by the database's clock: another process, whose own clock differs, may be the one to look. */
function inMs(queries: Queries, afterMs = 0n): RawBuilder<bigint> {
  return sql<bigint>`${databaseNow(queries)} + ${afterMs}`;
}

const INSERT_ROWS = 500;

/**
 * Puts operations into the outbox. One a kind and subject for ever: a repeat changes nothing, whoever asks.
 */
export async function enqueue(queries: Queries, operations: readonly NewOperation[]): Promise<void> {
  const now = BigInt(Date.now());
  for (let start = 0; start < operations.length; start += INSERT_ROWS) {
    await queries
      .insertInto("operations")
      .values(
        operations.slice(start, start + INSERT_ROWS).map((operation) => ({
          kind: operation.kind,
          subject_id: operation.subjectId,
          amount_gwei: operation.amountGwei ?? null,
          status: "queued" as const,
          not_before: inMs(queries, operation.afterMs),
          created_at: now,
          updated_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(["kind", "subject_id"]).doNothing())
      .execute();
  }
}

/** Puts an operation that ended, well or badly, into the queue once more; one under way is left alone. */
export async function enqueueAgain(queries: Queries, operation: NewOperation): Promise<void> {
  const now = BigInt(Date.now());
  await enqueue(queries, [operation]);
  await queries
    .updateTable("operations")
    .set({
      status: "queued",
      transaction_id: null,
      attempts: 0n,
      error: null,
      not_before: inMs(queries, operation.afterMs),
      updated_at: now,
    })
    .where("kind", "=", operation.kind)
    .where("subject_id", "=", operation.subjectId)
    .where("status", "in", ["done", "failed"])
    .execute();
}

/** Takes an operation that has not left back out of the queue. Answers false where it is under way or done. */
export async function withdraw(
  queries: Queries,
  kind: OperationKind,
  subjectId: bigint,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({ status: "failed", error: reason, updated_at: BigInt(Date.now()) })
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "=", "queued")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Lets a queued operation go now instead of after its delay, and a failed one once more. */
export async function hasten(queries: Queries, kind: OperationKind, subjectId: bigint): Promise<void> {
  const now = BigInt(Date.now());
  await queries
    .updateTable("operations")
    .set({ status: "queued", not_before: inMs(queries), updated_at: now })
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .where("status", "in", ["queued", "failed"])
    .where("not_before", ">", 0n)
    .execute();
}

export async function findOperation(
  queries: Queries,
  kind: OperationKind,
  subjectId: bigint,
): Promise<Operation | undefined> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("kind", "=", kind)
    .where("subject_id", "=", subjectId)
    .executeTakeFirst();
}

/** The hash under which an operation was sent last, once it was. */
export async function findOperationHash(queries: Queries, operation: Operation): Promise<string | null> {
  if (operation.transaction_id === null) return null;
  const transaction = await queries
    .selectFrom("transactions")
    .select("mined_hash")
    .where("id", "=", operation.transaction_id)
    .executeTakeFirst();
  if (transaction?.mined_hash) return transaction.mined_hash;
  const latest = await queries
    .selectFrom("transaction_hashes")
    .select("hash")
    .where("transaction_id", "=", operation.transaction_id)
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  return latest?.hash ?? null;
}

/** Queued operations whose time has come, oldest first. */
export async function listDue(queries: Queries, kind: OperationKind, limit: number): Promise<Operation[]> {
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "=", "queued")
    .where("kind", "=", kind)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** How many operations of each kind wait, and for how long the oldest of them could have gone. */
export async function summarizeDue(
  queries: Queries,
): Promise<{ kind: OperationKind; count: bigint; waitedMs: bigint }[]> {
  const rows = await queries
    .selectFrom("operations")
    .select(({ fn }) => [
      "kind",
      fn.countAll<bigint>().as("count"),
      sql<bigint>`${databaseNow(queries)} - ${fn.min("not_before")}`.as("waited_ms"),
    ])
    .where("status", "=", "queued")
    .where("not_before", "<=", databaseNow(queries))
    .groupBy("kind")
    .execute();
  return rows.map((row) => ({ kind: row.kind, count: BigInt(row.count), waitedMs: BigInt(row.waited_ms) }));
}

/** Takes operations that still wait out of this round: to a later time, to done, or to failed with the reason. */
export async function resolveOperations(
  queries: Queries,
  ids: readonly bigint[],
  outcome: { status: "queued" | "done" | "failed"; afterMs?: bigint; error?: string | null },
): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("operations")
    .set({
      status: outcome.status,
      ...(outcome.afterMs === undefined ? {} : { not_before: inMs(queries, outcome.afterMs) }),
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "in", ids)
    .where("status", "=", "queued")
    .execute();
}

export type NewTransaction = {
  sender: WalletAddress;
  nonce: bigint;
  to: WalletAddress;
  data: string;
  gasLimit: bigint;
  fencingToken: bigint;
  operationIds: readonly bigint[];
  signed: SignedBytes;
};

export type SignedBytes = { hash: string; raw: string; maxFeeWei: bigint; maxPriorityFeeWei: bigint };

/** An operation was taken back, or taken by another, since it was read. */
export class OperationsChangedError extends Error {
  override readonly name = "OperationsChangedError";
}

/**
 * Stores a signed transaction under its nonce and ties its operations to it. Answers its id.
 * @throws OperationsChangedError where one of them does not wait any more; the caller's transaction must not commit.
 */
export async function insertTransaction(queries: Queries, transaction: NewTransaction): Promise<bigint> {
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("transactions")
    .values({
      sender: transaction.sender,
      nonce: transaction.nonce,
      to_address: transaction.to,
      data: transaction.data,
      gas_limit: transaction.gasLimit,
      status: "signed",
      fencing_token: transaction.fencingToken,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertHash(queries, id, transaction.signed);
  if (transaction.operationIds.length === 0) return id;
  const { numUpdatedRows } = await queries
    .updateTable("operations")
    .set({ status: "assigned", transaction_id: id, updated_at: now })
    .where("id", "in", transaction.operationIds)
    .where("status", "=", "queued")
    .executeTakeFirst();
  if (numUpdatedRows !== BigInt(transaction.operationIds.length)) {
    throw new OperationsChangedError("An operation was taken out of the queue while its transaction was made");
  }
  return id;
}

/** One more signature under the same nonce: a fee bump. */
export async function insertHash(queries: Queries, transactionId: bigint, signed: SignedBytes): Promise<void> {
  await queries
    .insertInto("transaction_hashes")
    .values({
      hash: signed.hash,
      transaction_id: transactionId,
      raw: signed.raw,
      max_fee_wei: signed.maxFeeWei,
      max_priority_fee_wei: signed.maxPriorityFeeWei,
      created_at: databaseNow(queries),
    })
    .execute();
}

export async function markSent(queries: Queries, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await queries
    .updateTable("transaction_hashes")
    .set({ sent_at: databaseNow(queries) })
    .where("hash", "in", hashes)
    .execute();
}

export type WatchedTransaction = StoredTransaction & { hashes: TransactionHash[] };

/** Transactions without a receipt, of this wallet and of those before it, lowest nonce first, hashes oldest first. */
export async function listSigned(queries: Queries): Promise<WatchedTransaction[]> {
  return withHashes(
    queries,
    await queries.selectFrom("transactions").selectAll().where("status", "=", "signed").orderBy("nonce").execute(),
  );
}

/** Transactions with a receipt that is not deep yet, of whichever wallet, lowest nonce first. */
export async function listMined(queries: Queries): Promise<StoredTransaction[]> {
  return queries.selectFrom("transactions").selectAll().where("status", "=", "mined").orderBy("nonce").execute();
}

/** Every transaction from a nonce on, lowest first: what to send again after the chain forgot. */
export async function listFromNonce(
  queries: Queries,
  sender: WalletAddress,
  nonce: bigint,
  limit: number,
): Promise<WatchedTransaction[]> {
  return withHashes(
    queries,
    await queries
      .selectFrom("transactions")
      .selectAll()
      .where("sender", "=", sender)
      .where("nonce", ">=", nonce)
      .where("status", "!=", "void")
      .orderBy("nonce")
      .limit(limit)
      .execute(),
  );
}

async function withHashes(queries: Queries, transactions: StoredTransaction[]): Promise<WatchedTransaction[]> {
  if (transactions.length === 0) return [];
  const hashes = await queries
    .selectFrom("transaction_hashes")
    .selectAll()
    .where(
      "transaction_id",
      "in",
      transactions.map((transaction) => transaction.id),
    )
    .orderBy("created_at")
    .execute();
  const byTransaction = Map.groupBy(hashes, (hash) => hash.transaction_id);
  return transactions.map((transaction) => ({ ...transaction, hashes: byTransaction.get(transaction.id) ?? [] }));
}

/** The highest nonce that was ever stored for a sender; undefined before the first. */
export async function highestNonce(queries: Queries, sender: WalletAddress): Promise<bigint | undefined> {
  const row = await queries
    .selectFrom("transactions")
    .select("nonce")
    .where("sender", "=", sender)
    .orderBy("nonce", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.nonce;
}

export async function updateTransaction(
  queries: Queries,
  id: bigint,
  change: Partial<Pick<StoredTransaction, "status" | "succeeded" | "mined_hash" | "block_number" | "block_hash">>,
): Promise<void> {
  await queries
    .updateTable("transactions")
    .set({ ...change, updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .execute();
}

/** Transactions whose operations still wait for their outcome. */
export async function listUnfinishedTransactionIds(queries: Queries): Promise<Set<bigint>> {
  const rows = await queries
    .selectFrom("operations")
    .select("transaction_id")
    .distinct()
    .where("status", "=", "assigned")
    .execute();
  return new Set(rows.flatMap((row) => (row.transaction_id === null ? [] : [row.transaction_id])));
}

/** The operations of a transaction succeeded. */
export async function finishOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "done", error: null, updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "assigned")
    .execute();
}

/** What a transaction was to do is undecided again, because its block was orphaned. */
export async function reopenOperations(queries: Queries, transactionId: bigint): Promise<void> {
  await queries
    .updateTable("operations")
    .set({ status: "assigned", updated_at: BigInt(Date.now()) })
    .where("transaction_id", "=", transactionId)
    .where("status", "=", "done")
    .execute();
}

/** A transaction reverted or lost its nonce: its operations wait again, and fail for good after `maximumAttempts`. */
export async function requeueOperations(
  queries: Queries,
  transactionId: bigint,
  parameters: { error: string; afterMs: bigint; maximumAttempts: bigint },
): Promise<void> {
  const now = BigInt(Date.now());
  const ofTransaction = () => queries.updateTable("operations").where("transaction_id", "=", transactionId);
  await ofTransaction()
    .set({ status: "failed", error: parameters.error, updated_at: now })
    .where("attempts", ">=", parameters.maximumAttempts - 1n)
    .where("status", "=", "assigned")
    .execute();
  await ofTransaction()
    .set((set) => ({
      status: "queued" as const,
      transaction_id: null,
      attempts: set("attempts", "+", 1n),
      error: parameters.error,
      not_before: inMs(queries, parameters.afterMs),
      updated_at: now,
    }))
    .where("status", "=", "assigned")
    .execute();
}

const PLAN_LIMIT = 1_000;

/** Open purchases whose token stands at a status, and for which the next operation was never put into the outbox. */
export async function listOpenPurchases(
  queries: Queries,
  wanted: {
    chainStatus: bigint;
    without: OperationKind;
    /** Those that go on by themselves, or those that were taken back. */
    which: "automatic" | "reversed";
    deepestBlock?: bigint;
    /** Unpaid, and the hold is over. */
    payable?: true;
  },
) {
  let query = selectPurchases(queries)
    .where("purchases.settled_at", "is", null)
    .where("nfts.status", "=", wanted.chainStatus)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("operations")
            .select("operations.id")
            .whereRef("operations.subject_id", "=", "purchases.id")
            .where((where) =>
              where.or([
                where("operations.kind", "=", wanted.without),
                // Only one move away from Pending can succeed: one that is under way is waited for.
                where.and([
                  where("operations.kind", "=", wanted.without === "cancel" ? "confirm" : wanted.without),
                  where("operations.status", "=", "assigned"),
                ]),
              ]),
            ),
        ),
      ),
    );
  query =
    wanted.which === "reversed"
      ? query.where("purchases.reversed_at", "is not", null)
      : query
          .where("purchases.reversed_at", "is", null)
          .where((where) =>
            where.or([where("purchases.source", "=", "simulated"), where("purchases.approved_at", "is not", null)]),
          );
  if (wanted.deepestBlock !== undefined) query = query.where("nfts.status_block", "<=", wanted.deepestBlock);
  if (wanted.payable) {
    query = query
      .where("payouts.token_id", "is", null)
      .where((where) =>
        where.or([
          where("purchases.payable_at", "is", null),
          where("purchases.payable_at", "<=", databaseNow(queries)),
        ]),
      );
  }
  return query.orderBy("purchases.id").limit(PLAN_LIMIT).execute();
}

/** Marks purchases for which nothing is left to do: paid or cancelled, deep enough. */
export async function settlePurchases(queries: Queries, deepestBlock: bigint): Promise<void> {
  const settled = await queries
    .selectFrom("purchases")
    .innerJoin("nfts", "nfts.token_id", "purchases.id")
    .leftJoin("payouts", "payouts.token_id", "purchases.id")
    .select("purchases.id")
    .where("purchases.settled_at", "is", null)
    .where((where) =>
      where.or([
        where("payouts.block_number", "<=", deepestBlock),
        where.and([where("nfts.status", "=", 3n), where("nfts.status_block", "<=", deepestBlock)]),
      ]),
    )
    .limit(PLAN_LIMIT)
    .execute();
  if (settled.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({ settled_at: BigInt(Date.now()) })
    .where(
      "id",
      "in",
      settled.map((row) => row.id),
    )
    .execute();
}

/** The block that the index stands at; undefined before the first. */
export async function indexedBlock(queries: Queries): Promise<bigint | undefined> {
  const row = await queries.selectFrom("chain_cursor").select("block_number").where("id", "=", 1n).executeTakeFirst();
  return row?.block_number;
}
