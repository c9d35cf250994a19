import type { Hex } from "viem";
import type { Revert } from "../chain/revert.ts";
import type { OperationKind, OperationReason } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import type { Allowance } from "./allowance.ts";
import type { NewOperation, Operation } from "./queue.ts";

/** One contract call for one or more operations. */
export type Call = { to: WalletAddress; data: Hex; gasLimit: bigint };

/** What becomes of an operation that cannot be sent now. */
export type Verdict =
  | { kind: "done" }
  | { kind: "later"; reason: OperationReason; text: string; afterMs?: bigint }
  | { kind: "never"; text: string };

export type Refusal = {
  /**
   * The operations at fault. `unnamed`: one or more of the batch, so that halves are tried until one is left. `kind`: no
   * operation of this kind can be sent now.
   */
  atFault: readonly Operation[] | "unnamed" | "kind";
  verdict: Verdict;
  /** What must happen on chain first. */
  prerequisite?: NewOperation;
};

/** What the sender is told about one kind of operation: how to encode it, and how to read the contract's refusal. */
export type Encoder = {
  kind: OperationKind;
  /** The most operations of one call, where that is not the batch size. */
  largestBatch?: number;
  /** Of these operations those that go into one call with the first, where not all can. */
  listTogether?(queries: Queries, operations: readonly Operation[]): Promise<Operation[]>;
  /** Encodes operations into one call. */
  encode(queries: Queries, operations: readonly Operation[]): Promise<Call>;
  /** Reads why the contract refuses a call. */
  readRefusal(queries: Queries, revert: Revert, operations: readonly Operation[]): Promise<Refusal>;
  /** The operations that nobody wants any more. With `isFinal`, no change of that can slip in before the commit. */
  listUnwanted?(
    queries: Queries,
    operations: readonly Operation[],
    options: { isFinal: boolean },
  ): Promise<Operation[]>;
  /** Reads the contract's limits as they are now. */
  readAllowance?(): Promise<Allowance>;
  /** The operations whose rate is above the contract's bound. */
  listAboveRate?(queries: Queries, operations: readonly Operation[], maxWeiPerCent: bigint): Promise<Operation[]>;
};
