import { expect } from "chai";
import { eraseUser } from "../../api/people/erasure.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { listDebts, outstandingDebt } from "../../core/purchases/debt.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { deleteOldEvents, listEvents, markRead, readUnread, recordTracked } from "../../core/purchases/events.ts";
import { EVENTS_KEPT_MS, UNREAD_MOST } from "../../core/rules/events.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { matchClaim, refuseClaim } from "../../core/sales/decisions.ts";
import { requeueOperations } from "../../core/sender/moves.ts";
import { countEmptied } from "../../indexer/store/chain-index.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";
import { standIn } from "../testing/stand-in.ts";

describe("What buyers are told", function () {
  this.timeout(120_000);
  onBothEngines((engine) => {
    const open = async () => Shop.open((await engine.open()).database);
    const told = async ({ database }: Shop, wallet: WalletAddress) =>
      (await listEvents(database.kysely, wallet, { limit: 50 }))
        .map((row) => ({ kind: row.kind, gwei: row.amount_gwei }))
        .reverse();
    const approved = { status: "approved", payable: true } as const;

    it("is each step of a sale once, with its amount", async () => {
      const shop = await open();
      const wallet = await shop.buyer("a");
      const report = reportOf(await shop.click(wallet), { status: "pending" });
      await shop.read(report);
      await shop.run();
      expect(await told(shop, wallet)).to.deep.equal([{ kind: "tracked", gwei: null }]);
      await shop.read({ ...report, ...approved });
      await shop.run();
      const whole = [
        { kind: "tracked", gwei: null },
        { kind: "confirmed", gwei: 5_000_000_000n },
        { kind: "paid", gwei: 5_000_000_000n },
      ];
      expect(await told(shop, wallet)).to.deep.equal(whole);
      const [event] = await listEvents(shop.database.kysely, wallet, { limit: 1 });
      expect(event).to.include({ store_name: "Loja", amount_cents: 10_000n, part: 0n });

      await shop.read({ ...report, status: "declined" });
      await shop.run();
      expect(await told(shop, wallet)).to.deep.equal([...whole, { kind: "debt", gwei: 5_000_000_000n }]);
    });

    for (const outcome of ["mined", "reverted"] as const) {
      it(`is a debt only once its payout has happened: it was in flight and was ${outcome}`, async () => {
        const shop = await open();
        const { kysely } = shop.database;
        const wallet = await shop.buyer("a");
        const report = reportOf(await shop.click(wallet), approved);
        await shop.read(report);
        await shop.runUntil("pay");
        const pay = await kysely
          .selectFrom("operations")
          .selectAll()
          .where("kind", "=", "pay")
          .executeTakeFirstOrThrow();
        const transactionId = await shop.send(pay);
        const kinds = async () => (await told(shop, wallet)).map(({ kind }) => kind);
        await shop.read({ ...report, status: "declined" });
        expect(await kinds()).to.deep.equal(["tracked", "confirmed"]);
        expect(await outstandingDebt(kysely, wallet)).to.equal(5_000_000_000n);

        if (outcome === "mined") {
          await shop.mineSent(pay.id);
          await shop.run();
          expect(await told(shop, wallet)).to.deep.equal([
            { kind: "tracked", gwei: null },
            { kind: "confirmed", gwei: 5_000_000_000n },
            { kind: "paid", gwei: 5_000_000_000n },
            { kind: "debt", gwei: 5_000_000_000n },
          ]);
          return;
        }
        const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer: wallet, rules: RULES });
        await inTransaction(kysely, (queries) => requeueOperations(queries, encoders, transactionId, "reverted"));
        expect(await listDebts(kysely, wallet, 9)).to.deep.equal([]);
        await shop.run();
        expect(await kinds()).to.deep.equal(["tracked", "confirmed", "declined"]);
        await shop.read({ ...report, changedAt: 2n });
        await shop.run();
        expect(await kinds()).to.deep.equal(["tracked", "confirmed", "declined", "paid"]);
      });
    }

    it("is not repeated when the index is rebuilt, or by a reorganization", async () => {
      const shop = await open();
      const wallet = await shop.buyer("a");
      await shop.read(reportOf(await shop.click(wallet), approved));
      await shop.run();
      const before = await told(shop, wallet);
      const { kysely } = shop.database;
      const ids = (await shop.purchases()).map((row) => row.id);
      const [nfts, payouts] = [
        await kysely.selectFrom("nfts").selectAll().execute(),
        await kysely.selectFrom("payouts").selectAll().execute(),
      ];
      await kysely.deleteFrom("payouts").execute();
      await kysely.deleteFrom("nfts").execute();
      await inTransaction(kysely, countEmptied);
      await shop.recount(ids);
      await kysely.insertInto("nfts").values(nfts).execute();
      await kysely.insertInto("payouts").values(payouts).execute();
      await shop.recount(ids);
      expect(await told(shop, wallet)).to.deep.equal(before);
    });

    it("is nothing twice however often a sale is corrected, before its payment and after it", async () => {
      const shop = await open();
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const first = reportOf(click, { status: "pending" });
      const correct = async (reais: number, more: object) => {
        const { amountMicros, commissionMicros } = reportOf(click, { reais });
        await shop.read({ ...first, amountMicros, commissionMicros, ...more });
        await shop.run();
      };
      const pending = { status: "pending" };
      for (const reais of [100, 160, 40, 100]) await correct(reais, pending);
      const one = (kind: string, chz?: bigint) => ({ kind, gwei: chz === undefined ? null : chz * 1_000_000_000n });
      // The second ticket is of what was added, and went with it.
      const before = [one("tracked"), one("tracked"), one("declined")];
      expect(await told(shop, wallet)).to.deep.equal(before);
      for (const reais of [100, 160, 40, 100, 160]) await correct(reais, approved);
      const after = [
        ...[...before, one("confirmed", 5n), one("paid", 5n)],
        ...[one("tracked"), one("confirmed", 3n), one("paid", 3n)],
        // Of 8 paid, 2 are due: all of the later ticket, and of the first. Later corrections lift both.
        ...[one("debt", 3n), one("debt", 3n)],
      ];
      expect(await told(shop, wallet)).to.deep.equal(after);
      await shop.recount((await shop.purchases()).map((row) => row.id));
      await correct(160, approved);
      expect(await told(shop, wallet)).to.deep.equal(after);
    });

    it("is that a sale was declined, and that a payout was refused", async () => {
      const shop = await open();
      const [one, other] = [await shop.buyer("a"), await shop.buyer("b")];
      const report = reportOf(await shop.click(one), { status: "pending" });
      await shop.read(report);
      await shop.read({ ...report, status: "declined" });
      await shop.run();
      expect((await told(shop, one)).map((event) => event.kind)).to.deep.equal(["tracked", "declined"]);

      await shop.read(reportOf(await shop.click(other), approved));
      await shop.run();
      await shop.database.kysely.deleteFrom("events").where("kind", "=", "paid").execute();
      await shop.database.kysely.updateTable("payouts").set({ state: "deferred" }).execute();
      await shop.recount((await shop.purchases()).map((row) => row.id));
      expect((await told(shop, other)).at(-1)).to.deep.equal({ kind: "credit", gwei: 5_000_000_000n });
    });

    it("is how a claim was answered, with the reason of a refusal", async () => {
      const shop = await open();
      const wallet = await shop.buyer("a");
      const { kysely } = shop.database;
      const claim = async (order: string) => {
        const { id } = await shop.click(wallet);
        const values = { wallet, store_id: shop.storeId, click_id: id, order_ref: order, amount_cents: 500n };
        const row = { ...values, purchased_on: "2026-11-01", state: "open" as const, created_at: 1n };
        return (await kysely.insertInto("claims").values(row).returning("id").executeTakeFirstOrThrow()).id;
      };
      const [refused, matched] = [await claim("ORD-1"), await claim("ORD-2")];
      const report = reportOf(await shop.click(wallet), { status: "pending" });
      await shop.read(report);
      const sale = await shop.sale(report.saleKey);
      await inTransaction(kysely, (queries) => refuseClaim(queries, refused, "Sem nota fiscal", "admin"));
      await inTransaction(kysely, (queries) => matchClaim(queries, matched, sale.id, { rules: RULES, actor: "admin" }));
      const events = await listEvents(kysely, wallet, { limit: 2 });
      expect(events.map(({ kind, reason, amount_cents }) => [kind, reason, amount_cents])).to.deep.equal([
        ["claim_accepted", null, 500n],
        ["claim_refused", "Sem nota fiscal", 500n],
      ]);
    });

    it("is nothing for those who are not registered, or erased their profile", async () => {
      const shop = await open();
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      await shop.read(reportOf(await shop.click(wallet), { status: "pending" }));
      await markRead(kysely, wallet, 1n);
      await inTransaction(kysely, (queries) => eraseUser(queries, wallet, {}));
      await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet });
      await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet: `0x${"c".repeat(40)}` });
      for (const table of ["events", "event_readers"] as const) {
        expect(await kysely.selectFrom(table).selectAll().execute(), table).to.deep.equal([]);
      }
    });

    it("is paged, counted up to a limit, and read up to an event", async () => {
      const shop = await open();
      const { kysely } = shop.database;
      const [wallet, other] = [await shop.buyer("a"), await shop.buyer("b")];
      const ids: bigint[] = [];
      for (let count = 0; count < 3; count++)
        ids.push(await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet }));
      await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet: other });
      const [newest, middle] = await listEvents(kysely, wallet, { limit: 2 });
      const rest = await listEvents(kysely, wallet, { limit: 2, before: middle?.id });
      expect([newest, middle, ...rest].map((row) => row?.subject_id)).to.deep.equal(ids.toReversed());
      expect(await readUnread(kysely, wallet)).to.deep.equal({ readThrough: 0n, unread: 3 });
      await markRead(kysely, wallet, middle?.id ?? 0n);
      await markRead(kysely, wallet, 1n);
      expect(await readUnread(kysely, wallet)).to.deep.equal({ readThrough: middle?.id, unread: 1 });
      expect((await readUnread(kysely, other)).unread).to.equal(1);
      const row = { wallet: other, kind: "paid" as const, store_name: "Loja", amount_cents: 1n, created_at: 1n };
      const many = Array.from({ length: UNREAD_MOST + 5 }, (_, index) => ({ ...row, subject_id: BigInt(index + 100) }));
      await kysely.insertInto("events").values(many).execute();
      expect((await readUnread(kysely, other)).unread).to.equal(UNREAD_MOST);
    });

    it("is forgotten after two years, and never about older purchases", async () => {
      const shop = await open();
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      const old = await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet });
      await insertPlainPurchase(kysely, { storeId: shop.storeId, wallet });
      const now = BigInt(Date.now());
      await kysely
        .updateTable("events")
        .set({ created_at: now - EVENTS_KEPT_MS - 1n })
        .where("subject_id", "=", old)
        .execute();
      await kysely
        .updateTable("purchases")
        .set({ created_at: now - EVENTS_KEPT_MS - 1n })
        .where("id", "=", old)
        .execute();
      while (await deleteOldEvents(kysely, now, 1));
      await inTransaction(kysely, (queries) => recordTracked(queries, [old]));
      expect(await told(shop, wallet)).to.have.lengthOf(1);
    });
  });
});
