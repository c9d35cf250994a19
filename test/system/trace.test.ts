import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { Caller } from "../api/support/caller.ts";
import { ADMIN_KEY, type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import { logLinesOf } from "../testing/log-lines.ts";
import { until } from "../testing/until.ts";

describe("npm run trace", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem();
  });
  after(() => system?.stop());

  it("lists the life of a purchase in order, from registration to payout, without personal data", async () => {
    const shopper = await system.shopper();
    const id = await shopper.buy(1, "123.45");
    await system.settled();
    const { code, output } = await system.run("scripts/trace.ts", [String(id)]);
    expect(code, output).to.equal(0);
    const life = [
      "registered at store 1",
      "mint signed: nonce",
      "PurchaseMinted",
      "confirm signed: nonce",
      "StatusUpdated",
      "pay of",
      "CashbackPaid",
      `the token is confirmed and belongs to`,
    ];
    const places = life.map((text) => output.indexOf(text));
    expect(places, output).to.not.include(-1);
    expect(places, output).to.deep.equal(places.toSorted((one, other) => one - other));
    expect(output).to.include(", paid");
    expect(output).to.not.include("@");
    const json = JSON.parse((await system.run("scripts/trace.ts", [String(id), "--json"])).output);
    expect(json).to.include({ purchase: id, wallet: shopper.address });
  });

  it("leaves a line in the log for each step, with purchase, hash and amount, and no personal data", async () => {
    const shopper = await system.shopper();
    const id = await shopper.buy(1, "54.32");
    await system.settled();
    const lines = await until("the payout is logged", () => {
      const ofPurchase = logLinesOf(system.api.output()).filter((line) => line.purchase === id);
      return ofPurchase.some((line) => line.kind === "pay" && line.msg === "Done on chain") && ofPurchase;
    });
    expect(lines.map((line) => (line.kind ? `${line.kind}: ${line.msg}` : line.msg))).to.deep.equal([
      "Purchase registered",
      ...["mint", "confirm", "pay"].flatMap((kind) => [`${kind}: Sent`, `${kind}: Done on chain`]),
    ]);
    expect(lines[0]).to.include({ reais: "54.32", store: 1 });
    for (const line of lines.slice(1)) expect(line.hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(lines.at(-1)?.chz).to.be.a("string");
    expect(lines.at(-1)?.hash).to.equal((await system.ledger()).paymentsOf(id)[0]?.transactionHash);
    expect(logLinesOf(system.indexer.output())).to.not.be.empty;
    for (const output of [system.api.output(), system.indexer.output()]) {
      for (const personal of [shopper.address, "ana@example.com", "Maria"]) {
        expect(output.toLowerCase()).to.not.include(personal.toLowerCase());
      }
    }
  });

  it("leaves a line in the log for each decision on it, and not who decided", async () => {
    const shopper = await system.shopper();
    const admin = new Caller(system.url, privateKeyToAccount(ADMIN_KEY));
    await admin.enter();
    // Before it can be paid.
    await system.run("scripts/payouts.ts", ["--pause", "a test"]);
    const id = await shopper.buy(1, "12.34");
    for (const action of ["hold", "release"]) {
      const { status, text } = await admin.post(`/api/admin/purchases/${id}/${action}`, { reason: "Ana asked" });
      expect(status, text).to.equal(200);
    }
    await system.run("scripts/payouts.ts", ["--resume"]);
    const decided = logLinesOf(system.api.output()).filter(({ msg }) => msg === "Decided by an admin");
    expect(decided.map(({ action, purchase, reais }) => ({ action, purchase, reais }))).to.deep.equal([
      { action: "purchase.hold", purchase: id, reais: "12.34" },
      { action: "purchase.release", purchase: id, reais: "12.34" },
    ]);
    for (const personal of [shopper.address, admin.address, "Ana asked"])
      expect(system.api.output().toLowerCase()).to.not.include(personal.toLowerCase());
    await system.settled();
  });

  it("says what is still in progress, and that a node is away", async () => {
    const shopper = await system.shopper();
    await system.anvil.stop("SIGINT");
    const id = await shopper.buy(2, "10");
    const { code, output } = await system.run("scripts/trace.ts", [String(id)]);
    expect(code, output).to.equal(0);
    expect(output).to.include("Open: mint is queued").and.to.include("Chain: not to be read now");
  });

  it("rejects an unknown purchase and wrong usage", async () => {
    const none = await system.run("scripts/trace.ts", ["999999"]);
    expect(none.code).to.equal(1);
    expect(none.output).to.include("Purchase 999999 is not in this database");
    for (const wrong of [[], ["x"], ["0"], ["1", "2"]]) {
      const { code, output } = await system.run("scripts/trace.ts", wrong);
      expect(code).to.equal(1);
      expect(output).to.include("npm run trace -- PURCHASE");
    }
  });
});
