import type { Approval, ApprovalGroup } from "../../../core/rules/api/admin-approvals.ts";
import type { Attention } from "../../../core/rules/api/admin-figures.ts";
import type { Overview } from "../../../core/rules/api/administration.ts";
import type { BoostRow, PercentApproval } from "../../../core/rules/api/boosts.ts";
import type { OperationRecord } from "../../../core/rules/api/operations.ts";
import { panelPermissionsOf, type Role } from "../../../core/rules/roles.ts";
import type {
  AdminUser,
  Claim,
  Figures,
  ListedStore,
  Margin,
  Payment,
  Purchase,
  PurchaseDetails,
  Sale,
  SaleDetails,
} from "../../../frontend/admin/shapes.ts";
import { fixtureStores } from "./fixture-data.ts";
import type { FixtureServer } from "./fixture-server.ts";

/** The panel on a busy day, with one open task of every kind. */

export const BUYER = `0x90f79bf6eb2c4f870365e785982e1f101e93b906`;
export const COLLEAGUE = `0x70997970c51812dc3a010c7d01b50e0d17dc79c8`;
const AT = "2026-11-20T14:03:00.000Z";
const HASH = `0x${"ab".repeat(32)}`;

export const attention: Attention = {
  held_sales: 2,
  unmatched_sales: 1,
  failing_accounts: 0,
  unread_rows: 0,
  overdue_sales: 0,
  waiting_accounts: 0,
  unset_credits: 0,
  doubtful_rates: 0,
  open_claims: 3,
  held_purchases: 1,
  undecided_purchases: 0,
  failed_payments: 1,
  waiting_payments: 4,
  failed_operations: 0,
  draft_stores: 1,
  open_percents: 0,
  open_approvals: 1,
  refused_payouts: 0,
  foreign_transactions: 0,
  faults: [{ name: "certificate_ends", text: "The certificate of shop.example ends in 3 days" }],
  differences: 2,
  total: 12,
  low_balances: [{ wallet: "operator", balance: "4.2" }],
  payouts_paused: null,
  pause_cause: null,
  difference_list: [
    { kind: "contradiction", purchase_id: 7 },
    { kind: "shortfall", purchase_id: null },
  ],
};

const period = {
  users: 12,
  clicks: 340,
  purchases: 48,
  amount: "9120.50",
  cashback: "512.40",
  payouts: 31,
  paid: "402.8",
};
const figures: Figures = {
  today: period,
  last_7_days: period,
  last_30_days: period,
  attention,
  days: Array.from({ length: 30 }, (_, index) => ({
    ...period,
    day: new Date(Date.UTC(2026, 9, 22 + index)).toISOString().slice(0, 10),
    purchases: 20 + ((index * 7) % 31),
  })),
};

const overview: Overview = {
  stores: 9,
  users: 1_204,
  purchases: 2_945,
  cashback_paid: "9721.5",
  cashback_open: "1310.25",
  purchases_by_status: { processing: 4, pending: 210, confirmed: 2_700, cancelled: 31 },
  activity: [{ id: 7, store: "Verdão Store", amount: "249.90", status: "pending", created_at: AT }],
  payouts: { paused: false, reason: null, cause: null },
  sender: {
    address: COLLEAGUE,
    balance: "4.2",
    distributor_balance: "1500",
    in_flight: 2,
    queued: 5,
    failed: 1,
    keys: [{ key: "operator", signs_as: ["operator"], address: COLLEAGUE, balance: "4.2", in_flight: 2 }],
  },
};

const purchase = (id: number, change: Partial<Purchase>): Purchase => ({
  id,
  wallet: BUYER,
  store_id: 1,
  store: "Verdão Store",
  source: "live",
  sale_id: id,
  order_ref: `PED-${1000 + id}`,
  state: "pending",
  status: "pending",
  cashback_state: "unpaid",
  situation: "awaiting_store",
  waits_for: "hold",
  wait_reason: null,
  wait_limit: null,
  wait_text: null,
  expected_at: "2026-12-20T12:00:00.000Z",
  amount: "249.90",
  cashback_percent: "5.75",
  bonus_percent: "2",
  total_percent: "7.75",
  token_slug: "verdao",
  cashback_brl: "19.37",
  cashback: "19.36725",
  is_rate_frozen: true,
  kept: "0",
  paid: "0",
  held_by: null,
  held_at: null,
  held_reason: null,
  mint_tx: HASH,
  status_tx: null,
  payment_tx: null,
  created_at: AT,
  minted_at: AT,
  confirmed_at: null,
  payable_at: null,
  paid_at: null,
  ...change,
});
const held = { held_by: COLLEAGUE, held_at: AT, held_reason: "Comprador novo, valor alto" };
export const purchases = [
  purchase(9, { state: "held", waits_for: "release", amount: "5999.00", cashback: "464.9225", ...held }),
  purchase(8, { state: "confirmed", waits_for: "set_aside", wait_reason: "day_cap" }),
  purchase(7, {}),
  purchase(6, { state: "paid", waits_for: null, expected_at: null, paid: "19.36725", paid_at: AT }),
];

