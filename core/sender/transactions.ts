import { BaseError, keccak256 } from "viem";
import { databaseNow } from "../database/clock.ts";
import type { Hex } from "../database/operations.ts";
import { isUniqueViolation, type Queries } from "../database/transaction.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { Call, Encoder } from "./encoder.ts";
import { assign } from "./moves.ts";
import type { Operation } from "./queue.ts";
import type { StoredTransaction, WatchedTransaction } from "./receipts.ts";
import type { Head, SenderContext } from "./sender-context.ts";

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

/** The same, and the sender's known mined transaction with the highest nonce. */
export async function readHighest(
  queries: Queries,
  sender: WalletAddress,
): Promise<{ nonce: bigint | undefined; mined: StoredTransaction | undefined }> {
  const mined = await queries
    .selectFrom("transactions")
    .selectAll()
    .where("sender", "=", sender)
    .where("status", "in", ["mined", "confirmed"])
    .orderBy("nonce", "desc")
    .limit(1)
    .executeTakeFirst();
  return { mined, nonce: await highestNonce(queries, sender) };
}

const EMPTY_GAS = 21_000n;
/** Node messages for a wallet that cannot pay; viem has an error type only when it estimates gas. */
const CANNOT_PAY = /insufficient (funds|balance)|exceeds .*balance/i;

type Batch = { call: Call; operations: readonly Operation[]; encoder?: Encoder };

/** Signs transactions of the hot wallet, stores their bytes, and then sends them. Always in this order. */
export class Transmitter {
  readonly #context: SenderContext;

  constructor(context: SenderContext) {
    this.#context = context;
  }

