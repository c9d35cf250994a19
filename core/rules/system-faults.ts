import { keysOf } from "./records.ts";

type Kind = {
  /** Without this, the process is not ready. */
  blocks?: true;
  /** The alert of deploy/alerts.yaml that tells it, with its page. */
  alert: string;
  /** The page of docs/runbook. */
  runbook: string;
  /** A count of the panel's open tasks tells it already, and leads to the reason. */
  isTask?: true;
  /** From how many seconds on it is one; its alert compares with the same. */
  seconds?: number;
};

const HOUR = 3_600;

/** What can be wrong with an installation: each is told by `/readyz`, the doctor, the panel and an alert. */
export const SYSTEM_FAULTS = {
  database_away: { blocks: true, alert: "TorcidaDatabaseAway", runbook: "database-away" },
  database_unwritable: { blocks: true, alert: "TorcidaDatabaseCannotWrite", runbook: "disk-full" },
  chain_away: { blocks: true, alert: "TorcidaNoNode", runbook: "rpc-away" },
  wallet_empty: { blocks: true, alert: "TorcidaHotWalletEmpty", runbook: "wallet-empty", isTask: true },
  rate_missing: { blocks: true, alert: "TorcidaNoRate", runbook: "rate-away" },
  one_node: { alert: "TorcidaOneNode", runbook: "rpc-away" },
  staff_contract: { alert: "TorcidaStaffContract", runbook: "rpc-away" },
  index_incomplete: { alert: "TorcidaIndexerBehind", runbook: "indexer-behind" },
  operations_paused: { alert: "TorcidaOperationsHeld", runbook: "payouts-paused", isTask: true },
  operations_stand: { alert: "TorcidaOperationsStand", runbook: "operations-wait", seconds: 120 },
  operations_wait: { alert: "TorcidaOperationsWait", runbook: "operations-wait" },
  operations_failed: { alert: "TorcidaOperationsFailed", runbook: "operations-wait", isTask: true },
  operations_refused: { alert: "TorcidaOperationsParked", runbook: "operations-wait", isTask: true },
  payouts_wait: { alert: "TorcidaPayoutAboveLimit", runbook: "operations-wait", isTask: true },
  sender_waits: { alert: "TorcidaOperationsStand", runbook: "operations-wait" },
  purchase_undecided: { alert: "TorcidaPurchasesUndecided", runbook: "operations-wait", isTask: true },
  foreign_transaction: {
    alert: "TorcidaForeignTransactions",
    runbook: "foreign-transaction",
    isTask: true,
  },
  network_unread: { alert: "TorcidaNetworkFails", runbook: "network-away", seconds: 60 },
  network_budget: { alert: "TorcidaNetworkBudget", runbook: "network-away" },
  account_credit: { alert: "TorcidaAccountCredit", runbook: "account-credit", isTask: true },
  node_budget: { alert: "TorcidaNodeBudget", runbook: "node-budget" },
  backup_old: { alert: "TorcidaBackupOld", runbook: "database-lost", seconds: 3 * HOUR },
  backup_copy_old: { alert: "TorcidaBackupCopyOld", runbook: "database-lost", seconds: 3 * HOUR },
  backup_outgrown: { alert: "TorcidaBackupOutgrown", runbook: "backup-outgrown" },
  drill_old: { alert: "TorcidaDrillOld", runbook: "drill" },
  drill_differs: { alert: "TorcidaDrillDiffers", runbook: "drill" },
  clock_off: { alert: "TorcidaClockOff", runbook: "clock-off", seconds: 5 },
  open_files: { alert: "TorcidaOpenFiles", runbook: "api-strained" },
  memory: { alert: "TorcidaMemory", runbook: "api-strained" },
  loop_lag: { alert: "TorcidaLoopLag", runbook: "api-strained", seconds: 1 },
  certificate_ends: { alert: "TorcidaCertificateEnds", runbook: "outside-check", seconds: 7 * 24 * HOUR },
} as const satisfies Record<string, Kind>;

export type FaultName = keyof typeof SYSTEM_FAULTS;
/** A fault with its reason, as an English sentence. */
export type SystemFault = { name: FaultName; text: string };

export const FAULT_NAMES = keysOf(SYSTEM_FAULTS);

export function kindOf(name: FaultName): Kind {
  return SYSTEM_FAULTS[name];
}
