import { hostname } from "node:os";
import { indexedBlock } from "../database/chain-cursor.ts";
import { acquireLease, assertLease, type Lease, LeaseLostError, leadWhileHeld } from "../process/lease.ts";
import type { KeyName, SigningKey } from "../process/signing-keys.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { Dispatch } from "./dispatch.ts";
import { HeadReader } from "./head-reader.ts";
import { Receipts } from "./receipts.ts";
import { leaseOf, SenderContext, type SenderOptions, type SenderStatus } from "./sender-context.ts";
import { Transmitter } from "./transactions.ts";

/** Another process sends within this time after a `kill -9`. */
const LEASE_MS = 5_000;
/** How often the head is read while nothing is to do: at least so long, and so many blocks. */
const IDLE_HEAD = { ms: 5_000, blocks: 40 };
/** While a transaction is awaited and the index stands, the head is read after so many blocks. */
const PATIENT_BLOCKS = 1.5;
const NAMED_PROBLEMS = 3;

const NOTHING = { isWalletEmpty: false, held: {}, inFlight: 0, problem: undefined, roundBeganAt: undefined };

/**
 * Sends the queued operations: reserve nonce → sign → store raw bytes and hash → commit → send → wait for the receipt
 * by hash → N confirmations. Always in this order. One sender per key at a time, across processes.
 * docs/product.md#sender-order.
 */
export class Sender {
  readonly status: SenderStatus = {
    ...NOTHING,
    isLeader: false,
    balanceWei: undefined,
    sentTransactions: 0,
    feeBumps: 0,
    resends: 0,
    orphaned: 0,
  };
  readonly key: KeyName;
  /** The hot wallet that signs. */
  readonly address: WalletAddress;
  /** The senders of the other keys that this process signs with. */
  others: readonly Sender[] = [];
  readonly #options: SenderOptions;
  readonly #context: SenderContext;
  readonly #heads: HeadReader;
  readonly #receipts: Receipts;
  readonly #dispatch: Dispatch;
  readonly #holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`;
  readonly #abort = new AbortController();
  #headReadAt = Number.NEGATIVE_INFINITY;
  /** The last indexed block when the head was read. */
  #headIndexed: bigint | undefined;
  /** Whether the last round could send nothing of what was due. */
  #isStuck = false;
  #running: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.key = options.key;
    this.address = options.account.address;
    this.#context = new SenderContext(options, this.status);
    const transmitter = new Transmitter(this.#context);
    this.#heads = new HeadReader(this.#context);
    this.#receipts = new Receipts(this.#context, transmitter, this.#heads);
    this.#dispatch = new Dispatch(this.#context, transmitter);
  }

