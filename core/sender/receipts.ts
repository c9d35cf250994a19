import type { Selectable } from "kysely";
import { BaseError, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";
import { readClock } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { recordSpan } from "../process/tracing.ts";
import { idsOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { HeadReader } from "./head-reader.ts";
import { applyEnd } from "./moves.ts";
import { type Operation, subjectOf } from "./queue.ts";
import { type Head, MAX_IN_FLIGHT, type SenderContext } from "./sender-context.ts";
import type { Transmitter } from "./transactions.ts";

export type StoredTransaction = Selectable<Schema["transactions"]>;
type TransactionHash = Selectable<Schema["transaction_hashes"]>;
export type WatchedTransaction = StoredTransaction & { hashes: TransactionHash[] };

/** Whose transactions: one wallet's, or those of all wallets except some, which includes former keys. */
export type TransactionScope = { of: WalletAddress } | { notOf: readonly WalletAddress[] };

/** Mined transactions are watched at least to this depth, so that an orphaned one is sent again with the same hash. */
const WATCH_DEPTH = 30n;
/** How often the blocks of mined transactions are read, at least: so long, and so many blocks. */
const FOLLOW_EVERY = { ms: 2_000, blocks: 4 };
/** How long the reads of one round may take together. */
const READ_MS = 3_000;
const RESEND_AFTER_MS = 5_000;
/** How long a contradiction between the chain's nonce and ours must last before the sender acts on it. */
const PATIENCE_MS = 3_000;
const FILL_GAP_AFTER_MS = 60_000;

/** `deep`: final, and no longer watched. */
type Verdict = "orphaned" | "open" | "final" | "deep";

/**
 * Follows sent transactions, by whichever of their hashes is mined, until their block is final. Sends those again that
 * stay unmined, and resolves contradictions between the chain's nonces and ours.
 */
export class Receipts {
  readonly #context: SenderContext;
  readonly #transmitter: Transmitter;
  readonly #heads: HeadReader;
  #followedAt = Number.NEGATIVE_INFINITY;
  /** The head when they were read last. */
  #followedTo = 0n;
  #gapSince: number | undefined;
  #foreignSince: number | undefined;
  /** A long gap is filled in pieces, without a new wait for each. */
  #filledAt = Number.NEGATIVE_INFINITY;

  constructor(context: SenderContext, transmitter: Transmitter, heads: HeadReader) {
    this.#context = context;
    this.#transmitter = transmitter;
    this.#heads = heads;
  }

  /**
   * Transactions without a receipt, and whether anything is awaited of the chain: those, or mined ones that are due for a
   * check: after some blocks, and once one is final.
   */
  async readOpen(indexed: bigint | undefined): Promise<{ signed: WatchedTransaction[]; isAwaited: boolean }> {
    const { kysely } = this.#context.options.database;
    const signed = await listSigned(kysely, this.#context.scope);
    if (signed.length > 0) return { signed, isAwaited: true };
    const mined = await listMined(kysely, this.#context.scope);
    const isDue = this.#isTimeToFollow || mined.some((one) => this.#turnsFinal(one, indexed ?? 0n));
    return { signed, isAwaited: mined.length > 0 && isDue };
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

  /**
   * Looks for receipts, follows what is mined, and pushes what is not; what stops one of these, stops no other. Returns the
   * transactions of the sender's own key that are still unmined.
   */
  async follow(signed: readonly WatchedTransaction[], head: Head): Promise<WatchedTransaction[]> {
    const { status, wallet } = this.#context;
    const unmined = await this.#context.part(() => this.#collect(signed, head), [...signed]);
    await this.#context.part(() => this.#followMined(head), undefined);
    const own = unmined.filter(({ sender }) => sender === wallet);
    status.inFlight = own.length;
    await this.#context.part(() => this.#pushUnmined(unmined, head), undefined);
    return own;
  }

  /** Looks for receipts of every hash of every unmined transaction. Returns those that are still unmined. */
  async #collect(signed: readonly WatchedTransaction[], head: Head): Promise<WatchedTransaction[]> {
    const context = this.#context;
    const client = context.options.client.apart(() => READ_MS);
    // A receipt that cannot be read stops no other: its transaction counts as unmined until it can.
    const found = await Promise.all(
      signed.map(async (transaction) => {
        return { transaction, receipt: await context.part(() => this.#find(transaction, client), undefined) };
      }),
    );
    for (const { transaction, receipt } of found) {
      if (receipt) await context.part(() => this.#storeReceipt(transaction, receipt, head), undefined);
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
      const end = status === "success" ? "succeeded" : "reverted";
      return applyEnd(queries, this.#context.options.encoders, transaction, end);
    });
    this.#logDone(operations, transaction, { hash, block });
    this.#context.options.log.info({ hash, block, status }, "Mined");
  }

  async #find(transaction: WatchedTransaction, client: PublicClient) {
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
  async #followMined(head: Head): Promise<void> {
    const { kysely } = this.#context.options.database;
    const mined = await listMined(kysely, this.#context.scope);
    if (!this.#isTimeToFollow && !mined.some((one) => this.#turnsFinal(one, head.number))) return;
    this.#followedAt = performance.now();
    this.#followedTo = head.number;
    if (mined.length === 0) return;
    const hashes = await this.#readHashes(mined);
    const {
      orphaned = [],
      deep = [],
      final = [],
    } = Object.groupBy(mined, (transaction) =>
      this.#judge(transaction, { head, hash: hashes.get(transaction.block_number ?? 0n) }),
    );
    for (const transaction of orphaned) {
      await this.#context.part(() => this.#reopen([transaction]), undefined);
    }
    for (const transaction of [...deep, ...final]) {
      await this.#context.part(() => this.#finish(transaction, deep.includes(transaction)), undefined);
    }
    if (orphaned.length > 0) {
      this.#context.status.orphaned += orphaned.length;
      this.#context.options.log.warn({ count: orphaned.length }, "Blocks with our transactions were orphaned");
    }
  }

  async #finish(transaction: StoredTransaction, isDeep: boolean): Promise<void> {
    const operations = await this.#context.write(async (queries) => {
      const end = transaction.succeeded === 1n ? "succeeded" : "reverted";
      const finished = await applyEnd(queries, this.#context.options.encoders, transaction, end);
      if (isDeep) await updateTransaction(queries, transaction.id, { status: "confirmed" });
      return finished;
    });
    const { mined_hash: hash, block_number: block } = transaction;
    this.#logDone(operations, transaction, { hash, block });
  }

  #logDone(
    operations: readonly Operation[],
    { created_at: since }: Pick<StoredTransaction, "created_at">,
    { hash, block }: { hash: string | null; block: bigint | null },
  ): void {
    const { log } = this.#context.options;
    for (const one of operations) {
      const done = { ...subjectOf(one), hash: hash ?? "", block: Number(block) };
      log.info(done, "Done on chain");
      recordSpan(one.traceparent, `${one.kind}: sent to done`, { since, attributes: done });
    }
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
  #judge(transaction: MinedTransaction, { head, hash }: { head: Head; hash: string | null | undefined }): Verdict {
    const depth = head.number - (transaction.block_number ?? 0n) + 1n;
    if (hash === undefined) return "open";
    if (hash === null) return depth <= 0n ? "orphaned" : "open";
    if (hash !== transaction.block_hash) return "orphaned";
    if (depth < BigInt(this.#context.options.confirmations)) return "open";
    if (depth >= WATCH_DEPTH) return "deep";
    return transaction.isUnfinished ? "final" : "open";
  }

  /** Their blocks were orphaned or lost: they are unmined again, and their operations under way. */
  async #reopen(transactions: readonly StoredTransaction[]): Promise<void> {
    const { encoders } = this.#context.options;
    const unmined = {
      status: "signed",
      succeeded: null,
      mined_hash: null,
      block_number: null,
      block_hash: null,
    } as const;
    await this.#context.write(async (queries) => {
      for (const transaction of transactions) {
        await updateTransaction(queries, transaction.id, unmined);
        await applyEnd(queries, encoders, transaction, "orphaned");
      }
    });
  }

  // Those that stay unmined ---------------------------------------------------------------------------------------------

  /** Resends unsent and dropped transactions, bumps the fees of stuck ones, and resolves contradictions of nonces. */
  async #pushUnmined(unmined: readonly WatchedTransaction[], head: Head): Promise<void> {
    const { wallet, options } = this.#context;
    const [own, ofFormerKeys] = [
      unmined.filter(({ sender }) => sender === wallet),
      unmined.filter(({ sender }) => sender !== wallet),
    ];
    await this.#context.part(() => this.#resolveNonces(own[0], head), undefined);
    if (unmined.length === 0) return;
    // By the clock that wrote these times, perhaps in another process.
    const storedNow = await readClock(options.database.kysely);
    // At the same time, so that those which hang share one time limit.
    await Promise.all(
      own.map((transaction) => this.#context.part(() => this.#push(transaction, head, storedNow), undefined)),
    );
    for (const transaction of ofFormerKeys) {
      await this.#context.part(() => this.#pushOfFormerKey(transaction, storedNow), undefined);
    }
  }

  /** The chain's nonce is neither above nor below that of our lowest unmined transaction, but for a moment. */
  async #resolveNonces(lowest: WatchedTransaction | undefined, head: Head): Promise<void> {
    if (!lowest) {
      this.#gapSince = undefined;
      this.#foreignSince = undefined;
      return;
    }
    const now = performance.now();
    if (lowest.nonce > head.nonce) {
      this.#gapSince ??= now;
      if (now - this.#gapSince >= PATIENCE_MS) {
        await this.#closeGap(head, lowest.nonce);
      }
    } else {
      this.#gapSince = undefined;
    }
    if (lowest.nonce < head.nonce) {
      this.#foreignSince ??= now;
      if (now - this.#foreignSince >= PATIENCE_MS) {
        await this.#voidIfLost(lowest);
      }
    } else {
      this.#foreignSince = undefined;
    }
  }

  /** Sends a transaction again, with a higher fee if it is stuck. */
  async #push(transaction: WatchedTransaction, head: Head, storedNow: number): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest) return;
    const sentAt = Number(latest.sent_at ?? 0n);
    const isStuck =
      transaction.nonce <= head.nonce + 3n &&
      storedNow - Number(latest.created_at) >= this.#context.options.feeBumpAfterMs;
    if (isStuck) await this.#transmitter.replace(transaction, head);
    else if (storedNow - sentAt >= RESEND_AFTER_MS) {
      if (sentAt > 0) this.#context.status.resends += 1;
      await this.#transmitter.send(latest.hash, latest.raw);
    }
  }

  /** A transaction of a former key: its bytes can be resent, but not replaced. */
  async #pushOfFormerKey(transaction: WatchedTransaction, now: number): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest || now - Number(latest.sent_at ?? 0n) < RESEND_AFTER_MS) return;
    await this.#transmitter.send(latest.hash, latest.raw);
    const { client } = this.#context.options;
    const nonce = await client.getTransactionCount({ address: transaction.sender, blockTag: "latest" });
    if (transaction.nonce < BigInt(nonce)) await this.#voidIfLost(transaction);
  }

  /** The chain expects a lower nonce than ours: it lost our transactions, or there is a gap. */
  async #closeGap(head: Head, lowestUnmined: bigint): Promise<void> {
    const forgotten = await this.#context.options.database.kysely
      .selectFrom("transactions")
      .selectAll()
      .where("sender", "=", this.#context.wallet)
      .where("nonce", ">=", head.nonce)
      .where("nonce", "<", lowestUnmined)
      .where("status", "!=", "void")
      .orderBy("nonce")
      .limit(MAX_IN_FLIGHT)
      .execute();
    if (forgotten.length > 0) {
      await this.#reopen(forgotten);
      this.#context.options.log.warn(
        { from: head.nonce, count: forgotten.length },
        "The chain lost transactions; sending them again",
      );
      return;
    }
    const now = performance.now();
    const waitMs = now - this.#filledAt < FILL_GAP_AFTER_MS ? PATIENCE_MS : FILL_GAP_AFTER_MS;
    if (now - (this.#gapSince ?? now) < waitMs) return;
    this.#filledAt = now;
    const end = lowestUnmined < head.nonce + BigInt(MAX_IN_FLIGHT) ? lowestUnmined : head.nonce + BigInt(MAX_IN_FLIGHT);
    this.#context.options.log.warn(
      { from: head.nonce, to: end - 1n },
      "Filling a gap of nonces with empty transactions",
    );
    for (let nonce = head.nonce; nonce < end; nonce++) await this.#transmitter.fill(nonce, head);
  }

  /** None of our hashes can be mined once another transaction of our key has the nonce and is final. */
  async #voidIfLost(transaction: WatchedTransaction): Promise<void> {
    const { client, encoders } = this.#context.options;
    if ((await this.#find(transaction, client)) || !(await this.#heads.isNonceLost(transaction))) return;
    await this.#context.write(async (queries) => {
      await updateTransaction(queries, transaction.id, { status: "void" });
      await applyEnd(queries, encoders, transaction, "nonce_lost");
    });
    this.#foreignSince = undefined;
  }
}

// Their rows -----------------------------------------------------------------------------------------------------------------

/** Transactions without a receipt, lowest nonce first, hashes oldest first. */
export async function listSigned(queries: Queries, scope: TransactionScope): Promise<WatchedTransaction[]> {
  return withHashes(queries, await listOpen(queries, "signed", scope));
}

/** `isUnfinished`: its operations have no outcome yet. */
export type MinedTransaction = StoredTransaction & { isUnfinished: boolean };

/** Transactions with a receipt that is not final, lowest nonce first. */
export async function listMined(queries: Queries, scope: TransactionScope): Promise<MinedTransaction[]> {
  const mined = await listOpen(queries, "mined", scope);
  if (mined.length === 0) return [];
  const rows = await queries
    .selectFrom("operations")
    .select("transaction_id")
    .distinct()
    .where("status", "=", "assigned")
    .execute();
  const unfinished = new Set(rows.map((row) => row.transaction_id));
  return mined.map((transaction) => ({ ...transaction, isUnfinished: unfinished.has(transaction.id) }));
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
