import { BaseError, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";
import { readClock } from "../database/clock.ts";
import { databaseErrorCode, type Queries } from "../database/transaction.ts";
import { ContradictionError } from "../process/rpc/node-proof.ts";
import type { Encoder } from "./encoder.ts";
import { findSpender, ownCallOf, type SpentNonce } from "./head-reader.ts";
import {
  finishOperations,
  listAssigned,
  listUnfinishedTransactionIds,
  type Outcome,
  reopenOperations,
  takeOut,
} from "./moves.ts";
import { beginRecovery } from "./payout-switch.ts";
import { enqueueAgain, logDone, type Operation } from "./queue.ts";
import { type Head, MAX_IN_FLIGHT, type SenderContext } from "./sender-context.ts";
import {
  bumpedFees,
  insertHash,
  listFromNonce,
  listMined,
  type StoredTransaction,
  suggestedFees,
  type Transmitter,
  updateTransaction,
  type WatchedTransaction,
} from "./transactions.ts";

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
async function reopen(queries: Queries, transaction: StoredTransaction): Promise<void> {
  await updateTransaction(queries, transaction.id, {
    status: "signed",
    succeeded: null,
    mined_hash: null,
    block_number: null,
    block_hash: null,
  });
  await reopenOperations(queries, transaction.id);
}

// What becomes of their operations --------------------------------------------------------------------------------------

/**
 * A transaction succeeded: its operations are done, except those whose subject changed while it was in flight. These
 * are queued again.
 */
export async function concludeOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  { id, data }: { id: bigint; data: string },
): Promise<Operation[]> {
  const operations = await listAssigned(queries, id);
  const encoder = encoders.find((one) => one.kind === operations[0]?.kind);
  const outdated = await listOutdated(queries, encoder, { operations, data });
  const finished = await finishOperations(queries, id);
  for (const { kind, subject_id } of outdated) await enqueueAgain(queries, { kind, subjectId: subject_id });
  return finished;
}

/** What cannot even be encoded any more is not sent again. */
async function listOutdated(
  queries: Queries,
  encoder: Encoder | undefined,
  { operations, data }: { operations: readonly Operation[]; data: string },
): Promise<readonly Operation[]> {
  try {
    return (await encoder?.listOutdated?.(queries, operations, data)) ?? [];
  } catch (error) {
    if (databaseErrorCode(error) !== undefined) throw error;
    return [];
  }
}

/** Why a transaction can no longer complete its operations. */
export type Failure = Exclude<Outcome, "withdrawn">;

/**
 * A transaction failed: its operations are queued again, except those that are no longer wanted. A purchase
 * may have been returned in the meantime.
 */
export async function requeueOperations(
  queries: Queries,
  encoders: readonly Encoder[],
  transactionId: bigint,
  failure: Failure,
): Promise<void> {
  const operations = await listAssigned(queries, transactionId);
  const encoder = encoders.find((one) => one.kind === operations[0]?.kind);
  await encoder?.lock?.(queries, operations);
  await encoder?.forgetSent?.(queries, operations);
  const unwanted = (await encoder?.listUnwanted?.(queries, operations, { isLocked: true })) ?? [];
  await takeOut(queries, unwanted, "withdrawn");
  const wanted = operations.filter((operation) => !unwanted.includes(operation));
  await takeOut(queries, wanted, failure);
  await encoder?.reconsider?.(queries, operations);
}

// Those that stay unmined -----------------------------------------------------------------------------------------------

const RESEND_AFTER_MS = 5_000;
/** How long a contradiction between the chain's nonce and ours must last before the sender acts on it. */
const PATIENCE_MS = 3_000;
const FILL_GAP_AFTER_MS = 60_000;

/** Resends stuck transactions, and resolves contradictions between the chain's nonces and ours. */
export class Repair {
  readonly #context: SenderContext;
  readonly #transmitter: Transmitter;
  readonly #receipts: Receipts;
  #gapSince: number | undefined;
  #foreignSince: number | undefined;
  /** A long gap is filled in pieces, without a new wait for each. */
  #filledAt = Number.NEGATIVE_INFINITY;

  constructor(context: SenderContext, transmitter: Transmitter, receipts: Receipts) {
    this.#context = context;
    this.#transmitter = transmitter;
    this.#receipts = receipts;
  }

