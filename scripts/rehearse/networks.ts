import { createHmac, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { DAY_MS, MINUTE_MS } from "../../core/rules/iso-time.ts";
import { ACCOUNT_OF, FIRST_ADVERTISER, type ShopStore } from "./catalogue.ts";
import { AdmitadSimulator } from "./simulators/admitad.ts";
import { AwinSimulator } from "./simulators/awin.ts";
import { Book, decimal, type NewSale, type SimulatedSale, totalOf } from "./simulators/book.ts";
import type { Programmes, ProgrammeTurn } from "./simulators/programmes.ts";
import type { Simulator } from "./simulators/simulator.ts";

/** What the rehearsed shop may be paid for before its money has arrived. docs/product.md#accounts */
const DIRECT_CREDIT_REAIS = 1_000_000;

export const NETWORK_NAMES = ["awin", "admitad", "direct"] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

/** Faults that a network injects until they are cleared. */
export const CALL_FAULTS = ["none", "away", "busy"] as const;
export const PUSH_FAULTS = ["none", "late", "lost", "repeated", "lying"] as const;
export type CallFault = (typeof CALL_FAULTS)[number];
export type PushFault = (typeof PUSH_FAULTS)[number];

export type RehearsedNetwork = {
  name: NetworkName;
  book: Book;
  /** A shop that reports directly is not read. */
  simulator: (Simulator & { programmes: Programmes }) | undefined;
  calls: CallFault;
  pushes: PushFault;
};

/** More than Awin's 20, so that changes appear within seconds. */
const CALLS_PER_MINUTE = 120;
const POLL_SECONDS = 3;
const BUSY_SECONDS = 15;
const RETRY_MS = 2_000;
/** Long enough for a later push to arrive first. */
const LATE_MS = 5_000;
/** From the start of the rehearsal on. */
const OFFER_ENDS_MS = 10 * MINUTE_MS;
const FIRST_DIRECT_ID = 5_001;
/** Of what a buyer pays; twice what the rehearsal's stores promise. */
const USUAL_PERCENT = 12;
const FIRST_ARRIVAL = 18_000;
const PUBLISHER = { publisherId: "45628", token: "rehearsal-awin-token" };
const CLIENT = { clientId: "rehearsal", clientSecret: "rehearsal-admitad-secret" };

/** Awin, Admitad and a shop that reports directly, with their sales in a file. */
export class Networks {
  readonly all: readonly RehearsedNetwork[];
  readonly #file: string;
  readonly #torcidaUrl: string;
  readonly #secret = randomBytes(24).toString("hex");
  readonly #awin = new AwinSimulator(PUBLISHER, CALLS_PER_MINUTE);
  readonly #admitad = new AdmitadSimulator(CLIENT, CALLS_PER_MINUTE);
  readonly #ending = new AbortController();
  #urls: Record<string, string> = {};

  private constructor(file: string, torcidaUrl: string) {
    this.#file = file;
    this.#torcidaUrl = torcidaUrl;
    const usual = { calls: "none" as const, pushes: "none" as const };
    this.all = [
      { name: "awin", book: this.#awin.book, simulator: this.#awin, ...usual },
      { name: "admitad", book: this.#admitad.book, simulator: this.#admitad, ...usual },
      { name: "direct", book: new Book(FIRST_DIRECT_ID), simulator: undefined, ...usual },
    ];
  }

  static async open(file: string, torcidaUrl: string): Promise<Networks> {
    const networks = new Networks(file, torcidaUrl);
    if (existsSync(file)) {
      const books: Record<string, SimulatedSale[]> = JSON.parse(readFileSync(file, "utf8"));
      for (const { name, book } of networks.all) book.load(books[name] ?? []);
    }
    networks.#offer();
    networks.#urls = { awin: await networks.#awin.listen(), admitad: await networks.#admitad.listen() };
    return networks;
  }

  /** A code that ends while one watches, one without cashback, and a promotion without an end. */
  #offer(): void {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 19);
    const advertiser = { id: FIRST_ADVERTISER + 1, name: "Loja" };
    this.#awin.offers.push(
      {
        ...{
          promotionId: 1,
          type: "voucher",
          advertiser,
          title: "10% em tudo",
          description: "<p>Uma vez por cliente.</p>",
        },
        ...{ voucher: { code: "TORCIDA10" }, startDate: at(-MINUTE_MS), endDate: at(OFFER_ENDS_MS) },
      },
      {
        ...{ promotionId: 2, type: "voucher", advertiser, title: "Só no app", voucher: { code: "APP20" } },
        ...{ terms: "Não cumulativo com cashback.", endDate: at(7 * DAY_MS) },
      },
    );
    this.#admitad.offers.push({
      ...{ id: 1, name: "Frete grátis", description: "Acima de R$&nbsp;99", campaign: { id: FIRST_ADVERTISER + 2 } },
      ...{ promocode: "", date_start: null, date_end: null },
    });
  }

  /** The content of `AFFILIATE_ACCOUNTS`. */
  accounts(): object[] {
    const polled = { push_secrets: [this.#secret], poll_seconds: POLL_SECONDS, calls_per_minute: CALLS_PER_MINUTE };
    const { publisherId: publisher_id, token } = PUBLISHER;
    const { clientId: client_id, clientSecret: client_secret } = CLIENT;
    const at = (network: NetworkName) => ({ network, account: ACCOUNT_OF[network], api_url: this.#urls[network] });
    return [
      { ...at("awin"), publisher_id, token, ...polled },
      { ...at("admitad"), website_id: "22", client_id, client_secret, ...polled },
      { network: "direct", account: ACCOUNT_OF.direct, secrets: [this.#secret], credit_reais: DIRECT_CREDIT_REAIS },
    ];
  }

  find(name: string): RehearsedNetwork | undefined {
    return this.all.find((network) => network.name === name);
  }

  /** Every store is a programme of its network, with its categories as commission groups. */
  offer(stores: readonly ShopStore[]): void {
    for (const { id, name, network, advertiserId, categories } of stores) {
      const programmes = this.find(network)?.simulator?.programmes;
      if (!programmes || programmes.find(advertiserId)) continue;
      const groups = categories.map(({ group, category }) => ({ code: group, name: category, percent: USUAL_PERCENT }));
      programmes.join({ id: advertiserId, name, url: `https://www.store-${id}.example/`, groups });
    }
  }

  /** What a network does with a programme: it arrives, pays less or more, pauses or comes back. */
  turn(network: RehearsedNetwork, id: string, turn: ProgrammeTurn): void {
    const programmes = network.simulator?.programmes;
    if (turn === "arrive") {
      const number = String(FIRST_ARRIVAL + (programmes?.all.length ?? 0));
      programmes?.join({ id: number, name: `Loja Nova ${number}`, url: `https://www.nova-${number}.example/` });
    } else programmes?.turn(id, turn);
  }

  sell(network: RehearsedNetwork, sale: NewSale): SimulatedSale {
    const sold = network.book.sell(sale);
    this.#changed(network, sold.id, true);
    return sold;
  }

  /** The shop's decision on a sale. */
  decide(network: RehearsedNetwork, id: string, decision: (book: Book) => void): void {
    network.book.find(id);
    decision(network.book);
    this.#changed(network, id, false);
  }

  trouble(network: RehearsedNetwork, faults: { calls: CallFault; pushes: PushFault }): void {
    Object.assign(network, faults);
    if (!network.simulator) return;
    const { faults: simulated } = network.simulator;
    for (const name of ["isAway", "status", "retryAfterSeconds"] as const) delete simulated[name];
    if (faults.calls === "away") simulated.isAway = true;
    if (faults.calls === "busy") Object.assign(simulated, { status: 429, retryAfterSeconds: BUSY_SECONDS });
  }

  #changed(network: RehearsedNetwork, id: string, isNew: boolean): void {
    const books = Object.fromEntries(this.all.map(({ name, book }) => [name, [...book.sales.values()]]));
    writeFileSync(`${this.#file}.new`, JSON.stringify(books), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    void this.#push(network, id, isNew).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) console.log(`! ${network.name}: a push failed (${String(error)})`);
    });
  }

  /**
   * Awin pushes only new sales, Admitad every change; a direct shop sends the complete state until it is acknowledged.
   */
  async #push({ name, pushes, book }: RehearsedNetwork, id: string, isNew: boolean): Promise<void> {
    const event = this.#directEvent(book.find(id));
    if (pushes === "late") await delay(LATE_MS, undefined, { signal: this.#ending.signal });
    if (name === "direct") {
      for (let times = pushes === "repeated" ? 2 : 1; times > 0; times--) await this.#untilTaken(event);
      return;
    }
    if (pushes === "lost" || (name === "awin" && !isNew)) return;
    for (let times = pushes === "repeated" ? 2 : 1; times > 0; times--)
      await this.#send(this.#pushOf(name, id, pushes === "lying"));
  }

  #pushOf(name: "awin" | "admitad", id: string, isLie: boolean): { path: string; init: RequestInit } {
    const path = `/api/hooks/${name}/${ACCOUNT_OF[name]}/${this.#secret}`;
    const { parts } = this.find(name)?.book.find(id) ?? { parts: [] };
    const richer = parts.map((part) => ({ ...part, cents: part.cents * 100 }));
    const lie: Partial<SimulatedSale> = isLie ? { parts: richer, status: "approved", isPaid: true } : {};
    if (name === "admitad") return { path: `${path}?${this.#admitad.push(id, lie)}`, init: {} };
    const { contentType, body } = this.#awin.push(id, lie);
    return { path, init: { method: "POST", headers: { "content-type": contentType }, body } };
  }

  #directEvent(sale: SimulatedSale): { path: string; init: RequestInit } {
    const body = JSON.stringify({
      event_id: `${sale.id}-${sale.changedAt}-${randomBytes(4).toString("hex")}`,
      sale_key: sale.id,
      click_id: sale.click || null,
      store_id: Number(sale.advertiserId) - FIRST_ADVERTISER,
      status: sale.status,
      payable: sale.isPaid,
      amount: decimal(totalOf(sale, "cents")),
      currency: sale.currency,
      parts: sale.parts.map(({ group, cents }) => ({ group, amount: decimal(cents) })),
      commission: decimal(totalOf(sale, "commissionCents")),
      order_ref: sale.orderRef,
      occurred_at: sale.soldAt,
      changed_at: sale.changedAt,
    });
    return { path: `/api/hooks/affiliate/${ACCOUNT_OF.direct}`, init: { method: "POST", body } };
  }

  async #untilTaken({ path, init }: { path: string; init: RequestInit }): Promise<void> {
    for (;;) {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac("sha256", this.#secret).update(`${timestamp}.${init.body}`).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-torcida-timestamp": timestamp,
        "x-torcida-signature": signature,
      };
      const status = await this.#send({ path, init: { ...init, headers } }).catch(() => 0);
      if (status === 200 || this.#ending.signal.aborted) return;
      await delay(RETRY_MS);
    }
  }

  async #send({ path, init }: { path: string; init: RequestInit }): Promise<number> {
    return (await fetch(`${this.#torcidaUrl}${path}`, { ...init, signal: this.#ending.signal })).status;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#awin.close(), this.#admitad.close()]);
  }
}
