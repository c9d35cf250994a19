import { readRevert } from "../chain/revert.ts";
import type { OperationKind } from "../database/schema/outbox.ts";
import { chzTextFromWei } from "../domain/money.ts";
import { type Allowance, aboveRate, admit, spend } from "./allowance.ts";
import { listDue, sumInFlight, summarizeDue } from "./due.ts";
import type { Call, Encoder, Refusal, Verdict } from "./encoder.ts";
import { suggestedFees } from "./fees.ts";
import { subjectOf } from "./log-lines.ts";
import { enqueueAgain, type Operation, withdraw } from "./queue.ts";
import { listSetAside, markDone, markFailed, reconsider, setAside, setKindAside } from "./retries.ts";
import { type Head, MAX_IN_FLIGHT, type SenderContext } from "./sender-context.ts";
import type { WatchedTransaction } from "./transactions.ts";
import type { Transmitter } from "./transmitter.ts";

/** How often the limits are read while operations wait for them. */
const RECONSIDER_EVERY_MS = 3_000;
/** Delay before retrying an operation that the contracts reject for a temporary reason. */
const RETRY_MS = 3_000n;
/** Reasons that end when a limit allows the payout. */
const LIMIT_REASONS = ["max_payout", "day_cap", "pool_empty"] as const;
/** Reasons that apply to a whole kind, and end for all of it. */
const CLOSED_REASONS = ["paused", "retired", "role_missing"] as const;

export type DueKind = { encoder: Encoder; count: number };
type Prepared = { call: Call; operations: Operation[] };

/** Batches the due operations of the queue, and sends each batch with its own nonce. */
export class Dispatch {
  readonly #context: SenderContext;
  readonly #transmitter: Transmitter;
  #reconsideredAt = 0;
  /** The maximum rate when payouts were last set aside for it. */
  #maxWeiPerCent: bigint | undefined;

  constructor(context: SenderContext, transmitter: Transmitter) {
    this.#context = context;
    this.#transmitter = transmitter;
  }

