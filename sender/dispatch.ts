import type { OperationKind } from "../database/schema.ts";
import { chzTextFromWei } from "../domain/money.ts";
import { type Batch, buildBatch, OPERATION_KINDS, readRefusal } from "./batch.ts";
import { suggestedFees } from "./fees.ts";
import { enqueueAgain, listDue, type Operation, resolveOperations, summarizeDue } from "./queue.ts";
import { type Head, MAX_IN_FLIGHT, RETRY_BACKOFF_MS, type SenderContext } from "./sender-context.ts";
import type { WatchedTransaction } from "./transactions.ts";
import type { Transmitter } from "./transmitter.ts";

/** A kind of operation that the contracts refuse altogether waits this long. */
const HOLD_MS = 3_000;

/** Takes what is due out of the outbox, gathers it into batches, and sends each with a nonce of its own. */
export class Dispatch {
  readonly #context: SenderContext;
  readonly #transmitter: Transmitter;
  readonly #heldUntil = new Map<OperationKind, number>();

  constructor(context: SenderContext, transmitter: Transmitter) {
    this.#context = context;
    this.#transmitter = transmitter;
  }

  async dueKinds(): Promise<{ kind: OperationKind; count: number }[]> {
    const now = Date.now();
    const rows = await summarizeDue(this.#context.options.database.kysely);
    const isPaused = await this.#context.options.payouts.reason();
    if (isPaused) this.#context.status.held.pay = isPaused;
    return rows
      .filter(
        (row) =>
          Number(row.count) >= this.#context.options.batchSize ||
          Number(row.waitedMs) >= this.#context.options.batchAgeMs,
      )
      .filter((row) => (this.#heldUntil.get(row.kind) ?? 0) <= now)
      .filter((row) => row.kind !== "pay" || !isPaused)
      .map((row) => ({ kind: row.kind, count: Number(row.count) }))
      .sort((a, b) => OPERATION_KINDS.indexOf(a.kind) - OPERATION_KINDS.indexOf(b.kind));
  }

  async run(
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
      const size = isSingle ? 1 : this.#context.options.batchSize;
      for (let taken = 0; taken < count && inFlight < MAX_IN_FLIGHT; taken += size) {
        const operations = await listDue(this.#context.options.database.kysely, kind, size);
        if (operations.length === 0) break;
        const batch = await this.#prepare(kind, operations, head);
        if (!batch) continue;
        const cost = batch.call.gasLimit * suggestedFees(head.baseFeeWei).maxFeeWei;
        if (reservedWei + cost > head.balanceWei) {
          this.#holdWalletEmpty(head, cost);
          return hasSent;
        }
        this.#context.status.isWalletEmpty = false;
        const stored = await this.#transmitter.signAndStore(batch.call, batch.operations, head);
        if (!stored) break;
        await this.#transmitter.send(stored.hash, stored.raw);
        reservedWei += cost;
        inFlight += 1;
        hasSent = true;
        this.#context.status.sentTransactions += 1;
        delete this.#context.status.held[kind];
      }
    }
    this.#context.status.inFlight = inFlight;
    return hasSent;
  }

  #holdWalletEmpty(head: Head, cost: bigint): void {
    if (!this.#context.status.isWalletEmpty) {
      this.#context.options.log.error(
        { wallet: this.#context.wallet, balance: chzTextFromWei(head.balanceWei), needed: chzTextFromWei(cost) },
        "The operator's wallet cannot pay for gas; operations wait for a top-up",
      );
    }
    this.#context.status.isWalletEmpty = true;
  }

  /** Tries a batch on the node before it gets a nonce; takes out what the contracts would refuse, with its reason. */
  async #prepare(
    kind: OperationKind,
    operations: readonly Operation[],
    head: Head,
  ): Promise<{ call: Batch; operations: Operation[] } | undefined> {
    let remaining = [...operations];
    while (remaining.length > 0) {
      const call = await buildBatch(
        this.#context.options.database.kysely,
        this.#context.options.contracts,
        kind,
        remaining,
      );
      const refusal = await this.#tryCall(kind, call, remaining);
      if (!refusal) return { call, operations: remaining };
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
      await this.#context.write(async (queries) => {
        if (refusal.kind === "done") await resolveOperations(queries, ids, { status: "done", error: null });
        else if (refusal.kind === "failed")
          await resolveOperations(queries, ids, { status: "failed", error: refusal.reason });
        else if (refusal.kind === "later") {
          await resolveOperations(queries, ids, {
            status: "queued",
            afterMs: RETRY_BACKOFF_MS,
            error: refusal.reason,
          });
        } else {
          await enqueueAgain(queries, { kind: "register_store", subjectId: refusal.storeId });
          await resolveOperations(queries, ids, { status: "queued", afterMs: RETRY_BACKOFF_MS });
        }
      });
      this.#context.options.log.info(
        { kind, refusal: refusal.kind, count: ids.length, block: head.number },
        "Took operations out of a batch",
      );
      remaining = remaining.filter((operation) => !ids.includes(operation.id));
    }
    return undefined;
  }

  async #tryCall(kind: OperationKind, call: Batch, operations: readonly Operation[]) {
    try {
      await this.#context.options.client.call({
        account: this.#context.wallet,
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
    if (this.#context.status.held[kind] !== reason) this.#context.options.log.warn({ kind, reason }, "Operations wait");
    this.#context.status.held[kind] = reason;
    this.#heldUntil.set(kind, Date.now() + HOLD_MS);
  }

  async #operationsOfStore(operations: readonly Operation[], storeId: bigint): Promise<Operation[]> {
    const rows = await this.#context.options.database.kysely
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
}
