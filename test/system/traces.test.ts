import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { listShopStores } from "../../scripts/rehearse/catalogue.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import { type LiveSystem, startLiveSystem } from "../faults/support/live-system.ts";
import { until } from "../testing/until.ts";

type Span = { traceId: string; name: string; parentSpanId?: string; attributes: { key: string; value: object }[] };
type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };

/** OpenTelemetry's collector, as far as our processes see one. */
class Collector {
  readonly spans: Span[] = [];
  readonly #server: Server;
  texts = "";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Collector> {
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const { resourceSpans }: Export = JSON.parse(body);
        collector.texts += body;
        collector.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
        response.setHeader("content-type", "application/json").end("{}");
      });
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get variables(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  }

  ofTrace(traceId: string): string[] {
    return this.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const PUSH = "GET /api/hooks/:network/:account/:secret";
const SALES_MOST = 5;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("Traces, where OpenTelemetry is configured @deep", function () {
  this.timeout(300_000);
  let collector: Collector;
  let system: FaultSystem | undefined;
  let live: LiveSystem | undefined;
  beforeEach(async () => {
    collector = await Collector.open();
  });
  afterEach(async () => {
    await live?.stop();
    if (live === undefined) await system?.stop();
    [system, live] = [undefined, undefined];
    collector.close();
  });

  it("follow a purchase from its request to its payout, each of those that are written together", async () => {
    system = await startFaultSystem({ environment: collector.variables });
    const buyer = await system.shopper();
    const traces = [TRACE, TRACE.replace("4b", "5c"), TRACE.replace("4b", "6d")];
    const answers = await Promise.all(
      traces.map((trace) =>
        buyer.send(
          "POST",
          "/api/register-purchase",
          JSON.stringify({ user: buyer.address, store_id: 1, amount: 100 }),
          { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    await system.settled();
    const { spans } = collector;
    for (const trace of traces) {
      await until("its payout was told", () => collector.ofTrace(trace).includes("pay: sent to done"));
      expect(collector.ofTrace(trace)).to.have.members([
        "POST /api/register-purchase",
        ...["mint", "confirm", "pay"].flatMap((kind) => [`${kind}: queued to sent`, `${kind}: sent to done`]),
      ]);
    }
    expect(spans.filter(({ name }) => name === "POST /api/register-purchase")).to.have.length(3);
    expect(collector.texts.toLowerCase(), "a buyer").not.to.include(buyer.address);
  });

  it("follow a sale from the push that named it through the network reader @deep", async () => {
    live = await startLiveSystem({ environment: collector.variables });
    system = live.system;
    const database = await connect(system.databaseUrl);
    const stores = await listShopStores(database).finally(() => database.close());
    const store = stores.find(({ network }) => network === "admitad");
    const network = live.networks.find("admitad");
    if (!store || !network) throw new Error("No store sells through Admitad");
    const click = await (await system.shopper()).visit(store.id);
    const parts = [{ group: store.categories[0]?.group ?? "", cents: 10_000, commissionCents: 2_000 }];
    const named = (name: string) => collector.spans.filter((span) => span.name === name);
    await until("the network was polled", () => named("poll").length > 0, 60_000);
    // A poll may find a sale before its push is read: then the trace begins there.
    const follows = () =>
      named("pay: sent to done").some(({ traceId }) => collector.ofTrace(traceId).includes(PUSH) && isWhole(traceId));
    const isWhole = (traceId: string) =>
      ["store a sale", "mint: queued to sent", "mint: sent to done"].every((name) =>
        collector.ofTrace(traceId).includes(name),
      );
    for (let sales = 1; sales <= SALES_MOST && !follows(); sales++) {
      const { id } = live.networks.sell(network, { click, advertiserId: store.advertiserId, currency: "BRL", parts });
      live.networks.decide(network, id, (book) => {
        book.approve(id);
        book.pay(id);
      });
      await until("its payout was told", () => named("pay: sent to done").length >= sales, 120_000);
    }
    // Each process tells its own part, seconds later.
    await until("each trace is whole", () => named("pay: sent to done").every(({ traceId }) => isWhole(traceId)));
    expect(follows(), "a trace from push to payout").to.equal(true);
    expect(named("ask a network"), "calls of networks").not.to.be.empty;
  });

  it("hold nobody up while the collector is away @deep", async () => {
    system = await startFaultSystem({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
    const buyer = await system.shopper();
    await buyer.paid([await buyer.buy(1, "100.00")]);
    expect(await system.api.stop("SIGTERM")).to.equal(0);
  });

  it("are of no call where the kept share is none @deep", async () => {
    system = await startFaultSystem({ environment: { ...collector.variables, OTEL_TRACES_SAMPLER_ARG: "0" } });
    const buyer = await system.shopper();
    await buyer.paid([await buyer.buy(1, "100.00")]);
    await system.api.stop("SIGTERM");
    expect(collector.spans).to.deep.equal([]);
  });
});