  /** Sends whenever this process holds the lease. */
  start(): void {
    this.#running = leadWhileHeld(
      {
        database: this.#options.database,
        name: leaseOf({ name: this.key }),
        holder: this.#holder,
        ttlMs: LEASE_MS,
        signal: this.#abort.signal,
        onError: (error) => this.#tell([explanationOf(error)]),
        onStandby: () => this.#tell([]),
      },
      (lease, signal) => this.#lead(lease, signal),
    );
  }

  /** Stops after the current round, and lets another process send at once. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.wake();
    await this.#running;
  }

  /** Starts a round now, because something was queued. */
  wake(): void {
    this.#context.wake();
  }

  /** Rounds under a lease, until it ends or is lost. */
  async #lead(lease: Lease, held: AbortSignal): Promise<void> {
    this.#context.lease = lease;
    this.status.isLeader = true;
    this.#options.log.info({ key: this.key, wallet: this.address }, "This process sends");
    try {
      while (!held.aborted && this.#context.lease) {
        const isBusy = await this.step();
        await this.#context.pause(isBusy ? 1 : this.#options.pollMs, held);
      }
    } finally {
      await this.#dispatch.refusals.stop();
      this.#context.lease = undefined;
      Object.assign(this.status, { ...NOTHING, isLeader: false });
    }
    if (!held.aborted) throw new LeaseLostError("Another process sends");
  }

  /** One round of whatever drives this sender by itself, if the lease is free or held. */
  async stepAlone(): Promise<void> {
    const { database } = this.#options;
    try {
      this.#context.lease ??= await acquireLease(database, leaseOf({ name: this.key }), this.#holder, LEASE_MS);
    } catch (error) {
      this.#tell([explanationOf(error)]);
    }
    this.status.isLeader = this.#context.lease !== undefined;
    if (this.status.isLeader) await this.step();
  }

  /** Runs one round under the lease. Returns whether there is more to do. */
  async step(): Promise<boolean> {
    const { problems } = this.#context;
    let isBusy = false;
    problems.clear();
    this.status.roundBeganAt = performance.now();
    try {
      isBusy = await this.#round();
    } catch (error) {
      if (error instanceof LeaseLostError) this.#context.lease = undefined;
      problems.add(explanationOf(error));
    }
    this.status.roundBeganAt = undefined;
    this.#tell([...problems]);
    return isBusy;
  }

  #tell(problems: readonly string[]): void {
    const problem = problems.length === 0 ? undefined : problems.slice(0, NAMED_PROBLEMS).join("; ");
    if (problem && problem !== this.status.problem) {
      this.#options.log.warn({ key: this.key, problem }, "The sender waits");
    }
    this.status.problem = problem;
  }

  /** Returns whether there is more to do at once. */
  async #round(): Promise<boolean> {
    const { database } = this.#options;
    const hasPlanned = this.key === "operator" && (await this.#context.part(() => this.#plan(), false));
    const due = await this.#dispatch.dueKinds();
    const indexed = await indexedBlock(database.kysely);
    const { signed, isAwaited } = await this.#receipts.readOpen(indexed);
    // Anything the wallet could not pay for has been mined, set aside or withdrawn by now.
    if (signed.length === 0 && due.length === 0) this.status.isWalletEmpty = false;
    const isNew = due.length > 0 && !this.#isStuck;
    let isSending = false;
    if (isNew || this.#isHeadDue(isAwaited || due.length > 0, indexed)) {
      const head = await this.#heads.read();
      this.#headReadAt = performance.now();
      this.#headIndexed = indexed;
      this.status.balanceWei = head.balanceWei;
      const own = await this.#receipts.follow(signed, head);
      isSending = await this.#dispatch.run(due, own, head);
      this.#isStuck = due.length > 0 && !isSending;
    }
    this.#dispatch.refusals.look();
    return hasPlanned || isSending;
  }

  /** Queues what is due; returns whether there was any, of which the other senders know then. */
  async #plan(): Promise<boolean> {
    const { lease } = this.#context;
    if (!lease) throw new LeaseLostError("This process does not send");
    const hasPlanned = await this.#options.planner.plan((queries) => assertLease(queries, lease), lease.fencingToken);
    if (hasPlanned) for (const one of this.others) one.wake();
    return hasPlanned;
  }

  /** Once a block while something is awaited, when the index shows that there is one; seldom while nothing is to do. */
  #isHeadDue(isAwaited: boolean, indexed: bigint | undefined): boolean {
    const { blockMs, pollMs } = this.#options;
    const sinceMs = performance.now() - this.#headReadAt;
    if (!isAwaited) return sinceMs >= Math.max(IDLE_HEAD.ms, IDLE_HEAD.blocks * blockMs);
    if (blockMs <= pollMs) return true;
    return sinceMs >= (indexed === this.#headIndexed ? PATIENT_BLOCKS * blockMs : blockMs / 2);
  }
}

/** The senders of this process, one per key it signs with. */
export class Senders {
  /** The operator's first. */
  readonly all: readonly Sender[];
  /** Every configured key, also those that other processes sign with; the operator's first. */
  readonly keys: readonly SigningKey[];

  constructor(all: readonly Sender[], keys: readonly SigningKey[]) {
    this.all = all;
    this.keys = keys;
    for (const sender of all) sender.others = all.filter((one) => one !== sender);
  }

  /** Whether this process is the operator's sender, which also plans and reconciles. */
  get isOperator(): boolean {
    return this.all.some(({ key, status }) => key === "operator" && status.isLeader);
  }

  /** Whether this process sends with any key. */
  get sends(): boolean {
    return this.all.some(({ status }) => status.isLeader);
  }

  start(): void {
    for (const sender of this.all) sender.start();
  }

  /** Stops after the current rounds, and lets other processes send at once. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((sender) => sender.stop()));
  }

  /** Starts a round of each now, because something was queued. */
  wake(): void {
    for (const sender of this.all) sender.wake();
  }

  /** One round of each, one after another. */
  async step(): Promise<void> {
    for (const sender of this.all) await sender.stepAlone();
  }
}
