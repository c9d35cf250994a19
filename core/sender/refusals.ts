import type { PublicClient } from "viem";
import { type Revert, readRevert } from "../chain/revert.ts";
import { databaseNow } from "../database/clock.ts";
import type { OperationKind, OperationReason } from "../database/operations.ts";
import type { Queries } from "../database/transaction.ts";
import { rpcErrorOf } from "../process/rpc/chain-client.ts";
import { RpcError, type RpcFailure } from "../process/rpc/json-rpc.ts";
import { ContradictionError } from "../process/rpc/node-proof.ts";
import { idsOf } from "../rules/records.ts";
import { explanationOf, shortened } from "../rules/unknown-error.ts";
import type { Call, Encoder, Refusal, Verdict } from "./encoder.ts";
import { moveUnsent } from "./moves.ts";
import { enqueueAgain, type Operation, subjectOf } from "./queue.ts";
import { endsRound, type SenderContext } from "./sender-context.ts";

/** Delay before retrying an operation that the contracts reject for a temporary reason. */
const RETRY_MS = 3_000n;
/** The same for a whole kind, until a person acts. */
const CLOSED_RETRY_MS = 30_000n;
/** Operations of one kind that are tried alone at the same time, and at most as many of those that were parked. */
const TRIED_AT_ONCE = 100;

/**
 * What the contracts, the nodes or the signer refuse. The operations of a call that was refused without naming one are
 * each tried alone, all at the same time and beside the rounds, so that others wait for none of them: those at fault are
 * parked, the others go back to the queue. Each round also tries one parked operation whose time has come.
 * docs/product.md#sender-parked
 */
export class Refusals {
  readonly #context: SenderContext;
  readonly #encoders: readonly Encoder[];
  /** Grows while parked operations pass: then the reason was not theirs, and all of them may go. */
  #parkedAtOnce = 1;
  readonly #running = new Set<Promise<void>>();
  readonly #beingTried = new Set<bigint>();
  #isLooking = false;

  constructor(context: SenderContext, encoders: readonly Encoder[]) {
    this.#context = context;
    this.#encoders = encoders;
  }

  /** The call, or why these operations cannot be encoded. */
  async encode(
    encoder: Encoder,
    operations: readonly Operation[],
  ): Promise<{ call: Call; refusal?: undefined } | { call?: undefined; refusal: Refusal }> {
    try {
      return { call: await encoder.encode(this.#context.options.database.kysely, operations) };
    } catch (error) {
      if (isNobodysFault(error)) throw error;
      return { refusal: refusedFor(explanationOf(error)) };
    }
  }

  /** Why a call cannot be sent: the contracts' reason, or in whatever words its data or the node refuse it. */
  async simulate(
    client: PublicClient,
    { encoder, call, operations }: { encoder: Encoder; call: Call; operations: readonly Operation[] },
  ): Promise<Refusal | undefined> {
    const { options, wallet } = this.#context;
    try {
      const { to, data, gasLimit: gas } = call;
      await client.call({ account: wallet, to, data, gas });
      return undefined;
    } catch (error) {
      if (isNobodysFault(error)) throw error;
      const revert = readRevert(error);
      if (!revert || revert.name === "Revert") return refusedFor(explanationOf(error));
      return encoder.readRefusal(options.database.kysely, revert, operations).catch((unread: unknown) => {
        if (isNobodysFault(unread)) throw unread;
        return refusedFor(`${revert.name}: ${explanationOf(unread)}`);
      });
    }
  }

  /** Stores the consequence of a refusal for operations that cannot be sent now, or for all of a kind that are due. */
  async settle(
    of: readonly Operation[] | OperationKind,
    verdict: Verdict,
    prerequisite?: Refusal["prerequisite"],
  ): Promise<void> {
    const { log } = this.#context.options;
    if (typeof of === "string") {
      if (verdict.kind !== "later") throw new Error(`A whole kind can only be set aside, not ${verdict.kind}`);
      await this.#context.write((queries) => moveUnsent(queries, of, { to: "waiting", afterMs: RETRY_MS, ...verdict }));
      log.debug({ kind: of, verdict }, "Set a kind of operations aside");
      return;
    }
    const ids = idsOf(of);
    await this.#context.write(async (queries) => {
      if (prerequisite) await enqueueAgain(queries, prerequisite);
      if (verdict.kind === "done") await moveUnsent(queries, ids, { to: "done" });
      else if (verdict.kind === "never") await moveUnsent(queries, ids, { to: "failed", text: verdict.text });
      else if (verdict.reason !== "refused")
        await moveUnsent(queries, ids, { to: "waiting", afterMs: RETRY_MS, ...verdict });
      else {
        for (const operation of of) {
          const { kind: _, ...subject } = subjectOf(operation);
          const [[name, id] = []] = Object.entries(subject);
          const text = shortened(`${name} ${id}: ${verdict.text}`);
          await moveUnsent(queries, [operation.id], { to: "parked", attempts: operation.attempts, text });
        }
      }
    });
    for (const operation of of) {
      const isNews = verdict.kind !== "later" || operation.reason !== verdict.reason;
      if (isNews) log.info({ ...subjectOf(operation), verdict }, "Not sent now");
    }
  }

