import { expect } from "chai";
import { directAccountsFile } from "../testing/direct-accounts.ts";
import { until } from "../testing/until.ts";
import { approvedSale, tell } from "./support/affiliate-network.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { AFFILIATE_SECRET, onBothSystems } from "./support/system.ts";

const STORE = 1;
const environment = {
  SIMULATED_PURCHASES: "false",
  AFFILIATE_ACCOUNTS: directAccountsFile(`awin:${AFFILIATE_SECRET}`, 20),
  SALE_MIN_SECONDS: "0",
  SALES_PER_DAY_MAX: "100",
};

onBothSystems("A direct shop that says its sales are payable", environment, (system) => {
  before(async () => {
    const { kysely } = await system().database();
    const ofAccount = { network: "direct", account: "awin" };
    await kysely.updateTable("stores").set(ofAccount).where("id", "=", BigInt(STORE)).execute();
  });

  const visit = async (buyer: Caller): Promise<string> => {
    const { body } = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: STORE, amount: 1 });
    return body.click.id;
  };
  const paidGwei = async (): Promise<bigint> => {
    const { kysely } = await system().database();
    const rows = await kysely.selectFrom("payouts").select("amount_gwei").execute();
    return rows.reduce((sum, row) => sum + row.amount_gwei, 0n);
  };

  it("is paid for no more than its credit, whatever it says and however many wallets it has", async () => {
    const buyers = await Promise.all(Array.from({ length: 5 }, () => system().user()));
    for (const buyer of buyers) {
      for (let sale = 0; sale < 10; sale++) {
        const { status, text } = await tell(
          system(),
          approvedSale(await visit(buyer), { amount: "9999.00", commission: undefined }),
        );
        expect(status, text).to.equal(200);
      }
    }
    await until("all of them are confirmed and looked at", async () => {
      const all = (await Promise.all(buyers.map((buyer) => buyer.me()))).flatMap(({ purchases }) => purchases);
      const situations = [...new Set(all.map(({ situation }) => situation))];
      return all.length === 50 && situations.join() === "awaiting_network"
        ? true
        : Promise.reject(new Error(`${all.length} are ${situations}`));
    });
    expect(await paidGwei()).to.equal(0n);
  });

  it("is paid the rest as its money is booked, is told to staff, and a booking is reversed, never changed", async () => {
    const admin = await system().adminCaller("operator");
    const path = "/api/admin/accounts/direct/awin";
    const account = async () => {
      const { body } = await admin.get("/api/admin/accounts");
      return body.rows.find((one: { account: string }) => one.account === "awin");
    };
    const buyer = await system().user();
    const { kysely } = await system().database();
    const stuck = kysely.selectFrom("account_waits").selectAll();
    const waiting = (await stuck.execute()).length;
    expect(waiting).to.be.greaterThan(0);
    expect(await account()).to.deep.include({
      ...{ promised: "17498.25", booked: "0.00", paid: "0.00", waiting: "17498.25", credit_reais: "20.00" },
      ...{ day_share_percent: 25, usual_days: null, stopped_on: null, is_credit_set: true },
    });
    const [sale] = (await admin.get("/api/admin/purchases?state=confirmed")).body.rows;
    expect(sale).to.deep.include({ waits_for: "network_payment", waits_detail: "credit_used" });
    expect(sale).to.deep.include({ situation: "awaiting_network", situation_detail: "credit_used" });
    const { attention } = (await admin.get("/api/admin/attention")).body;
    expect(attention.waiting_accounts).to.equal(1);
    expect((await system().anonymous().get("/readyz")).body.faults).to.deep.include({
      name: "account_credit",
      text: "direct/awin has used what has arrived and its credit: payouts of R$ 17498.25 wait",
    });

    for (const role of ["auditor", "catalogue", "support"] as const) {
      const other = await system().adminCaller(role);
      const booking = { amount: "1.00", arrived_on: "2026-11-28", reference: "Pix" };
      expectRefusal(await other.post(`${path}/bookings`, booking), 403, "ROLE_NOT_ALLOWED");
    }
    expectRefusal(await buyer.get("/api/admin/accounts"), 403, "FORBIDDEN");
    const content =
      "Banco X;;\nData;Histórico;Valor (R$)\n27/11/2026;PIX ACME;1.000,00\n27/11/2026;PIX ACME;1.000,00\n28/11/2026;Tarifa;-9,90\n";
    const file = { format: "csv", content };
    const preview = await admin.post(`${path}/bookings/file`, file);
    expect(preview.body, preview.text).to.deep.include({ total: "2000.00", left_out: 1, applied: false });
    expect((await account()).booked).to.equal("0.00");
    expect((await admin.post(`${path}/bookings/file`, { ...file, apply: true })).body.applied).to.equal(true);
    const again = await admin.post(`${path}/bookings/file`, { ...file, apply: true });
    expect(again.body, "the same file again").to.deep.include({ total: "0.00", applied: true });
    // Each of these sales pays R$ 349.965: five of them fit 2,020.
    await until(
      "what has arrived is paid",
      async () => (await paidGwei()) > 0n && (await stuck.execute()).length < waiting,
    );
    const { paid, booked } = await account();
    expect([Number(paid) <= 2_020, booked]).to.deep.equal([true, "2000.00"]);
    const rows = (await admin.get(`${path}/bookings`)).body.rows;
    const reversed = await admin.post(`${path}/bookings/${rows[0].id}/reverse`, { reason: "Of another shop" });
    expect(reversed.status, reversed.text).to.equal(200);
    expectRefusal(await admin.post(`${path}/bookings/${rows[0].id}/reverse`, { reason: "twice" }), 409, "DECIDED");
    expect((await account()).booked).to.equal("1000.00");
    expectRefusal(
      await admin.post("/api/admin/accounts/direct/none/bookings", {
        amount: "1",
        arrived_on: "2026-11-28",
        reference: "Pix",
      }),
      404,
      "NOT_FOUND",
    );
    expectInvalid(await admin.post(`${path}/bookings/file`, { ...file, content: "a,b" }), "content");
    const announced = await admin.post(`${path}/sales-days`, { day: "2026-11-28" });
    expect(announced.status, announced.text).to.equal(200);
  });

  it("takes a second person for what takes a day's bookings of one above R$ 5,000", async () => {
    const [admin, other] = [await system().adminCaller("owner"), await system().adminCaller("operator")];
    const path = "/api/admin/accounts/direct/awin/bookings";
    const booked = async () => {
      const { body } = await admin.get("/api/admin/accounts");
      return Number(body.rows.find((one: { account: string }) => one.account === "awin").booked);
    };
    const before = await booked();
    const booking = (amount: string) => ({ amount, arrived_on: "2026-11-28", reference: "TED" });
    expect((await admin.post(path, booking("5000.00"))).status).to.equal(200);
    const asked = await admin.post(path, booking("0.01"));
    expect(asked.status, asked.text).to.equal(202);
    const content = "Data;Descrição;Valor\n26/11/2026;TED;7,00\n26/11/2026;TED;8,00\n";
    const file = await admin.post(`${path}/file`, { format: "csv", content, apply: true });
    expect(file.status, file.text).to.equal(202);
    expect(await booked(), "nothing of it is booked").to.equal(before + 5_000);
    expectRefusal(await admin.post(`/api/admin/proposals/${asked.body.proposal_id}/agree`, {}), 403, "OWN_REQUEST");
    for (const { body } of [asked, file]) {
      const agreed = await other.post(`/api/admin/proposals/${body.proposal_id}/agree`, {});
      expect(agreed.status, agreed.text).to.equal(200);
    }
    expect(await booked()).to.equal(before + 5_015.01);
    const [row] = (await admin.get(path)).body.rows;
    expect(row).to.deep.include({ booked_by: admin.address, agreed_by: other.address });
  });
});
