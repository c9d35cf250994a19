import { readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type Request, type Response } from "express";
import type { Database } from "../../core/database/connect.ts";
import { readHolds } from "../../core/purchases/sale-row.ts";
import { idsOf } from "../../core/rules/records.ts";
import { expediteRound, expediteStores } from "../../core/sales/programme-rows.ts";
import { ACCOUNT_OF, listShopStores } from "./catalogue.ts";
import { CALL_FAULTS, type Networks, PUSH_FAULTS } from "./networks.ts";
import { type Booked, COMMISSIONS, readText, renderPage, renderSales, type View } from "./page.ts";
import type { SimulatedSale } from "./simulators/book.ts";
import { PROGRAMME_TURNS } from "./simulators/programmes.ts";
import { type Language, TEXTS, type TextKey } from "./texts.ts";

export type ShopOptions = {
  torcidaUrl: string;
  networks: Networks;
  database: Database;
};

const ROOT = join(import.meta.dirname, "../..");
const BPS = 10_000;
const HIGHEST_CENTS = 1e9;

/** Serves the shop page on loopback only. Returns a function that closes it. */
export async function serveShop(port: number, options: ShopOptions): Promise<() => Promise<void>> {
  const app = express();
  app.disable("x-powered-by");
  app.use("/design", express.static(join(ROOT, "frontend/design")));
  app.use("/public", express.static(join(ROOT, "frontend/public")));
  app.get("/page.css", (_request, response) => sendFile(response, "page.css", "text/css"));
  app.get("/page.js", (_request, response) => sendFile(response, "page.client.js", "text/javascript"));
  app.use(express.urlencoded({ extended: false }));
  app.get("/", async (request, response) => void response.send(renderPage(await viewOf(request, options))));
  app.get("/shop/:store", async (request, response) => {
    const view = await viewOf(request, options);
    const store = view.stores.find(({ id }) => String(id) === request.params.store);
    if (!store) return response.redirect(303, `/?lang=${view.language}`);
    response.send(renderPage({ ...view, visit: { store, click: text(request.query.click) } }));
  });
  app.get("/now", async (request, response) => {
    const view = await viewOf(request, options);
    const networks = view.networks
      .filter(({ simulator }) => simulator !== undefined)
      .map(({ name }) => ({ key: `network-${name}`, text: readText(view.language, view.readers.get(name)) }));
    response.json({ sales: renderSales(view), networks });
  });
  app.post("/buy", (request, response) => buy(request, response, options));
  app.post("/sales/:network/:id/:verb", (request, response) => decide(request, response, options));
  app.post("/programmes/:network/:id/:turn", async (request, response) => {
    const network = options.networks.find(request.params.network);
    const turn = PROGRAMME_TURNS.find((one) => one === request.params.turn);
    if (network && turn) {
      options.networks.turn(network, request.params.id, turn);
      // Read now, as by the panel's button.
      const key = { network: network.name, account: ACCOUNT_OF[network.name] };
      await expediteRound(options.database.kysely, key, 0);
      await expediteStores(options.database.kysely, key, 0);
    }
    response.redirect(303, `/?lang=${languageOf(request)}#programmes-title`);
  });
  app.post("/networks/:network", (request, response) => {
    const network = options.networks.find(request.params.network);
    const calls = CALL_FAULTS.find((one) => one === request.body.calls) ?? "none";
    const pushes = PUSH_FAULTS.find((one) => one === request.body.pushes) ?? "none";
    if (network) options.networks.trouble(network, { calls, pushes });
    response.redirect(303, `/?lang=${languageOf(request)}#networks-title`);
  });
  return listenOn(app, port);
}

function listenOn(app: express.Express, port: number): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const server = app.listen(port, "127.0.0.1", (error?: Error) => {
      if (error) return reject(new Error(`The shop cannot listen on port ${port} (${error.message}); set SHOP_PORT`));
      resolve(
        () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      );
    });
  });
}

async function viewOf(request: Request, { torcidaUrl, networks, database }: ShopOptions): Promise<View> {
  return {
    language: languageOf(request),
    torcidaUrl,
    visit: undefined,
    stores: await listShopStores(database),
    networks: networks.all,
    booked: await listBooked(database),
    readers: await listReaders(database),
    problem: request.query.problem === undefined ? undefined : ("wrongAmount" satisfies TextKey),
  };
}

function languageOf(request: Request): Language {
  if (request.query.lang === "pt" || request.query.lang === "en") return request.query.lang;
  return request.acceptsLanguages("pt", "en") === "en" ? "en" : "pt";
}

