import { BaseError, TransactionReceiptNotFoundError } from "viem";
import type { Queries } from "../database/transaction.ts";
import { listUnfinishedTransactionIds, reopenOperations } from "./assigned.ts";
import { logDone } from "./log-lines.ts";
import type { Operation } from "./queue.ts";
import type { Head, SenderContext } from "./sender-context.ts";
import { listMined, type StoredTransaction, updateTransaction, type WatchedTransaction } from "./transactions.ts";

/** Mined transactions are watched at least to this depth, so that an orphaned one is sent again with the same hash. */
const WATCH_DEPTH = 30n;
const FOLLOW_EVERY_MS = 2_000;

type Finished = { operations: Operation[]; hash: string | null; block: bigint | null };

/** `deep`: final, and no longer watched. */
type Verdict = "orphaned" | "open" | "final" | "deep";

/** Tracks sent transactions, by whichever of their hashes is mined, until their block is final. */
export class Receipts {
  readonly #context: SenderContext;
  #followedAt = 0;

  constructor(context: SenderContext) {
    this.#context = context;
  }

  /** Whether the mined transactions are due for a check. */
  get isFollowDue(): boolean {
    return Date.now() - this.#followedAt >= FOLLOW_EVERY_MS;
  }

  /** Looks for receipts of every hash of every unmined transaction. Returns those that are still unmined. */
  async collect(signed: readonly WatchedTransaction[], head: Head): Promise<WatchedTransaction[]> {
    const found = await Promise.all(
      signed.map(async (transaction) => ({ transaction, receipt: await this.find(transaction) })),
    );
    const mined = found.filter((one) => one.receipt !== undefined);
    if (mined.length > 0) {
      const done = await this.#context.write(async (queries) => {
        const finished: Finished[] = [];
        for (const { transaction, receipt } of mined) {
          if (!receipt) continue;
          await updateTransaction(queries, transaction.id, {
            status: "mined",
            succeeded: receipt.status === "success" ? 1n : 0n,
            mined_hash: receipt.transactionHash,
            block_number: receipt.blockNumber,
            block_hash: receipt.blockHash,
          });
          // A receipt proves that the chain has reached its block, whatever head was read before.
          const depth = (head.number > receipt.blockNumber ? head.number - receipt.blockNumber : 0n) + 1n;
          if (depth >= BigInt(this.#context.options.confirmations)) {
            const operations = await this.#conclude(queries, transaction, receipt.status === "success");
            finished.push({ operations, hash: receipt.transactionHash, block: receipt.blockNumber });
          }
        }
        return finished;
      });
      this.#logDone(done);
    }
    for (const { receipt } of mined) {
      const { transactionHash: hash, blockNumber, status } = receipt ?? {};
      this.#context.options.log.info({ hash, block: blockNumber, status }, "Mined");
    }
    return found.filter((one) => one.receipt === undefined).map((one) => one.transaction);
  }

  async find(transaction: WatchedTransaction) {
    const receipts = await Promise.all(
      transaction.hashes.map((row) =>
        this.#context.options.client.getTransactionReceipt({ hash: row.hash }).catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        }),
      ),
    );
    return receipts.find((receipt) => receipt !== undefined && receipt !== null);
  }

  /** Checks the depth of mined transactions; one in an orphaned block becomes unmined again. */
  async followMined(head: Head): Promise<void> {
    if (!this.isFollowDue && this.#context.options.confirmations === 1) return;
    const { kysely } = this.#context.options.database;
    const mined = await listMined(kysely, this.#context.scope);
    this.#followedAt = Date.now();
    if (mined.length === 0) return;
    const hashes = await this.#readHashes(mined);
    const unfinished = await listUnfinishedTransactionIds(kysely);
    const {
      orphaned = [],
      deep = [],
      final = [],
    } = Object.groupBy(mined, (transaction) =>
      this.#judge(transaction, {
        head,
        hash: hashes.get(transaction.block_number ?? 0n),
        isUnfinished: unfinished.has(transaction.id),
      }),
    );
    if (orphaned.length + deep.length + final.length === 0) return;
    const done = await this.#context.write(async (queries) => {
      const finished: Finished[] = [];
      for (const transaction of orphaned) await reopen(queries, transaction);
      for (const transaction of [...deep, ...final]) {
        const operations = await this.#conclude(queries, transaction, transaction.succeeded === 1n);
        finished.push({ operations, hash: transaction.mined_hash, block: transaction.block_number });
      }
      for (const transaction of deep) await updateTransaction(queries, transaction.id, { status: "confirmed" });
      return finished;
    });
    this.#logDone(done);
    if (orphaned.length > 0) {
      this.#context.status.orphaned += orphaned.length;
      this.#context.options.log.warn({ count: orphaned.length }, "Blocks with our transactions were orphaned");
    }
  }

  /** The hashes of the blocks of mined transactions, by number; undefined if the node does not have the block. */
  async #readHashes(mined: readonly StoredTransaction[]): Promise<Map<bigint, string | undefined>> {
    const numbers = [...new Set(mined.map((transaction) => transaction.block_number ?? 0n))];
    const blocks = await Promise.all(
      numbers.map((blockNumber) =>
        this.#context.options.client.getBlock({ blockNumber }).then(
          (block) => [blockNumber, block.hash] as const,
          (error: unknown) => {
            if (error instanceof BaseError && error.name === "BlockNotFoundError")
              return [blockNumber, undefined] as const;
            throw error;
          },
        ),
      ),
    );
    return new Map(blocks);
  }

  /** A block that this node does not have (yet) proves nothing; another hash proves a reorg. */
  #judge(
    transaction: StoredTransaction,
    { head, hash, isUnfinished }: { head: Head; hash: string | undefined; isUnfinished: boolean },
  ): Verdict {
    const depth = head.number - (transaction.block_number ?? 0n) + 1n;
    if (hash === undefined) return depth <= 0n ? "orphaned" : "open";
    if (hash !== transaction.block_hash) return "orphaned";
    if (depth < BigInt(this.#context.options.confirmations)) return "open";
    if (depth >= WATCH_DEPTH) return "deep";
    return isUnfinished ? "final" : "open";
  }

  /** The transaction is final: marks its operations as done, or queues them again if it reverted. */
  async #conclude(queries: Queries, transaction: StoredTransaction, hasSucceeded: boolean): Promise<Operation[]> {
    if (hasSucceeded) return this.#context.conclude(queries, transaction);
    await this.#context.requeue(queries, transaction.id, "reverted");
    return [];
  }

  /** Called after the commit, so that nothing is logged that was rolled back. */
  #logDone(finished: readonly Finished[]): void {
    for (const { operations, hash, block } of finished) logDone(this.#context.options.log, operations, { hash, block });
  }
}

/** The block of a transaction was orphaned or lost: reopens the transaction and its operations. */
export async function reopen(queries: Queries, transaction: StoredTransaction): Promise<void> {
  await updateTransaction(queries, transaction.id, {
    status: "signed",
    succeeded: null,
    mined_hash: null,
    block_number: null,
    block_hash: null,
  });
  await reopenOperations(queries, transaction.id);
}
