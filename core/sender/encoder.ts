import type { Hex } from "viem";
import type { Revert } from "../chain/revert.ts";
import type { OperationKind, OperationReason } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { Allowance } from "./dispatch.ts";
import type { NewOperation, Operation } from "./queue.ts";

/** One contract call for one or more operations. */
export type Call = { to: WalletAddress; data: Hex; gasLimit: bigint };

/** The consequence for an operation that cannot be sent now. */
export type Verdict =
  | { kind: "done" }
  /** `limit`: what a limit allows, as `operations.limit_chz`. */
  | { kind: "later"; reason: OperationReason; text: string; limit?: string; afterMs?: bigint }
  | { kind: "never"; text: string };

export type Refusal = {
  /**
   * The rejected operations. `unnamed`: one or more of the batch, so each is tried alone. `kind`: no operation of this
   * kind can be sent now.
   */
  atFault: readonly Operation[] | "unnamed" | "kind";
  verdict: Verdict;
  /** The operation that must happen on the chain first. */
  prerequisite?: NewOperation;
};

/** One kind of operation for the sender: how to encode it, and how to decode a revert. */
export type Encoder = {
  kind: OperationKind;
  /** The maximum number of operations per call, if it is not the batch size. */
  largestBatch?: number;
  /** The operations that can share a call with the first one, if not all can. */
  listTogether?(queries: Queries, operations: readonly Operation[]): Promise<Operation[]>;
  /** Encodes operations into one call. */
  encode(queries: Queries, operations: readonly Operation[]): Promise<Call>;
  /** Decodes why the contract rejects a call. */
  readRefusal(queries: Queries, revert: Revert, operations: readonly Operation[]): Promise<Refusal>;
  /**
   * The operations that are no longer wanted. `isLocked`: `lock` was called for them, so that this cannot change before
   * the commit.
   */
  listUnwanted?(
    queries: Queries,
    operations: readonly Operation[],
    options: { isLocked: boolean },
  ): Promise<Operation[]>;
  /** Whether what a sent operation says can change: then it is sent again, once its transaction is final. */
  canChange?: boolean;
  /** Locks all that these operations may be decided by, before themselves. docs/architecture.md#locks */
  lock?(queries: Queries, operations: readonly Operation[]): Promise<void>;
  /** Their transaction failed and they are queued again, in this transaction: whoever wanted them decides anew. */
  reconsider?(queries: Queries, operations: readonly Operation[]): Promise<void>;
  /** Reads the current limits, less what is in transactions without a receipt, which the contract does not count yet. */
  readAllowance?(queries: Queries): Promise<Allowance>;
  /** The operations whose rate is above the contract's limit. */
  listAboveRate?(queries: Queries, operations: readonly Operation[], maxWeiPerCent: bigint): Promise<Operation[]>;
};