export const purchaseDetails = (id: number) => ({ ...purchases.find((one) => one.id === id), steps, open: [] });

/** One page, in all states. */
export const manyPurchases = (count: number): Purchase[] =>
  Array.from({ length: count }, (_, index) => ({
    ...(purchases[index % purchases.length] as Purchase),
    id: 9_999 - index,
    amount: `${(index * 137) % 9_000}.90`,
    cashback: `${(index * 37) % 900}.25`,
  }));

const payment = (id: number, change: Partial<Payment>): Payment => ({
  id,
  purchase_id: id,
  wallet: BUYER,
  store: "Verdão Store",
  amount: "19.36725",
  state: "waiting",
  reason: "day_cap",
  limit: "3",
  error: "AboveDailyCap: 19.36725 CHZ is above the 3 CHZ left of the distributor's daily cap",
  attempts: 3,
  since: AT,
  created_at: AT,
  next_try_at: "2026-11-21T00:05:00.000Z",
  tx_hash: null,
  ...change,
});
const payments = [
  payment(9, {
    state: "failed",
    reason: "reverted",
    limit: null,
    error: "Reverted",
    next_try_at: null,
    amount: "464.9225",
  }),
  payment(8, {}),
  payment(6, { state: "done", reason: null, limit: null, error: null, next_try_at: null, tx_hash: HASH }),
];

const notHeld = { reason: null, held_for: [] };
const sale = (id: number, change: Partial<Sale>): Sale => ({
  id,
  network: "awin",
  account: "br",
  sale_key: `S-${id}`,
  order_ref: `PED-${1000 + id}`,
  state: "held",
  status: "pending",
  payable: false,
  reason: "The commission is below the cashback",
  held_for: [{ reason: "low_commission", figures: { commission: "100", cashback: "500" } }],
  store_id: 1,
  wallet: BUYER,
  click_id: "a".repeat(26),
  amount: "100.00",
  currency: "BRL",
  amount_brl: "100.00",
  commission: "1.00",
  cashback: "5.00",
  occurred_at: AT,
  changed_at: AT,
  released_by: null,
  ...change,
});
export const sales = [
  sale(12, {}),
  sale(11, { state: "unmatched", ...notHeld, wallet: null, click_id: null }),
  sale(10, { state: "settled", ...notHeld, status: "approved", payable: true, commission: "12.00" }),
];

const claims: Claim[] = [
  {
    id: 3,
    store_id: 1,
    store: "Verdão Store",
    click_id: "a".repeat(26),
    order_ref: "PED-1029",
    amount: "249.90",
    date: "2026-11-02",
    note: "Comprei pelo aplicativo da loja",
    state: "open",
    reason: null,
    created_at: AT,
    answer_by: AT,
    has_picture: true,
    decided_at: null,
    wallet: BUYER,
    sale_id: null,
    decided_by: null,
  },
];

const rateError = "RateTooHigh: the purchase's rate is above the distributor's bound of 20000000000000000 wei a cent";

const approval = (id: number, change: Partial<Approval>): Approval => ({
  id,
  purchase_id: 9,
  wallet: BUYER,
  amount: "464.9225",
  state: "open",
  asked_by: COLLEAGUE,
  decided_by: null,
  decision_reason: null,
  created_at: AT,
  decided_at: null,
  ...change,
});

export const boostRow = (id: number, change: Partial<BoostRow>): BoostRow => ({
  id,
  store_id: 1,
  category_id: null,
  category: null,
  percent: "10",
  state: "running",
  starts_at: "2026-11-24T03:00:00.000Z",
  ends_at: "2026-11-30T02:59:00.000Z",
  planned_end_at: "2026-11-30T02:59:00.000Z",
  planned_by: COLLEAGUE,
  created_at: AT,
  ...change,
});

export const percentApproval = (id: number, change: Partial<PercentApproval>): PercentApproval => ({
  id,
  kind: "boost",
  store_id: 1,
  store: "Verdão Store",
  boost_id: change.kind === "category" ? null : id,
  category: null,
  percent: "12",
  change: null,
  from_percent: null,
  starts_at: change.kind === "category" ? null : "2026-11-24T03:00:00.000Z",
  ends_at: change.kind === "category" ? null : "2026-11-30T02:59:00.000Z",
  state: "open",
  asked_by: COLLEAGUE,
  decided_by: null,
  decision_reason: null,
  created_at: AT,
  decided_at: null,
  ...change,
});

