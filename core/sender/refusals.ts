import type { PublicClient } from "viem";
import { type Revert, readRevert } from "../chain/revert.ts";
import type { OperationKind } from "../database/operations.ts";
import { isAboutNodes } from "../process/rpc/chain-client.ts";
import { idsOf } from "../rules/records.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { Call, Encoder, Refusal, Verdict } from "./encoder.ts";
import { listRefused, moveUnsent, setKindAside } from "./moves.ts";
import { enqueueAgain, type Operation, subjectOf } from "./queue.ts";
import { endsRound, type SenderContext } from "./sender-context.ts";

/** Suspects of one kind that are tried at the same time, and at most as many of those that were parked. */
const TRIED_AT_ONCE = 100;

type Tried = { operation: Operation; refusal: Refusal | undefined };

/**
 * Finds the operations because of which a call was refused without naming them. Each is tried by itself, all at the
 * same time and beside the rounds, so that others wait for none of them: those at fault are parked, the others go
 * back to the queue. Each round also tries one parked operation whose time has come. docs/product.md#sender-parked
 */
export class Suspects {
  readonly #context: SenderContext;
  readonly #encoders: readonly Encoder[];
  /** Grows while parked operations pass: then the reason was not theirs, and all of them may go. */
  #parkedAtOnce = 1;
  readonly #running = new Set<Promise<void>>();
  readonly #inTrial = new Set<bigint>();
  #isLooking = false;

  constructor(context: SenderContext, encoders: readonly Encoder[]) {
    this.#context = context;
    this.#encoders = encoders;
  }

  /** Sets the operations of a refused call aside until each of them was tried alone, which starts at once. */
  async add(encoder: Encoder, operations: readonly Operation[], text: string): Promise<void> {
    const ids = idsOf(operations);
    await this.#context.write((queries) => moveUnsent(queries, ids, { to: "suspected", text }));
    this.#start(() => this.#sort(encoder, operations));
  }

