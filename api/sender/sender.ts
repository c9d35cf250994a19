import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import {
  BaseError,
  type Hex,
  InsufficientFundsError,
  keccak256,
  type PrivateKeyAccount,
  TransactionReceiptNotFoundError,
} from "viem";
import type { Database } from "../../database/connect.ts";
import {
  acquireLease,
  assertLease,
  type Lease,
  LeaseLostError,
  releaseLease,
  renewLease,
} from "../../database/leases.ts";
import {
  enqueueAgain,
  finishOperations,
  highestNonce,
  insertHash,
  insertTransaction,
  listDue,
  listFromNonce,
  listMined,
  listSigned,
  listUnfinishedTransactionIds,
  markSent,
  type NewTransaction,
  type Operation,
  reopenOperations,
  requeueOperations,
  resolveOperations,
  type StoredTransaction,
  summarizeDue,
  updateTransaction,
  type WatchedTransaction,
} from "../../database/outbox.ts";
import type { OperationKind } from "../../database/schema.ts";
import { inTransaction, isUniqueViolation, type Queries } from "../../database/transaction.ts";
import { chzTextFromWei } from "../../domain/money.ts";
import { WEI_PER_GWEI } from "../../domain/product.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { ChainClient } from "../chain/chain-client.ts";
import type { PayoutSwitch } from "../payout-switch.ts";
import type { RateSource } from "../rate/rate-source.ts";
import { type Batch, buildBatch, type Contracts, OPERATION_KINDS, readRefusal } from "./batch.ts";
import { bumpedFees, type Fees, suggestedFees } from "./fees.ts";
import { planNextSteps } from "./planner.ts";

export type SenderOptions = {
  database: Database;
  client: ChainClient;
  account: PrivateKeyAccount;
  chainId: number;
  contracts: Contracts;
  rates: RateSource;
  payouts: PayoutSwitch;
  log: Logger;
  stepDelayMs: number;
  holdMs: number;
  confirmations: number;
  payoutConfirmations: number;
  batchSize: number;
  batchAgeMs: number;
  maxFeeGwei: number;
  feeBumpAfterMs: number;
  pollMs: number;
};

/** What `/readyz`, `/metrics` and the admin overview tell of the sender. */
export type SenderStatus = {
  /** Whether this process is the one that sends. */
  isLeader: boolean;
  balanceWei: bigint | undefined;
  /** The hot wallet cannot pay for what waits. */
  isWalletEmpty: boolean;
  /** Why operations of a kind wait although their time has come. */
  held: Partial<Record<OperationKind, string>>;
  inFlight: number;
  problem: string | undefined;
  lastRoundAt: number | undefined;
  sentTransactions: number;
  feeBumps: number;
  resends: number;
  orphaned: number;
};

type Head = { number: bigint; baseFeeWei: bigint; nonce: bigint; balanceWei: bigint };

const LEASE_NAME = "sender";
const LEASE_MS = 5_000;
const LEASE_RENEW_MS = 1_500;
const MAX_IN_FLIGHT = 16;
const MAX_ATTEMPTS = 6n;
const RETRY_BACKOFF_MS = 2_000n;
const HOLD_MS = 3_000;
const RESEND_AFTER_MS = 5_000;
const RECHECK_MINED_MS = 2_000;
/** A contradiction between the chain's nonce and ours must last this long before it is acted upon. */
const PATIENCE_MS = 3_000;
/** Mined transactions are watched this deep, so that an orphaned one is sent again under the same hash. */
const WATCH_DEPTH = 30n;
const FILL_GAP_AFTER_MS = 60_000;
const IDLE_HEAD_MS = 5_000;

/**
 * Sends what stands in the outbox: reserve nonce → sign → store raw bytes and hash → commit → send → wait for the
 * receipt by hash → N confirmations. Never the other way round. One sender at a time across processes. Design, section 7.
 */
