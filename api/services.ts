import type { Logger } from "pino";
import type { StoreIds } from "../core/catalogue/chain-names.ts";
import type { Contracts } from "../core/chain/deployment.ts";
import type { BatchLoader } from "../core/database/batching.ts";
import type { Database } from "../core/database/connect.ts";
import type { CertificateWatch } from "../core/process/certificate.ts";
import type { ProcessLoad } from "../core/process/process-load.ts";
import type { ChainClient } from "../core/process/rpc/chain-client.ts";
import type { EveryNode } from "../core/process/rpc/every-node.ts";
import type { JsonRpc } from "../core/process/rpc/json-rpc.ts";
import type { NodePool } from "../core/process/rpc/node-pool.ts";
import type { ApprovalRules } from "../core/purchases/approvals.ts";
import type { IdGate } from "../core/purchases/id-gate.ts";
import type { RateSource } from "../core/rates/rate-source.ts";
import { BIG_DAY_MS } from "../core/rules/iso-time.ts";
import type { Network } from "../core/rules/networks.ts";
import type { Role } from "../core/rules/roles.ts";
import type { StorePaces } from "../core/rules/sale/pace.ts";
import type { SaleRules } from "../core/rules/sale/rules.ts";
import type { WalletAddress } from "../core/rules/wallet-address.ts";
import type { AffiliateAccount } from "../core/sales/accounts.ts";
import type { PayoutSwitch } from "../core/sender/payout-switch.ts";
import type { QueueSummary } from "../core/sender/queue.ts";
import type { Senders } from "../core/sender/sender.ts";
import type { BalanceReader } from "./chain/balances.ts";
import type { ApiEnvironment } from "./environment.ts";
import { unavailable } from "./http/api-error.ts";
import type { Cursors } from "./http/cursors.ts";
import type { Drain } from "./http/drain.ts";
import type { Gate } from "./http/gate.ts";
import type { Post } from "./mail/transport.ts";
import type { Visitor } from "./people/sessions.ts";
import type { StaffContracts } from "./people/staff-contracts.ts";

/** The handlers' dependencies; created once in `main.ts`, or by a test. */
export type Services = {
  environment: ApiEnvironment;
  network: Network;
  contracts: Contracts;
  /** The first block that can contain one of our events. */
  startBlock: bigint;
  database: Database;
  client: ChainClient;
  /** The nodes behind `client`, with their status. */
  nodes: NodePool<JsonRpc>;
  ids: Pick<IdGate, "isOpen">;
  storeIds: Pick<StoreIds, "skipRegistered">;
  balances: BalanceReader;
  /** Sessions with their users, by the hash of their token. */
  visitors: BatchLoader<string, Visitor>;
  paces: StorePaces;
  cursors: Cursors;
  senders: Senders;
  rates: RateSource;
  payouts: PayoutSwitch;
  queueSummary(): Promise<QueueSummary[]>;
  /** For what every node must say alike, and for questions whose cost a stranger sets. */
  everyNode: EveryNode;
  adminWallets: ReadonlyMap<WalletAddress, Role>;
  /** Of them, those whose contract signs. */
  contractStaff: ReadonlySet<WalletAddress>;
  /** Whose address is a contract that is not named as one. */
  staffContracts: Pick<StaffContracts, "problem" | "look">;
  accounts: readonly AffiliateAccount[];
  saleRules: SaleRules;
  approvals: ApprovalRules;
  /** How e-mails leave; undefined if none are sent. */
  post: Post | undefined;
  gate: Gate;
  drain: Drain;
  load: ProcessLoad;
  /** Of the web app that it serves; undefined if there is none. */
  build?: string | undefined;
  certificate: Pick<CertificateWatch, "problem">;
  log: Logger;
};

/** Confirmations above this block are not deep enough to be paid. */
export function deepestBlock({ environment }: Pick<Services, "environment">, cursor: bigint | undefined): bigint {
  return (cursor ?? 0n) - BigInt(environment.PAYOUT_CONFIRMATIONS) + 1n;
}

/** A sale that still waits for its network since before this time is overdue. docs/product.md#sales-budget */
export function overdueSince({ SALE_OVERDUE_DAYS: days }: ApiEnvironment): bigint {
  return BigInt(Date.now()) - BigInt(days) * BIG_DAY_MS;
}

/** @throws ApiError 503 if there is no rate. */
export function requireRate({ rates }: Pick<Services, "rates">): bigint {
  const rate = rates.current();
  if (rate.kind === "rate") return rate.weiPerCent;
  throw unavailable("RATE_UNAVAILABLE", `There is no exchange rate now: ${rate.reason}`);
}
