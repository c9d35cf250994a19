import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/**
 * The files and folders that may write certain tables, because the rules about their rows are implemented there.
 * Migrations are exempt. docs/architecture.md.
 */
const MAY_WRITE: Record<string, readonly string[]> = {
  purchases: ["approvals", "counting", "next-step", "save", "staff"].map((file) => `purchases/${file}.ts`),
  due_purchases: ["purchases/due.ts"],
  changed_facts: ["database/changed-facts.ts"],
  adjustments: ["purchases/debt.ts"],
  events: ["purchases/events.ts"],
  event_readers: ["purchases/events.ts", "api/mail/readers.ts"],
  mails: ["api/mail/mails.ts"],
  buyer_totals: ["purchases/totals.ts"],
  shop_totals: ["purchases/totals.ts", "indexer/store/count-change.ts"],
  day_totals: ["database/day-totals.ts", "indexer/store/count-change.ts"],
  simulated_days: ["purchases/simulated-limits.ts"],
  chz_rates: ["rates/daily-rates.ts"],
  operations: ["sender/"],
  transactions: ["sender/"],
  transaction_hashes: ["sender/"],
  chain_events: ["indexer/store/"],
  chain_blocks: ["indexer/store/"],
  chain_cursor: ["indexer/store/"],
  chain_source: ["indexer/store/"],
  nfts: ["indexer/store/"],
  payouts: ["indexer/store/"],
  // What was decided of them, and what people said.
  sales: [
    "affiliates/",
    ...["approvals", "held-reviews", "sale-totals", "save", "staff"].map((file) => `purchases/${file}.ts`),
  ],
  sale_revisions: ["affiliates/"],
  account_names: ["affiliates/known-accounts.ts"],
  clicks: ["affiliates/"],
  store_clicks: ["affiliates/conversion.ts"],
  claims: ["affiliates/", "api/clicks/"],
  claim_pictures: ["api/clicks/pictures.ts"],
  stores: ["catalogue/"],
  store_cashbacks: ["catalogue/"],
  store_boosts: ["catalogue/boosts.ts"],
  percent_approvals: ["catalogue/percent-approvals.ts"],
  proposals: ["database/proposals.ts"],
  fan_tokens: ["catalogue/"],
  users: ["api/people/users.ts", "database/touch-user.ts"],
  sessions: ["api/people/"],
  audit_log: ["database/audit-log.ts"],
  audit_notes: ["database/audit-log.ts"],
  settings: ["database/settings.ts", "database/second-read.ts"],
  fact_authors: ["database/deciders.ts"],
  node_calls: ["platform/rpc/told-calls.ts"],
  leases: ["platform/lease.ts", "scripts/backup/"],
};

const ROOMS =
  "{affiliates,api,catalogue,chain,database,domain,indexer,platform,purchases,rates,reconcile,scripts,sender}/**/*.ts";
const LEFT_OUT = /^(?:database\/migrations|[a-z]+\/generated)\//;
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
