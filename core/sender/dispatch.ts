import { sql } from "kysely";
import { isAnyFactChanged } from "../database/changed-facts.ts";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, OperationReason } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { APART_MS } from "../process/rpc/chain-client.ts";
import { recordSpan } from "../process/tracing.ts";
import { chzTextFromGwei, chzTextFromWei } from "../rules/money.ts";
import { idsOf } from "../rules/records.ts";
import { shortened } from "../rules/unknown-error.ts";
import { SignerError } from "./account.ts";
import type { Call, Encoder, Verdict } from "./encoder.ts";
import { moveUnsent } from "./moves.ts";
import { listDue, type Operation, subjectOf, summarizeDue } from "./queue.ts";
import type { WatchedTransaction } from "./receipts.ts";
import { Refusals } from "./refusals.ts";
import { type Head, MAX_IN_FLIGHT, type SenderContext } from "./sender-context.ts";
import { suggestedFees, type Transmitter } from "./transactions.ts";

/** How often the limits are read while operations wait for them, at least: so long, and so many blocks. */
const RECONSIDER_EVERY = { ms: 3_000, blocks: 10 };
/** Transactions that only operations without a history of reverts may use. */
const KEPT_FREE = 4;
/** A call always gets this much time, although others took all that they share. */
const LEAST_MS = 300;
/** Reasons that end when a limit allows the payout. */
const LIMIT_REASONS = ["max_payout", "day_cap", "pool_empty"] as const;
/** Reasons that apply to a whole kind, and end for all of it. */
const CLOSED_REASONS = ["paused", "retired", "role_missing"] as const;

export type DueKind = { encoder: Encoder; count: number };
type Round = { wallet: WalletBudget; patience: Patience; head: Head };
type Prepared = { call: Call; operations: readonly Operation[] };

/** Batches the due operations of the queue, and sends each batch with its own nonce. */
export class Dispatch {
  readonly #context: SenderContext;
  readonly #transmitter: Transmitter;
  readonly refusals: Refusals;
  #reconsideredAt = Number.NEGATIVE_INFINITY;
  /** The maximum rate when payouts were last set aside for it. */
  #maxWeiPerCent: bigint | undefined;

