import { expect } from "chai";
import { until } from "../testing/until.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { onBothSystems } from "./support/system.ts";

onBothSystems("A purchase that an administrator holds", {}, (system) => {
  it("is not paid until it is released, and the log says so", async () => {
    const operator = await system().adminCaller("operator");
    const buyer = await system().user();
    const id = await buyer.buy(1, 123);
    const path = `/api/admin/purchases/${id}`;
    expect((await operator.post(`${path}/hold`, { reason: "looks odd" })).status).to.equal(200);
    expectRefusal(await operator.post(`${path}/hold`), 409, "HELD");
    const read = async () => (await operator.get(path)).body.purchase;
    const held = await until("it is minted and waits", async () => {
      const purchase = await read();
      return purchase.mint_tx !== null && purchase;
    });
    expect(held).to.include({
      state: "held",
      situation: "in_review",
      waits_for: "release",
      wait_reason: "looks odd",
      held_reason: "looks odd",
    });
    expect((await operator.get(`/api/admin/purchases?state=held&query=${id}`)).body.rows).to.have.lengthOf(1);
    const wish = { user: buyer.address, amount: held.cashback };
    expectRefusal(await operator.post("/api/distribute-cashback", wish), 409, "NOTHING_PAYABLE");
    expectRefusal(await operator.post("/api/confirm-purchase", { purchase_id: id }), 409, "HELD");

    await system().age(operator.token, 20 * 60_000);
    expectRefusal(await operator.post(`${path}/release`), 403, "SIGN_IN_AGAIN");
    expectRefusal(await operator.post("/api/admin/payouts", { paused: false }), 403, "SIGN_IN_AGAIN");
    expect((await operator.post("/api/admin/payouts", { paused: true, reason: "a drill" })).status).to.equal(200);
    await operator.enter();
    expect((await operator.post("/api/admin/payouts", { paused: false, reason: "over" })).status).to.equal(200);
    expect((await operator.post(`${path}/release`, { reason: "it was fine" })).status).to.equal(200);
    expectRefusal(await operator.post(`${path}/release`), 409, "NOT_HELD");
    const paid = await until("it is paid", async () => {
      const purchase = await read();
      return purchase.state === "paid" && purchase;
    });
    expect(paid).to.include({ waits_for: null, held_by: null, cashback_state: "paid", situation: "paid" });
    expect(
      paid.steps.map((step: { kind: string; subject: string | null }) => `${step.kind} ${step.subject ?? ""}`),
    ).to.include.members(["registered ", "queued mint", "signed pay", "chain_event CashbackPaid"]);
    for (const hash of [paid.mint_tx, paid.payment_tx])
      expect((await operator.get(`/api/admin/purchases?query=${hash}`)).body.rows.map(idOf)).to.include(id);
    expectRefusal(await operator.post(`${path}/hold`), 409, "PAID");

    const entries = (await operator.get("/api/admin/audit-log?state=payments&limit=4")).body.rows;
    expect(entries.map((entry: { action: string }) => entry.action)).to.deep.equal([
      "purchase.release",
      "payouts.resume",
      "payouts.pause",
      "purchase.hold",
    ]);
    expect(entries[0]).to.deep.include({ subject: `purchase:${id}`, actor: operator.address });
    expect(entries[0].params).to.include({ reason: "it was fine", wallet: buyer.address, amount: "123.00" });
    expect(entries[1].params).to.deep.equal({ reason: "over", was_paused_for: "a drill" });
  });
});

function idOf(row: { id: number }): number {
  return row.id;
}
