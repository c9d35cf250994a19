import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { indexedBlock } from "../database/chain-cursor.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { acquireLease, assertLease, type Lease, LeaseLostError, releaseLease, renewLease } from "../process/lease.ts";
import type { KeyName, SigningKey } from "../process/signing-keys.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { Dispatch } from "./dispatch.ts";
import { HeadReader } from "./head-reader.ts";
import { withdraw } from "./queue.ts";
import { Receipts, Repair } from "./receipts.ts";
import { shortened } from "./refusals.ts";
import { endsRound, leaseOf, type SenderContext, type SenderOptions, type SenderStatus } from "./sender-context.ts";
import { listSigned, Transmitter } from "./transactions.ts";

/** Another process sends within this time after a `kill -9`. */
const LEASE_MS = 5_000;
const LEASE_RENEW_MS = 1_500;
/** How often the head is read while nothing is to do: at least so long, and so many blocks. */
const IDLE_HEAD = { ms: 5_000, blocks: 40 };
/** While a transaction is awaited and the index stands, the head is read after so many blocks. */
const PATIENT_BLOCKS = 1.5;
const NAMED_PROBLEMS = 3;

/**
 * Sends the queued operations: reserve nonce → sign → store raw bytes and hash → commit → send → wait for the receipt
 * by hash → N confirmations. Always in this order. One sender per key at a time, across processes.
 * docs/product.md#sender-order.
 */
export class Sender {
  readonly status: SenderStatus = {
    isLeader: false,
    balanceWei: undefined,
    isWalletEmpty: false,
    held: {},
    inFlight: 0,
    problem: undefined,
    lastRoundAt: undefined,
    sentTransactions: 0,
    feeBumps: 0,
    resends: 0,
    orphaned: 0,
  };
  readonly key: KeyName;
  /** The hot wallet that signs. */
  readonly address: WalletAddress;
  readonly #options: SenderOptions;
  readonly #scope: SenderContext["scope"];
  readonly #heads: HeadReader;
  readonly #receipts: Receipts;
  readonly #repair: Repair;
  readonly #dispatch: Dispatch;
  readonly #part: SenderContext["part"];
  /** What parts of this round could not do. */
  readonly #problems = new Set<string>();
  readonly #holder = `${hostname()}:${process.pid}:${crypto.randomUUID()}`;
  readonly #abort = new AbortController();
  #lease: Lease | undefined;
  #leaseRenewedAt = 0;
  #headReadAt = Number.NEGATIVE_INFINITY;
  /** The last indexed block when the head was read. */
  #headIndexed: bigint | undefined;
  /** Whether the last round could send nothing of what was due. */
  #isStuck = false;
  #isWoken = false;
  #wake: () => void = () => {};
  #running: Promise<void> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.key = options.key;
    this.address = options.account.address;
    const context: SenderContext = {
      options,
      wallet: this.address,
      status: this.status,
      scope: options.key === "operator" ? { notOf: options.siblings } : { of: this.address },
      write: (work) =>
        inTransaction(options.database.kysely, async (queries) => {
          await this.#assertLease(queries);
          return work(queries);
        }),
      withdrawUnwanted: async (encoder, operations) => {
        const unwanted = (await encoder.listUnwanted?.(options.database.kysely, operations, { isLocked: false })) ?? [];
        if (unwanted.length === 0) return unwanted;
        await context.write(async (queries) => {
          for (const { kind, subject_id } of unwanted) await withdraw(queries, kind, subject_id, "Withdrawn");
        });
        return unwanted;
      },
      part: async (work, otherwise) => {
        try {
          return await work();
        } catch (error) {
          if (endsRound(error)) throw error;
          this.#problems.add(shortened(explanationOf(error)));
          return otherwise;
        }
      },
      wake: () => this.wake(),
      fencingToken: () => this.#lease?.fencingToken ?? 0n,
    };
    this.#part = context.part;
    this.#scope = context.scope;
    const transmitter = new Transmitter(context);
    this.#heads = new HeadReader(context);
    this.#receipts = new Receipts(context);
    this.#repair = new Repair(context, transmitter, this.#receipts);
    this.#dispatch = new Dispatch(context, transmitter);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops after the current round, and lets another process send at once. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake();
    await this.#running;
    await this.#dispatch.stop();
    if (this.#lease) await releaseLease(this.#options.database, this.#lease);
    this.#lease = undefined;
    this.status.isLeader = false;
  }

