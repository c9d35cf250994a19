import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales, registerSimulated } from "../../core/purchases/decide-sales.ts";
import { agreeInvite, forgetInvites } from "../../core/purchases/invites.ts";
import { tracePurchase } from "../../core/purchases/trace.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { insertClicks } from "../../core/sales/clicks.ts";
import { declineSale } from "../../core/sales/decisions.ts";
import { copyDatabase } from "../testing/database-copy.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const TERMS = { groups: {}, defaultBps: 500n, bonusBps: 0n };

/** docs/product.md#invite */
describe("What bringing a friend gives", function () {
  this.timeout(120_000);
  onEitherEngine((engine) => {
    let shop: Shop;
    let friend: WalletAddress;
    let inviter: WalletAddress;

    beforeEach(async () => {
      shop = await Shop.open((await engine.open()).database);
      [friend, inviter] = [await shop.buyer("a"), await shop.buyer("b")];
      await invite(friend, inviter);
    });

    const invite = (of: WalletAddress, by: WalletAddress, state: "open" | "waiting" = "open") =>
      shop.database.kysely
        .insertInto("invites")
        .values({ friend: of, inviter: by, month: "2026-11", state, created_at: 1n })
        .execute();
    const draft = (wallet: WalletAddress, inviteBps: bigint) => ({
      ...{ wallet, storeId: shop.storeId, storeName: "Loja", tokenSlug: null, balanceBlock: null, terms: TERMS },
      ...{ clickedAt: BigInt(Date.now()), windowMs: 86_400_000n, inviteBps },
    });
    async function visit(wallet: WalletAddress, inviteBps = 200n) {
      const [click] = await inTransaction(shop.database.kysely, (q) => insertClicks(q, [draft(wallet, inviteBps)]));
      if (!click) throw new Error("No click");
      return click;
    }
    const carries = (click: { terms: string }) => JSON.parse(click.terms).invite?.bps;
    const debt = async (wallet: WalletAddress) => Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9;
    async function buy(wallet: WalletAddress, saleKey: string, reais = 100) {
      const report = reportOf(await visit(wallet), { ...payable, saleKey, reais, commissionMicros: null });
      await shop.read(report);
      await shop.run();
      return report;
    }

    it("adds to the friend's first purchase, and once that is paid to the inviter's next one", async () => {
      const early = await visit(inviter);
      expect(carries(early), "before the friend's purchase is paid").to.equal(undefined);
      const click = await visit(friend);
      expect(carries(click)).to.equal("200");
      expect(carries(await visit(friend)), "no other click, ever").to.equal(undefined);
      const report = reportOf(click, { status: "pending", saleKey: "one", reais: 100, commissionMicros: null });
      await shop.read(report);
      await shop.run();
      expect(carries(await visit(inviter)), "no money without a paid purchase").to.equal(undefined);
      await shop.read({ ...report, ...payable, changedAt: (report.changedAt ?? 0n) + 1n });
      await shop.run();
      // R$ 100 at 5 + 2 %.
      expect(await shop.received(friend)).to.equal(7);
      const [ticket] = await shop.purchases();
      expect([ticket?.cashback_bps, ticket?.bonus_bps]).to.deep.equal([500n, 200n]);
      const own = await visit(inviter);
      expect(carries(own)).to.equal("200");
      expect(carries(await visit(inviter)), "one next click").to.equal(undefined);
      await shop.read(reportOf(own, { ...payable, saleKey: "two", reais: 50, commissionMicros: null }));
      await shop.run();
      expect(await shop.received(inviter)).to.equal(3.5);
    });

    it("is at most R$ 10 for each, for one sale of a click, and never above what the commission covers unseen", async () => {
      const click = await visit(friend);
      await shop.read(reportOf(click, { ...payable, saleKey: "big", reais: 900, commissionMicros: null }));
      await shop.read(
        reportOf(click, { ...payable, saleKey: "next", reais: 100, commissionMicros: null, orderRef: "2" }),
      );
      await shop.run();
      expect(await shop.received(friend), "45 + 10, and 5").to.equal(60);
      const other = await shop.buyer("c");
      await invite(other, inviter);
      // R$ 100 at 5 % are R$ 5, with the invitation R$ 7: more than the commission of R$ 6.
      const report = reportOf(await visit(other), {
        ...payable,
        saleKey: "held",
        commissionMicros: 6_000_000n,
        orderRef: "3",
      });
      await shop.read({ ...report, amountMicros: 100_000_000n });
      expect(await shop.sale("held")).to.include({ state: "held", hold_reasons: "low_commission" });
    });

    it("is told by the trace of a purchase, with whose it is and what keeps it from counting", async () => {
      const told = async (saleKey: string) => {
        const { kysely } = shop.database;
        const { id } = await kysely
          .selectFrom("purchases")
          .select("id")
          .where("sale_id", "=", (await shop.sale(saleKey)).id)
          .executeTakeFirstOrThrow();
        const steps = (await tracePurchase(kysely, id))?.steps ?? [];
        return steps.filter(({ kind }) => kind === "invited").map(({ subject, text }) => [subject, text]);
      };
      const report = await buy(friend, "one");
      await buy(inviter, "two", 50);
      await buy(friend, "three");
      const most = "up to 2 % and R$ 10.00 of the bonus";
      expect(await told("one")).to.deep.equal([["friend", `came with invitation 1, as the friend: ${most}`]]);
      expect(await told("two")).to.deep.equal([["inviter", `came with invitation 1, as the inviter: ${most}`]]);
      expect(await told("three"), "of a later click").to.deep.equal([]);
      await shop.read({ ...report, status: "declined", changedAt: (report.changedAt ?? 0n) + 1n });
      await shop.run();
      const lost = `came with invitation 1, as the inviter: ${most}; the friend's purchase was returned, so it adds nothing`;
      expect(await told("two")).to.deep.equal([["inviter", lost]]);
      const other = await shop.buyer("c");
      await invite(other, inviter, "waiting");
      await buy(other, "four");
      const waits = `came with invitation 2, as the friend: ${most}; an owner has not agreed to it, so it adds nothing`;
      expect(await told("four")).to.deep.equal([["friend", waits]]);
    });

    it("is carried by one of two clicks at once", async () => {
      const clicks = await Promise.all([visit(friend), visit(friend), visit(friend)]);
      expect(clicks.flatMap((one) => carries(one) ?? [])).to.deep.equal(["200"]);
      const both = await inTransaction(shop.database.kysely, (q) =>
        insertClicks(q, [draft(friend, 200n), draft(friend, 200n)]),
      );
      expect(both.flatMap((one) => carries(one) ?? [])).to.deep.equal([]);
    });

    it("is taken back from the inviter, as a debt, while the friend's purchase is returned", async () => {
      const report = await buy(friend, "one");
      await buy(inviter, "two", 50);
      expect(await shop.received(inviter)).to.equal(3.5);
      await shop.read({ ...report, status: "declined", changedAt: (report.changedAt ?? 0n) + 1n });
      await shop.run();
      expect([await debt(friend), await debt(inviter)]).to.deep.equal([7, 1]);
      await shop.read({ ...report, changedAt: (report.changedAt ?? 0n) + 2n });
      await shop.run();
      expect([await debt(friend), await debt(inviter)]).to.deep.equal([0, 0]);
      expect([await shop.received(friend), await shop.received(inviter)]).to.deep.equal([7, 3.5]);
    });

    it("is taken back too where staff decline the friend's purchase, and is not given before it is used", async () => {
      await buy(friend, "one");
      const { id } = await shop.sale("one");
      const by = { rules: RULES, actor: "admin" };
      await inTransaction(shop.database.kysely, (queries) => declineSale(queries, id, "no", by));
      expect(carries(await visit(inviter)), "of a purchase that was returned").to.equal(undefined);
    });

    it("gives nothing while a person is to decide, and everything once one agrees", async () => {
      const other = await shop.buyer("c");
      await invite(other, inviter, "waiting");
      await buy(other, "one");
      expect(await shop.received(other)).to.equal(5);
      expect(carries(await visit(inviter)), "for the inviter").to.equal(undefined);
      const { kysely } = shop.database;
      const { id } = await kysely
        .selectFrom("invites")
        .select("id")
        .where("friend", "=", other)
        .executeTakeFirstOrThrow();
      await inTransaction(kysely, async (queries) => {
        await decideSales(queries, (await agreeInvite(queries, id)) ?? [], RULES);
      });
      await shop.run();
      expect(await shop.received(other)).to.equal(7);
      expect(carries(await visit(inviter))).to.equal("200");
    });

    it("outlives the inviter's profile for the friend, and gives an erased one nothing", async () => {
      const click = await visit(friend);
      await inTransaction(shop.database.kysely, (queries) => forgetInvites(queries, inviter));
      await shop.read(reportOf(click, { ...payable, saleKey: "one", reais: 100, commissionMicros: null }));
      await shop.run();
      expect(await shop.received(friend)).to.equal(7);
      expect(carries(await visit(inviter))).to.equal(undefined);
      await inTransaction(shop.database.kysely, (queries) => forgetInvites(queries, friend));
      expect(carries(await visit(friend)), "erased and back").to.equal(undefined);
    });

    it("is paid once to each by a database that was moved back", async () => {
      const click = await visit(friend);
      const backup = await copyDatabase(shop.database);
      const report = reportOf(click, { ...payable, saleKey: "one", reais: 100, commissionMicros: null });
      await shop.read(report);
      await shop.run();
      const own = await visit(inviter);
      const theirs = reportOf(own, { ...payable, saleKey: "two", reais: 100, commissionMicros: null });
      await shop.read(theirs);
      await shop.run();
      expect([await shop.received(friend), await shop.received(inviter)]).to.deep.equal([7, 7]);
      await shop.goBack(backup);
      // Another sale of the friend's click is read first: it has what the other one has no more.
      await shop.read(
        reportOf(click, { ...payable, saleKey: "three", reais: 60, commissionMicros: null, orderRef: "3" }),
      );
      await shop.read(report);
      await shop.read(theirs);
      await shop.run();
      const settled = async (wallet: WalletAddress) => (await shop.received(wallet)) - (await debt(wallet));
      expect(await settled(friend), "5 of the first, and 3 + 1.2").to.equal(9.2);
      expect(await settled(inviter), "its click is lost, and so is nothing").to.equal(7);
    });

    it("changes nothing when all is decided again", async () => {
      await buy(friend, "one");
      await buy(inviter, "two", 50);
      const { kysely } = shop.database;
      const rows = async () => ({
        purchases: await shop.purchases(),
        sales: await kysely.selectFrom("sales").selectAll().orderBy("id").execute(),
        invites: await kysely.selectFrom("invites").selectAll().execute(),
      });
      const before = await rows();
      const ids = before.sales.map(({ id }) => id);
      await inTransaction(kysely, (queries) => decideSales(queries, ids, RULES));
      await inTransaction(kysely, (queries) => decideSales(queries, ids.slice(0, 1), RULES));
      expect(await rows()).to.deep.equal(before);
    });

    it("adds to a simulated purchase too, whose bonus may be read later", async () => {
      const of = (wallet: WalletAddress) => ({
        ...{ wallet, storeId: shop.storeId, storeName: "Loja", amountCents: 80_000n, cashbackBps: 500n, bonusBps: 0n },
        ...{ tokenSlug: null, balanceBlock: null, inviteBps: 200n },
      });
      const add = (wallet: WalletAddress) =>
        inTransaction(shop.database.kysely, (queries) =>
          registerSimulated(queries, [of(wallet), of(wallet)], { rules: RULES, mintDelayMs: 0n }),
        );
      // R$ 10 of R$ 800 are 1.25 %.
      expect((await add(friend)).map(({ bonusBps }) => bonusBps)).to.deep.equal([125n, 0n]);
      expect((await add(inviter)).map(({ bonusBps }) => bonusBps)).to.deep.equal([0n, 0n]);
      await shop.run();
      expect((await add(inviter)).map(({ bonusBps }) => bonusBps)).to.deep.equal([125n, 0n]);
    });

    it("gives nothing while it is off, nor to a click of then", async () => {
      expect(carries(await visit(friend, 0n))).to.equal(undefined);
      expect(carries(await visit(friend)), "that was not the first").to.equal(undefined);
    });
  });
});