  /** Looks for operations left by an earlier process, and for parked ones whose time has come; no round waits for it. */
  look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#start(() =>
      this.#look().finally(() => {
        this.#isLooking = false;
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running);
  }

  #start(work: () => Promise<void>): void {
    const running = work().catch((error: unknown) => {
      this.#context.options.log.debug({ problem: explanationOf(error) }, "Refused operations are tried later");
    });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #look(): Promise<void> {
    const { kysely } = this.#context.options.database;
    for (const encoder of this.#encoders) {
      const left = await listRefused(kysely, [encoder.kind], { isParked: false, limit: TRIED_AT_ONCE });
      const suspects = left.filter(({ id }) => !this.#inTrial.has(id));
      if (suspects.length > 0) await this.#sort(encoder, suspects);
    }
    const kinds = this.#encoders.map(({ kind }) => kind);
    const parked = await listRefused(kysely, kinds, { isParked: true, limit: this.#parkedAtOnce });
    for (const [kind, ofKind] of Map.groupBy(parked, (operation) => operation.kind)) {
      const encoder = this.#encoders.find((one) => one.kind === kind);
      if (!encoder) continue;
      const passed = await this.#tryEach(encoder, ofKind);
      this.#parkedAtOnce = passed.length === ofKind.length ? Math.min(TRIED_AT_ONCE, this.#parkedAtOnce * 2) : 1;
      await this.#resume(passed, BigInt(passed.length));
    }
  }

  async #sort(encoder: Encoder, suspects: readonly Operation[]): Promise<void> {
    for (const { id } of suspects) this.#inTrial.add(id);
    try {
      const passed = await this.#tryEach(encoder, suspects);
      // None is at fault alone: together they are too many for one call.
      const batchLimit = passed.length === suspects.length ? BigInt(Math.max(1, Math.floor(passed.length / 2))) : null;
      await this.#resume(passed, batchLimit);
    } finally {
      for (const { id } of suspects) this.#inTrial.delete(id);
    }
  }

  async #resume(operations: readonly Operation[], batchLimit: bigint | null): Promise<void> {
    if (operations.length === 0) return;
    const ids = idsOf(operations);
    await this.#context.write((queries) => moveUnsent(queries, ids, { to: "queued", batchLimit }));
    this.#context.wake();
  }

  /** Returns those that pass; the others are settled, or stay as they are while no node answers. */
  async #tryEach(encoder: Encoder, operations: readonly Operation[]): Promise<Operation[]> {
    const unwanted = await this.#context.withdrawUnwanted(encoder, operations);
    const encoded: { operation: Operation; call: Call }[] = [];
    const tried: Tried[] = [];
    for (const operation of operations.filter((one) => !unwanted.includes(one))) {
      const outcome = await tryEncode(this.#context, encoder, [operation]);
      if ("call" in outcome) encoded.push({ operation, call: outcome.call });
      else tried.push({ operation, refusal: outcome.refusal });
    }
    // Started in one turn, so that they share one time limit.
    const client = this.#context.options.client.apart();
    const outcomes = await Promise.allSettled(
      encoded.map(async ({ operation, call }): Promise<Tried> => {
        const refusal = await tryCall(this.#context, client, { encoder, call, operations: [operation] });
        return { operation, refusal };
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") tried.push(outcome.value);
      else if (endsRound(outcome.reason)) throw outcome.reason;
    }
    for (const { operation, refusal } of tried) {
      if (!refusal) continue;
      if (refusal.atFault === "kind") await settleKind(this.#context, encoder.kind, refusal.verdict);
      else await settle(this.#context, [operation], refusal.verdict, refusal.prerequisite);
    }
    return tried.filter(({ refusal }) => !refusal).map(({ operation }) => operation);
  }
}

/** Delay before retrying an operation that the contracts reject for a temporary reason. */
const RETRY_MS = 3_000n;

/** Why a call cannot be sent: the contracts' reason, or in whatever words its data or the node refuse it. */
export async function tryCall(
  { options: { database }, wallet }: SenderContext,
  client: PublicClient,
  { encoder, call, operations }: { encoder: Encoder; call: Call; operations: readonly Operation[] },
): Promise<Refusal | undefined> {
  try {
    const { to, data, gasLimit: gas } = call;
    await client.call({ account: wallet, to, data, gas });
    return undefined;
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    const revert = readRevert(error);
    if (!revert || revert.name === "Revert") return refusedFor(explanationOf(error));
    return encoder.readRefusal(database.kysely, revert, operations).catch((unread: unknown) => {
      if (isNobodysFault(unread)) throw unread;
      return refusedFor(`${revert.name}: ${explanationOf(unread)}`);
    });
  }
}

/** The call, or why these operations cannot be encoded. */
export async function tryEncode(
  { options: { database } }: SenderContext,
  encoder: Encoder,
  operations: readonly Operation[],
): Promise<{ call: Call } | { refusal: Refusal }> {
  try {
    return { call: await encoder.encode(database.kysely, operations) };
  } catch (error) {
    if (isNobodysFault(error)) throw error;
    return { refusal: refusedFor(explanationOf(error)) };
  }
}

/** Whether an error says nothing about the operation that met it. */
export function isNobodysFault(error: unknown): boolean {
  return endsRound(error) || isAboutNodes(error);
}

/** Stores the consequence of a refusal for operations that cannot be sent now. */
export async function settle(
  { write, options: { log } }: SenderContext,
  operations: readonly Operation[],
  verdict: Verdict,
  prerequisite?: Refusal["prerequisite"],
): Promise<void> {
  const ids = idsOf(operations);
  await write(async (queries) => {
    if (prerequisite) await enqueueAgain(queries, prerequisite);
    if (verdict.kind === "done") await moveUnsent(queries, ids, { to: "done" });
    else if (verdict.kind === "never") await moveUnsent(queries, ids, { to: "failed", text: verdict.text });
    else if (verdict.reason !== "refused")
      await moveUnsent(queries, ids, { to: "waiting", afterMs: RETRY_MS, ...verdict });
    else {
      for (const operation of operations) {
        const { kind: _, ...subject } = subjectOf(operation);
        const [[name, id] = []] = Object.entries(subject);
        const text = shortened(`${name} ${id}: ${verdict.text}`);
        await moveUnsent(queries, [operation.id], { to: "parked", attempts: operation.attempts, text });
      }
    }
  });
  for (const operation of operations) {
    const isNews = verdict.kind !== "later" || operation.reason !== verdict.reason;
    if (isNews) log.info({ ...subjectOf(operation), verdict }, "Not sent now");
  }
}

export async function settleKind(
  { write, options: { log } }: SenderContext,
  kind: OperationKind,
  verdict: Verdict,
): Promise<void> {
  if (verdict.kind !== "later") throw new Error(`A whole kind can only be set aside, not ${verdict.kind}`);
  await write((queries) => setKindAside(queries, kind, { afterMs: RETRY_MS, ...verdict }));
  log.debug({ kind, verdict }, "Set a kind of operations aside");
}

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