  /** Resends unsent and dropped transactions, bumps the fees of stuck ones, and resolves contradictions of nonces. */
  async run(unmined: readonly WatchedTransaction[], head: Head): Promise<void> {
    const lowest = unmined[0];
    if (!lowest) {
      this.#gapSince = undefined;
      this.#foreignSince = undefined;
      return;
    }
    const now = performance.now();
    if (lowest.nonce > head.nonce) {
      this.#gapSince ??= now;
      if (now - this.#gapSince >= PATIENCE_MS) {
        await this.#context.part(() => this.#closeGap(head, lowest.nonce), undefined);
      }
    } else {
      this.#gapSince = undefined;
    }
    if (lowest.nonce < head.nonce) {
      this.#foreignSince ??= now;
      if (now - this.#foreignSince >= PATIENCE_MS) {
        await this.#context.part(() => this.#voidIfLost(lowest), undefined);
      }
    } else {
      this.#foreignSince = undefined;
    }
    // By the clock that wrote these times, perhaps in another process.
    const storedNow = await readClock(this.#context.options.database.kysely);
    // At the same time, so that those which hang share one time limit.
    await Promise.all(
      unmined.map((transaction) => this.#context.part(() => this.#push(transaction, head, storedNow), undefined)),
    );
  }

  /** Sends a transaction again, with a higher fee if it is stuck. */
  async #push(transaction: WatchedTransaction, head: Head, storedNow: number): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest) return;
    const sentAt = Number(latest.sent_at ?? 0n);
    const isStuck =
      transaction.nonce <= head.nonce + 3n &&
      storedNow - Number(latest.created_at) >= this.#context.options.feeBumpAfterMs;
    if (isStuck) await this.#bump(transaction, head);
    else if (storedNow - sentAt >= RESEND_AFTER_MS) {
      if (sentAt > 0) this.#context.status.resends += 1;
      await this.#transmitter.send(latest.hash, latest.raw);
    }
  }

  /** Transactions of a former key: their bytes can be resent, but not replaced. */
  async runForFormerKeys(unmined: readonly WatchedTransaction[]): Promise<void> {
    if (unmined.length === 0) return;
    const now = await readClock(this.#context.options.database.kysely);
    for (const transaction of unmined) {
      await this.#context.part(() => this.#pushOfFormerKey(transaction, now), undefined);
    }
  }

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
    const forgotten = (
      await listFromNonce(this.#context.options.database.kysely, this.#context.wallet, head.nonce, MAX_IN_FLIGHT)
    ).filter((transaction) => transaction.nonce < lowestUnmined);
    if (forgotten.length > 0) {
      await this.#context.write(async (queries) => {
        for (const transaction of forgotten) await reopen(queries, transaction);
      });
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
    const { client, confirmations, encoders } = this.#context.options;
    const spent = await client.onOneNode((node) => findDeepSpender(node, transaction, confirmations));
    const isOurs = transaction.hashes.some(({ hash }) => hash === spent?.hash);
    if (!spent || isOurs || (await this.#receipts.find(transaction))) return;
    await this.#holdAfter(spent, transaction.nonce);
    await this.#context.write(async (queries) => {
      await updateTransaction(queries, transaction.id, { status: "void" });
      await requeueOperations(queries, encoders, transaction.id, "nonce_lost");
    });
    this.#foreignSince = undefined;
  }

  /** It was another program, or ourselves if it is a call that the database lost, such as a fee bump since a backup. */
  async #holdAfter(spent: SpentNonce, nonce: bigint): Promise<void> {
    const { key, contracts, payouts, log } = this.#context.options;
    const by = { key, nonce, by: spent.hash, block: spent.blockNumber };
    const call = ownCallOf(contracts, spent);
    if (call) {
      await this.#context.write((queries) =>
        beginRecovery(queries, { code: "chain_ahead", key, nonce: Number(nonce), call }),
      );
      log.error({ ...by, call }, "The chain has a call of ours that the database does not know; nothing is sent");
      return;
    }
    await payouts.pause({ code: "lost_nonce", key, nonce: Number(nonce) });
    log.error(by, "Another program used a key of ours; payouts are paused");
  }

  async #bump(transaction: WatchedTransaction, head: Head): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest) return;
    const previous = { maxFeeWei: latest.max_fee_wei, maxPriorityFeeWei: latest.max_priority_fee_wei };
    const fees = bumpedFees(previous, suggestedFees(head.baseFeeWei), this.#transmitter.feeCapWei);
    if (!fees) {
      await this.#transmitter.send(latest.hash, latest.raw);
      return;
    }
    const signed = await this.#transmitter.sign(
      { to: transaction.to_address, data: transaction.data, gasLimit: transaction.gas_limit },
      transaction.nonce,
      fees,
    );
    await this.#context.write((queries) => insertHash(queries, transaction.id, signed));
    this.#context.status.feeBumps += 1;
    this.#context.options.log.info(
      { nonce: transaction.nonce, maxFeeWei: fees.maxFeeWei },
      "Raised the fee of a stuck transaction",
    );
    await this.#transmitter.send(signed.hash, signed.raw);
  }
}

/** The final transaction that used the nonce of one of ours; undefined if there is none or it cannot be proven. */
async function findDeepSpender(
  node: PublicClient,
  { sender, nonce }: WatchedTransaction,
  confirmations: number,
): Promise<SpentNonce | undefined> {
  const head = await node.getBlockNumber();
  const highest = head >= BigInt(confirmations) ? head - BigInt(confirmations) + 1n : 0n;
  const count = BigInt(await node.getTransactionCount({ address: sender, blockNumber: highest }));
  if (count <= nonce) return undefined;
  const evidence = await findSpender(node, { address: sender, nonce, highest });
  if (evidence.kind === "spent") return evidence;
  if (evidence.kind === "history is gone") return undefined;
  throw new ContradictionError("nonce", `The node counts nonce ${nonce} of ${sender} as used, but by no transaction`);
}