  /** Takes the operations of a refused call out of all batches until each of them was tried alone, which starts at once. */
  async tryAlone(encoder: Encoder, operations: readonly Operation[], verdict: Verdict): Promise<void> {
    const text = "text" in verdict ? verdict.text : "Already done";
    await this.#context.write((queries) => moveUnsent(queries, idsOf(operations), { to: "untried", text }));
    this.#start(() => this.#sort(encoder, operations));
  }

  /** Removes operations that are no longer wanted from the queue. Returns the others. */
  async withdrawUnwanted(encoder: Encoder, operations: readonly Operation[]): Promise<readonly Operation[]> {
    const { kysely } = this.#context.options.database;
    const unwanted = (await encoder.listUnwanted?.(kysely, operations, { isLocked: false })) ?? [];
    if (unwanted.length === 0) return operations;
    await this.#context.write((queries) => moveUnsent(queries, idsOf(unwanted), { to: "withdrawn" }));
    return operations.filter((operation) => !unwanted.includes(operation));
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
      const untried = left.filter(({ id }) => !this.#beingTried.has(id));
      if (untried.length > 0) await this.#sort(encoder, untried);
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

  async #sort(encoder: Encoder, operations: readonly Operation[]): Promise<void> {
    for (const { id } of operations) this.#beingTried.add(id);
    try {
      const passed = await this.#tryEach(encoder, operations);
      // None is at fault alone: together they are too many for one call.
      const isNone = passed.length === operations.length;
      await this.#resume(passed, isNone ? BigInt(Math.max(1, Math.floor(passed.length / 2))) : null);
    } finally {
      for (const { id } of operations) this.#beingTried.delete(id);
    }
  }

  async #resume(operations: readonly Operation[], batchLimit: bigint | null): Promise<void> {
    if (operations.length === 0) return;
    await this.#context.write((queries) => moveUnsent(queries, idsOf(operations), { to: "queued", batchLimit }));
    this.#context.wake();
  }

  /** Returns those that pass; the others are settled, or stay as they are while no node answers. */
  async #tryEach(encoder: Encoder, operations: readonly Operation[]): Promise<Operation[]> {
    const encoded: { operation: Operation; call: Call }[] = [];
    const tried: { operation: Operation; refusal: Refusal | undefined }[] = [];
    for (const operation of await this.withdrawUnwanted(encoder, operations)) {
      const { call, refusal } = await this.encode(encoder, [operation]);
      if (call) encoded.push({ operation, call });
      else tried.push({ operation, refusal });
    }
    // Started in one turn, so that they share one time limit.
    const client = this.#context.options.client.apart();
    const outcomes = await Promise.allSettled(
      encoded.map(async ({ operation, call }) => {
        return { operation, refusal: await this.simulate(client, { encoder, call, operations: [operation] }) };
      }),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") tried.push(outcome.value);
      else if (endsRound(outcome.reason)) throw outcome.reason;
    }
    for (const { operation, refusal } of tried) {
      if (!refusal) continue;
      if (refusal.atFault === "kind") await this.settle(encoder.kind, refusal.verdict);
      else await this.settle([operation], refusal.verdict, refusal.prerequisite);
    }
    return tried.filter(({ refusal }) => !refusal).map(({ operation }) => operation);
  }
}

