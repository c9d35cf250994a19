import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { isKeyOf } from "../../../core/rules/records.ts";
import { Book, type SimulatedSale, totalOf } from "./book.ts";
import { Programmes, type SimulatedProgramme } from "./programmes.ts";
import { type NetworkAnswer, type NetworkCall, Simulator } from "./simulator.ts";

const TIMES = { transaction: "soldAt", amendment: "amendedAt", validation: "validatedAt" } as const;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

/** Awin according to its documentation: windows of 31 days, no paging, amounts as numbers, times without a zone. */
export class AwinSimulator extends Simulator {
  readonly book = new Book(900_000_001);
  readonly programmes = new Programmes();
  /** Promotions as the network writes them. */
  readonly offers: object[] = [];
  readonly account: { publisherId: string; token: string };

  constructor(account: { publisherId: string; token: string }, callsPerMinute = 20) {
    super(callsPerMinute, (call) => this.#answer(call));
    this.account = account;
  }

  #answer({ method, url, headers, body }: NetworkCall): NetworkAnswer | undefined {
    if (headers.authorization !== `Bearer ${this.account.token}`)
      return { status: 401, body: { error: "Unauthorized" } };
    const own = `/publishers/${this.account.publisherId}/`;
    if (method === "GET" && url.pathname === `${own}programmes`) return this.#listProgrammes(url.searchParams);
    const programme = this.programmes.find(url.searchParams.get("advertiserId"));
    if (url.pathname === `${own}commissiongroups`) return programme && { status: 200, body: ratesOf(programme) };
    if (url.pathname === `${own}programmedetails`)
      return programme && { status: 200, body: { kpi: { averagePaymentTime: "75", validationDays: 30 } } };
    if (method === "POST" && url.pathname === `/publisher/${this.account.publisherId}/promotions`)
      return this.#promotions(body);
    if (method !== "GET" || url.pathname !== `/publishers/${this.account.publisherId}/transactions/`) return undefined;
    if (url.searchParams.get("timezone") !== "UTC") return { status: 400, body: { error: "timezone is missing" } };
    const ids = url.searchParams.get("ids");
    if (ids !== null) {
      return rows(ids.split(",").flatMap((id) => this.book.sales.get(id) ?? []));
    }
    const [start = "", end = ""] = [url.searchParams.get("startDate"), url.searchParams.get("endDate")].map(String);
    const dateType = url.searchParams.get("dateType") ?? "transaction";
    const field = isKeyOf(TIMES, dateType) ? TIMES[dateType] : undefined;
    if (!TIME.test(start) || !TIME.test(end) || field === undefined)
      return { status: 400, body: { error: "Bad dates" } };
    const [from, to] = [Date.parse(`${start}Z`), Date.parse(`${end}Z`)];
    if (to - from > 31 * DAY_MS) return { status: 400, body: { error: "The window is longer than 31 days" } };
    return rows(
      [...this.book.sales.values()].filter((sale) => {
        const at = sale[field];
        return at !== null && at >= from && at <= to;
      }),
    );
  }

  #listProgrammes(query: URLSearchParams): NetworkAnswer {
    const isSuspended = query.get("relationship") === "suspended";
    const listed = this.programmes.all.filter(({ status }) => (status === "suspended") === isSuspended);
    return { status: 200, body: listed.map(programmeRow) };
  }

  #promotions(body: string): NetworkAnswer {
    const { pagination: { page = 1, pageSize = 10 } = {} } = JSON.parse(body);
    const data = this.offers.slice((page - 1) * pageSize, page * pageSize);
    return { status: 200, body: { data, pagination: { page, pageSize, total: this.offers.length } } };
  }

  /** The body of a POST push: JSON inside a form field. It reports new sales, never their later changes. */
  push(id: string, lie: Partial<SimulatedSale> = {}): { contentType: string; body: string } {
    const sale = { ...this.book.find(id), ...lie };
    const json = JSON.stringify({
      transactionId: sale.id,
      transactionDate: zoneless(sale.soldAt).replace("T", " "),
      transactionCurrency: sale.currency,
      transactionAmount: String(totalOf(sale, "cents") / 100),
      commission: String(totalOf(sale, "commissionCents") / 100),
      merchantId: sale.advertiserId,
      clickRef: sale.click,
      commissionGroups: sale.parts.map((part, index) => ({ id: String(index), name: part.group, code: part.group })),
    });
    return {
      contentType: "application/x-www-form-urlencoded",
      body: new URLSearchParams({ AwinTransactionPush: json }).toString(),
    };
  }
}

/** With the names as objects, and the currency of another country, as some are. */
function programmeRow({ id, name, url, domains, status }: SimulatedProgramme) {
  return {
    id: Number(id),
    name,
    displayUrl: url,
    clickThroughUrl: `https://www.awin1.com/cread.php?awinmid=${id}`,
    membershipStatus: status === "active" ? "joined" : status,
    currencyCode: "GBP",
    primaryRegion: { name: "Brasil", countryCode: "BR" },
    validDomains: domains.map((domain) => ({ domain })),
  };
}

function ratesOf({ groups }: SimulatedProgramme) {
  return {
    commissionGroups: groups.map((group, index) => ({
      groupId: index + 1,
      groupCode: group.code,
      groupName: group.name,
      ...("percent" in group
        ? { type: "percentage", percentage: group.percent }
        : { type: "fix", amount: group.amount, currency: "BRL" }),
    })),
  };
}

function rows(sales: readonly SimulatedSale[]): NetworkAnswer {
  return { status: 200, body: sales.map(row) };
}

function row(sale: SimulatedSale) {
  const money = (cents: number) => ({ amount: cents / 100, currency: sale.currency });
  return {
    id: Number(sale.id),
    url: "https://shop.example/",
    advertiserId: Number(sale.advertiserId),
    publisherId: 45628,
    siteName: "Torcida",
    commissionStatus: sale.status,
    saleAmount: money(totalOf(sale, "cents")),
    commissionAmount: money(totalOf(sale, "commissionCents")),
    clickRefs: { clickRef: sale.click },
    clickDate: zoneless(sale.soldAt - 60_000),
    transactionDate: zoneless(sale.soldAt),
    validationDate: sale.validatedAt === null ? null : zoneless(sale.validatedAt),
    type: "Commission group transaction",
    declineReason: sale.status === "declined" ? sale.reason : null,
    amended: sale.amendedAt !== null,
    amendReason: sale.amendedAt === null ? null : sale.reason,
    paidToPublisher: sale.isPaid,
    paymentId: sale.isPaid ? 1 : 0,
    orderRef: sale.orderRef,
    transactionParts: sale.parts.map((part, index) => ({
      commissionGroupId: index + 1,
      commissionGroupCode: part.group,
      commissionGroupName: part.group,
      amount: part.cents / 100,
      commissionAmount: part.commissionCents / 100,
    })),
  };
}

function zoneless(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}
