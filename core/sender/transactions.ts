import type { Selectable } from "kysely";
import { databaseNow } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Hex } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { assign } from "./moves.ts";
import type { Operation } from "./queue.ts";

export type StoredTransaction = Selectable<Schema["transactions"]>;
type TransactionHash = Selectable<Schema["transaction_hashes"]>;

export type NewTransaction = {
  sender: WalletAddress;
  nonce: bigint;
  to: WalletAddress;
  data: Hex;
  gasLimit: bigint;
  fencingToken: bigint;
  operations: readonly Operation[];
  signed: SignedBytes;
};

export type SignedBytes = { hash: Hex; raw: Hex; maxFeeWei: bigint; maxPriorityFeeWei: bigint };

/** An operation was withdrawn or assigned since it was read. */
export class OperationsChangedError extends TorcidaError {
  override readonly docs = "docs/product.md#sender-order";
}

/**
 * Stores a signed transaction under its nonce and assigns its operations to it. Returns its id.
 * @throws OperationsChangedError if one of them is no longer queued; the caller's transaction must not commit.
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
  if (!(await assign(queries, transaction.operations, id))) {
    throw new OperationsChangedError("An operation left the queue while its transaction was created");
  }
  return id;
}

/** Another signature with the same nonce: a fee bump. */
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

export async function markSent(queries: Queries, hashes: readonly Hex[]): Promise<void> {
  if (hashes.length === 0) return;
  await queries
    .updateTable("transaction_hashes")
    .set({ sent_at: databaseNow(queries) })
    .where("hash", "in", hashes)
    .execute();
}

export type WatchedTransaction = StoredTransaction & { hashes: TransactionHash[] };

/** Whose transactions: one wallet's, or those of all wallets except some, which includes former keys. */
export type TransactionScope = { of: WalletAddress } | { notOf: readonly WalletAddress[] };

/** Transactions without a receipt, lowest nonce first, hashes oldest first. */
export async function listSigned(queries: Queries, scope: TransactionScope): Promise<WatchedTransaction[]> {
  return withHashes(queries, await listOpen(queries, "signed", scope));
}

/** Transactions with a receipt that is not final, lowest nonce first. */
export async function listMined(queries: Queries, scope: TransactionScope): Promise<StoredTransaction[]> {
  return listOpen(queries, "mined", scope);
}

async function listOpen(
  queries: Queries,
  status: "signed" | "mined",
  scope: TransactionScope,
): Promise<StoredTransaction[]> {
  let query = queries.selectFrom("transactions").selectAll().where("status", "=", status);
  if ("of" in scope) query = query.where("sender", "=", scope.of);
  else if (scope.notOf.length > 0) query = query.where("sender", "not in", scope.notOf);
  return query.orderBy("nonce").execute();
}

/** Every transaction from a nonce on, lowest first, to resend after the chain lost them. */
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
    .where("transaction_id", "in", idsOf(transactions))
    .orderBy("created_at")
    .execute();
  const byTransaction = Map.groupBy(hashes, (hash) => hash.transaction_id);
  return transactions.map((transaction) => ({ ...transaction, hashes: byTransaction.get(transaction.id) ?? [] }));
}

/** The highest stored nonce of a sender; undefined before the first. */
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

/** The transaction with a nonce and a status. */
export async function listByNonce(
  queries: Queries,
  sender: WalletAddress,
  { nonce, status }: Pick<StoredTransaction, "nonce" | "status">,
): Promise<WatchedTransaction[]> {
  const rows = queries.selectFrom("transactions").selectAll().where("sender", "=", sender).where("nonce", "=", nonce);
  return withHashes(queries, await rows.where("status", "=", status).execute());
}

/** The sender's known mined transaction with the highest nonce. */
export async function highestMined(queries: Queries, sender: WalletAddress): Promise<StoredTransaction | undefined> {
  return queries
    .selectFrom("transactions")
    .selectAll()
    .where("sender", "=", sender)
    .where("status", "in", ["mined", "confirmed"])
    .orderBy("nonce", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function updateTransaction(
  queries: Queries,
  id: bigint,
  change: Partial<
    Pick<
      StoredTransaction,
      "status" | "succeeded" | "mined_hash" | "block_number" | "block_hash" | "to_address" | "data" | "gas_limit"
    >
  >,
): Promise<void> {
  await queries
    .updateTable("transactions")
    .set({ ...change, updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .execute();
}