/** Requests that a colleague's, the reader's and the services' decisions led to. */
/** All that a colleague's decisions led to, as one request. */
export const approvalGroup = (change: Partial<ApprovalGroup>): ApprovalGroup => ({
  asked_by: COLLEAGUE,
  count: 2,
  amount: "515.42",
  largest: "464.92",
  buyers: 2,
  oldest: "2026-11-19T12:00:00.000Z",
  newest: AT,
  until: 6,
  ...change,
});

export const approvals = (reader: string): Approval[] => [
  approval(5, {}),
  approval(4, { asked_by: reader, purchase_id: 8, amount: "120" }),
  approval(3, { asked_by: "service", state: "lapsed", amount: "310.5" }),
  approval(2, {
    state: "refused",
    decided_by: reader,
    decided_at: AT,
    decision_reason: "O comprador devolveu o pedido",
    amount: "999",
  }),
  approval(1, { state: "used", decided_by: reader, decided_at: AT }),
];

const operation = (id: number, change: Partial<OperationRecord>): OperationRecord => ({
  id,
  kind: "mint",
  subject_id: 9,
  amount: null,
  state: "waiting",
  reason: "store_unknown",
  limit: null,
  error: "StoreUnknown(9)",
  attempts: 2,
  since: AT,
  next_try_at: "2026-11-20T14:13:00.000Z",
  ...change,
});
const operations = [
  operation(21, {
    kind: "pay",
    subject_id: 9,
    state: "failed",
    reason: "reverted",
    amount: "464.9225",
    error: "0x1f2a2005",
    next_try_at: null,
  }),
  operation(20, {
    kind: "pay",
    subject_id: 8,
    reason: "rate_too_high",
    limit: "2",
    amount: "19.36725",
    error: rateError,
  }),
  operation(19, { kind: "register_store", subject_id: 4, reason: "role_missing", error: "MissingRole" }),
  operation(18, {}),
];

const step = (
  kind: PurchaseDetails["steps"][number]["kind"],
  change: Partial<PurchaseDetails["steps"][number]> = {},
) => ({
  at: AT,
  source: "database" as const,
  kind,
  subject: null,
  tx_hash: null,
  amount: null,
  text: kind,
  ...change,
});
const steps = [
  step("registered"),
  step("queued", { subject: "mint" }),
  step("mined", { subject: "mint", tx_hash: HASH }),
  step("chain_event", { source: "chain", subject: "PurchaseMinted", tx_hash: HASH }),
  step("held"),
];

const revisions: SaleDetails["revisions"] = [
  {
    ...{ id: 1, source: "poll", status: "pending", payable: false, amount: "100.00", currency: "BRL" },
    ...{ changed_at: AT, read_at: AT, applied: true },
  },
];

const user = (index: number, change: Partial<AdminUser>): AdminUser => ({
  wallet: `0x${String(index).padStart(40, "a")}`,
  email: `torcedora${index}@exemplo.com.br`,
  first_name: "Ana",
  last_name: "Souza",
  state: "active",
  role: null,
  nickname: "",
  has_proven: true,
  purchases: 36 * index,
  confirmed: "1234.5",
  pending: "100",
  paid: "987.65",
  created_at: AT,
  erased_at: null,
  ...change,
});
const users = [
  user(1, { wallet: BUYER }),
  user(2, { first_name: "Maria Fernanda", last_name: "Albuquerque de Vasconcellos Guimarães", role: "support" }),
  user(3, { state: "erased", email: "", first_name: "", last_name: "", erased_at: AT, purchases: 0, paid: "0" }),
];

const stores: ListedStore[] = fixtureStores().map((store, index) => ({
  ...store,
  state: index === 1 ? "draft" : "ready",
  missing: index === 1 ? ["link", "rate"] : [],
  conversion: { clicks: 1_240 * index, sales: 93 * index },
  created_at: AT,
  updated_at: AT,
}));

const earned = (change: Partial<Margin["totals"]>): Margin["totals"] => ({
  sales: 48,
  amount: "9120.50",
  commission_pending: "310.00",
  commission_earned: "812.40",
  cashback_promised: "512.40",
  cashback_paid: "402.80",
  margin: "610.00",
  ...change,
});
const margin: Margin = {
  success: true,
  from: "2025-12",
  to: "2026-11",
  rows: ["2026-11", "2026-10"].flatMap((month) => [
    { network: "awin", account: "br", store_id: 1, store: "Verdão Store", month, ...earned({}) },
    {
      ...{ network: "admitad", account: "1", store_id: 3, store: "Mercado da Bola", month },
      ...earned({ sales: 3, commission_earned: "12.00", commission_pending: "0.00", margin: "-500.40" }),
    },
  ]),
  totals: earned({ sales: 102, amount: "36482.00", margin: "219.20" }),
  accounts: [
    ["2026-11", "512.00"],
    ["2026-10", "41.50"],
    ["2026-09", "0.00"],
  ].map(([month = "", lost = ""]) => {
    const { commission_pending, commission_earned, cashback_promised } = earned({});
    return { network: "awin", account: "br", month, commission_pending, commission_earned, cashback_promised, lost };
  }),
  loss_limit: "500.00",
};

