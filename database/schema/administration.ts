import type { Generated } from "kysely";
import type { ApprovalAction } from "../../domain/api/admin-approvals.ts";

export type AdministrationTables = {
  approvals: ApprovalsTable;
  notices: NoticesTable;
  settings: SettingsTable;
  audit_log: AuditLogTable;
  idempotency_keys: IdempotencyKeysTable;
};

/** A payout above the threshold for two-person approval. */
type ApprovalsTable = {
  id: Generated<bigint>;
  action: ApprovalAction;
  subject: string;
  /** Null if it concerns a sale or several purchases. */
  purchase_id: bigint | null;
  /** The recipient. */
  wallet: string | null;
  amount_gwei: bigint;
  /** The cashback in cents × basis points, which does not change with the rate. */
  cent_bps: bigint | null;
  reason: string | null;
  /** `used`: the payout was made with it. */
  state: "open" | "approved" | "refused" | "used";
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
