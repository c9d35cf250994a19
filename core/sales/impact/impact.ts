import { z } from "zod";
import { DAY_MS } from "../../rules/iso-time.ts";
import type { SaleReport } from "../../rules/sale/report.ts";
import { CallRefusedError } from "../http-calls.ts";
import type { AffiliateNetwork, Page } from "../network.ts";
import { parseExactJson, type Row, readRows, readTime, utcText } from "../row.ts";
import { accountSchema, getFromImpact, type ImpactAccount } from "./calls.ts";
import { readImpactOffers } from "./offers.ts";
import { impactProgrammes } from "./programmes.ts";

const STATUSES: Record<string, SaleReport["status"]> = {
  PENDING: "pending",
  APPROVED: "approved",
  REVERSED: "declined",
};
/** At least. */
const CAMPAIGNS_A_PAGE = 20;
/** impact.com does not count an approval as an update: it is found by the time at which the action locks. */
const PARAMETERS: Record<string, [start: string, end: string]> = {
  updated: ["StartDate", "EndDate"],
  locked: ["LockingDateStart", "LockingDateEnd"],
};

/** impact.com: postbacks from our own template (`action_id={ActionId}`), and actions by time. docs/product.md#sales-polls */
export const impact: AffiliateNetwork<ImpactAccount> = {
  name: "impact",
  accountSchema,
  identityOf: ({ account_sid }) => account_sid,
  // Each brand has its own domain: the store's link template names it.
  buildLink: () => undefined,
  keyPattern: /^[\w.-]{1,64}$/,
  readPush({ query, form }) {
    const keys = [query, form].map((fields) => fields.get("action_id"));
    return keys.filter((key): key is string => key !== null && key !== "");
  },
  passes: [
    { name: "updated", maximumMs: 45 * DAY_MS, isNightly: true },
    { name: "locked", maximumMs: 45 * DAY_MS, isNightly: false },
  ],
  async *readWindow(session, pass, { from, to }) {
    const [start, end] = PARAMETERS[pass.name] ?? ["StartDate", "EndDate"];
    const query = new URLSearchParams({ [start]: `${utcText(from)}Z`, [end]: `${utcText(to)}Z` });
    let next: string | null = `/Mediapartners/${encodeURIComponent(session.account.account_sid)}/Actions?${query}`;
    while (next !== null) {
      const { Actions, ...rest } = pageSchema.parse(parseExactJson(await getFromImpact(session, next)));
      yield readPage(Actions);
      next = rest["@nextpageuri"] || null;
    }
  },
  readOffers: readImpactOffers,
  salesPerCall: 1,
  async readSales(session, [sale]) {
    if (!sale) return { reports: [], unread: [] };
    const { account_sid } = session.account;
    const path = `/Mediapartners/${encodeURIComponent(account_sid)}/Actions/${encodeURIComponent(sale.saleKey)}`;
    try {
      return readPage([parseExactJson(await getFromImpact(session, path))]);
    } catch (error) {
      if (error instanceof CallRefusedError && error.status === 404) return { reports: [], unread: [] };
      throw error;
    }
  },
  programmes: impactProgrammes,
  // Pages, whose length is the network's, the terms of each programme, and the offers of each store.
  catalogueCalls: ({ programmes, stores }) => Math.ceil(programmes / CAMPAIGNS_A_PAGE) + programmes + stores,
};

const pageSchema = z.object({ Actions: z.array(z.unknown()), "@nextpageuri": z.string().nullish() });

function readPage(rows: readonly unknown[]): Page {
  return readRows(rows, { id: "Id", keyPattern: impact.keyPattern }, readAction);
}

function readAction(row: Row, saleKey: string): SaleReport {
  const status = row.status("State", STATUSES);
  const clearedAt = row.time("ClearedDate", readTime);
  const currency = row.requiredText("Currency").toUpperCase();
  const report = {
    saleKey,
    clickRef: row.text("SubId1"),
    advertiserId: row.requiredText("CampaignId") || null,
    orderRef: row.text("Oid"),
    status,
    payable: clearedAt !== null && clearedAt <= BigInt(Date.now()),
    amountMicros: row.requiredMicros("Amount"),
    currency,
    trackedBrlMicros: null,
    commissionMicros: row.requiredMicros("Payout"),
    commissionCurrency: currency,
    parts: row.children("Items").map((item) => ({
      group: item.text("Category"),
      amountMicros: item.requiredMicros("SaleAmount"),
    })),
    occurredAt: row.requiredTime("EventDate", readTime),
    changedAt: null,
    reason: row.remark("AdjustmentReason"),
  };
  return { ...report, ...row.findings };
}