const log = [
  {
    action: "approval.approve",
    subject: "approval:5",
    params: { purchase_id: "9", asked_by: COLLEAGUE, wallet: BUYER, amount: "464.9225" },
  },
  { action: "store.update", subject: "store:1", params: { name: "Verdão Store", logo: "https://img.example/x.png" } },
].map((row, index) => ({
  ...row,
  id: 2 - index,
  at: AT,
  actor: COLLEAGUE,
  detail: JSON.stringify(row.params),
  hash: "0",
}));

const page = (rows: readonly unknown[]) => ({ body: { success: true, rows, next_before: null, total: rows.length } });

/** The overview, and the switch that pauses payouts. */
function answerPayouts(server: FixtureServer): void {
  let payouts = overview.payouts;
  server.answer("GET /api/admin/overview", () => ({ body: { success: true, data: { ...overview, payouts } } }));
  server.answer("POST /api/admin/payouts", ({ body: { paused, reason } }) => {
    payouts = { paused: paused === true, reason: paused ? String(reason) : null, cause: null };
    return { body: { success: true, message: "Done", paused } };
  });
}

const CHANGE = { is_sooner: false, adds: "0.00", adds_chz: "0", debt_lifted: "0", debt_added: "0" };

/** What a decision about a sale also changes: the order's other half goes on, and its buyer's debt goes. */
export const preview = (saleId: number) => ({
  ...{ refused: null, why: null, second_person: true },
  changes: [
    { ...CHANGE, sale_id: saleId, wallet: BUYER, was: "held", state: "payable", adds: "5.00", adds_chz: "5" },
    {
      ...{ ...CHANGE, sale_id: 14, wallet: BUYER, was: "held", state: "settled", debt_lifted: "3.5" },
      ...{ adds: "12.35", adds_chz: "12.345", is_sooner: true },
    },
  ],
});

/** Answers every call of the panel, for an admin of a role. */
export function fillPanel(server: FixtureServer, role: Role, reader: string): void {
  const answers: Record<string, object> = {
    "GET /api/admin/role": {
      ...{ success: true, role, permissions: panelPermissionsOf(role) },
      ...{ percent_alone: 10, approvers: { catalogue: [COLLEAGUE], payments: [COLLEAGUE] } },
    },
    "GET /api/admin/names": {
      success: true,
      names: [
        { wallet: BUYER, name: "Ana Souza", role: null },
        { wallet: COLLEAGUE, name: "", role: "operator" },
      ],
    },
    "GET /api/admin/margin": margin,
    "GET /api/admin/attention": { success: true, attention },
    "GET /api/admin/figures": { success: true, data: figures },
    "GET /api/admin/configuration": {
      success: true,
      settings: [
        { name: "APPROVAL_ABOVE_CHZ", value: "100", is_secret: false, is_set: true },
        { name: "HOLD_SECONDS", value: "2592000", is_secret: false, is_set: false },
        { name: "OPERATOR_PRIVATE_KEY", value: null, is_secret: true, is_set: true },
      ],
    },
  };
  server.answer("GET /api/admin/approvals/together", { body: { success: true, groups: [approvalGroup({})] } });
  for (const [route, body] of Object.entries(answers)) server.answer(route, { body });
  answerPayouts(server);
  const lists = {
    ...{ purchases, payments, sales, claims, operations, users, stores },
    ...{ approvals: approvals(reader), "audit-log": log },
  };
  for (const one of users)
    server.answer(`GET /api/admin/users/${one.wallet}`, {
      body: { success: true, user: { ...one, sessions: [{ kind: "nonce", created_at: AT, last_seen_at: AT }] } },
    });
  for (const one of purchases)
    server.answer(`GET /api/admin/purchases/${one.id}`, {
      body: {
        success: true,
        preview: { refused: null, why: null, second_person: true, changes: [], purchases: [10] },
        purchase: purchaseDetails(one.id),
      },
    });
  for (const one of sales)
    server.answer(`GET /api/admin/sales/${one.id}`, {
      body: {
        success: true,
        preview: preview(one.id),
        sale: { ...one, unknown_groups: null, revision: 1, revisions, purchases: [], holds: ["low_commission"] },
      },
    });
  for (const [list, rows] of Object.entries(lists)) server.answer(`GET /api/admin/${list}`, page(rows));
}