/** Operations of a refused call that were not tried alone yet, or parked ones whose time has come; the longest due. */
async function listRefused(
  queries: Queries,
  kinds: readonly OperationKind[],
  { isParked, limit }: { isParked: boolean; limit: number },
): Promise<Operation[]> {
  if (kinds.length === 0) return [];
  return queries
    .selectFrom("operations")
    .selectAll()
    .where("status", "in", ["waiting", "failed"])
    .where("kind", "in", kinds)
    .where("reason", "=", "refused")
    .where("attempts", isParked ? ">" : "=", 0n)
    .where("not_before", "<=", databaseNow(queries))
    .orderBy("not_before")
    .limit(limit)
    .execute();
}

const ABOUT_NODES: readonly RpcFailure[] = ["unproven", "rate-limited", "over-budget", "inconsistent"];

/** Whether an error says nothing about the operation that met it: the round ends, or no node could be asked. */
function isNobodysFault(error: unknown): boolean {
  if (endsRound(error)) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ContradictionError) return true;
    const failure = cause instanceof RpcError ? cause.failure : rpcErrorOf(cause)?.failure;
    if (failure) return ABOUT_NODES.includes(failure);
  }
  return false;
}

// What a refusal means -------------------------------------------------------------------------------------------------

/** Refused in words that name no operation, by the node, the signer or our own encoding. */
function refusedFor(words: string): Refusal {
  return { atFault: "unnamed", verdict: { kind: "later", reason: "refused", text: shortened(words) } };
}

/** What a revert means: it had already happened, can never happen, or can happen later. */
type Meaning = "done" | "never" | OperationReason;

/** Reverts that any call can have, and for which the contract names the operation. */
const OF_ONE: Readonly<Record<string, Meaning>> = {
  UnknownPurchase: "not_ready",
  InvalidPurchaseId: "never",
  InvalidBuyer: "never",
  ZeroValue: "never",
  ZeroPercent: "never",
  PercentTooHigh: "never",
  MetadataUriTooLong: "never",
  InvalidMetadataUri: "never",
  ZeroAmount: "never",
  AboveCashback: "never",
};
/** Reverts of a whole contract. */
const OF_KIND: Readonly<Record<string, OperationReason>> = {
  EnforcedPause: "paused",
  DistributorRetired: "retired",
  AccessControlUnauthorizedAccount: "role_missing",
};

/**
 * What a revert means for these operations, if the contract names one by its first argument; if that is none of them,
 * each is tried alone. `meaning`: for a call of this kind; `atFault`: where the contract names none.
 */
export function refusalOf(
  revert: Revert,
  operations: readonly Operation[],
  meaning?: Meaning,
  atFault?: Refusal["atFault"],
): Refusal {
  const text = `${revert.name}(${revert.args.map(String).join(", ")})`;
  const known = meaning ?? OF_ONE[revert.name];
  if (known === undefined) {
    const reason = OF_KIND[revert.name];
    if (reason === undefined) return refusedFor(text);
    return { atFault: "kind", verdict: { kind: "later", reason, text, afterMs: CLOSED_RETRY_MS } };
  }
  const [subject] = revert.args;
  const isNumber = typeof subject === "bigint" || typeof subject === "number";
  const named = operations.filter(({ subject_id }) => isNumber && subject_id === BigInt(subject));
  const verdict: Verdict =
    known === "done"
      ? { kind: "done" }
      : known === "never"
        ? { kind: "never", text }
        : { kind: "later", reason: known, text };
  return { atFault: atFault ?? (named.length > 0 ? named : "unnamed"), verdict };
}
