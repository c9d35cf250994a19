import type { Revert } from "../chain/revert.ts";
import type { Refusal, Verdict } from "./encoder.ts";
import type { Operation } from "./queue.ts";

const LONGEST_TEXT = 300;

/** A revert that any call of our contracts can have. */
export function refusalOfContract(revert: Revert): Refusal {
  if (revert.name === "EnforcedPause") return { atFault: "kind", verdict: later("paused", revert, 30_000n) };
  if (revert.name === "DistributorRetired") return { atFault: "kind", verdict: later("retired", revert, 30_000n) };
  if (revert.name === "AccessControlUnauthorizedAccount") {
    return { atFault: "kind", verdict: later("role_missing", revert, 30_000n) };
  }
  return refusedFor(textOf(revert));
}

/** Refused in words that name no operation, by the node, the signer or our own encoding. */
export function refusedFor(words: string): Refusal {
  return { atFault: "unnamed", verdict: { kind: "later", reason: "refused", text: shortened(words) } };
}

/** The words of a stranger, in one bounded line of printable characters. */
export function shortened(words: string): string {
  const line = words.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim() || "no reason given";
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1).toWellFormed()}…` : line;
}

/** Blames the operation that the contract names; if it names none of ours, each is tried alone. */
export function refusalOf(operations: readonly Operation[], subject: bigint | undefined, verdict: Verdict): Refusal {
  const atFault = operations.filter((operation) => operation.subject_id === subject);
  return { atFault: atFault.length > 0 ? atFault : "unnamed", verdict };
}

/** Retried after `afterMs`, or after the default delay. */
export function later(
  reason: Extract<Verdict, { kind: "later" }>["reason"],
  revert: Revert,
  afterMs?: bigint,
): Verdict {
  return { kind: "later", reason, text: textOf(revert), ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Never accepted as is: the operation fails and needs a person. */
export function never(revert: Revert): Verdict {
  return { kind: "never", text: textOf(revert) };
}

/** The numeric arguments, in their positions. */
export function numbersOf(revert: Revert): (bigint | undefined)[] {
  return revert.args.map((argument) =>
    typeof argument === "bigint" || typeof argument === "number" ? BigInt(argument) : undefined,
  );
}

function textOf(revert: Revert): string {
  return `${revert.name}(${revert.args.map(String).join(", ")})`;
}