  constructor(context: SenderContext, transmitter: Transmitter) {
    this.#context = context;
    this.#transmitter = transmitter;
    this.refusals = new Refusals(context, this.#encoders);
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
    const { batchSize, batchAgeMs } = this.#context.options;
    const { kinds, payouts } = this.#context.options;
    const held = await payouts.holdsOf(kinds, this.#kysely);
    this.#context.status.held = held;
    const isHeld = (kind: OperationKind) => held[kind] !== undefined;
    await this.#context.part(() => this.#reconsiderSetAside(isHeld), undefined);
    const known = this.#encoders.map((encoder) => encoder.kind);
    const due = new Map((await summarizeDue(this.#kysely, known)).map((row) => [row.kind, row]));
    // A payout may be one that is taken back.
    if (due.has("pay") && (await isAnyFactChanged(this.#kysely))) due.delete("pay");
    return this.#encoders.flatMap((encoder) => {
      const row = due.get(encoder.kind);
      if (!row || isHeld(encoder.kind)) return [];
      const isReady = Number(row.count) >= batchSize || Number(row.waitedMs) >= batchAgeMs;
      return isReady ? [{ encoder, count: Number(row.count) }] : [];
    });
  }

  /** Sends what is due. What stops one kind, stops no other. */
  async run(due: readonly DueKind[], unmined: readonly WatchedTransaction[], head: Head): Promise<boolean> {
    const round: Round = { wallet: new WalletBudget(unmined, head), patience: new Patience(), head };
    const { status, options } = this.#context;
    const sentBefore = status.sentTransactions;
    status.inFlight = unmined.length;
    let isWalletEmpty = false;
    // The head of this round may have shown that the database is behind the chain.
    const held = await options.payouts.holdsOf(options.kinds, this.#kysely);
    for (const one of due) {
      if (held[one.encoder.kind] !== undefined) continue;
      const outcome = await this.#context.part(() => this.#runKind(one, round), undefined);
      isWalletEmpty ||= outcome === "wallet is empty";
    }
    if (due.length > 0) status.isWalletEmpty = isWalletEmpty;
    return status.sentTransactions > sentBefore;
  }

  async #runKind({ encoder, count }: DueKind, round: Round): Promise<"wallet is empty" | undefined> {
    const { status, options } = this.#context;
    const { key, log } = options;
    let allowance = await encoder.readAllowance?.(this.#kysely);
    const size = encoder.largestBatch ?? options.batchSize;
    for (let left = count; left > 0 && status.inFlight < MAX_IN_FLIGHT; ) {
      if (allowance?.closed) {
        await this.refusals.settle(encoder.kind, allowance.closed);
        break;
      }
      const listed = await listDue(this.#kysely, encoder.kind, size);
      const operations = (await encoder.listTogether?.(this.#kysely, listed)) ?? listed;
      if (operations.length === 0) break;
      if (operations[0]?.batch_limit != null && status.inFlight >= MAX_IN_FLIGHT - KEPT_FREE) break;
      left -= operations.length;
      const batch = await this.#prepare(encoder, operations, allowance, round);
      if (batch === "kind is refused") break;
      if (batch === "wallet is empty") return batch;
      if (!batch) continue;
      const stored = await this.#sign(encoder, batch, round.head);
      if (stored === "refused") continue;
      if (!stored) break;
      const { hash, nonce } = stored;
      for (const one of batch.operations) {
        const sent = { ...subjectOf(one), hash, key, nonce: Number(nonce) };
        log.info(sent, "Sent");
        recordSpan(one.traceparent, `${one.kind}: queued to sent`, { since: one.created_at, attributes: sent });
      }
      await round.patience.spend(() => this.#transmitter.send(stored.hash, stored.raw, round.patience.msLeft));
      round.wallet.reserve(batch.call);
      allowance = allowance && spend(allowance, batch.operations);
      status.inFlight += 1;
      status.sentTransactions += 1;
    }
    return undefined;
  }

  /** A signer that refuses a batch gets each of its operations alone; one that it refuses alone is parked. */
  async #sign(encoder: Encoder, { call, operations }: Prepared, head: Head) {
    try {
      return await this.#transmitter.signAndStore({ call, operations, encoder }, head);
    } catch (error) {
      if (!(error instanceof SignerError && error.isRefusal)) throw error;
      const ids = idsOf(operations);
      if (operations.length > 1)
        await this.#context.write((queries) => moveUnsent(queries, ids, { to: "smaller", batchLimit: 1n }));
      else await this.refusals.settle(operations, { kind: "later", reason: "refused", text: shortened(error.message) });
      return "refused" as const;
    }
  }

  /** Operations set aside for a limit resume as soon as the limit allows them, not only at their retry time. */
  async #reconsiderSetAside(isHeld: (kind: OperationKind) => boolean): Promise<void> {
    const everyMs = Math.max(RECONSIDER_EVERY.ms, RECONSIDER_EVERY.blocks * this.#context.options.blockMs);
    if (performance.now() - this.#reconsideredAt < everyMs) return;
    this.#reconsideredAt = performance.now();
    for (const encoder of this.#encoders) {
      if (!encoder.readAllowance || isHeld(encoder.kind)) continue;
      const reasons = [...LIMIT_REASONS, ...CLOSED_REASONS, "rate_too_high"] as const;
      if ((await listSetAside(this.#kysely, encoder.kind, { reasons, limit: 1 })).length === 0) continue;
      const allowance = await encoder.readAllowance(this.#kysely);
      if (!allowance.closed) await this.#release(encoder.kind, allowance);
    }
  }

  async #release(kind: OperationKind, allowance: Allowance): Promise<void> {
    const { maxPayout, dayLeft, pool, maxWeiPerCent } = allowance;
    const atMostGwei = [maxPayout, dayLeft, pool].reduce((least, one) => (one < least ? one : least));
    const list = (only: Parameters<typeof listSetAside>[2]) => listSetAside(this.#kysely, kind, only);
    const small = await list({ reasons: LIMIT_REASONS, atMostGwei });
    const hasRateRisen = this.#maxWeiPerCent === undefined || maxWeiPerCent > this.#maxWeiPerCent;
    const others = await list({ reasons: hasRateRisen ? [...CLOSED_REASONS, "rate_too_high"] : CLOSED_REASONS });
    this.#maxWeiPerCent = maxWeiPerCent;
    const ids = [...admit(small, allowance).ready, ...others].map((operation) => operation.id);
    if (ids.length === 0) return;
    await this.#context.write((queries) => moveUnsent(queries, ids, { to: "due" }));
    this.#context.options.log.info({ kind, count: ids.length }, "Retrying operations that were set aside");
  }

  /**
   * Simulates a batch before it gets a nonce, and sets aside operations that the contracts would reject, with the
   * reason. A batch that is refused without a name, or again after one was removed, is left to be sorted.
   */
  async #prepare(
    encoder: Encoder,
    due: readonly Operation[],
    allowance: Allowance | undefined,
    { wallet, patience }: Round,
  ): Promise<Prepared | "kind is refused" | "wallet is empty" | undefined> {
    let remaining: readonly Operation[] = await this.#screen(encoder, due, allowance);
    let hasRemoved = false;
    while (remaining.length > 0) {
      const operations = remaining;
      let { call, refusal } = await this.refusals.encode(encoder, operations);
      if (call && !wallet.canPay(call)) {
        if (operations.length === 1) {
          this.#noteEmptyWallet(wallet, call);
          return "wallet is empty";
        }
        remaining = operations.slice(0, Math.ceil(operations.length / 2));
        continue;
      }
      if (call) {
        const simulated = { encoder, call, operations };
        const client = this.#context.options.client.apart(patience.msLeft);
        refusal = await patience.spend(() => this.refusals.simulate(client, simulated));
        if (!refusal) return { call, operations };
      }
      if (!refusal) return undefined;
      if (refusal.atFault === "kind") {
        await this.refusals.settle(encoder.kind, refusal.verdict);
        return "kind is refused";
      }
      const isOneOfMany = operations.length > 1 && (refusal.atFault === "unnamed" || hasRemoved);
      if (isOneOfMany) {
        await this.refusals.tryAlone(encoder, operations, refusal.verdict);
        return undefined;
      }
      const atFault = refusal.atFault === "unnamed" ? operations : refusal.atFault;
      await this.refusals.settle(atFault, refusal.verdict, refusal.prerequisite);
      remaining = remaining.filter((operation) => !atFault.includes(operation));
      hasRemoved = true;
    }
    return undefined;
  }

  /** Removes operations that are no longer wanted or above a limit. */
  async #screen(encoder: Encoder, due: readonly Operation[], allowance?: Allowance): Promise<readonly Operation[]> {
    const wanted = await this.refusals.withdrawUnwanted(encoder, due);
    if (!allowance || wanted.length === 0) return wanted;
    const { maxWeiPerCent } = allowance;
    const above = (await encoder.listAboveRate?.(this.#kysely, wanted, maxWeiPerCent)) ?? [];
    if (above.length > 0) {
      this.#maxWeiPerCent = maxWeiPerCent;
      await this.refusals.settle(above, aboveRate(maxWeiPerCent));
    }
    const admitted = admit(
      wanted.filter((operation) => !above.includes(operation)),
      allowance,
    );
    for (const { operation, verdict } of admitted.setAside) await this.refusals.settle([operation], verdict);
    return admitted.ready;
  }

  #noteEmptyWallet(wallet: WalletBudget, call: Call): void {
    if (!this.#context.status.isWalletEmpty) {
      const amounts = { balance: chzTextFromWei(wallet.balanceWei), needed: chzTextFromWei(wallet.costOf(call)) };
      this.#context.options.log.error(
        { key: this.#context.options.key, wallet: this.#context.wallet, ...amounts },
        "The wallet cannot pay for gas; operations wait for a top-up",
      );
    }
  }
}

/** The time that calls which hang may take of one round, all of them together. */
class Patience {
  #spentMs = 0;

  readonly msLeft = (): number => Math.max(LEAST_MS, APART_MS - this.#spentMs);

  async spend<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    const tookMs = performance.now() - startedAt;
    if (tookMs >= LEAST_MS) this.#spentMs += tookMs;
    return result;
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

const RECONSIDERED = 500;

/**
 * Operations set aside for one of these reasons, up to an amount, and not retried yet: all of them, oldest first; of more
 * than 500 the smallest, so that one that fits is found behind any number that do not.
 */
export async function listSetAside(
  queries: Queries,
  kind: OperationKind,
  { reasons, atMostGwei, limit = RECONSIDERED }: SetAsideQuery,
): Promise<Operation[]> {
  const fits = atMostGwei === undefined ? sql`true` : sql`amount_gwei <= ${atMostGwei}`;
  const stretches = reasons.map(
    (reason) => sql`select * from (select * from operations where status = 'waiting' and kind = ${kind}
      and reason = ${reason} and ${fits} and not_before > ${databaseNow(queries)}
      order by amount_gwei limit ${limit}) as ${sql.ref(reason)}`,
  );
  const { rows } = await sql<Operation>`${sql.join(stretches, sql` union all `)}
    order by amount_gwei limit ${limit}`.execute(queries);
  return rows.toSorted((one, other) => Number(one.id - other.id));
}

type SetAsideQuery = { reasons: readonly OperationReason[]; atMostGwei?: bigint; limit?: number };

// Limits of payouts ------------------------------------------------------------------------------------------------------

/** A contract's current limits on payouts, less what is under way, in gwei. */
export type Allowance = {
  /** Set if no payout is possible at all. */
  closed?: Verdict & { kind: "later" };
  maxWeiPerCent: bigint;
  /** The limit per payout. */
  maxPayout: bigint;
  /** The rest of the daily cap. */
  dayLeft: bigint;
  /** Milliseconds until the next day. */
  dayEndsInMs: bigint;
  /** The CHZ that can be paid out. */
  pool: bigint;
  /** Who shares the day's cap, by `share_id` of their payouts. */
  shares: ReadonlyMap<bigint, DayShare>;
};

export type DayShare = {
  /** What is left of its share of the day, which binds while others wait. */
  leftGwei: bigint;
  /** The smallest of its payouts that is queued, or waits for the day's cap. */
  smallestGwei: bigint | undefined;
};

type Sized = Pick<Operation, "id" | "amount_gwei" | "share_id">;
type Outcome<T> = { ready: T[]; setAside: { operation: T; verdict: Verdict }[]; left: Allowance };

const LIMIT_RETRY_MS = 600_000n;
const POOL_RETRY_MS = 60_000n;
/** Shortly after midnight, because the time of the next block counts. */
const AFTER_MIDNIGHT_MS = 5_000n;

/**
 * Splits operations, in order, into those within the limits and those set aside. One that is too large does not delay
 * those behind it.
 */
export function admit<T extends Sized>(operations: readonly T[], allowance: Allowance): Outcome<T> {
  const outcome: Outcome<T> = { ready: [], setAside: [], left: { ...allowance } };
  for (const operation of operations) {
    const verdict = allowance.closed ?? verdictOn(operation, outcome.left);
    if (verdict) {
      outcome.setAside.push({ operation, verdict });
      continue;
    }
    outcome.ready.push(operation);
    outcome.left = spend(outcome.left, [operation]);
  }
  return outcome;
}

/** The limits after payouts. */
export function spend(allowance: Allowance, operations: readonly Sized[]): Allowance {
  const shares = new Map(allowance.shares);
  let gwei = 0n;
  for (const { share_id, amount_gwei } of operations) {
    gwei += amount_gwei ?? 0n;
    const share = share_id === null ? undefined : shares.get(share_id);
    if (share_id !== null && share) shares.set(share_id, { ...share, leftGwei: share.leftGwei - (amount_gwei ?? 0n) });
  }
  return { ...allowance, dayLeft: allowance.dayLeft - gwei, pool: allowance.pool - gwei, shares };
}

/** The verdict on a payout whose rate is above the distributor's maximum. docs/product.md#payout-aside */
export function aboveRate(maxWeiPerCent: bigint): Verdict {
  const text = `RateTooHigh: the purchase's rate is above the distributor's bound of ${maxWeiPerCent} wei a cent`;
  return later("rate_too_high", chzTextFromWei(maxWeiPerCent * 100n), text);
}

function verdictOn({ amount_gwei, share_id }: Sized, left: Allowance): Verdict | undefined {
  const gwei = amount_gwei ?? 0n;
  const asks = `${chzTextFromGwei(gwei)} CHZ is above the`;
  const chz = (amount: bigint) => chzTextFromGwei(amount > 0n ? amount : 0n);
  if (gwei > left.maxPayout) {
    const limit = chz(left.maxPayout);
    return later("max_payout", limit, `AboveMaxPayout: ${asks} distributor's limit of ${limit} CHZ a payout`);
  }
  if (gwei > left.dayLeft) {
    const limit = chz(left.dayLeft);
    const text = `AboveDailyCap: ${asks} ${limit} CHZ left of the distributor's daily cap`;
    return later("day_cap", limit, text, left.dayEndsInMs + AFTER_MIDNIGHT_MS);
  }
  if (gwei > left.pool) {
    const limit = chz(left.pool);
    return later("pool_empty", limit, `InsufficientFunds: ${asks} ${limit} CHZ in the distributor`, POOL_RETRY_MS);
  }
  const share = share_id === null ? undefined : left.shares.get(share_id);
  if (share && gwei > share.leftGwei && doOthersWait(share_id, left)) {
    const limit = chz(share.leftGwei);
    const text = `AboveDayShare: ${asks} ${limit} CHZ left of its account's share of the daily cap, while others wait`;
    return later("day_cap", limit, text, left.dayEndsInMs + AFTER_MIDNIGHT_MS);
  }
  return undefined;
}

/** Whether a payout of another account could still be paid today, within that one's share. */
function doOthersWait(share_id: bigint | null, { shares, dayLeft, maxPayout }: Allowance): boolean {
  return [...shares].some(([id, { leftGwei, smallestGwei }]) => {
    if (id === share_id || smallestGwei === undefined) return false;
    return smallestGwei <= leftGwei && smallestGwei <= dayLeft && smallestGwei <= maxPayout;
  });
}

function later(reason: OperationReason, limit: string, text: string, afterMs = LIMIT_RETRY_MS): Verdict {
  return { kind: "later", reason, text, limit, afterMs };
}