  /**
   * Reserves the next nonce, signs, and stores the bytes in one transaction: there is no nonce without bytes and no bytes
   * without a nonce, wherever the process dies. Returns undefined if the nonce is taken, or an operation was withdrawn.
   */
  async signAndStore({ call, operations, encoder }: Batch, head: Head, nonce?: bigint) {
    const { wallet, lease } = this.#context;
    try {
      return await this.#context.write(async (queries) => {
        const last = await highestNonce(queries, wallet);
        const next = nonce ?? (last !== undefined && last >= head.nonce ? last + 1n : head.nonce);
        const signed = await this.#sign(call, next, this.#cappedFees(head));
        const fencingToken = lease?.fencingToken ?? 0n;
        await insertTransaction(queries, { sender: wallet, nonce: next, ...call, fencingToken, operations, signed });
        // Nobody can change what the assigned operations send from here on.
        if (encoder && (await encoder.encode(queries, operations)).data !== call.data) {
          throw new OperationsChangedError("What an operation sends changed while its transaction was created");
        }
        return { ...signed, nonce: next };
      });
    } catch (error) {
      if (isUniqueViolation(error) || error instanceof OperationsChangedError) return undefined;
      throw error;
    }
  }

  /** Fills an unused nonce with an empty transaction; a void transaction of that nonce is replaced by an empty one. */
  async fill(nonce: bigint, head: Head): Promise<void> {
    const call: Call = { to: this.#context.wallet, data: "0x", gasLimit: EMPTY_GAS };
    if (await this.signAndStore({ call, operations: [] }, head, nonce)) return;
    await this.#context.write(async (queries) => {
      const empty = { to_address: call.to, data: call.data, gas_limit: call.gasLimit };
      const voided = await queries
        .updateTable("transactions")
        .set({ ...empty, status: "signed", updated_at: BigInt(Date.now()) })
        .where("sender", "=", this.#context.wallet)
        .where("nonce", "=", nonce)
        .where("status", "=", "void")
        .returning("id")
        .executeTakeFirst();
      if (!voided) return;
      const signed = await this.#sign(call, nonce, this.#cappedFees(head));
      const isKnown = queries
        .selectFrom("transaction_hashes")
        .select("hash")
        .where("transaction_id", "=", voided.id)
        .where("hash", "=", signed.hash);
      if (!(await isKnown.executeTakeFirst())) await insertHash(queries, voided.id, signed);
    });
  }

  /** Raises the fee of a stuck transaction, or sends it again as it is once it pays the most that we pay. */
  async replace(transaction: WatchedTransaction, head: Head): Promise<void> {
    const latest = transaction.hashes.at(-1);
    if (!latest) return;
    const previous = { maxFeeWei: latest.max_fee_wei, maxPriorityFeeWei: latest.max_priority_fee_wei };
    const fees = bumpedFees(previous, suggestedFees(head.baseFeeWei), this.#feeCapWei);
    if (!fees) return this.send(latest.hash, latest.raw);
    const { id, nonce, to_address: to, data, gas_limit: gasLimit } = transaction;
    const signed = await this.#sign({ to, data, gasLimit }, nonce, fees);
    await this.#context.write((queries) => insertHash(queries, id, signed));
    this.#context.status.feeBumps += 1;
    this.#context.options.log.info({ nonce, maxFeeWei: fees.maxFeeWei }, "Raised the fee of a stuck transaction");
    await this.send(signed.hash, signed.raw);
  }

  get #feeCapWei(): bigint {
    return BigInt(this.#context.options.maxFeeGwei) * WEI_PER_GWEI;
  }

  #cappedFees(head: Head): Fees {
    const fees = suggestedFees(head.baseFeeWei);
    return { ...fees, maxFeeWei: fees.maxFeeWei < this.#feeCapWei ? fees.maxFeeWei : this.#feeCapWei };
  }

  async #sign(call: Call, nonce: bigint, fees: Fees) {
    const raw = await this.#context.options.account.signTransaction({
      type: "eip1559",
      chainId: this.#context.options.chainId,
      nonce: Number(nonce),
      to: call.to,
      data: call.data,
      gas: call.gasLimit,
      maxFeePerGas: fees.maxFeeWei,
      maxPriorityFeePerGas: fees.maxPriorityFeeWei < fees.maxFeeWei ? fees.maxPriorityFeeWei : fees.maxFeeWei,
    });
    return { hash: keccak256(raw), raw, maxFeeWei: fees.maxFeeWei, maxPriorityFeeWei: fees.maxPriorityFeeWei };
  }

  /** The receipt decides, not the node's response; only "insufficient funds" is trusted. */
  async send(hash: Hex, raw: Hex, msLeft?: () => number): Promise<void> {
    try {
      await this.#context.options.client.apart(msLeft).sendRawTransaction({ serializedTransaction: raw });
    } catch (error) {
      if (error instanceof BaseError && CANNOT_PAY.test(error.details)) {
        this.#context.status.isWalletEmpty = true;
      }
      this.#context.options.log.debug(
        { hash, answer: error instanceof BaseError ? error.details : String(error) },
        "A node refused a transaction",
      );
    }
    const { kysely } = this.#context.options.database;
    await kysely
      .updateTable("transaction_hashes")
      .set({ sent_at: databaseNow(kysely) })
      .where("hash", "=", hash)
      .execute();
  }
}

export type Fees = { maxFeeWei: bigint; maxPriorityFeeWei: bigint };

/** A small tip is enough on Chiliz; the base fee matters. */
const TIP_WEI = WEI_PER_GWEI;
/** Nodes accept a replacement at 10 % more; this is slightly higher. */
const BUMP_NUMERATOR = 1_125n;
const BUMP_DENOMINATOR = 1_000n;

/** Allows the base fee to double before the transaction is mined. */
export function suggestedFees(baseFeeWei: bigint): Fees {
  return { maxFeeWei: baseFeeWei * 2n + TIP_WEI, maxPriorityFeeWei: TIP_WEI };
}

/** The fees that replace a stuck transaction, at most the cap; undefined if it already pays the cap. */
export function bumpedFees(previous: Fees, suggested: Fees, capWei: bigint): Fees | undefined {
  const raise = (fee: bigint) => (fee * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n;
  const larger = (a: bigint, b: bigint) => (a > b ? a : b);
  const atMost = (fee: bigint, most: bigint) => (fee > most ? most : fee);
  if (previous.maxFeeWei >= capWei) return undefined;
  const maxFeeWei = atMost(larger(raise(previous.maxFeeWei), suggested.maxFeeWei), capWei);
  const maxPriorityFeeWei = larger(raise(previous.maxPriorityFeeWei), suggested.maxPriorityFeeWei);
  return { maxFeeWei, maxPriorityFeeWei: atMost(maxPriorityFeeWei, maxFeeWei) };
}
