import { type FaultName, kindOf, type SystemFault } from "../../core/rules/system-faults.ts";

/** One result of the doctor. */
export type Finding = {
  /** `failure`: the system cannot work. `warning`: it will stop soon, or a part of it is waiting. */
  state: "healthy" | "warning" | "failure";
  subject: string;
  detail: string;
  /** What the operator should do; present unless it is healthy. */
  toDo?: string;
};

export const healthy = (subject: string, detail: string): Finding => ({ state: "healthy", subject, detail });
export const warning = (subject: string, detail: string, toDo: string): Finding => ({
  state: "warning",
  subject,
  detail,
  toDo,
});
export const failure = (subject: string, detail: string, toDo: string): Finding => ({
  state: "failure",
  subject,
  detail,
  toDo,
});

/** Where the doctor tells each fault. Those of `api` only a running one knows: they are asked for. */
export const SUBJECTS = {
  database_away: "database",
  database_unwritable: "database writes",
  chain_away: "api",
  wallet_empty: "api",
  rate_missing: "api",
  index_incomplete: "api",
  one_node: "nodes",
  staff_contract: "admins",
  operations_paused: "api",
  operations_stand: "outbox",
  operations_wait: "outbox",
  operations_failed: "outbox",
  operations_refused: "outbox",
  payouts_wait: "outbox",
  sender_waits: "api",
  purchase_undecided: "purchases",
  foreign_transaction: "nonces",
  network_unread: "network",
  network_budget: "network",
  account_credit: "accounts",
  node_budget: "node calls",
  backup_old: "backup",
  backup_copy_old: "backup",
  backup_outgrown: "backup",
  drill_old: "drill",
  drill_differs: "drill",
  clock_off: "clock",
  open_files: "api",
  memory: "api",
  loop_lag: "api",
  certificate_ends: "certificate",
} as const satisfies Record<FaultName, string>;

/** A fault of the installation, with its page of the runbook. */
export function findingOf({ name, text }: SystemFault): Finding {
  const { blocks, runbook } = kindOf(name);
  return (blocks ? failure : warning)(SUBJECTS[name], text, `docs/runbook/${runbook}.md`);
}