  get #kysely() {
    return this.#context.options.database.kysely;
  }

  get #encoders() {
    const { encoders, kinds } = this.#context.options;
    return encoders.filter((encoder) => kinds.has(encoder.kind));
  }

  /** The kinds with operations to send, the most urgent first. */
  async dueKinds(): Promise<DueKind[]> {
    const { batchSize, batchAgeMs, kinds, payouts } = this.#context.options;
    const pauseReason = kinds.has("pay") ? await payouts.reason() : undefined;
    if (pauseReason) this.#context.status.held.pay = pauseReason;
    else delete this.#context.status.held.pay;
    const isHeld = (kind: OperationKind) => kind === "pay" && pauseReason !== undefined;
    await this.#reconsiderSetAside(isHeld);
    const known = this.#encoders.map((encoder) => encoder.kind);
    const due = new Map((await summarizeDue(this.#kysely, known)).map((row) => [row.kind, row]));
    return this.#encoders.flatMap((encoder) => {
      const row = due.get(encoder.kind);
      if (!row || isHeld(encoder.kind)) return [];
      const isReady = Number(row.count) >= batchSize || Number(row.waitedMs) >= batchAgeMs;
      return isReady ? [{ encoder, count: Number(row.count) }] : [];
    });
  }

  async run(due: readonly DueKind[], unmined: readonly WatchedTransaction[], head: Head): Promise<boolean> {
    const wallet = new WalletBudget(unmined, head);
    let inFlight = unmined.length;
    let hasSent = false;
    this.#context.status.inFlight = inFlight;
    for (const { encoder, count } of due) {
      let allowance = await this.#readAllowance(encoder);
      const size = encoder.largestBatch ?? this.#context.options.batchSize;
      for (let taken = 0; taken < count && inFlight < MAX_IN_FLIGHT; taken += size) {
        if (allowance?.closed) {
          await this.#setKindAside(encoder.kind, allowance.closed);
          break;
        }
        const listed = await listDue(this.#kysely, encoder.kind, size);
        const operations = (await encoder.listTogether?.(this.#kysely, listed)) ?? listed;
        if (operations.length === 0) break;
        const batch = await this.#prepare(encoder, operations, allowance, wallet);
        if (batch === "kind is refused") break;
        if (batch === "wallet is empty") return hasSent;
        if (!batch) continue;
        const stored = await this.#transmitter.signAndStore(batch.call, batch.operations, head);
        if (!stored) break;
        this.#logSent(batch.operations, stored);
        await this.#transmitter.send(stored.hash, stored.raw);
        wallet.reserve(batch.call);
        allowance = allowance && spend(allowance, sumOf(batch.operations));
        inFlight += 1;
        hasSent = true;
        this.#context.status.inFlight = inFlight;
        this.#context.status.sentTransactions += 1;
      }
    }
    return hasSent;
  }

  /** Operations set aside for a limit resume as soon as the limit allows them, not only at their retry time. */
  async #reconsiderSetAside(isHeld: (kind: OperationKind) => boolean): Promise<void> {
    if (Date.now() - this.#reconsideredAt < RECONSIDER_EVERY_MS) return;
    this.#reconsideredAt = Date.now();
    for (const encoder of this.#encoders) {
      if (!encoder.readAllowance || isHeld(encoder.kind)) continue;
      const reasons = [...LIMIT_REASONS, ...CLOSED_REASONS, "rate_too_high"] as const;
      if ((await listSetAside(this.#kysely, encoder.kind, { reasons, limit: 1 })).length === 0) continue;
      const allowance = await this.#readAllowance(encoder);
      if (allowance && !allowance.closed) await this.#letGo(encoder.kind, allowance);
    }
  }

  async #letGo(kind: OperationKind, allowance: Allowance): Promise<void> {
    const { maxPayout, dayLeft, pool, maxWeiPerCent } = allowance;
    const atMostGwei = [maxPayout, dayLeft, pool].reduce((least, one) => (one < least ? one : least));
    const list = (only: Parameters<typeof listSetAside>[2]) => listSetAside(this.#kysely, kind, only);
    const small = await list({ reasons: LIMIT_REASONS, atMostGwei });
    const hasRateRisen = this.#maxWeiPerCent === undefined || maxWeiPerCent > this.#maxWeiPerCent;
    const others = await list({ reasons: hasRateRisen ? [...CLOSED_REASONS, "rate_too_high"] : CLOSED_REASONS });
    this.#maxWeiPerCent = maxWeiPerCent;
    const ids = [...admit(small, allowance).ready, ...others].map((operation) => operation.id);
    if (ids.length === 0) return;
    await this.#context.write((queries) => reconsider(queries, ids));
    this.#context.options.log.info({ kind, count: ids.length }, "Retrying operations that were set aside");
  }

  /** The limits less pending payouts, which the node does not count yet. */
  async #readAllowance(encoder: Encoder): Promise<Allowance | undefined> {
    const allowance = await encoder.readAllowance?.();
    return allowance && spend(allowance, await sumInFlight(this.#kysely, encoder.kind));
  }

  /**
   * Simulates a batch before it gets a nonce, and sets aside operations that the contracts would reject, with the
   * reason.
   */
  async #prepare(
    encoder: Encoder,
    due: readonly Operation[],
    allowance: Allowance | undefined,
    wallet: WalletBudget,
  ): Promise<Prepared | "kind is refused" | "wallet is empty" | undefined> {
    let remaining = await this.#screen(encoder, due, allowance);
    while (remaining.length > 0) {
      const call = await encoder.encode(this.#kysely, remaining);
      if (!wallet.canPay(call)) {
        if (remaining.length === 1) {
          this.#noteEmptyWallet(wallet, call);
          return "wallet is empty";
        }
        remaining = firstHalf(remaining);
        continue;
      }
      const refusal = await this.#tryCall(encoder, call, remaining);
      if (!refusal) {
        this.#context.status.isWalletEmpty = false;
        return { call, operations: remaining };
      }
      if (refusal.atFault === "kind") {
        await this.#setKindAside(encoder.kind, refusal.verdict);
        return "kind is refused";
      }
      if (refusal.atFault === "unnamed" && remaining.length > 1) {
        remaining = firstHalf(remaining);
        continue;
      }
      const atFault = refusal.atFault === "unnamed" ? remaining : refusal.atFault;
      await this.#settle(atFault, refusal.verdict, refusal.prerequisite);
      remaining = remaining.filter((operation) => !atFault.includes(operation));
    }
    return undefined;
  }

  /** Removes operations that are no longer wanted or above a limit. */
  async #screen(encoder: Encoder, due: readonly Operation[], allowance?: Allowance): Promise<Operation[]> {
    const unwanted = (await encoder.listUnwanted?.(this.#kysely, due, { isLocked: false })) ?? [];
    if (unwanted.length > 0) {
      await this.#context.write(async (queries) => {
        for (const { kind, subject_id } of unwanted) await withdraw(queries, kind, subject_id, "Taken back");
      });
    }
    const wanted = due.filter((operation) => !unwanted.includes(operation));
    if (!allowance || wanted.length === 0) return wanted;
    const { maxWeiPerCent } = allowance;
    const above = (await encoder.listAboveRate?.(this.#kysely, wanted, maxWeiPerCent)) ?? [];
    if (above.length > 0) {
      this.#maxWeiPerCent = maxWeiPerCent;
      await this.#settle(above, aboveRate(maxWeiPerCent));
    }
    const admitted = admit(
      wanted.filter((operation) => !above.includes(operation)),
      allowance,
    );
    for (const { operation, verdict } of admitted.setAside) await this.#settle([operation], verdict);
    return admitted.ready;
  }

  async #tryCall(encoder: Encoder, call: Call, operations: readonly Operation[]): Promise<Refusal | undefined> {
    try {
      const { to, data, gasLimit: gas } = call;
      await this.#context.options.client.call({ account: this.#context.wallet, to, data, gas });
      return undefined;
    } catch (error) {
      const revert = readRevert(error);
      if (!revert) throw error;
      return encoder.readRefusal(this.#kysely, revert, operations);
    }
  }

  async #settle(
    operations: readonly Operation[],
    verdict: Verdict,
    prerequisite?: Refusal["prerequisite"],
  ): Promise<void> {
    const ids = operations.map((operation) => operation.id);
    await this.#context.write(async (queries) => {
      if (prerequisite) await enqueueAgain(queries, prerequisite);
      if (verdict.kind === "done") await markDone(queries, ids);
      else if (verdict.kind === "never") await markFailed(queries, ids, verdict.text);
      else await setAside(queries, ids, { afterMs: RETRY_MS, ...verdict });
    });
    for (const operation of operations) {
      const isNews = verdict.kind !== "later" || operation.reason !== verdict.reason;
      if (isNews) this.#context.options.log.info({ ...subjectOf(operation), verdict }, "Not sent now");
    }
  }

  #logSent(operations: readonly Operation[], { hash, nonce }: { hash: string; nonce: bigint }): void {
    const { key, log } = this.#context.options;
    for (const operation of operations) log.info({ ...subjectOf(operation), hash, key, nonce: Number(nonce) }, "Sent");
  }

  async #setKindAside(kind: OperationKind, verdict: Verdict): Promise<void> {
    if (verdict.kind !== "later") throw new Error(`A whole kind can only be set aside, not ${verdict.kind}`);
    await this.#context.write((queries) => setKindAside(queries, kind, { afterMs: RETRY_MS, ...verdict }));
    this.#context.options.log.debug({ kind, verdict }, "Set a kind of operations aside");
  }

  #noteEmptyWallet(wallet: WalletBudget, call: Call): void {
    if (!this.#context.status.isWalletEmpty) {
      const amounts = { balance: chzTextFromWei(wallet.balanceWei), needed: chzTextFromWei(wallet.costOf(call)) };
      this.#context.options.log.error(
        { key: this.#context.options.key, wallet: this.#context.wallet, ...amounts },
        "The wallet cannot pay for gas; operations wait for a top-up",
      );
    }
    this.#context.status.isWalletEmpty = true;
  }
}

/** What the hot wallet can pay for in addition to pending transactions. */
class WalletBudget {
  readonly balanceWei: bigint;
  readonly #maxFeeWei: bigint;
  #reservedWei: bigint;

  constructor(unmined: readonly WatchedTransaction[], head: Head) {
    this.balanceWei = head.balanceWei;
    this.#maxFeeWei = suggestedFees(head.baseFeeWei).maxFeeWei;
    this.#reservedWei = unmined.reduce(
      (sum, transaction) => sum + transaction.gas_limit * (transaction.hashes.at(-1)?.max_fee_wei ?? 0n),
      0n,
    );
  }

  costOf(call: Call): bigint {
    return call.gasLimit * this.#maxFeeWei;
  }

  canPay(call: Call): boolean {
    return this.#reservedWei + this.costOf(call) <= this.balanceWei;
  }

  reserve(call: Call): void {
    this.#reservedWei += this.costOf(call);
  }
}

function firstHalf(operations: readonly Operation[]): Operation[] {
  return operations.slice(0, Math.ceil(operations.length / 2));
}

function sumOf(operations: readonly Operation[]): bigint {
  return operations.reduce((sum, operation) => sum + (operation.amount_gwei ?? 0n), 0n);
}
