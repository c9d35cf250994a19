import { z } from "zod";
import { DAY_MS } from "../../rules/iso-time.ts";
import type { SaleReport } from "../../rules/sale/report.ts";
import { CallRefusedError } from "../http-calls.ts";
import {
  type AffiliateNetwork,
  type Page,
  type Pass,
  polledAccountShape,
  type Session,
  wordSchema,
} from "../network.ts";
import { parseExactJson, type Row, readRows, type UnreadRow } from "../row.ts";
import { isZone, localDay, localTime, readLocalTime } from "./local-time.ts";

const accountSchema = z.strictObject({
  ...polledAccountShape("admitad", { apiUrl: "https://api.admitad.com", callsPerMinute: 120 }),
  website_id: wordSchema,
  client_id: wordSchema,
  client_secret: wordSchema,
  timezone: z.string().refine(isZone, "must be a time zone such as UTC or Europe/Moscow").default("UTC"),
});
type AdmitadAccount = z.output<typeof accountSchema>;

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
  salesPerCall: 100,
  /** Queries by the day of the sale and the days before and after it, because days differ between time zones. */
  async readSales(session, sales) {
    const [first] = sales.flatMap(({ occurredAt }) => occurredAt ?? []);
    const middle = first?.getTime() ?? Date.now();
    const window = { from: new Date(middle - DAY_MS), to: new Date(Math.min(middle + DAY_MS, Date.now())) };
    const pass = { name: "recorded", maximumMs: 31 * DAY_MS, isNightly: true };
    return readWhole(session, windowQuery(session.account, pass, window));
  },
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
      const { results, _meta } = await ask(session, { ...query, limit: String(PAGE_ROWS), offset: String(offset) });
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

const answerSchema = z.object({
  results: z.array(z.unknown()),
  _meta: z.object({ count: z.coerce.number().int().min(0) }),
});

async function ask(session: Session<AdmitadAccount>, query: Record<string, string>) {
  const send = async () =>
    session.call({
      url: `${session.account.api_url}/statistics/actions/?${new URLSearchParams(query)}`,
      headers: { authorization: `Bearer ${await accessToken(session)}` },
    });
  let text: string;
  try {
    text = await send();
  } catch (error) {
    if (!(error instanceof CallRefusedError) || error.status !== 401) throw error;
    // The token expired early.
    session.memory.delete(TOKEN);
    text = await send();
  }
  return answerSchema.parse(parseExactJson(text));
}

const TOKEN = "access token";
const TOKEN_END = "access token's end";
const TOKEN_MARGIN_MS = 60_000;
const tokenSchema = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive().optional() });

async function accessToken({ account, memory, call }: Session<AdmitadAccount>): Promise<string> {
  const known = memory.get(TOKEN);
  if (known !== undefined && Number(memory.get(TOKEN_END)) > Date.now()) return known;
  const credentials = Buffer.from(`${account.client_id}:${account.client_secret}`).toString("base64");
  const text = await call({
    method: "POST",
    url: `${account.api_url}/token/`,
    headers: { authorization: `Basic ${credentials}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: account.client_id,
      scope: "statistics",
    }).toString(),
  });
  const { access_token, expires_in = 3_600 } = tokenSchema.parse(parseExactJson(text));
  memory.set(TOKEN, access_token);
  memory.set(TOKEN_END, String(Date.now() + Math.max(expires_in * 1_000 - TOKEN_MARGIN_MS, expires_in * 500)));
  return access_token;
}

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
