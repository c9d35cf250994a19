import { idsOf } from "../rules/records.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { Call, Encoder, Refusal } from "./encoder.ts";
import { listRefused, moveUnsent } from "./moves.ts";
import type { Operation } from "./queue.ts";
import { endsRound, type SenderContext } from "./sender-context.ts";
import { settle, settleKind, tryCall, tryEncode } from "./trial.ts";

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
