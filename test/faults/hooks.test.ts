import { createHmac } from "node:crypto";
import { expect } from "chai";
import { connect, type Database } from "../../core/database/connect.ts";
import { directAccountsFile } from "../testing/direct-accounts.ts";
import { logLinesOf } from "../testing/log-lines.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const SECRET = "a-secret-of-the-network-that-is-long-enough";

describe("Affiliate hooks that arrive twice, late, out of order or forged (F14) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let database: Database;
  before(async () => {
    const environment = {
      SIMULATED_PURCHASES: "false",
      SALE_MIN_SECONDS: "0",
      AFFILIATE_ACCOUNTS: directAccountsFile(`awin:${SECRET}`),
    };
    system = await startFaultSystem({ environment });
    database = await connect(system.databaseUrl);
  });
  after(async () => {
    await database?.close();
    await system?.stop();
  });

  const tell = async (
    event: Record<string, unknown>,
    options: { atS?: number; secret?: string; signedBody?: string } = {},
  ) => {
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(options.atS ?? Date.now() / 1_000));
    const signature = createHmac("sha256", options.secret ?? SECRET)
      .update(`${timestamp}.${options.signedBody ?? body}`)
      .digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-torcida-timestamp": timestamp,
      "x-torcida-signature": signature,
    };
    const response = await fetch(`${system.url}/api/hooks/affiliate/awin`, { method: "POST", headers, body });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** Visits a store, in live mode. */
  const visit = async () => (await system.shopper()).visit(1);
  const purchasesOf = async (click_id: string) => {
    const rows = await database.kysely
      .selectFrom("purchases")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select("purchases.id")
      .where("sales.sale_key", "=", click_id)
      .execute();
    return rows.map((row) => Number(row.id));
  };
  const paymentsOf = async (click_id: string) => {
    const ledger = await system.ledger();
    return (await purchasesOf(click_id)).flatMap((id) => ledger.paymentsOf(id));
  };

  it("confirms and pays once for a confirmation that arrives ten times at once (F14)", async () => {
    const click_id = await visit();
    const event = { event_id: "sale-1", type: "confirm", click_id, amount: 100 };
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(event)));
    expect(new Set(answers.map((one) => one.status))).to.deep.equal(new Set([200]));
    expect(answers.filter((one) => one.body.duplicate === false)).to.have.length(1);
    await until("it is paid", async () => (await paymentsOf(click_id)).length > 0);
    expect((await tell(event)).body.duplicate).to.equal(true);
    await system.settled();
    expect(await paymentsOf(click_id)).to.have.length(1);
  });

  it("logs the click, the sale and each step of its purchase", async () => {
    const click_id = await visit();
    await tell({ event_id: "logged", type: "confirm", click_id, amount: 70 });
    await until("it is paid", async () => (await paymentsOf(click_id)).length > 0);
    await system.settled();
    const [purchase] = await purchasesOf(click_id);
    const lines = logLinesOf(system.api.output());
    const sale = lines.find((line) => line.msg === "Sale read" && line.key === click_id);
    expect(sale).to.deep.include({ network: "direct", status: "approved", reais: "70.00", purchases: [purchase] });
    expect(lines.some((line) => line.msg === "Click registered")).to.equal(true);
    const steps = lines.filter((line) => line.purchase === purchase).map((line) => `${line.kind} ${line.msg}`);
    for (const kind of ["mint", "confirm", "pay"]) expect(steps).to.include(`${kind} Sent`);
  });

  it("lets a return win that arrives before its approval (F14)", async () => {
    const click_id = await visit();
    expect((await tell({ event_id: "back-2", type: "reverse", click_id })).status).to.equal(200);
    expect((await tell({ event_id: "sale-2", type: "confirm", click_id, amount: 100 })).status).to.equal(200);
    const other = await visit();
    await tell({ event_id: "sale-3", type: "confirm", click_id: other, amount: 100 });
    await until("a later sale is paid", async () => (await paymentsOf(other)).length === 1);
    expect(await purchasesOf(click_id)).to.deep.equal([]);
  });

  it("refuses an old or future time with 400, and a forged signature with 403 (F14)", async () => {
    const click_id = await visit();
    const event = { event_id: "forged", type: "confirm", click_id, amount: 100 };
    const nowS = Date.now() / 1_000;
    expect((await tell(event, { atS: nowS - 301 })).status).to.equal(400);
    expect((await tell(event, { atS: nowS + 400 })).status).to.equal(400);
    expect((await tell(event, { secret: "x".repeat(40) })).status).to.equal(403);
    expect((await tell(event, { signedBody: "{}" })).status).to.equal(403);
    const events = await database.kysely
      .selectFrom("affiliate_events")
      .selectAll()
      .where("event_id", "=", "forged")
      .execute();
    expect(events).to.deep.equal([]);
    expect(await purchasesOf(click_id)).to.deep.equal([]);
  });
});
