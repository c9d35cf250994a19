import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { Book, decimal, type SimulatedSale, totalOf } from "../../../scripts/rehearse/simulators/book.ts";
import { Programmes, type SimulatedProgramme } from "../../../scripts/rehearse/simulators/programmes.ts";
import { type NetworkAnswer, type NetworkCall, Simulator } from "../../../scripts/rehearse/simulators/simulator.ts";

const STATES: Record<string, string> = { pending: "PENDING", approved: "APPROVED", declined: "REVERSED" };
const PAGE_ROWS = 2;

/**
 * impact.com: windows of 45 days by update or lock time, pages by URL, and state changes that do not count as updates.
 */
export class ImpactSimulator extends Simulator {
  readonly book = new Book(1_000);
  readonly programmes = new Programmes();
  /** Of a page of campaigns. */
  campaignRows = PAGE_ROWS;
  readonly account: { sid: string; token: string };

  constructor(account: { sid: string; token: string }, callsPerMinute = 1_000) {
    super(callsPerMinute, (call) => this.#answer(call));
    this.account = account;
  }

  #answer({ url, headers }: NetworkCall): NetworkAnswer | undefined {
    const { sid, token } = this.account;
    if (headers.authorization !== `Basic ${Buffer.from(`${sid}:${token}`).toString("base64")}`)
      return { status: 401, body: { Status: "ERROR" } };
    const campaigns = `/Mediapartners/${sid}/Campaigns`;
    if (url.pathname === campaigns) return this.#campaigns(url);
    const [, campaign = ""] = /\/Campaigns\/(\d+)\/Contracts\/Active$/.exec(url.pathname) ?? [];
    const programme = this.programmes.find(campaign);
    if (programme) return { status: 200, body: { Terms: { Currency: "BRL", EventPayouts: payoutsOf(programme) } } };
    const path = `/Mediapartners/${sid}/Actions`;
    const sale = this.book.sales.get(url.pathname.slice(path.length + 1));
    if (url.pathname.startsWith(`${path}/`)) return sale ? { status: 200, body: row(sale) } : undefined;
    if (url.pathname !== path) return undefined;
    const isLocked = url.searchParams.has("LockingDateStart");
    const read = (name: string) => Date.parse(url.searchParams.get(name) ?? "");
    const from = read(isLocked ? "LockingDateStart" : "StartDate");
    const to = read(isLocked ? "LockingDateEnd" : "EndDate");
    if (Number.isNaN(from) || Number.isNaN(to) || to - from > 45 * DAY_MS)
      return { status: 400, body: { Status: "ERROR", Message: "Dates" } };
    const found = [...this.book.sales.values()].filter((one) => {
      const at = isLocked ? one.validatedAt : (one.amendedAt ?? one.soldAt);
      return at !== null && at >= from && at <= to;
    });
    const page = Number(url.searchParams.get("Page") ?? 1);
    const rest = found.slice(page * PAGE_ROWS);
    url.searchParams.set("Page", String(page + 1));
    return {
      status: 200,
      body: {
        "@page": String(page),
        "@nextpageuri": rest.length > 0 ? `${url.pathname}${url.search}` : "",
        Actions: found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS).map(row),
      },
    };
  }

  #campaigns(url: URL): NetworkAnswer {
    const page = Number(url.searchParams.get("Page") ?? 1);
    const { all } = this.programmes;
    url.searchParams.set("Page", String(page + 1));
    const next = all.length > page * this.campaignRows ? `${url.pathname}${url.search}` : "";
    const Campaigns = all.slice((page - 1) * this.campaignRows, page * this.campaignRows).map(campaignRow);
    return {
      status: 200,
      body: { "@page": String(page), "@total": String(all.length), "@nextpageuri": next, Campaigns },
    };
  }
}

function payoutsOf({ groups }: SimulatedProgramme) {
  return groups.map((group) => ({
    EventTypeId: group.code,
    EventTypeName: group.name,
    ...("percent" in group ? { DefaultPayoutRate: String(group.percent) } : { DefaultPayout: String(group.amount) }),
  }));
}

function campaignRow({ id, name, url, domains, status }: SimulatedProgramme) {
  const ContractStatus = status === "active" ? "Active" : status;
  return { CampaignId: id, CampaignName: name, CampaignUrl: url, ContractStatus, DeeplinkDomains: domains };
}

function row(sale: SimulatedSale) {
  return {
    Id: sale.id,
    CampaignId: sale.advertiserId,
    State: STATES[sale.status] ?? sale.status,
    Amount: decimal(totalOf(sale, "cents")),
    Payout: decimal(totalOf(sale, "commissionCents")),
    Currency: sale.currency,
    SubId1: sale.click,
    Oid: sale.orderRef,
    EventDate: new Date(sale.soldAt).toISOString().replace(/\.\d+Z$/, "+00:00"),
    LockingDate: sale.validatedAt === null ? "" : new Date(sale.validatedAt).toISOString(),
    ClearedDate: sale.isPaid ? new Date(sale.changedAt).toISOString() : "",
    AdjustmentReason: sale.reason ?? "",
    Items: sale.parts.map((part) => ({
      Category: part.group,
      SaleAmount: decimal(part.cents),
      Payout: decimal(part.commissionCents),
    })),
  };
}
