import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { Book, decimal, type SimulatedSale, totalOf } from "./book.ts";
import { Programmes, type SimulatedProgramme } from "./programmes.ts";
import { type NetworkAnswer, type NetworkCall, Simulator } from "./simulator.ts";

const PAGE_MAXIMUM = 500;
const TOKEN = "simulated-access-token";
const SCOPES = ["statistics", "advcampaigns_for_website", "coupons_for_website"];
const TIME = /^(\d{2})\.(\d{2})\.(\d{4})(?: (\d{2}:\d{2}:\d{2}))?$/;

/** Admitad according to its documentation: tokens by client credentials, pages newest first, amounts as text. */
export class AdmitadSimulator extends Simulator {
  readonly book = new Book(70_001);
  readonly programmes = new Programmes();
  /** Coupons as the network writes them. */
  readonly offers: object[] = [];
  readonly account: { clientId: string; clientSecret: string };

  constructor(account: { clientId: string; clientSecret: string }, callsPerMinute = 120) {
    super(callsPerMinute, (call) => this.#answer(call));
    this.account = account;
  }

  #answer(call: NetworkCall): NetworkAnswer | undefined {
    if (call.method === "POST" && call.url.pathname === "/token/") return this.#token(call);
    const isList = /^\/advcampaigns\/website\/\d+\/$/.test(call.url.pathname);
    if (call.method === "GET" && /^\/coupons\/website\/\d+\/$/.test(call.url.pathname))
      return call.headers.authorization === `Bearer ${TOKEN} coupons_for_website`
        ? this.#coupons(call.url.searchParams)
        : { status: 401, body: { error: "invalid_token" } };
    if (call.method !== "GET" || (call.url.pathname !== "/statistics/actions/" && !isList)) return undefined;
    const token = isList ? `${TOKEN} advcampaigns_for_website` : TOKEN;
    if (call.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: "invalid_token" } };
    if (isList) return this.#campaigns(call.url.searchParams);
    return this.#actions(call.url.searchParams);
  }

  #token({ headers, body }: NetworkCall): NetworkAnswer {
    const form = new URLSearchParams(body);
    const scope = form.get("scope") ?? "";
    const { clientId, clientSecret } = this.account;
    const isKnown = headers.authorization === `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    if (!isKnown || form.get("grant_type") !== "client_credentials" || !SCOPES.includes(scope))
      return { status: 401, body: { error: "invalid_client" } };
    const access_token = scope === "statistics" ? TOKEN : `${TOKEN} ${scope}`;
    return { status: 200, body: { access_token, token_type: "bearer", expires_in: 604_800 } };
  }

  #actions(query: URLSearchParams): NetworkAnswer {
    const limit = Number(query.get("limit") ?? 20);
    const offset = Number(query.get("offset") ?? 0);
    if (limit > PAGE_MAXIMUM) return { status: 400, body: { error: "limit" } };
    const updated = [time(query.get("status_updated_start")), time(query.get("status_updated_end"))];
    const dates = [time(query.get("date_start")), time(query.get("date_end"))];
    const isWithin = (at: number, [from, to]: (number | undefined)[], lengthMs: number) =>
      (from === undefined || at >= from) && (to === undefined || at < to + lengthMs);
    const found = [...this.book.sales.values()]
      .filter((sale) => isWithin(sale.changedAt, updated, 1_000) && isWithin(sale.soldAt, dates, DAY_MS))
      .sort((a, b) => Number(b.id) - Number(a.id));
    return {
      status: 200,
      body: {
        results: found.slice(offset, offset + limit).map(row),
        _meta: { count: found.length, limit, offset },
      },
    };
  }

  #campaigns(query: URLSearchParams): NetworkAnswer {
    const [limit, offset] = [Number(query.get("limit") ?? 20), Number(query.get("offset") ?? 0)];
    const { all } = this.programmes;
    return {
      status: 200,
      body: {
        results: all.slice(offset, offset + limit).map(campaignRow),
        _meta: { count: all.length, limit, offset },
      },
    };
  }

  #coupons(query: URLSearchParams): NetworkAnswer {
    const [limit, offset] = [Number(query.get("limit") ?? 20), Number(query.get("offset") ?? 0)];
    const _meta = { count: this.offers.length, limit, offset };
    return { status: 200, body: { results: this.offers.slice(offset, offset + limit), _meta } };
  }

  /** The query of a GET push: our own choice of macros, with the click in `subid4`. */
  push(id: string, lie: Partial<SimulatedSale> = {}): string {
    const sale = { ...this.book.find(id), ...lie };
    return new URLSearchParams({
      admitad_id: sale.id,
      subid4: sale.click,
      payment_status: sale.status === "pending" ? "new" : sale.status,
      order_sum: decimal(totalOf(sale, "cents")),
      payment_sum: decimal(totalOf(sale, "commissionCents")),
      currency: sale.currency,
      order_id: sale.orderRef,
      reward_ready: String(sale.isPaid),
      time: String(Math.floor(sale.soldAt / 1_000)),
    }).toString();
  }
}

function campaignRow({ id, name, url, status, groups }: SimulatedProgramme) {
  return {
    id: Number(id),
    name,
    site_url: url,
    status,
    connection_status: "active",
    currency: "USD",
    gotolink: `https://ad.admitad.com/g/code${id}/`,
    regions: [{ region: "BR" }],
    categories: [{ id: 7, name: "Esporte", parent: null }],
    avg_hold_time: "30",
    avg_money_transfer_time: 14,
    actions_detail: [
      {
        id: 1,
        name: "Venda",
        type: "sale",
        tariffs: groups.map((group) => ({
          id: group.code,
          name: group.name,
          rates: [
            "percent" in group
              ? { size: String(group.percent), is_percentage: true, country: "BR" }
              : { size: String(group.amount), is_percentage: false, country: null },
          ],
        })),
      },
    ],
  };
}

function row(sale: SimulatedSale) {
  const [first] = sale.parts;
  return {
    id: Number(sale.id),
    action_id: Number(sale.id) + 1_000_000,
    action: first?.group ?? "sale",
    action_type: "sale",
    status: sale.status,
    cart: decimal(totalOf(sale, "cents")),
    payment: decimal(totalOf(sale, "commissionCents")),
    currency: sale.currency,
    order_id: sale.orderRef,
    advcampaign_id: Number(sale.advertiserId),
    subid4: sale.click,
    click_date: spaced(sale.soldAt - 60_000),
    action_date: spaced(sale.soldAt),
    status_updated: spaced(sale.changedAt),
    reward_ready: sale.isPaid,
    paid: sale.isPaid ? 1 : 0,
    comment: sale.reason,
    positions: sale.parts.map((part) => ({
      tariff_id: part.group,
      amount: decimal(part.cents),
      payment: decimal(part.commissionCents),
    })),
  };
}

function time(text: string | null): number | undefined {
  const match = TIME.exec(text ?? "");
  return match ? Date.parse(`${match[3]}-${match[2]}-${match[1]}T${match[4] ?? "00:00:00"}Z`) : undefined;
}

function spaced(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
