import type { Logger } from "pino";
import type { PrivateKeyAccount } from "viem";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import type { ChainClient } from "../platform/rpc/chain-client.ts";
import type { Encoder } from "./encoder.ts";
import type { PayoutSwitch } from "./payout-switch.ts";
import type { Failure } from "./requeue.ts";

export type SenderOptions = {
  database: Database;
  client: ChainClient;
  account: PrivateKeyAccount;
  chainId: number;
  /** One for each kind of operation, in the order in which others wait for them. */
  encoders: readonly Encoder[];
  /** Puts what is due into the queue; called before each round. Answers whether there was something. */
  plan(assertLease: (queries: Queries) => Promise<void>): Promise<boolean>;
  payouts: PayoutSwitch;
  log: Logger;
  confirmations: number;
  batchSize: number;
  batchAgeMs: number;
  maxFeeGwei: number;
  feeBumpAfterMs: number;
  pollMs: number;
};

/** What `/readyz`, `/metrics` and the admin overview tell of the sender. */
export type SenderStatus = {
  /** Whether this process is the one that sends. */
  isLeader: boolean;
  balanceWei: bigint | undefined;
  /** The hot wallet cannot pay for what waits. */
  isWalletEmpty: boolean;
  /** Why operations of a kind wait although their time has come. */
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

/** What the parts of the sender share: what it was told, what it tells of itself, and the one way to write. */
export type SenderContext = {
  options: SenderOptions;
  /** The hot wallet that signs. */
  wallet: WalletAddress;
  status: SenderStatus;
  /** Every write goes through here: the lease is checked in the same transaction. */
  write<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  /** A transaction came to nothing: its operations are sent again, if they are still wanted. */
  requeue(queries: Queries, transactionId: bigint, failure: Failure): Promise<void>;
  /** Of the lease; each stored transaction bears it. */
  fencingToken(): bigint;
};

export const MAX_IN_FLIGHT = 16;