  /** Starts a round now, because something was queued. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      this.#isWoken = false;
      const isBusy = await this.step();
      await this.#pause(isBusy ? 1 : this.#options.pollMs);
    }
  }

  /** Runs one round if this process holds the lease. Returns whether there is more to do. */
  async step(): Promise<boolean> {
    let isBusy = false;
    this.#problems.clear();
    try {
      if (await this.#holdLease()) isBusy = await this.#round();
      else Object.assign(this.status, { isWalletEmpty: false, held: {}, inFlight: 0 });
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lease = undefined;
      this.#problems.add(explanationOf(error));
    }
    this.#noteProblems();
    this.status.lastRoundAt = Date.now();
    return isBusy;
  }

  #noteProblems(): void {
    const problem = this.#problems.size === 0 ? undefined : [...this.#problems].slice(0, NAMED_PROBLEMS).join("; ");
    if (problem && problem !== this.status.problem) {
      this.#options.log.warn({ key: this.key, problem }, "The sender waits");
    }
    this.status.problem = problem;
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWoken) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, delay(ms, undefined, { signal: this.#abort.signal }).catch(() => {})]);
  }

  async #holdLease(): Promise<boolean> {
    const now = performance.now();
    if (this.#lease && now - this.#leaseRenewedAt >= LEASE_RENEW_MS) {
      if (await renewLease(this.#options.database, this.#lease, LEASE_MS)) this.#leaseRenewedAt = now;
      else this.#lease = undefined;
    }
    if (!this.#lease) {
      this.#lease = await acquireLease(this.#options.database, leaseOf({ name: this.key }), this.#holder, LEASE_MS);
      this.#leaseRenewedAt = now;
      if (this.#lease) this.#options.log.info({ key: this.key, wallet: this.address }, "This process sends");
    }
    this.status.isLeader = this.#lease !== undefined;
    return this.status.isLeader;
  }

  readonly #assertLease = async (queries: Queries): Promise<void> => {
    if (!this.#lease) throw new LeaseLostError("This process does not send");
    await assertLease(queries, this.#lease);
  };

  /** Returns whether there is more to do at once. */
  async #round(): Promise<boolean> {
    const { database } = this.#options;
    const fencingToken = this.#lease?.fencingToken ?? 0n;
    const hasPlanned =
      this.key === "operator" && (await this.#part(() => this.#options.plan(this.#assertLease, fencingToken), false));
    const signed = await listSigned(database.kysely, this.#scope);
    const due = await this.#dispatch.dueKinds();
    // Anything the wallet could not pay for has been mined, set aside or withdrawn by now.
    if (signed.length === 0 && due.length === 0) this.status.isWalletEmpty = false;
    const indexed = await indexedBlock(database.kysely);
    const isAwaited = signed.length > 0 || due.length > 0 || (await this.#receipts.isFollowDue(indexed));
    const isNew = due.length > 0 && !this.#isStuck;
    if (!isNew && !this.#isHeadDue(isAwaited, indexed)) {
      this.#dispatch.tryRefused();
      return hasPlanned;
    }

    const head = await this.#heads.read();
    this.#headReadAt = performance.now();
    this.#headIndexed = indexed;
    this.status.balanceWei = head.balanceWei;
    const unmined = await this.#part(() => this.#receipts.collect(signed, head), signed);
    await this.#part(() => this.#receipts.followMined(head), undefined);
    const own = unmined.filter((transaction) => transaction.sender === this.address);
    this.status.inFlight = own.length;
    await this.#part(() => this.#repair.run(own, head), undefined);
    const ofFormerKeys = unmined.filter((transaction) => transaction.sender !== this.address);
    await this.#part(() => this.#repair.runForFormerKeys(ofFormerKeys), undefined);
    const sent = await this.#dispatch.run(due, own, head);
    this.#isStuck = due.length > 0 && !sent;
    this.#dispatch.tryRefused();
    return hasPlanned || sent;
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
    for (const sender of this.all) await sender.step();
  }
}
