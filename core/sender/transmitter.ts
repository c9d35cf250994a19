import { BaseError, type Hex, keccak256 } from "viem";
import { isUniqueViolation, type Queries } from "../database/transaction.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import type { Call } from "./encoder.ts";
import { type Fees, suggestedFees } from "./fees.ts";
import type { Operation } from "./queue.ts";
import type { Head, SenderContext } from "./sender-context.ts";
import {
  highestNonce,
  insertHash,
  insertTransaction,
  listByNonce,
  markSent,
  type NewTransaction,
  OperationsChangedError,
  updateTransaction,
} from "./transactions.ts";

const EMPTY_GAS = 21_000n;
/** Node messages for a wallet that cannot pay; viem has an error type only when it estimates gas. */
const CANNOT_PAY = /insufficient (funds|balance)|exceeds .*balance/i;

/** `encodeAgain` reads what the operations send by now. */
type SignOptions = { nonce?: bigint; encodeAgain?: (queries: Queries) => Promise<Call> };

/** Signs transactions of the hot wallet, stores their bytes, and then sends them. Always in this order. */
export class Transmitter {
  readonly #context: SenderContext;

  constructor(context: SenderContext) {
    this.#context = context;
  }

  get feeCapWei(): bigint {
    return BigInt(this.#context.options.maxFeeGwei) * WEI_PER_GWEI;
  }

  /**
   * Reserves the next nonce, signs, and stores the bytes in one transaction: there is no nonce without bytes and no bytes
   * without a nonce, wherever the process dies. Returns undefined if the nonce is taken, or an operation was withdrawn.
   */
  async signAndStore(
    call: Call,
    operations: readonly Operation[],
    head: Head,
    { nonce, encodeAgain }: SignOptions = {},
  ) {
    try {
      return await this.#context.write(async (queries) => {
        const last = await highestNonce(queries, this.#context.wallet);
        const next = nonce ?? (last !== undefined && last >= head.nonce ? last + 1n : head.nonce);
        const signed = await this.sign(call, next, this.#cappedFees(head));
        const transaction: NewTransaction = {
          sender: this.#context.wallet,
          nonce: next,
          to: call.to,
          data: call.data,
          gasLimit: call.gasLimit,
          fencingToken: this.#context.fencingToken(),
          operations,
          signed,
        };
        await insertTransaction(queries, transaction);
        // Nobody can change what the assigned operations send from here on.
        if (encodeAgain && (await encodeAgain(queries)).data !== call.data) {
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
    if (await this.signAndStore(call, [], head, { nonce })) return;
    await this.#context.write(async (queries) => {
      const [voided] = await listByNonce(queries, this.#context.wallet, { nonce, status: "void" });
      if (!voided) return;
      const signed = await this.sign(call, nonce, this.#cappedFees(head));
      if (!voided.hashes.some(({ hash }) => hash === signed.hash)) await insertHash(queries, voided.id, signed);
      await updateTransaction(queries, voided.id, {
        status: "signed",
        to_address: call.to,
        data: call.data,
        gas_limit: call.gasLimit,
      });
    });
  }

  #cappedFees(head: Head): Fees {
    const fees = suggestedFees(head.baseFeeWei);
    return { ...fees, maxFeeWei: fees.maxFeeWei < this.feeCapWei ? fees.maxFeeWei : this.feeCapWei };
  }

  async sign(call: Call, nonce: bigint, fees: Fees) {
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
    await markSent(this.#context.options.database.kysely, [hash]);
  }
}
