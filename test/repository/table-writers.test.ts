import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/**
 * The files and folders that may write certain tables, because the rules about their rows are implemented there.
 * Migrations are exempt. docs/architecture.md.
 */
const MAY_WRITE: Record<string, readonly string[]> = {
  purchases: ["approvals", "decide-sales", "next-step", "purchase-rows", "staff"].map(
    (file) => `core/purchases/${file}.ts`,
  ),
  due_purchases: ["core/purchases/due.ts"],
  changed_facts: ["core/database/changed-facts.ts"],
  adjustments: ["core/purchases/debt.ts"],
  events: ["core/purchases/events.ts"],
  event_readers: ["core/purchases/events.ts", "api/mail/subscriptions.ts"],
  mails: ["api/mail/queue.ts"],
  push_readers: ["api/push/devices.ts"],
  push_devices: ["api/push/"],
  pushes: ["api/push/delivery.ts"],
  buyer_totals: ["core/purchases/shop-totals.ts"],
  shop_totals: ["core/purchases/shop-totals.ts", "indexer/store/chain-index.ts"],
  day_totals: ["core/database/day-totals.ts", "indexer/store/chain-index.ts"],
  simulated_days: ["core/purchases/simulated-limits.ts"],
  chz_rates: ["core/rates/daily-rates.ts"],
  operations: ["core/sender/"],
  transactions: ["core/sender/"],
  transaction_hashes: ["core/sender/"],
  chain_events: ["indexer/store/"],
  contract_events: ["indexer/store/", "indexer/watchman.ts"],
  watched_contracts: ["indexer/watchman.ts"],
  contract_acts: ["indexer/watchman.ts"],
  chain_blocks: ["indexer/store/"],
  chain_cursor: ["indexer/store/"],
  chain_source: ["indexer/store/"],
  nfts: ["indexer/store/"],
  payouts: ["indexer/store/"],
  // What was decided of them, and what people said.
  sales: [
    "core/sales/",
    ...["approvals", "held-reviews", "sale-row", "staff"].map((file) => `core/purchases/${file}.ts`),
  ],
  sale_revisions: ["core/sales/"],
  account_names: ["core/sales/known-accounts.ts"],
  clicks: ["core/sales/"],
  store_clicks: ["core/sales/clicks.ts"],
  claims: ["core/sales/", "api/clicks/"],
  claim_pictures: ["api/clicks/pictures.ts"],
  programmes: ["core/sales/programme-rows.ts"],
  programme_rounds: ["core/sales/programme-rounds.ts", "core/sales/programme-rows.ts"],
  stores: ["core/catalogue/"],
  store_cashbacks: ["core/catalogue/"],
  store_boosts: ["core/catalogue/boosts.ts"],
  offers: ["core/catalogue/offers.ts"],
  percent_approvals: ["core/catalogue/percent-approvals.ts"],
  proposals: ["core/database/proposals.ts"],
  fan_tokens: ["core/catalogue/"],
  clubs: ["core/catalogue/clubs.ts"],
  club_names: ["core/catalogue/clubs.ts"],
  users: ["api/people/users.ts", "core/database/touch-user.ts"],
  sessions: ["api/people/"],
  audit_log: ["core/database/audit-log.ts"],
  audit_notes: ["core/database/audit-log.ts"],
  settings: ["core/database/settings.ts", "core/database/second-read.ts"],
  fact_authors: ["core/database/changed-facts.ts"],
  site_files: ["api/site/shared-files.ts"],
  node_calls: ["core/process/rpc/told-calls.ts"],
  leases: ["core/process/lease.ts", "scripts/backup/"],
  invites: ["core/purchases/invites.ts", "api/people/invites.ts"],
  fan_clubs: ["core/purchases/fan-figures.ts"],
  fan_payments: ["core/purchases/fan-figures.ts"],
  account_losses: ["core/purchases/sale-row.ts"],
  club_months: ["core/purchases/fan-figures.ts"],
  invite_codes: ["core/purchases/invites.ts", "api/people/invites.ts"],
  invite_marks: ["core/purchases/invites.ts", "api/people/invites.ts"],
};

const ROOMS = "{api,core,indexer,scripts}/**/*.ts";
const LEFT_OUT = /^core\/(?:database\/migrations|\w+\/generated)\//;
const WRITE = /(?:insertInto|updateTable|deleteFrom)\(\s*"(\w+)"|\b(?:insert into|delete from|update) ([a-z_]+)\b/g;

describe("Writers of tables", () => {
  const writers = new Map<string, Set<string>>();
  before(() => {
    for (const file of globSync(ROOMS)) {
      if (LEFT_OUT.test(file)) continue;
      for (const [, byBuilder, bySql] of readFileSync(file, "utf8").matchAll(WRITE)) {
        const table = byBuilder ?? bySql ?? "";
        writers.set(table, (writers.get(table) ?? new Set()).add(file));
      }
    }
  });

  for (const [table, allowed] of Object.entries(MAY_WRITE)) {
    it(`only ${allowed.join(", ")} write ${table}`, () => {
      const found = [...(writers.get(table) ?? [])];
      expect(found, `nobody writes ${table}`).not.to.be.empty;
      expect(found.filter((file) => !allowed.some((one) => file.startsWith(one)))).to.deep.equal([]);
    });
  }
});