export class Sender {
  readonly status: SenderStatus = {
    isLeader: false,
    balanceWei: undefined,
    isWalletEmpty: false,
    held: {},
    inFlight: 0,
    problem: undefined,
    lastRoundAt: undefined,
    sentTransactions: 0,
    feeBumps: 0,
    resends: 0,
    orphaned: 0,
  };
  readonly #options: SenderOptions;
  readonly #sender: WalletAddress;
  readonly #holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`;
  readonly #heldUntil = new Map<OperationKind, number>();
  readonly #abort = new AbortController();
  #lease: Lease | undefined;
  #leaseRenewedAt = 0;
  #minedCheckedAt = 0;
  #headReadAt = 0;
  #gapSince: number | undefined;
  #foreignSince: number | undefined;
  #wake: () => void = () => {};
  #running: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#sender = options.account.address.toLowerCase() as WalletAddress;
  }

  /** The hot wallet that signs. */
  get address(): WalletAddress {
    return this.#sender;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the round under way, and lets another process send at once. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake();
    await this.#running;
    if (this.#lease) await releaseLease(this.#options.database, this.#lease);
    this.#lease = undefined;
    this.status.isLeader = false;
  }

  /** Something was put into the outbox: look now instead of after the pause. */
  wake(): void {
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      let isBusy = false;
      try {
        if (await this.#holdLease()) isBusy = await this.#round();
        this.status.problem = undefined;
      } catch (error) {
        this.#noteProblem(error);
      }
      this.status.lastRoundAt = Date.now();
      await this.#pause(isBusy ? 1 : this.#options.pollMs);
    }
  }

  #noteProblem(error: unknown): void {
    if (error instanceof LeaseLostError) this.#lease = undefined;
    const problem =
      error instanceof BaseError ? error.shortMessage : error instanceof Error ? error.message : String(error);
    if (problem !== this.status.problem) this.#options.log.warn({ problem }, "The sender waits");
    this.status.problem = problem;
  }

  async #pause(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, delay(ms, undefined, { signal: this.#abort.signal }).catch(() => {})]);
  }

  async #holdLease(): Promise<boolean> {
    const now = Date.now();
    if (this.#lease && now - this.#leaseRenewedAt >= LEASE_RENEW_MS) {
      if (await renewLease(this.#options.database, this.#lease, LEASE_MS)) this.#leaseRenewedAt = now;
      else this.#lease = undefined;
    }
    if (!this.#lease) {
      this.#lease = await acquireLease(this.#options.database, LEASE_NAME, this.#holder, LEASE_MS);
      this.#leaseRenewedAt = now;
      if (this.#lease) this.#options.log.info({ sender: this.#sender }, "This process sends");
    }
    this.status.isLeader = this.#lease !== undefined;
    return this.status.isLeader;
  }

  readonly #assertLease = async (queries: Queries): Promise<void> => {
    if (!this.#lease) throw new LeaseLostError("This process does not send");
    await assertLease(queries, this.#lease);
  };

  /** Every write of the sender goes through here: the lease is checked in the same transaction. */
  #write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return inTransaction(this.#options.database.kysely, async (queries) => {
      await this.#assertLease(queries);
      return work(queries);
    });
  }

  /** Answers whether there is more to do at once. */
  async #round(): Promise<boolean> {
    const { database } = this.#options;
    const hasPlanned = await planNextSteps(database, {
      rates: this.#options.rates,
      stepDelayMs: this.#options.stepDelayMs,
      holdMs: this.#options.holdMs,
      payoutConfirmations: this.#options.payoutConfirmations,
      assertLease: this.#assertLease,
    });
    const signed = await listSigned(database.kysely, this.#sender);
    const due = await this.#dueKinds();
    const mustCheckMined = Date.now() - this.#minedCheckedAt >= RECHECK_MINED_MS;
    const isIdle = signed.length === 0 && due.length === 0 && !mustCheckMined;
    if (isIdle && Date.now() - this.#headReadAt < IDLE_HEAD_MS) return hasPlanned;

    const head = await this.#readHead();
    const unmined = await this.#collectReceipts(signed, head);
    await this.#followMined(head, mustCheckMined);
    this.status.inFlight = unmined.length;
    await this.#repair(unmined, head);
    const sent = await this.#dispatch(due, unmined, head);
    return hasPlanned || sent;
  }

  async #readHead(): Promise<Head> {
    const { client } = this.#options;
    const address = this.#sender;
    const [block, nonce, balanceWei] = await Promise.all([
      client.getBlock({ blockTag: "latest" }),
      client.getTransactionCount({ address, blockTag: "latest" }),
      client.getBalance({ address, blockTag: "latest" }),
    ]);
    this.#headReadAt = Date.now();
    this.status.balanceWei = balanceWei;
    return { number: block.number, baseFeeWei: block.baseFeePerGas ?? 0n, nonce: BigInt(nonce), balanceWei };
  }

  // Receipts -----------------------------------------------------------------------------------------------------------

  /** Looks for receipts by every hash of every unmined transaction. Answers those that stay unmined. */
  async #collectReceipts(signed: readonly WatchedTransaction[], head: Head): Promise<WatchedTransaction[]> {
    const found = await Promise.all(
      signed.map(async (transaction) => ({ transaction, receipt: await this.#findReceipt(transaction) })),
    );
    const mined = found.filter((one) => one.receipt !== undefined);
    if (mined.length > 0) {
      await this.#write(async (queries) => {
        for (const { transaction, receipt } of mined) {
          if (!receipt) continue;
          await updateTransaction(queries, transaction.id, {
            status: "mined",
            succeeded: receipt.status === "success" ? 1n : 0n,
            mined_hash: receipt.transactionHash,
            block_number: receipt.blockNumber,
            block_hash: receipt.blockHash,
          });
          // A receipt proves that the chain is at least as long as its block, whatever was read before.
          const depth = (head.number > receipt.blockNumber ? head.number - receipt.blockNumber : 0n) + 1n;
          if (depth >= BigInt(this.#options.confirmations)) {
            await this.#conclude(queries, transaction.id, receipt.status === "success");
          }
        }
      });
    }
    return found.filter((one) => one.receipt === undefined).map((one) => one.transaction);
  }

  async #findReceipt(transaction: WatchedTransaction) {
    const receipts = await Promise.all(
      transaction.hashes.map((row) =>
        this.#options.client.getTransactionReceipt({ hash: row.hash as Hex }).catch((error: unknown) => {
          if (error instanceof TransactionReceiptNotFoundError) return undefined;
          throw error;
        }),
      ),
    );
    return receipts.find((receipt) => receipt !== undefined && receipt !== null);
  }

  /** The transaction is deep enough: its operations are done, or wait for another try. */
  async #conclude(queries: Queries, transactionId: bigint, hasSucceeded: boolean): Promise<void> {
    if (hasSucceeded) return finishOperations(queries, transactionId);
    await requeueOperations(queries, transactionId, {
      error: "The transaction reverted",
      notBefore: BigInt(Date.now()) + RETRY_BACKOFF_MS,
      maximumAttempts: MAX_ATTEMPTS,
    });
  }

  /** Mined transactions grow deep; one whose block was orphaned counts as unmined again. */
  async #followMined(head: Head, mustCheck: boolean): Promise<void> {
    if (!mustCheck && this.#options.confirmations === 1) return;
    const { kysely } = this.#options.database;
    const mined = await listMined(kysely, this.#sender);
    this.#minedCheckedAt = Date.now();
    if (mined.length === 0) return;
    const numbers = [...new Set(mined.map((transaction) => transaction.block_number ?? 0n))];
    const blocks = await Promise.all(
      numbers.map((blockNumber) =>
        this.#options.client.getBlock({ blockNumber }).then(
          (block) => [blockNumber, block.hash] as const,
          (error: unknown) => {
            // A block that this node does not have (yet) is no proof; one with another hash is.
            if (error instanceof BaseError && error.name === "BlockNotFoundError")
              return [blockNumber, undefined] as const;
            throw error;
          },
        ),
      ),
    );
    const hashes = new Map(blocks);
    const unfinished = await listUnfinishedTransactionIds(kysely);
    const orphaned: StoredTransaction[] = [];
    const deep: StoredTransaction[] = [];
    const concluded: StoredTransaction[] = [];
    for (const transaction of mined) {
      const blockNumber = transaction.block_number ?? 0n;
      const hash = hashes.get(blockNumber);
      const depth = head.number - blockNumber + 1n;
      if (hash === undefined ? depth <= 0n : hash !== transaction.block_hash) orphaned.push(transaction);
      else if (hash !== undefined && depth >= WATCH_DEPTH && depth >= BigInt(this.#options.confirmations))
        deep.push(transaction);
      else if (unfinished.has(transaction.id) && hash !== undefined && depth >= BigInt(this.#options.confirmations)) {
        concluded.push(transaction);
      }
    }
    if (orphaned.length + deep.length + concluded.length === 0) return;
    await this.#write(async (queries) => {
      for (const transaction of orphaned) await this.#reopen(queries, transaction);
      for (const transaction of [...deep, ...concluded]) {
        await this.#conclude(queries, transaction.id, transaction.succeeded === 1n);
      }
      for (const transaction of deep) await updateTransaction(queries, transaction.id, { status: "confirmed" });
    });
    if (orphaned.length > 0) {
      this.status.orphaned += orphaned.length;
      this.#options.log.warn({ count: orphaned.length }, "Blocks with our transactions were orphaned");
    }
  }

  async #reopen(queries: Queries, transaction: StoredTransaction): Promise<void> {
    await updateTransaction(queries, transaction.id, {
      status: "signed",
      succeeded: null,
      mined_hash: null,
      block_number: null,
      block_hash: null,
    });
    await reopenOperations(queries, transaction.id);
  }

  // Repair -------------------------------------------------------------------------------------------------------------

  /** Sends again what never left or was dropped, raises fees of what is stuck, and settles contradictions of nonces. */
  async #repair(unmined: readonly WatchedTransaction[], head: Head): Promise<void> {
    const lowest = unmined[0];
    if (!lowest) {
      this.#gapSince = undefined;
      this.#foreignSince = undefined;
      return;
    }
    const now = Date.now();
    if (lowest.nonce > head.nonce) {
      this.#gapSince ??= now;
      if (now - this.#gapSince >= PATIENCE_MS) await this.#closeGap(head, lowest.nonce);
    } else {
      this.#gapSince = undefined;
    }
    if (lowest.nonce < head.nonce) {
      this.#foreignSince ??= now;
      if (now - this.#foreignSince >= PATIENCE_MS) await this.#voidIfLost(lowest);
    } else {
      this.#foreignSince = undefined;
    }
    for (const transaction of unmined) {
      const latest = transaction.hashes.at(-1);
      if (!latest) continue;
      const sentAt = Number(latest.sent_at ?? 0n);
      const isStuck =
        transaction.nonce <= head.nonce + 3n && now - Number(latest.created_at) >= this.#options.feeBumpAfterMs;
      if (isStuck) await this.#bump(transaction, head);
      else if (now - sentAt >= RESEND_AFTER_MS) {
        if (sentAt > 0) this.status.resends += 1;
        await this.#send(latest.hash, latest.raw as Hex);
      }
    }
  }

  /** The chain wants a lower nonce than we wait for: it forgot transactions of ours, or was promised one by another. */
  async #closeGap(head: Head, lowestUnmined: bigint): Promise<void> {
    const forgotten = (
      await listFromNonce(this.#options.database.kysely, this.#sender, head.nonce, MAX_IN_FLIGHT)
    ).filter((transaction) => transaction.nonce < lowestUnmined);
    if (forgotten.length > 0) {
      await this.#write(async (queries) => {
        for (const transaction of forgotten) await this.#reopen(queries, transaction);
      });
      this.#options.log.warn(
        { from: head.nonce, count: forgotten.length },
        "The chain forgot transactions; sending them again",
      );
      return;
    }
    if (Date.now() - (this.#gapSince ?? Date.now()) < FILL_GAP_AFTER_MS) return;
    this.#options.log.warn({ nonce: head.nonce }, "Filling a gap of nonces with an empty transaction");
    await this.#signAndStore({ to: this.#sender, data: "0x", gasLimit: 21_000n }, [], head, head.nonce);
    this.#gapSince = undefined;
  }

  /** Another program used our key for this nonce: none of our hashes can ever be mined. */
  async #voidIfLost(transaction: WatchedTransaction): Promise<void> {
    const { client, confirmations, payouts, log } = this.#options;
    const head = await client.getBlockNumber();
    const deepBlock = head - BigInt(confirmations) + 1n;
    const deepNonce = await client.getTransactionCount({
      address: this.#sender,
      blockNumber: deepBlock < 0n ? 0n : deepBlock,
    });
    if (BigInt(deepNonce) <= transaction.nonce || (await this.#findReceipt(transaction))) return;
    await payouts.pause(`Another program used the operator's key for nonce ${transaction.nonce}`);
    log.error({ nonce: transaction.nonce }, "Another program used the operator's key; payouts are paused");
    await this.#write(async (queries) => {
      await updateTransaction(queries, transaction.id, { status: "void" });
      await requeueOperations(queries, transaction.id, {
        error: "Its nonce was used by another program",
        notBefore: BigInt(Date.now()),
        maximumAttempts: MAX_ATTEMPTS,
      });
    });
    this.#foreignSince = undefined;
  }

  async #bump(transaction: WatchedTransaction, head: Head): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest) return;
    const previous = { maxFeeWei: latest.max_fee_wei, maxPriorityFeeWei: latest.max_priority_fee_wei };
    const fees = bumpedFees(previous, suggestedFees(head.baseFeeWei), this.#feeCapWei());
    if (!fees) {
      await this.#send(latest.hash, latest.raw as Hex);
      return;
    }
    const signed = await this.#sign(
      { to: transaction.to_address, data: transaction.data as Hex, gasLimit: transaction.gas_limit },
      transaction.nonce,
      fees,
    );
    await this.#write((queries) => insertHash(queries, transaction.id, signed));
    this.status.feeBumps += 1;
    this.#options.log.info(
      { nonce: transaction.nonce, maxFeeWei: fees.maxFeeWei },
      "Raised the fee of a stuck transaction",
    );
    await this.#send(signed.hash, signed.raw);
  }

  // Dispatch -----------------------------------------------------------------------------------------------------------

  async #dueKinds(): Promise<{ kind: OperationKind; count: number }[]> {
    const now = Date.now();
    const rows = await summarizeDue(this.#options.database.kysely);
    const isPaused = await this.#options.payouts.reason();
    if (isPaused) this.status.held.pay = isPaused;
    return rows
      .filter(
        (row) => Number(row.count) >= this.#options.batchSize || now - Number(row.oldestAt) >= this.#options.batchAgeMs,
      )
      .filter((row) => (this.#heldUntil.get(row.kind) ?? 0) <= now)
      .filter((row) => row.kind !== "pay" || !isPaused)
      .map((row) => ({ kind: row.kind, count: Number(row.count) }))
      .sort((a, b) => OPERATION_KINDS.indexOf(a.kind) - OPERATION_KINDS.indexOf(b.kind));
  }

  async #dispatch(
    due: readonly { kind: OperationKind; count: number }[],
    unmined: readonly WatchedTransaction[],
    head: Head,
  ): Promise<boolean> {
    let inFlight = unmined.length;
    let reservedWei = unmined.reduce((sum, transaction) => {
      const latest = transaction.hashes.at(-1);
      return sum + transaction.gas_limit * (latest?.max_fee_wei ?? 0n);
    }, 0n);
    let hasSent = false;
    for (const { kind, count } of due) {
      const isSingle = kind === "register_store" || kind === "rename_store";
      const size = isSingle ? 1 : this.#options.batchSize;
      for (let taken = 0; taken < count && inFlight < MAX_IN_FLIGHT; taken += size) {
        const operations = await listDue(this.#options.database.kysely, kind, size);
        if (operations.length === 0) break;
        const batch = await this.#prepare(kind, operations, head);
        if (!batch) continue;
        const cost = batch.call.gasLimit * suggestedFees(head.baseFeeWei).maxFeeWei;
        if (reservedWei + cost > head.balanceWei) {
          this.#holdWalletEmpty(head, cost);
          return hasSent;
        }
        this.status.isWalletEmpty = false;
        const stored = await this.#signAndStore(batch.call, batch.operations, head);
        if (!stored) break;
        await this.#send(stored.hash, stored.raw);
        reservedWei += cost;
        inFlight += 1;
        hasSent = true;
        this.status.sentTransactions += 1;
        delete this.status.held[kind];
      }
    }
    this.status.inFlight = inFlight;
    return hasSent;
  }

  #holdWalletEmpty(head: Head, cost: bigint): void {
    if (!this.status.isWalletEmpty) {
      this.#options.log.error(
        { wallet: this.#sender, balance: chzTextFromWei(head.balanceWei), needed: chzTextFromWei(cost) },
        "The operator's wallet cannot pay for gas; operations wait for a top-up",
      );
    }
    this.status.isWalletEmpty = true;
  }

  /** Tries a batch on the node before it gets a nonce; takes out what the contracts would refuse, with its reason. */
  async #prepare(
    kind: OperationKind,
    operations: readonly Operation[],
    head: Head,
  ): Promise<{ call: Batch; operations: Operation[] } | undefined> {
    let remaining = [...operations];
    while (remaining.length > 0) {
      const call = await buildBatch(this.#options.database.kysely, this.#options.contracts, kind, remaining);
      const refusal = await this.#tryCall(kind, call, remaining);
      if (!refusal) return { call, operations: remaining };
      const now = BigInt(Date.now());
      if (refusal.kind === "all_later") {
        if (kind === "pay" && remaining.length > 1) {
          remaining = remaining.slice(0, Math.ceil(remaining.length / 2));
          continue;
        }
        this.#hold(kind, refusal.reason);
        return undefined;
      }
      const isAtFault =
        refusal.kind === "unknown_store"
          ? await this.#operationsOfStore(remaining, refusal.storeId)
          : remaining.filter((operation) => operation.subject_id === refusal.subjectId);
      if (isAtFault.length === 0) {
        this.#hold(kind, "The contracts refuse the batch for a reason that names none of its operations");
        return undefined;
      }
      const ids = isAtFault.map((operation) => operation.id);
      await this.#write(async (queries) => {
        if (refusal.kind === "done") await resolveOperations(queries, ids, { status: "done", error: null });
        else if (refusal.kind === "failed")
          await resolveOperations(queries, ids, { status: "failed", error: refusal.reason });
        else if (refusal.kind === "later") {
          await resolveOperations(queries, ids, {
            status: "queued",
            notBefore: now + RETRY_BACKOFF_MS,
            error: refusal.reason,
          });
        } else {
          await enqueueAgain(queries, { kind: "register_store", subjectId: refusal.storeId, notBefore: now });
          await resolveOperations(queries, ids, { status: "queued", notBefore: now + RETRY_BACKOFF_MS });
        }
      });
      this.#options.log.info(
        { kind, refusal: refusal.kind, count: ids.length, block: head.number },
        "Took operations out of a batch",
      );
      remaining = remaining.filter((operation) => !ids.includes(operation.id));
    }
    return undefined;
  }

  async #tryCall(kind: OperationKind, call: Batch, operations: readonly Operation[]) {
    try {
      await this.#options.client.call({
        account: this.#sender,
        to: call.to,
        data: call.data,
        gas: call.gasLimit,
      });
      return undefined;
    } catch (error) {
      const refusal = readRefusal(
        kind,
        error,
        operations.map((operation) => operation.subject_id),
      );
      if (!refusal) throw error;
      return refusal;
    }
  }

  #hold(kind: OperationKind, reason: string): void {
    if (this.status.held[kind] !== reason) this.#options.log.warn({ kind, reason }, "Operations wait");
    this.status.held[kind] = reason;
    this.#heldUntil.set(kind, Date.now() + HOLD_MS);
  }

  async #operationsOfStore(operations: readonly Operation[], storeId: bigint): Promise<Operation[]> {
    const rows = await this.#options.database.kysely
      .selectFrom("purchases")
      .select("id")
      .where("store_id", "=", storeId)
      .where(
        "id",
        "in",
        operations.map((operation) => operation.subject_id),
      )
      .execute();
    const ids = new Set(rows.map((row) => row.id));
    return operations.filter((operation) => ids.has(operation.subject_id));
  }

  /**
   * Reserves the next nonce, signs, and stores the bytes, in one transaction: there is no nonce without bytes and no bytes
   * without a nonce, wherever the process dies. Answers undefined where another row took the nonce.
   */
  async #signAndStore(call: Batch, operations: readonly Operation[], head: Head, nonce?: bigint) {
    const fees = suggestedFees(head.baseFeeWei);
    const maxFeeWei = fees.maxFeeWei < this.#feeCapWei() ? fees.maxFeeWei : this.#feeCapWei();
    try {
      return await this.#write(async (queries) => {
        const last = await highestNonce(queries, this.#sender);
        const next = nonce ?? (last !== undefined && last >= head.nonce ? last + 1n : head.nonce);
        const signed = await this.#sign(call, next, { ...fees, maxFeeWei });
        const transaction: NewTransaction = {
          sender: this.#sender,
          nonce: next,
          to: call.to,
          data: call.data,
          gasLimit: call.gasLimit,
          fencingToken: this.#lease?.fencingToken ?? 0n,
          operationIds: operations.map((operation) => operation.id),
          signed,
        };
        await insertTransaction(queries, transaction);
        return signed;
      });
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  async #sign(call: Batch, nonce: bigint, fees: Fees) {
    const raw = await this.#options.account.signTransaction({
      type: "eip1559",
      chainId: this.#options.chainId,
      nonce: Number(nonce),
      to: call.to,
      data: call.data,
      gas: call.gasLimit,
      maxFeePerGas: fees.maxFeeWei,
      maxPriorityFeePerGas: fees.maxPriorityFeeWei < fees.maxFeeWei ? fees.maxPriorityFeeWei : fees.maxFeeWei,
    });
    return { hash: keccak256(raw), raw, maxFeeWei: fees.maxFeeWei, maxPriorityFeeWei: fees.maxPriorityFeeWei };
  }

  /** Whatever the node answers, the receipt decides; only an empty wallet is believed. */
  async #send(hash: string, raw: Hex): Promise<void> {
    try {
      await this.#options.client.sendRawTransaction({ serializedTransaction: raw });
    } catch (error) {
      if (error instanceof BaseError && error.walk((cause) => cause instanceof InsufficientFundsError)) {
        this.status.isWalletEmpty = true;
      }
      this.#options.log.debug(
        { hash, answer: error instanceof BaseError ? error.details : String(error) },
        "A node did not take a transaction",
      );
    }
    await markSent(this.#options.database.kysely, [hash]);
  }

  #feeCapWei(): bigint {
    return BigInt(this.#options.maxFeeGwei) * WEI_PER_GWEI;
  }
}
