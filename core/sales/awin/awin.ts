import { z } from "zod";
import { DAY_MS } from "../../rules/iso-time.ts";
import type { SaleReport } from "../../rules/sale/report.ts";
import { CallRefusedError } from "../http-calls.ts";
import type { AffiliateNetwork, Page, Session } from "../network.ts";
import { parseExactJson, Row, readRows, readTime, utcText } from "../row.ts";
import { type AwinAccount, accountSchema, askAwin } from "./calls.ts";
import { MOST_PAGES, readAwinOffers } from "./offers.ts";
import { awinProgrammes } from "./programmes.ts";

const STATUSES: Record<string, SaleReport["status"]> = {
  pending: "pending",
  approved: "approved",
  declined: "declined",
  deleted: "declined",
};

/** Awin pushes new sales only; their later states come from its API. docs/product.md#sales-polls */
export const awin: AffiliateNetwork<AwinAccount> = {
  name: "awin",
  accountSchema,
  identityOf: ({ publisher_id }) => publisher_id,
  buildLink({ publisher_id }, { advertiserId, storeUrl, click }) {
    const url = new URL("https://www.awin1.com/cread.php");
    url.searchParams.set("awinmid", advertiserId);
    url.searchParams.set("awinaffid", publisher_id);
    url.searchParams.set("clickref", click);
    url.searchParams.set("ued", storeUrl);
    return url.toString();
  },
  keyPattern: /^\d{1,20}$/,
  // GET has parameters named after the macros; POST has JSON inside a form field.
  readPush({ query, form, text }) {
    const json = form.get("AwinTransactionPush") ?? query.get("AwinTransactionPush") ?? text;
    const keys = [query.get("transactionId"), form.get("transactionId"), ...keysOf(json)];
    return keys.filter((key): key is string => key !== null && key !== "");
  },
  // An approval or a payment is not always counted as an amendment.
  passes: [
    { name: "transaction", maximumMs: 31 * DAY_MS, isNightly: true },
    { name: "amendment", maximumMs: 31 * DAY_MS, isNightly: false },
    { name: "validation", maximumMs: 31 * DAY_MS, isNightly: true },
  ],
  async *readWindow(session, pass, { from, to }) {
    yield await ask(session, { startDate: utcText(from), endDate: utcText(to), dateType: pass.name });
  },
  readOffers: readAwinOffers,
  salesPerCall: 50,
  async readSales(session, sales) {
    const query = { ids: sales.map(({ saleKey }) => saleKey).join(",") };
    // The documentation shows this call with and without the trailing slash; 404 may also mean that no id is known.
    for (const path of ["transactions/", "transactions"]) {
      try {
        return await ask(session, query, path);
      } catch (error) {
        if (!(error instanceof CallRefusedError) || error.status !== 404) throw error;
      }
    }
    return { reports: [], unread: [] };
  },
  programmes: awinProgrammes,
  // Two lists, the rates of each programme, and the pages of offers.
  catalogueCalls: ({ programmes }) => 2 + programmes + MOST_PAGES,
};

function keysOf(json: string): string[] {
  try {
    const value = parseExactJson(json);
    return (Array.isArray(value) ? value : [value]).flatMap((one) => new Row(one).text("transactionId") ?? []);
  } catch {
    return [];
  }
}

async function ask(
  session: Session<AwinAccount>,
  query: Record<string, string>,
  path = "transactions/",
): Promise<Page> {
  const parameters = new URLSearchParams({ ...query, timezone: "UTC" });
  const answer = await askAwin(session, `${path}?${parameters}`);
  const rows = z.array(z.unknown(), "the answer is not a list of transactions").parse(answer);
  return readRows(rows, { id: "id", keyPattern: awin.keyPattern }, readTransaction);
}

function readTransaction(row: Row, saleKey: string): SaleReport {
  const status = row.status("commissionStatus", STATUSES);
  const amount = row.child("saleAmount");
  const commission = row.child("commissionAmount");
  const tracked = row.optionalChild("trackedCurrencyAmount");
  const parts = row.children("transactionParts").map((part) => ({
    group: part.text("commissionGroupCode") ?? part.text("commissionGroupId"),
    amountMicros: part.requiredMicros("amount"),
  }));
  const report = {
    saleKey,
    clickRef: row.optionalChild("clickRefs")?.text("clickRef") ?? null,
    advertiserId: row.requiredText("advertiserId") || null,
    orderRef: row.text("orderRef"),
    status,
    payable: row.flag("paidToPublisher"),
    amountMicros: amount.requiredMicros("amount"),
    currency: amount.requiredText("currency").toUpperCase(),
    trackedBrlMicros:
      tracked?.requiredText("currency").toUpperCase() === "BRL" ? tracked.requiredMicros("amount") : null,
    commissionMicros: commission.requiredMicros("amount"),
    commissionCurrency: commission.text("currency")?.toUpperCase() ?? null,
    parts,
    occurredAt: row.requiredTime("transactionDate", readTime),
    changedAt: null,
    reason: row.remark("declineReason") ?? row.remark("amendReason"),
  };
  return { ...report, ...row.findings };
}
