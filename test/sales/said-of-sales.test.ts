import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { decideApproval, holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import { assignSale, releaseSale } from "../../core/sales/decisions.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const reais = (amount: number) => ({ amountMicros: BigInt(amount * 1_000_000), commissionMicros: null });
const chz = (amount: bigint) => ({ aboveGwei: amount * 10n ** 9n, roleOf: () => "operator" as const });

/** docs/product.md#panel-hold docs/product.md#panel-approvals */
describe("What a person said of a sale", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const { kysely } = shop.database;
      const hold = async (id: bigint) =>
        inTransaction(kysely, (queries) => holdPurchase(queries, id, { actor: "ana", reason: "fraud?" }));
      const release = async (id: bigint) => inTransaction(kysely, (queries) => releasePurchase(queries, id, "ana"));
      const open = async () => {
        const rows = await kysely
          .selectFrom("purchases")
          .select(["id", "held_by", "held_reason"])
          .where("settled_at", "is", null)
          .where("reversed_at", "is", null)
          .orderBy("id")
          .execute();
        return rows.map(({ held_by, held_reason }) => (held_by === null ? "open" : `${held_by}: ${held_reason}`));
      };
      const answer = async (isApproved: boolean) => {
        const asked = await kysely.selectFrom("approvals").select("id").where("state", "=", "open").execute();
        for (const { id } of asked)
          await inTransaction(kysely, (queries) =>
            decideApproval(queries, id, { isApproved, actor: "bia", reason: null }),
          );
        return asked.length;
      };
      const again = async () => inTransaction(kysely, (queries) => decideSales(queries, [1n], RULES));
      return { shop, wallet, click, hold, release, open, answer, again };
    }

    describe("to hold it", () => {
      it("stays when the network changes it by a centavo before the mint is final", async () => {
        const { shop, wallet, click, hold, open: held } = await open();
        const report = reportOf(click, { ...payable, ...reais(100) });
        await shop.read(report);
        await shop.runUntil("mint");
        await shop.mine();
        expect(await hold(1n)).to.equal("held");
        await shop.read({ ...report, ...reais(100.01) });
        await shop.run();
        expect(await held()).to.deep.equal(["ana: fraud?"]);
        expect(await shop.received(wallet)).to.equal(0);
      });

      it("stays for what it grows by, whichever purchase that becomes", async () => {
        const { shop, wallet, click, hold, release, open: held } = await open();
        const report = reportOf(click, { ...payable, payable: false, ...reais(1) });
        await shop.read(report);
        await shop.run();
        await hold(1n);
        await shop.read({ ...report, ...payable, ...reais(9_000) });
        await shop.run();
        expect(await held()).to.deep.equal(["ana: fraud?", "ana: fraud?"]);
        expect(await shop.received(wallet)).to.equal(0);
        // Whichever of them a person releases.
        await release(2n);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(450);
      });

      it("stays when it moves to another buyer", async () => {
        const { shop, click, hold, open: held } = await open();
        const other = await shop.buyer("b");
        const report = reportOf(click, { ...payable, payable: false });
        await shop.read(report);
        await shop.run(2);
        await hold(1n);
        await shop.read({ ...report, clickRef: (await shop.click(other)).token, payable: true });
        await shop.run();
        expect((await held()).at(-1)).to.equal("ana: fraud?");
        expect(await shop.received(other)).to.equal(0);
      });

      it("is over for what they saw alone: what is more is held again, and counts for who released it", async () => {
        const { shop, wallet, click, hold, release, open: held, answer, again } = await open();
        shop.approvals = chz(6n);
        const report = reportOf(click, { ...payable, ...reais(100) });
        await shop.read(report);
        await shop.runUntil("pay");
        await hold(1n);
        await release(1n);
        await again();
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        await shop.read({ ...report, ...reais(9_000) });
        await shop.run();
        expect(await held()).to.deep.equal(["ana: fraud?"]);
        expect(await answer(true)).to.equal(0);
        await release(2n);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(5);
        expect(await answer(true), "above the limit").to.equal(1);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(450);
      });
    });

    it("pays nothing once they left the team, however little it is, until another one agrees", async () => {
      const { shop, wallet, click, answer } = await open();
      const report = reportOf(click, { ...payable, ...reais(100), drift: [{ code: "missing", field: "x" }] });
      const team = (...some: string[]) => ({
        aboveGwei: 9n * 10n ** 9n,
        roleOf: (one: string) => (some.includes(one) ? ("operator" as const) : undefined),
      });
      shop.approvals = team("admin", "bia");
      await shop.read({ ...report, payable: false });
      await shop.release(report.saleKey);
      await shop.run();
      shop.approvals = team("bia");
      await shop.read({ ...report, payable: true });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(0);
      expect(await answer(true), "one request").to.equal(1);
      await shop.run();
      expect([await answer(true), await shop.received(wallet)]).to.deep.equal([0, 5]);
    });

    describe("to refuse its payout", () => {
      for (const change of [reais(79), reais(99.99), reais(300)]) {
        it(`stands at R$ ${Number(change.amountMicros) / 1e6}, until a person decides again`, async () => {
          const { shop, wallet, click, release, answer } = await open();
          shop.approvals = chz(4n);
          const report = reportOf(click, { ...payable, ...reais(100), drift: [{ code: "missing", field: "x" }] });
          await shop.read(report);
          await shop.release(report.saleKey);
          await shop.run();
          expect(await answer(false)).to.equal(1);
          await shop.read({ ...report, ...change });
          if ((await shop.sale(report.saleKey)).state === "held") await shop.release(report.saleKey);
          else {
            await shop.run();
            // A day later too.
            await shop.database.kysely.deleteFrom("decided_days").execute();
            await shop.read({ ...report, amountMicros: change.amountMicros - 10_000n });
            await shop.run();
            expect(await shop.received(wallet)).to.equal(0);
            expect(await answer(true), "nobody is asked").to.equal(0);
            expect(await release(1n)).to.equal(true);
          }
          await shop.run();
          await answer(true);
          await shop.run();
          expect(await shop.received(wallet)).to.be.greaterThan(3);
        });
      }

      it("counts for a second purchase of the sale, which alone would need nobody", async () => {
        const { shop, wallet, click, answer, release } = await open();
        shop.approvals = chz(4n);
        const report = reportOf(undefined, { ...payable, ...reais(100) });
        await shop.read(report);
        const by = { rules: RULES, actor: "ana" };
        await inTransaction(shop.database.kysely, (queries) => assignSale(queries, 1n, click.token, by));
        await shop.run();
        expect(await answer(false)).to.equal(1);
        await shop.read({ ...report, ...reais(160) });
        await shop.run();
        expect(await shop.purchases()).to.have.length(2);
        expect([await shop.received(wallet), await answer(true)]).to.deep.equal([0, 0]);
        expect(await release(1n)).to.equal(true);
        await shop.run();
        await answer(true);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(8);
      });

      it("counts for a purchase that takes the place of the one that was asked about", async () => {
        const { shop, wallet, click, answer, release } = await open();
        shop.approvals = chz(4n);
        const report = reportOf(click, { ...payable, ...reais(100), drift: [{ code: "missing", field: "x" }] });
        await shop.read(report);
        await shop.release(report.saleKey);
        await shop.run();
        await answer(false);
        await shop.read({ ...report, status: "declined" });
        await shop.run();
        await shop.read({ ...report, ...reais(70) });
        await shop.run();
        expect(await shop.received(wallet)).to.equal(0);
        expect(await release(1n)).to.equal(true);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(3.5);
      });
    });

    it("is told when it can do nothing", async () => {
      const { shop, click } = await open();
      const report = reportOf(click, { ...payable });
      await shop.read(report);
      await shop.database.kysely
        .updateTable("sales")
        .set({ state: "held", hold_reasons: "other_ticket" })
        .where("id", "=", 1n)
        .execute();
      const refusal = await inTransaction(shop.database.kysely, (queries) =>
        releaseSale(queries, 1n, { rules: RULES, actor: "ana", holds: ["other_ticket"] }),
      ).catch((error: Error & { why?: string }) => error.why);
      expect(refusal).to.equal("other_ticket");
    });
  });
});
