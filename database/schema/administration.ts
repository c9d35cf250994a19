import type { Generated } from "kysely";
import type { ApprovalState } from "../../domain/api/admin-approvals.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";

export type AdministrationTables = {
  approvals: ApprovalsTable;
  notices: NoticesTable;
  settings: SettingsTable;
  audit_log: AuditLogTable;
  idempotency_keys: IdempotencyKeysTable;
};

/** A payout that takes a second person. docs/product.md#panel-approvals */
type ApprovalsTable = {
  id: Generated<bigint>;
  purchase_id: bigint;
  /** The buyer. */
  wallet: WalletAddress;
  amount_gwei: bigint;
  /** `used`: the payout is queued with it. `lapsed`: its amount, buyer or decider changed. */
  state: ApprovalState;
  /** Whose decision leads to the payout: a wallet, or `service`. */
  asked_by: string;
  decided_by: string | null;
  decision_reason: string | null;
  created_at: bigint;
  decided_at: bigint | null;
};

/** Notices of open tasks, and whether the receiver has acknowledged them. */
type NoticesTable = {
  id: Generated<bigint>;
  kind: string;
  /** JSON. */
  body: string;
  created_at: bigint;
  /** When it is sent next; null once acknowledged or given up. */
  due_at: bigint | null;
  attempts: Generated<bigint>;
  /** Why the last delivery failed. */
  error: string | null;
  sent_at: bigint | null;
};

type SettingsTable = {
  name: string;
  value: string;
  updated_at: bigint;
};

type AuditLogTable = {
  id: Generated<bigint>;
  at: bigint;
  actor: string;
  action: string;
  subject: string;
  detail: string;
  previous_hash: string;
  hash: string;
};

type IdempotencyKeysTable = {
  key: string;
  wallet: string;
  request_hash: string;
  status: bigint;
  response: string;
  created_at: bigint;
};
