import type { PublicClient } from "viem";
import { readClock } from "../database/clock.ts";
import { ContradictionError } from "../process/rpc/node-proof.ts";
import { bumpedFees, suggestedFees } from "./fees.ts";
import { findSpender, type SpentNonce } from "./nonce-evidence.ts";
import { requeueOperations } from "./outcomes.ts";
import { ownCallOf } from "./own-call.ts";
import { type Receipts, reopen } from "./receipts.ts";
import { beginRecovery } from "./recovery.ts";
import { type Head, MAX_IN_FLIGHT, type SenderContext } from "./sender-context.ts";
import { insertHash, listFromNonce, updateTransaction, type WatchedTransaction } from "./transactions.ts";
import type { Transmitter } from "./transmitter.ts";

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
