import type { Generated } from "kysely";
import type { WalletAddress } from "../../domain/wallet-address.ts";

/** Bytes or a hash, as `0x` and hex digits. */
export type Hex = `0x${string}`;

export type OutboxTables = {
  operations: OperationsTable;
  transactions: TransactionsTable;
  transaction_hashes: TransactionHashesTable;
};

/** Each is one call of a contract, with its batches: `purchases/encoders.ts`, `catalogue/encoders.ts`. */
export const OPERATION_KINDS = ["mint", "confirm", "cancel", "pay", "register_store", "rename_store"] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/**
 * `queued`: sent when due. `assigned`: in a transaction. `done`: completed. `waiting`: cannot be sent now, retried
 * later. `failed`: needs a person. `withdrawn`: no longer wanted.
 */
export type OperationStatus = "queued" | "assigned" | "waiting" | "done" | "failed" | "withdrawn";

/** Why an operation is `waiting` or `failed`. docs/product.md#payout-aside */
export const OPERATION_REASONS = [
  "day_cap",
  "max_payout",
  "pool_empty",
  /** The purchase's rate is above the distributor's maximum. */
  "rate_too_high",
  "paused",
  /** The distributor was retired, and this process does not know its successor yet. */
  "retired",
  "role_missing",
  /** The token is not in the state that the operation starts from. */
  "not_ready",
  "store_unknown",
  "reverted",
  /** The contracts reject it without naming it. */
  "refused",
  "invalid",
] as const;
export type OperationReason = (typeof OPERATION_REASONS)[number];

/** The reasons that are a limit of the distributor. */
export const LIMIT_REASONS: readonly (OperationReason | null)[] = [
  "day_cap",
  "max_payout",
  "pool_empty",
  "rate_too_high",
];

type OperationsTable = {
  id: Generated<bigint>;
  kind: OperationKind;
  /** A purchase id, or a store id for the store kinds. One row per kind and subject. */
  subject_id: bigint;
  /** For `pay`, the amount of the payout. */
  amount_gwei: bigint | null;
  status: OperationStatus;
  transaction_id: bigint | null;
  /** Not sent before this time. */
  not_before: bigint;
  /** How many transactions with only this operation have reverted. */
  attempts: Generated<bigint>;
  /** Why it waits or failed; null in every other status. */
  reason: OperationReason | null;
  /** With a reason of `LIMIT_REASONS`: what the limit allows, if known, in CHZ; of `rate_too_high` in CHZ per real. */
  limit_chz: string | null;
  /** The reason as a sentence, with figures. */
  error: string | null;
  /** When it entered this status for this reason. */
  since: bigint;
  /** The maximum number of operations in a transaction with this one; null if only the batch size limits it. */
  batch_limit: bigint | null;
  created_at: bigint;
  updated_at: bigint;
};

type TransactionsTable = {
  id: Generated<bigint>;
  sender: WalletAddress;
  nonce: bigint;
  to_address: WalletAddress;
  data: Hex;
  gas_limit: bigint;
  /**
   * `signed` has a nonce and stored bytes, `mined` a receipt, `confirmed` a final receipt; `void` lost its nonce
   * to a transaction that is not ours.
   */
  status: "signed" | "mined" | "confirmed" | "void";
  /** 1n if the receipt reports success. */
  succeeded: bigint | null;
  mined_hash: Hex | null;
  block_number: bigint | null;
  block_hash: string | null;
  /** The fencing token of the lease under which this was created. */
  fencing_token: bigint;
  created_at: bigint;
  updated_at: bigint;
};

type TransactionHashesTable = {
  hash: Hex;
  transaction_id: bigint;
  raw: Hex;
  max_fee_wei: bigint;
  max_priority_fee_wei: bigint;
  created_at: bigint;
  sent_at: bigint | null;
};
