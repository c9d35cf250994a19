import { DAY_MS } from "../../rules/iso-time.ts";
import type { SaleReport } from "../../rules/sale/report.ts";
import type { AffiliateNetwork, Page, Pass, Session } from "../network.ts";
import { type Row, readRows, type UnreadRow } from "../row.ts";
import { type AdmitadAccount, accountSchema, askAdmitad } from "./calls.ts";
import { localDay, localTime, readLocalTime } from "./local-time.ts";
import { MOST_PAGES, readAdmitadOffers } from "./offers.ts";
import { admitadProgrammes, READINGS as PROGRAMME_READINGS, PAGE_ROWS as PROGRAMMES_A_PAGE } from "./programmes.ts";

const PAGE_ROWS = 500;
/** How often a window is reread while rows move between its pages. */
const READINGS = 5;
const STATUSES: Record<string, SaleReport["status"]> = {
  pending: "pending",
  approved: "approved",
  // Confirmed by the shop, then put on hold again.
  approved_but_stalled: "pending",
  declined: "declined",
};
const UPDATED = "updated";

/** Admitad pushes every change and can be queried by change time; `subid4` is the click. docs/product.md#sales-polls */
export const admitad: AffiliateNetwork<AdmitadAccount> = {
  name: "admitad",
  accountSchema,
  identityOf: ({ website_id }) => website_id,
  buildLink(_account, { advertiserId, storeUrl, click }) {
    const url = new URL(`https://ad.admitad.com/g/${encodeURIComponent(advertiserId)}/`);
    url.searchParams.set("subid4", click);
    url.searchParams.set("ulp", storeUrl);
    return url.toString();
  },
  keyPattern: /^\d{1,20}$/,
  readPush({ query, form }) {
    const keys = [query, form].flatMap((fields) => [fields.get("admitad_id"), fields.get("id")]);
    return keys.filter((key): key is string => key !== null && key !== "");
  },
  passes: [
    { name: UPDATED, maximumMs: 31 * DAY_MS, isNightly: false },
    { name: "recorded", maximumMs: 31 * DAY_MS, isNightly: true },
  ],
  async *readWindow(session, pass, window) {
    yield await readWhole(session, windowQuery(session.account, pass, window));
  },
  readOffers: readAdmitadOffers,
  salesPerCall: 100,
  /** Queries by the day of the sale and the days before and after it, because days differ between time zones. */
  async readSales(session, sales) {
    const [first] = sales.flatMap(({ occurredAt }) => occurredAt ?? []);
    const middle = first?.getTime() ?? Date.now();
    const window = { from: new Date(middle - DAY_MS), to: new Date(Math.min(middle + DAY_MS, Date.now())) };
    const pass = { name: "recorded", maximumMs: 31 * DAY_MS, isNightly: true };
    return readWhole(session, windowQuery(session.account, pass, window));
  },
  programmes: admitadProgrammes,
  catalogueCalls: ({ programmes }) =>
    PROGRAMME_READINGS * Math.max(1, Math.ceil(programmes / PROGRAMMES_A_PAGE)) + MOST_PAGES,
};

function windowQuery(
  { timezone }: AdmitadAccount,
  pass: Pass,
  { from, to }: { from: Date; to: Date },
): Record<string, string> {
  return pass.name === UPDATED
    ? { status_updated_start: localTime(from, timezone), status_updated_end: localTime(to, timezone) }
    : { date_start: localDay(from, timezone), date_end: localDay(to, timezone) };
}

/**
 * All pages of a window. Rows are newest first, so a new row shifts the pages: they are reread until they contain as
 * many different rows as the network reports.
 */
async function readWhole(session: Session<AdmitadAccount>, query: Record<string, string>): Promise<Page> {
  const found = new Map<string, SaleReport>();
  for (let reading = 1; reading <= READINGS; reading++) {
    const unread: UnreadRow[] = [];
    let count = 0;
    const seen = new Set<string>();
    for (let offset = 0; ; offset += PAGE_ROWS) {
      const { results, _meta } = await askAdmitad(session, ACTIONS, {
        ...query,
        limit: String(PAGE_ROWS),
        offset: String(offset),
      });
      count = _meta.count;
      const page = readRows(results, { id: "id", keyPattern: admitad.keyPattern }, (row, saleKey) => {
        seen.add(saleKey);
        return readAction(session.account, row, saleKey);
      });
      for (const report of page.reports) found.set(report.saleKey, report);
      unread.push(...page.unread);
      if (results.length === 0 || offset + PAGE_ROWS >= count) break;
    }
    const withoutKey = unread.filter(({ saleKey }) => saleKey === null).length;
    if (seen.size + withoutKey >= count) return { reports: [...found.values()], unread };
  }
  throw new Error("The pages of a window changed while they were read");
}

const ACTIONS = "/statistics/actions/";

/** Undefined for another website's action. */
function readAction(account: AdmitadAccount, row: Row, saleKey: string): SaleReport | undefined {
  const website = row.text("website_id");
  if (website !== null && website !== account.website_id) return undefined;
  const status = row.status("status", STATUSES);
  const read = (text: string) => readLocalTime(text, account.timezone);
  const positions = row.children("positions").map((position) => ({
    group: position.text("tariff_id"),
    amountMicros: position.requiredMicros("amount"),
  }));
  const amountMicros = row.requiredMicros("cart");
  const report = {
    saleKey,
    clickRef: row.text("subid4"),
    advertiserId: row.requiredText("advcampaign_id") || null,
    orderRef: row.text("order_id"),
    status,
    payable: row.flag("reward_ready"),
    amountMicros,
    currency: row.requiredText("currency").toUpperCase(),
    trackedBrlMicros: null,
    commissionMicros: row.requiredMicros("payment"),
    commissionCurrency: null,
    parts: positions.length > 0 ? positions : [{ group: row.text("action"), amountMicros }],
    occurredAt: row.requiredTime("action_date", read),
    changedAt: row.time("status_updated", read),
    reason: row.remark("comment"),
  };
  return { ...report, ...row.findings };
}
