import type { Hex, TransactionSerializable } from "viem";

/** What the worker makes of a passkey's answer, and what it gives back: text in each case. */
export type Work =
  | { kind: "address" }
  | { kind: "message"; message: Hex }
  | { kind: "transaction"; transaction: TransactionSerializable }
  | { kind: "words" };

/** `own`: the address that it must be of; without it, whichever it is. */
export type WorkOrder = { prf: Uint8Array<ArrayBuffer>; work: Work; own?: string | undefined };
export type WorkDone = { result: string } | { problem: string } | { isAnother: true };