async function buy(request: Request, response: Response, { networks, database }: ShopOptions): Promise<void> {
  const language = languageOf(request);
  const store = (await listShopStores(database)).find(({ id }) => String(id) === request.body.store);
  const network = store && networks.find(store.network);
  if (!store || !network) return response.redirect(303, `/?lang=${language}`);
  const click = text(request.body.click);
  const visit = `/shop/${store.id}?lang=${language}&click=${encodeURIComponent(click)}`;
  const share = COMMISSIONS[request.body.commission === "thin" ? "thin" : "usual"];
  const parts: SimulatedSale["parts"] = [];
  for (const number of [1, 2]) {
    const given = text(request.body[`amount${number}`]);
    if (given === "" && number > 1) continue;
    const cents = readCents(given);
    if (cents === undefined) {
      return response.redirect(303, `${visit}&problem=1`);
    }
    parts.push({
      group: text(request.body[`group${number}`]),
      cents,
      commissionCents: Math.round((cents * share) / BPS),
    });
  }
  const currency = ["BRL", "USD", "EUR"].find((one) => one === request.body.currency) ?? "BRL";
  const sale = networks.sell(network, { click, advertiserId: store.advertiserId, parts, currency });
  // Back to the shop: one visit can produce several sales.
  response.redirect(303, `${visit}#${network.name}-${sale.id}`);
}

function decide(request: Request, response: Response, { networks }: ShopOptions): void {
  const verb = String(request.params.verb);
  const id = String(request.params.id);
  const network = networks.find(String(request.params.network));
  const sale = network?.book.sales.get(id);
  const language = languageOf(request);
  const t = TEXTS[language];
  const cents = verb === "correct" ? readCents(text(request.body.amount)) : 0;
  if (network && sale && cents !== undefined) {
    networks.decide(network, id, (book) => {
      if (verb === "approve") book.approve(id);
      if (verb === "decline") book.decline(id, t.orderReturned);
      if (verb === "restore") book.restore(id);
      if (verb === "pay" && sale.status === "approved") book.pay(id);
      if (verb === "correct") book.amend(id, shared(sale.parts, cents), t.orderChanged);
    });
  }
  response.redirect(303, `/?lang=${language}#${network?.name}-${encodeURIComponent(id)}`);
}

/** Splits a new total in the same proportion; the remainder goes to the first part. */
function shared(parts: SimulatedSale["parts"], cents: number): SimulatedSale["parts"] {
  const before = parts.reduce((sum, part) => sum + part.cents, 0);
  const scaled = parts.map((part) => ({
    ...part,
    cents: before === 0 ? 0 : Math.floor((part.cents * cents) / before),
    commissionCents: before === 0 ? 0 : Math.round((part.commissionCents * cents) / before),
  }));
  const rest = cents - scaled.reduce((sum, part) => sum + part.cents, 0);
  return scaled.map((part, index) => (index === 0 ? { ...part, cents: part.cents + rest } : part));
}

function readCents(given: string): number | undefined {
  const match = /^(\d{1,9})(?:[.,](\d{1,2}))?$/.exec(given.trim());
  if (!match) return undefined;
  const cents = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return cents <= HIGHEST_CENTS ? cents : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 200) : "";
}

function sendFile(response: Response, name: string, type: string): void {
  response.type(type).send(readFileSync(join(import.meta.dirname, name), "utf8"));
}

const SALES = 200;

/** By network and the network's id of the sale. */
async function listBooked({ kysely }: Database): Promise<Map<string, Booked>> {
  const sales = await kysely.selectFrom("sales").selectAll().orderBy("id", "desc").limit(SALES).execute();
  if (sales.length === 0) return new Map();
  const paid = await kysely
    .selectFrom("payouts")
    .innerJoin("purchases", "purchases.id", "payouts.token_id")
    .select(({ fn }) => ["purchases.sale_id", fn.sum<bigint>("payouts.amount_gwei").as("gwei")])
    .where("purchases.sale_id", "in", idsOf(sales))
    .groupBy("purchases.sale_id")
    .execute();
  return new Map(
    sales.map((sale) => [
      `${sale.network}-${sale.sale_key}`,
      {
        state: sale.state,
        holds: sale.state === "held" ? readHolds(sale.hold_reasons, sale.hold_figures) : [],
        reason: sale.reason,
        cashbackCentBps: sale.cashback_cent_bps,
        paidGwei: BigInt(paid.find((one) => one.sale_id === sale.id)?.gwei ?? 0n),
      },
    ]),
  );
}

/** When each network was last read, and its last error. */
async function listReaders({ kysely }: Database): Promise<Map<string, { readAt: number; error: string | null }>> {
  const rows = await kysely.selectFrom("affiliate_status").selectAll().execute();
  return new Map(rows.map((row) => [row.network, { readAt: Number(row.read_at ?? 0n), error: row.error }]));
}
