import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Contracts } from "../chain/deployment.ts";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/operations.ts";
import { inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { assertLease, type Lease, LeaseLostError } from "../process/lease.ts";
import type { ChainClient } from "../process/rpc/chain-client.ts";
import type { KeyName } from "../process/signing-keys.ts";
import { explanationOf, shortened } from "../rules/unknown-error.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { SigningAccount } from "./account.ts";
import type { Encoder } from "./encoder.ts";
import type { PayoutSwitch } from "./payout-switch.ts";
import type { TransactionScope } from "./receipts.ts";

/** Queues due operations before each round of the operator's sender. Returns whether there were any. */
export type RoundPlanner = {
  plan(assertLease: (queries: Queries) => Promise<void>, fencingToken: bigint): Promise<boolean>;
};

export type SenderOptions = {
  database: Database;
  client: ChainClient;
  /** The signing key. The operator's sender also plans, and settles the transactions of former keys. */
  key: KeyName;
  account: SigningAccount;
  /** The wallets of the other keys, which have senders of their own. */
  siblings: readonly WalletAddress[];
  chainId: number;
  contracts: Contracts;
  /** One per kind of operation, the most urgent first. */
  encoders: readonly Encoder[];
  /** The kinds that this key sends. */
  kinds: ReadonlySet<OperationKind>;
  planner: RoundPlanner;
  payouts: PayoutSwitch;
  log: Logger;
  confirmations: number;
  batchSize: number;
  batchAgeMs: number;
  maxFeeGwei: number;
  feeBumpAfterMs: number;
  pollMs: number;
  /** How often the chain can change. */
  blockMs: number;
};

/** The sender's state in `/readyz`, `/metrics` and the admin overview. */
export type SenderStatus = {
  /** Whether this process is the one that sends. */
  isLeader: boolean;
  balanceWei: bigint | undefined;
  /** The hot wallet cannot pay for the due operations. */
  isWalletEmpty: boolean;
  /** Why operations of a kind wait although they are due; of all kinds while the database is behind the chain. */
  held: Partial<Record<OperationKind, string>>;
  inFlight: number;
  problem: string | undefined;
  /** When its round began, by `performance.now()`; undefined between rounds. */
  roundBeganAt: number | undefined;
  sentTransactions: number;
  feeBumps: number;
  resends: number;
  orphaned: number;
};

/** The chain as one round sees it. */
export type Head = { number: bigint; baseFeeWei: bigint; nonce: bigint; balanceWei: bigint };

/** Transactions of a key that may be unmined at once. */
export const MAX_IN_FLIGHT = 16;

/** What the parts of a sender share: its options, its status, and the only way to write. */
export class SenderContext {
  readonly options: SenderOptions;
  /** The hot wallet that signs. */
  readonly wallet: WalletAddress;
  readonly status: SenderStatus;
  /** The transactions that this sender follows. */
  readonly scope: TransactionScope;
  /** Held while this process sends. */
  lease: Lease | undefined;
  /** What parts of this round could not do. */
  readonly problems = new Set<string>();
  #isWoken = false;
  #endPause: () => void = () => {};

  constructor(options: SenderOptions, status: SenderStatus) {
    this.options = options;
    this.status = status;
    this.wallet = options.account.address;
    this.scope = options.key === "operator" ? { notOf: options.siblings } : { of: this.wallet };
  }

  /** Every write goes through here, which checks the lease in the same transaction. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return inTransaction(this.options.database.kysely, async (queries) => {
      if (!this.lease) throw new LeaseLostError("This process does not send");
      await assertLease(queries, this.lease);
      return work(queries);
    });
  }

  /**
   * Does one part of a round. What it throws becomes the sender's problem, and the other parts go on; only what
   * `endsRound` is thrown on.
   */
  async part<T, Otherwise>(work: () => Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
    try {
      return await work();
    } catch (error) {
      if (endsRound(error)) throw error;
      this.problems.add(shortened(explanationOf(error)));
      return otherwise;
    }
  }

  /** Starts a round now, because something was queued. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Waits between two rounds, until `wake`. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWoken) {
      const woken = new Promise<void>((resolve) => {
        this.#endPause = resolve;
      });
      await Promise.race([woken, delay(ms, undefined, { signal }).catch(() => {})]);
    }
    this.#isWoken = false;
  }
}

/** A longer round hangs, and with it all that its key sends: it keeps the lease. docs/product.md#sender-lease */
const HANGS_MS = 120_000;

/** Whether a sender's round does not end. */
export function isHanging({ roundBeganAt }: SenderStatus, now = performance.now()): boolean {
  return roundBeganAt !== undefined && now - roundBeganAt >= HANGS_MS;
}

/** Whether an error leaves nothing that the rest of a round could do. */
export function endsRound(error: unknown): boolean {
  return error instanceof LeaseLostError || isDatabaseAway(error);
}

/** The lease of a key's sender. */
export function leaseOf({ name }: { name: KeyName }): string {
  return name === "operator" ? "sender" : `sender:${name}`;
}
