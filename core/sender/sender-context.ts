import type { Logger } from "pino";
import type { Contracts } from "../chain/deployment.ts";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/operations.ts";
import { isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import type { ChainClient } from "../process/rpc/chain-client.ts";
import type { KeyName } from "../process/signing-keys.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { SigningAccount } from "./account.ts";
import type { Encoder } from "./encoder.ts";
import type { PayoutSwitch } from "./payout-switch.ts";
import type { Operation } from "./queue.ts";
import type { TransactionScope } from "./transactions.ts";

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
  /** Queues due operations before each round of the operator's sender. Returns whether there were any. */
  plan(assertLease: (queries: Queries) => Promise<void>, fencingToken: bigint): Promise<boolean>;
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
  lastRoundAt: number | undefined;
  sentTransactions: number;
  feeBumps: number;
  resends: number;
  orphaned: number;
};

/** The chain as one round sees it. */
export type Head = { number: bigint; baseFeeWei: bigint; nonce: bigint; balanceWei: bigint };

/** What the parts of the sender share: options, status, and the only way to write. */
export type SenderContext = {
  options: SenderOptions;
  /** The hot wallet that signs. */
  wallet: WalletAddress;
  status: SenderStatus;
  /** Every write goes through here, which checks the lease in the same transaction. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** Removes operations that are no longer wanted from the queue, and returns them. */
  withdrawUnwanted(encoder: Encoder, operations: readonly Operation[]): Promise<readonly Operation[]>;
  /**
   * Does one part of a round. What it throws becomes the sender's problem, and the other parts go on; only what
   * `endsRound` is thrown on.
   */
  part<T, Otherwise>(work: () => Promise<T>, otherwise: Otherwise): Promise<T | Otherwise>;
  /** Starts a round now. */
  wake(): void;
  /** The transactions that this sender follows. */
  scope: TransactionScope;
  /** The lease's fencing token, stored with each transaction. */
  fencingToken(): bigint;
};

/** Transactions of a key that may be unmined at once. */
export const MAX_IN_FLIGHT = 16;

/** Whether an error leaves nothing that the rest of a round could do. */
export function endsRound(error: unknown): boolean {
  return error instanceof LeaseLostError || isDatabaseAway(error);
}

/** The lease of a key's sender. */
export function leaseOf({ name }: { name: KeyName }): string {
  return name === "operator" ? "sender" : `sender:${name}`;
}
