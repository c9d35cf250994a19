import { BaseError, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";
import type { Queries } from "../database/transaction.ts";
import { listUnfinishedTransactionIds, reopenOperations } from "./moves.ts";
import { logDone } from "./operation-record.ts";
import { concludeOperations, requeueOperations } from "./outcomes.ts";
import type { Operation } from "./queue.ts";
import type { Head, SenderContext } from "./sender-context.ts";
import { listMined, type StoredTransaction, updateTransaction, type WatchedTransaction } from "./transactions.ts";

/** Mined transactions are watched at least to this depth, so that an orphaned one is sent again with the same hash. */
const WATCH_DEPTH = 30n;
/** How often the blocks of mined transactions are read, at least: so long, and so many blocks. */
const FOLLOW_EVERY = { ms: 2_000, blocks: 4 };
/** How long the reads of one round may take together. */
const READ_MS = 3_000;

/** `deep`: final, and no longer watched. */
type Verdict = "orphaned" | "open" | "final" | "deep";

/** Tracks sent transactions, by whichever of their hashes is mined, until their block is final. */
export class Receipts {
  readonly #context: SenderContext;
  #followedAt = Number.NEGATIVE_INFINITY;
  /** The head when they were read last. */
  #followedTo = 0n;

  constructor(context: SenderContext) {
    this.#context = context;
  }

  /** Whether there are mined transactions that are due for a check: after some blocks, and once one is final. */
  async isFollowDue(indexed: bigint | undefined): Promise<boolean> {
    const mined = await listMined(this.#context.options.database.kysely, this.#context.scope);
    if (mined.length === 0) return false;
    return this.#isTimeToFollow || mined.some((one) => this.#turnsFinal(one, indexed ?? 0n));
  }

  get #isTimeToFollow(): boolean {
    const { blockMs } = this.#context.options;
    return performance.now() - this.#followedAt >= Math.max(FOLLOW_EVERY.ms, FOLLOW_EVERY.blocks * blockMs);
  }

  /** Between the last check and this head. */
  #turnsFinal({ block_number }: StoredTransaction, head: bigint): boolean {
    const { confirmations } = this.#context.options;
    // Its receipt made it final.
    if (confirmations === 1) return false;
    const finalAt = (block_number ?? 0n) + BigInt(confirmations) - 1n;
    return finalAt > this.#followedTo && finalAt <= head;
  }

  /** Looks for receipts of every hash of every unmined transaction. Returns those that are still unmined. */
  async collect(signed: readonly WatchedTransaction[], head: Head): Promise<WatchedTransaction[]> {
    const { part } = this.#context;
    const client = this.#context.options.client.apart(() => READ_MS);
    // A receipt that cannot be read stops no other: its transaction counts as unmined until it can.
    const found = await Promise.all(
      signed.map(async (transaction) => {
        return { transaction, receipt: await part(() => this.find(transaction, client), undefined) };
      }),
    );
    for (const { transaction, receipt } of found) {
      if (receipt) await part(() => this.#storeReceipt(transaction, receipt, head), undefined);
    }
    return found.filter((one) => one.receipt === undefined).map((one) => one.transaction);
  }

  async #storeReceipt(
    transaction: WatchedTransaction,
    { status, transactionHash: hash, blockNumber: block, blockHash }: TransactionReceipt,
    head: Head,
  ): Promise<void> {
    // A receipt proves that the chain has reached its block, whatever head was read before.
    const depth = (head.number > block ? head.number - block : 0n) + 1n;
    const operations = await this.#context.write(async (queries) => {
      await updateTransaction(queries, transaction.id, {
        status: "mined",
        succeeded: status === "success" ? 1n : 0n,
        mined_hash: hash,
        block_number: block,
        block_hash: blockHash,
      });
      if (depth < BigInt(this.#context.options.confirmations)) return [];
      return this.#conclude(queries, transaction, status === "success");
    });
    logDone(this.#context.options.log, operations, { hash, block });
    this.#context.options.log.info({ hash, block, status }, "Mined");
  }

  async find(transaction: WatchedTransaction, client: PublicClient = this.#context.options.client) {
    const receipts = await Promise.all(
      transaction.hashes.map((row) =>
        client.getTransactionReceipt({ hash: row.hash }).catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        }),
      ),
    );
    return receipts.find((receipt) => receipt !== undefined && receipt !== null);
  }

  /** Checks the depth of mined transactions; one in an orphaned block becomes unmined again. */
  async followMined(head: Head): Promise<void> {
    const { kysely } = this.#context.options.database;
    const mined = await listMined(kysely, this.#context.scope);
    if (!this.#isTimeToFollow && !mined.some((one) => this.#turnsFinal(one, head.number))) return;
    this.#followedAt = performance.now();
    this.#followedTo = head.number;
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
    const { part } = this.#context;
    for (const transaction of orphaned) {
      await part(() => this.#context.write((queries) => reopen(queries, transaction)), undefined);
    }
    for (const transaction of [...deep, ...final]) {
      await part(() => this.#finish(transaction, deep.includes(transaction)), undefined);
    }
    if (orphaned.length > 0) {
      this.#context.status.orphaned += orphaned.length;
      this.#context.options.log.warn({ count: orphaned.length }, "Blocks with our transactions were orphaned");
    }
  }

  async #finish(transaction: StoredTransaction, isDeep: boolean): Promise<void> {
    const operations = await this.#context.write(async (queries) => {
      const finished = await this.#conclude(queries, transaction, transaction.succeeded === 1n);
      if (isDeep) await updateTransaction(queries, transaction.id, { status: "confirmed" });
      return finished;
    });
    const { mined_hash: hash, block_number: block } = transaction;
    logDone(this.#context.options.log, operations, { hash, block });
  }

  /**
   * The hashes of the blocks of mined transactions, by number; null if the node does not have the block, and no entry if
   * it cannot be read.
   */
  async #readHashes(mined: readonly StoredTransaction[]): Promise<Map<bigint, string | null>> {
    const client = this.#context.options.client.apart(() => READ_MS);
    const numbers = [...new Set(mined.map((transaction) => transaction.block_number ?? 0n))];
    const readHash = async (blockNumber: bigint) => {
      try {
        return [[blockNumber, (await client.getBlock({ blockNumber })).hash] as const];
      } catch (error) {
        if (error instanceof BaseError && error.name === "BlockNotFoundError") return [[blockNumber, null] as const];
        throw error;
      }
    };
    const blocks = await Promise.all(numbers.map((number) => this.#context.part(() => readHash(number), [] as const)));
    return new Map(blocks.flat());
  }

  /** A block that this node does not have (yet) proves nothing; another hash proves a reorg. */
  #judge(
    transaction: StoredTransaction,
    { head, hash, isUnfinished }: { head: Head; hash: string | null | undefined; isUnfinished: boolean },
  ): Verdict {
    const depth = head.number - (transaction.block_number ?? 0n) + 1n;
    if (hash === undefined) return "open";
    if (hash === null) return depth <= 0n ? "orphaned" : "open";
    if (hash !== transaction.block_hash) return "orphaned";
    if (depth < BigInt(this.#context.options.confirmations)) return "open";
    if (depth >= WATCH_DEPTH) return "deep";
    return isUnfinished ? "final" : "open";
  }

  /** The transaction is final: marks its operations as done, or queues them again if it reverted. */
  async #conclude(queries: Queries, transaction: StoredTransaction, hasSucceeded: boolean): Promise<Operation[]> {
    const { encoders } = this.#context.options;
    if (hasSucceeded) return concludeOperations(queries, encoders, transaction);
    await requeueOperations(queries, encoders, transaction.id, "reverted");
    return [];
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
