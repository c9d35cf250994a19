import type { Schema } from "./generated/schema.ts";

/** Bytes or a hash, as `0x` and hex digits. */
export type Hex = `0x${string}`;

/** Each is one call of a contract, with its batches: `core/purchases/encoders.ts`, `core/catalogue/encoders.ts`. */
export const OPERATION_KINDS = [
  "mint",
  "confirm",
  "cancel",
  "return",
  "pay",
  "register_store",
  "rename_store",
  "set_store_look",
] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/**
 * `queued`: sent when due. `assigned`: in a transaction. `done`: completed. `waiting`: cannot be sent now, retried
 * later. `failed`: needs a person. `withdrawn`: no longer wanted.
 */
export type OperationStatus = Schema["operations"]["status"];

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
