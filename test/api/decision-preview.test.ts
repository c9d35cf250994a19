import { expect } from "chai";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { OwnMoney, type Who } from "./support/own-money.ts";

const NOTHING = { is_sooner: false, debt_lifted: "0", debt_added: "0" };
const FIVE = { ...NOTHING, adds: "5.00", adds_chz: "5" };
const NONE = { ...NOTHING, adds: "0.00", adds_chz: "0" };

/** docs/product.md#decision-preview */
describe("What a decision will also change", function () {
  this.timeout(300_000);
  onEitherEngine(({ open }) => {
    let shop: OwnMoney;
    const openShop = async (...waits: Who[]) => {
      shop = await OwnMoney.open((await open()).database, "owner", waits);
    };
    afterEach(() => shop.stop());

    const ask = async (name: string, decision: string, more = "") => {
      const id = await shop.saleId(name);
      const { body, status, text } = await shop.caller.get(`/api/admin/sales/${id}?decision=${decision}${more}`);
      expect(status, text).to.equal(200);
      return body.preview;
    };
    const would = (changes: object[]) => ({ refused: null, why: null, second_person: true, changes });
    const rows = async (table: "sales" | "purchases" | "fact_authors" | "decided_days" | "audit_log" | "adjustments") =>
      JSON.stringify(await shop.shop.database.kysely.selectFrom(table).selectAll().execute(), (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );

    it("is told before it is made: the order's other half, to whom how much, and who must agree", async () => {
      await openShop("caller", "buyer");
      const wallet = shop.walletOf("buyer");
      const tables = ["sales", "purchases", "fact_authors", "decided_days", "audit_log", "adjustments"] as const;
      const before = await Promise.all(tables.map(rows));
      const first = { sale_id: await shop.saleId("first of buyer"), wallet: shop.walletOf("third") };
      const twin = { sale_id: await shop.saleId("twin of buyer"), wallet };
      expect(await ask("first of buyer", "decline")).to.deep.equal(
        would([
          { ...first, was: "held", state: "declined", ...NONE },
          { ...twin, was: "held", state: "payable", ...FIVE },
        ]),
      );
      const low = { sale_id: await shop.saleId("low of buyer"), wallet, was: "held", state: "payable", ...FIVE };
      expect(await ask("low of buyer", "release")).to.deep.equal(would([low]));
      const unmatched = {
        sale_id: await shop.saleId("unmatched of buyer"),
        wallet,
        was: "unmatched",
        state: "payable",
      };
      const visit = await shop.visit("buyer");
      expect(await ask("unmatched of buyer", "assign", `&click_id=${visit}`)).to.deep.equal(
        would([{ ...unmatched, ...FIVE }]),
      );
      expect(await Promise.all(tables.map(rows)), "nothing of it is left").to.deep.equal(before);
    });

    it("is refused where it would be, with the reason", async () => {
      await openShop("caller", "buyer");
      const refused = (code: string, why: string | null = null) => ({
        ...{ refused: code, why, second_person: false, changes: [] },
      });
      expect(await ask("first of caller", "decline")).to.deep.equal(refused("OWN_SALE"));
      expect(await ask("approved of buyer", "release")).to.deep.equal(refused("DECISION_REFUSED", "not_held"));
      const { body } = await shop.caller.get(`/api/admin/networks?currency=EUR&day=${shop.day}`);
      expect(body.preview).to.deep.equal(refused("OWN_SALE"));
    });

    it("is what accepting a doubtful rate pays", async () => {
      await openShop("buyer");
      const { body } = await shop.caller.get(`/api/admin/networks?currency=EUR&day=${shop.day}`);
      const euros = { sale_id: await shop.saleId("euros of buyer"), wallet: shop.walletOf("buyer"), was: "held" };
      expect(body.preview).to.deep.equal(
        would([{ ...euros, state: "payable", ...FIVE, adds: "2500.00", adds_chz: "2500" }]),
      );
      expect(body.doubtful_rates).to.have.length(1);
      expect((await shop.caller.get("/api/admin/networks")).body).not.to.have.property("preview");
    });

    it("is a debt that arises", async () => {
      await openShop("buyer");
      await shop.settleLater();
      const preview = await ask("later of buyer", "decline");
      expect(preview.changes).to.deep.equal([
        {
          ...{ sale_id: await shop.saleId("later of buyer"), wallet: shop.walletOf("buyer") },
          ...{ was: "settled", state: "declined", ...NONE, debt_added: "5" },
        },
      ]);
      expect(preview.second_person).to.equal(false);
    });

    it("is what the match of a claim pays, and why it would be refused", async () => {
      await openShop("buyer");
      const claim = await shop.rowId("claims", "buyer");
      const unmatched = { sale_id: await shop.saleId("unmatched of buyer"), wallet: shop.walletOf("buyer") };
      expect(await ask("unmatched of buyer", "match", `&claim_id=${claim}`)).to.deep.equal(
        would([{ ...unmatched, was: "unmatched", state: "payable", ...FIVE }]),
      );
      expect(await ask("first of buyer", "match", `&claim_id=${claim}`)).to.deep.include({
        ...{ refused: "DECISION_REFUSED", why: "of_another_buyer" },
      });
      const none = await shop.caller.get(`/api/admin/sales/${unmatched.sale_id}?decision=match&claim_id=999`);
      expect(none.status).to.equal(404);
    });

    it("is what the release of a purchase lets go on, and who must agree", async () => {
      await openShop("caller", "buyer");
      const held = await shop.purchaseId("approved of buyer");
      // Confirmed for less: the rest is a purchase of its own.
      const report = shop.sales.get("approved of buyer") as SaleReport;
      await shop.shop.read({ ...report, amountMicros: report.amountMicros * 2n });
      const other = await shop.purchaseId("approved of buyer");
      expect((await shop.other.send("POST", `/api/admin/purchases/${held}/hold`, "{}")).status).to.equal(200);
      const tables = ["sales", "purchases", "fact_authors", "decided_days", "audit_log", "adjustments"] as const;
      const before = await Promise.all(tables.map(rows));
      const of = async (id: number, caller = shop.caller) => {
        const { body } = await caller.get(`/api/admin/purchases/${id}?decision=release`);
        return body.preview;
      };
      expect(await of(held)).to.deep.include({ refused: null, second_person: true, purchases: [other] });
      expect(await Promise.all(tables.map(rows)), "nothing of it is left").to.deep.equal(before);
      expect(await of(await shop.purchaseId("held of caller"))).to.deep.include({ refused: "OWN_SALE", purchases: [] });
      expect(await of(await shop.purchaseId("failed of buyer"))).to.deep.include({ refused: "NOT_HELD" });
      expect(await of(held, await shop.api.admin("auditor"))).to.equal(undefined);
    });

    it("is told to those who may make it", async () => {
      await openShop("buyer");
      const auditor = await shop.api.admin("auditor");
      const id = await shop.saleId("low of buyer");
      const { body } = await auditor.get(`/api/admin/sales/${id}?decision=release`);
      expect(body.sale.id).to.equal(id);
      expect(body).not.to.have.property("preview");
    });
  });
});
