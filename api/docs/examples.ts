const WALLET = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const SIGNATURE = `0x${"5f".repeat(64)}1b`;
const NONCE = "k3v9x1m7q2";
const CLICK = "abcdefghijklmnopqrstuvwxyz".replace(/[^a-z2-7]/g, "a");
const TOGETHER = { asked_by: WALLET, until: 8, count: 2, amount: "514.5", reason: "Conferidas" };
const REASON = { reason: "Checked with the store" };

/** One request for each call with a body; a test validates them against the schemas. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  "post /api/check-user": { address: WALLET },
  "post /api/register-user-data": {
    address: WALLET,
    first_name: "Ana",
    last_name: "Maria Silva",
    email: "ana@example.com",
    signature: SIGNATURE,
    nonce: NONCE,
  },
  "post /api/faults": { kind: "answer", page: "/admin", at: "/api/admin/sales/:id", detail: "sale.amount" },
  "post /api/login": { address: WALLET, signature: SIGNATURE, nonce: NONCE },
  "put /api/me": { first_name: "Ana", last_name: "Maria Silva", email: "ana@example.com" },
  "post /api/store": { name: "Verdão Store", country: "Brasil", club: "Palmeiras", category: "Esporte" },
  "put /api/store/:id": { affiliate_link: "https://go.example/verdao?ref={click}", featured: true },
  "post /api/store/:id/cashback": { category: "Camisas", cashback_percent: "5.75" },
  "put /api/store/:id/cashback/:cashbackId": { cashback_percent: "6" },
  "post /api/admin/stores/:id/boosts": { percent: "10", category_id: null, ends_at: "2026-11-29T23:59:00-03:00" },
  "post /api/admin/boosts/:id/end": REASON,
  "post /api/admin/boosts/:id/withdraw": REASON,
  "post /api/admin/percent-approvals/:id/approve": REASON,
  "post /api/admin/percent-approvals/:id/refuse": REASON,
  "post /api/admin/fan-token": { name: "Palmeiras", slug: "verdao", image: "https://img.example/verdao.png" },
  "post /api/register-purchase": { user: WALLET, store_id: 1, amount: 100, token_slug: "verdao" },
  "post /api/mint-nft": { user: WALLET, purchase_id: 1, metadata_uri: "" },
  "post /api/confirm-purchase": { purchase_id: 1 },
  "post /api/distribute-cashback": { user: WALLET, amount: "8" },
  "post /api/admin/payouts": { paused: true, reason: "A payout looks wrong" },
  "post /api/admin/operations/:id/retry": REASON,
  "post /api/admin/purchases/:id/hold": REASON,
  "post /api/admin/purchases/:id/release": REASON,
  "post /api/admin/users/:wallet/sessions/revoke": REASON,
  "post /api/admin/users/:wallet/erase": REASON,
  "post /api/admin/users/:wallet/nickname": { nickname: "Ana do Sul" },
  "post /api/admin/approvals/approve": TOGETHER,
  "post /api/admin/approvals/refuse": TOGETHER,
  "post /api/admin/approvals/:id/approve": REASON,
  "post /api/admin/approvals/:id/refuse": REASON,
  "post /api/admin/fx-rates/:currency/:day/accept": {},
  "post /api/admin/catalogue": { format: "csv", content: "type,name,country\nstore,Nova,Brasil\n", apply: false },
  "post /api/admin/accounts/:network/:account/bookings": {
    ...{ amount: "1250.00", arrived_on: "2026-11-28", reference: "PIX ACME" },
  },
  "post /api/admin/accounts/:network/:account/bookings/:id/reverse": REASON,
  "post /api/admin/accounts/:network/:account/bookings/file": {
    ...{ format: "csv", content: "Data;Descrição;Valor\n28/11/2026;PIX ACME;1.250,00\n", apply: false },
  },
  "post /api/admin/accounts/:network/:account/sales-days": { day: "2026-11-27" },
  "put /api/me/mail": { topics: ["paid", "returned"], language: "pt" },
  "post /api/events/read": { through: 120 },
  "post /api/claims": { store_id: 1, order_ref: "ORD-1029", amount: "249.90", date: "2026-11-02" },
  "post /api/admin/sales/:id/release": REASON,
  "post /api/admin/sales/:id/decline": REASON,
  "post /api/admin/sales/:id/assign": { click_id: CLICK },
  "post /api/admin/claims/:id/match": { sale_id: 12 },
  "post /api/admin/claims/:id/refuse": REASON,
  "post /api/hooks/affiliate/:network": {
    event_id: "evt-1",
    sale_key: "S-1",
    click_id: CLICK,
    status: "approved",
    amount: "250.00",
    changed_at: "2026-11-21T12:00:00Z",
  },
};
