import { expect } from "chai";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { findAccounts, nameOf, readSums } from "../../core/purchases/account-books.ts";
import { announceSalesDay, book, reverseBooking } from "../../core/purchases/bookings.ts";
import { noteRules } from "../../core/purchases/changed-facts.ts";
import { listPurchases } from "../../core/purchases/queries.ts";
import { payBuyer } from "../../core/purchases/settlement.ts";
import { purchaseViewAt, situationIn } from "../../core/purchases/view.ts";
import { findWrongTotals } from "../../core/purchases/wrong-totals.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import type { AccountTerms } from "../../core/rules/sale/rules.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";

const DIRECT = { network: "direct", account: "acme" };

/** A direct shop whose sales pay 5 %, and a second account that is polled. */
class DirectShop {
  readonly shop: Shop;
  #changedAt = BigInt(Date.now());

  private constructor(shop: Shop) {
    this.shop = shop;
  }

  static async open(database: Database, terms: Partial<AccountTerms> = {}): Promise<DirectShop> {
    const shop = await Shop.open(database);
    const direct = new DirectShop(shop);
    await database.kysely
      .updateTable("stores")
      .set({ ...DIRECT, advertiser_id: null })
      .execute();
    await direct.set(terms);
    return direct;
  }

  /** The api that sends starts with these terms. */
  async set(terms: Partial<AccountTerms>): Promise<void> {
    this.shop.rules = { ...RULES, accounts: [{ ...DIRECT, ...terms }] };
    await inTransaction(this.shop.database.kysely, (queries) => noteRules(queries, this.shop.rules));
  }

  /** A payable sale of so many reais, of which the buyer is due 5 %. */
  async sell(wallet: WalletAddress, reais: number, more: Partial<SaleReport> = {}): Promise<SaleReport> {
    this.#changedAt += 10n;
    const click = await this.shop.click(wallet, { groups: {}, defaultBps: 500n, bonusBps: 0n });
    const report = reportOf(click, { reais, status: "approved", payable: true, ...this.#plain(), ...more });
    await this.shop.read(report, this.shop.rules, DIRECT);
    return report;
  }

  async say(report: SaleReport, more: Partial<SaleReport>): Promise<SaleReport> {
    this.#changedAt += 10n;
    const changed = { ...report, ...more, changedAt: this.#changedAt };
    await this.shop.read(changed, this.shop.rules, DIRECT);
    return changed;
  }

  #plain() {
    return { advertiserId: null, commissionMicros: null, commissionCurrency: null, changedAt: this.#changedAt };
  }

  async id(): Promise<bigint> {
    const [account] = await findAccounts(this.shop.database.kysely, [DIRECT]);
    return account?.id ?? 0n;
  }

  async book(reais: number): Promise<bigint> {
    const accountId = await this.id();
    const booking = { accountId, amountCents: BigInt(reais * 100), arrivedOn: "2026-11-28", reference: "Pix" };
    const [id] = await inTransaction(this.shop.database.kysely, (queries) =>
      book(queries, [{ ...booking, bookedBy: "admin" }]),
    );
    return id ?? 0n;
  }

  async reverse(id: bigint): Promise<bigint | undefined> {
    const accountId = await this.id();
    return inTransaction(this.shop.database.kysely, (queries) =>
      reverseBooking(queries, { accountId, id, actor: "admin", reason: "Of another shop" }),
    );
  }

  /** Paid, waiting and booked, in reais. */
  async sums(): Promise<Record<"paid" | "waiting" | "booked", number>> {
    const id = await this.id();
    const sums = (await readSums(this.shop.database.kysely, [id])).get(id);
    // The sums of payouts are the indexer's, which this chain has not.
    const wrong = (await findWrongTotals(this.shop.database.kysely)).filter((one) => !one.startsWith("The sum of"));
    expect(wrong, "a recount").to.deep.equal([]);
    return {
      paid: Number(sums?.paid_cent_bps) / 1e6,
      waiting: Number(sums?.waiting_cent_bps) / 1e6,
      booked: Number(sums?.booked_cents) / 100,
    };
  }

  async situations(wallet: WalletAddress): Promise<string[]> {
    const { kysely } = this.shop.database;
    const cursor = await kysely.selectFrom("chain_cursor").select("block_number").executeTakeFirstOrThrow();
    const view = purchaseViewAt(cursor.block_number, { rate: 10n ** 16n, confirmations: 1, isLive: true });
    const rows = await listPurchases(kysely, wallet, { limit: 100 });
    return rows.map((row) => situationIn(row, view)).reverse();
  }
}

describe("The books of an account", function () {
  this.timeout(120_000);
  onBothEngines((engine) => {
    const open = async (terms: Partial<AccountTerms> = {}) => DirectShop.open((await engine.open()).database, terms);

    it("pay a direct shop nothing that has not arrived, unless a credit says so", async () => {
      const direct = await open();
      const { shop } = direct;
      const wallets = await Promise.all(["a", "b", "c"].map((digit) => shop.buyer(digit)));
      for (const wallet of wallets) for (let sale = 0; sale < 4; sale++) await direct.sell(wallet, 1_000);
      await shop.run();
      expect(await Promise.all(wallets.map((wallet) => shop.received(wallet)))).to.deep.equal([0, 0, 0]);
      expect(await direct.sums()).to.deep.equal({ paid: 0, waiting: 600, booked: 0 });
      expect(await direct.situations(wallets[0] as WalletAddress)).to.deep.equal(Array(4).fill("awaiting_network"));
      await direct.set({ credit_reais: 100 });
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 100, waiting: 500, booked: 0 });
    });

    it("pay the oldest first, each whole or not at all", async () => {
      const direct = await open({ credit_reais: 0 });
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      for (const reais of [1_000, 2_000, 200]) await direct.sell(wallet, reais);
      await shop.run();
      await direct.book(60);
      await shop.run();
      expect(await shop.received(wallet), "the second one keeps back the third").to.equal(50);
      expect(await direct.sums()).to.deep.equal({ paid: 50, waiting: 110, booked: 60 });
      expect(await direct.situations(wallet)).to.deep.equal(["paid", "awaiting_network", "awaiting_network"]);
      await direct.book(90);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(150);
      await direct.book(10);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 160, waiting: 0, booked: 160 });
    });

    it("never pay what was declined while it waited, and give its place to the next one", async () => {
      const direct = await open({ credit_reais: 10 });
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      const first = await direct.sell(wallet, 400);
      await shop.run();
      await direct.sell(wallet, 200);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 0, waiting: 30, booked: 0 });
      await direct.say(first, { status: "declined", payable: null });
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10, waiting: 0, booked: 0 });
      expect(await shop.received(wallet)).to.equal(10);
    });

    it("follow a correction while it waits", async () => {
      const direct = await open({ credit_reais: 10 });
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      const sale = await direct.sell(wallet, 400);
      await shop.run();
      const lower = await direct.say(sale, { amountMicros: 300_000_000n });
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 0, waiting: 15, booked: 0 });
      await direct.say(lower, { amountMicros: 200_000_000n });
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10, waiting: 0, booked: 0 });
    });

    it("give nothing back for a return after the payment until the buyer's debt is kept of something else", async () => {
      const direct = await open({ credit_reais: 10 });
      const { shop } = direct;
      const [thief, buyer] = [await shop.buyer("a"), await shop.buyer("b")];
      const first = await direct.sell(thief, 200);
      await shop.run();
      await direct.say(first, { status: "declined", payable: null });
      await direct.sell(buyer, 200);
      await shop.run();
      expect(await shop.received(buyer), "the same credit twice").to.equal(0);
      expect(await direct.sums()).to.deep.equal({ paid: 10, waiting: 10, booked: 0 });
      // The thief buys once more: that is kept, and what is kept comes back to the account.
      await direct.book(10);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 20, waiting: 0, booked: 10 });
      await direct.sell(thief, 300);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 20, waiting: 15, booked: 10 });
      await direct.book(15);
      await shop.run();
      expect(await direct.sums(), "15 for the sale, of which 10 were kept").to.deep.equal({
        paid: 25,
        waiting: 0,
        booked: 25,
      });
      expect(await shop.received(thief)).to.equal(15);
      await direct.sell(buyer, 200);
      await shop.run();
      expect(await shop.received(buyer), "what came back is there for the next").to.equal(20);
    });

    it("take back what is queued and not sent when a booking is reversed, once", async () => {
      const direct = await open();
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      await direct.sell(wallet, 200);
      await direct.sell(wallet, 200);
      await shop.run();
      const booking = await direct.book(10);
      await shop.run();
      const second = await direct.book(10);
      await shop.plan();
      expect(await direct.sums()).to.deep.equal({ paid: 20, waiting: 0, booked: 20 });
      expect(await direct.reverse(second)).to.not.equal(undefined);
      expect(await direct.reverse(second), "twice").to.equal(undefined);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10, waiting: 10, booked: 10 });
      expect(await shop.received(wallet)).to.equal(10);
      await direct.reverse(booking);
      await shop.run();
      expect(await direct.sums(), "below what is paid").to.deep.equal({ paid: 10, waiting: 10, booked: 0 });
      await direct.book(10);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(10);
      await direct.book(10);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(20);
    });

    it("let staff pay no more by hand", async () => {
      const direct = await open({ credit_reais: 10 });
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      for (const reais of [200, 200]) await direct.sell(wallet, reais);
      await shop.runUntil("confirm");
      await shop.mine();
      const pay = (chz: bigint) =>
        inTransaction(shop.database.kysely, (queries) =>
          payBuyer(queries, {
            ...{ wallet, amountGwei: chz * 10n ** 9n, deepestBlock: 1_000n, requireRate: () => 10n ** 16n },
            ...{ rules: shop.rules, approvals: shop.approvals, actor: "admin" },
          }),
        );
      expect(await pay(20n)).to.deep.equal({ kind: "refused", payableGwei: 10n ** 10n });
      expect((await pay(10n)).kind).to.equal("decided");
      expect(await pay(10n)).to.deep.equal({ kind: "refused", payableGwei: 0n });
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10, waiting: 10, booked: 0 });
    });

    it("begin with the credit of the largest 30 days that were paid before, and judge what was queued", async () => {
      const direct = await open({ credit_reais: 1_000 });
      const { shop } = direct;
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      for (const reais of [200, 400, 600]) {
        await direct.sell(wallet, reais);
        await shop.run();
      }
      const settled = await kysely.selectFrom("purchases").select(["id", "settled_at"]).orderBy("id").execute();
      const ago = [100n, 20n, 5n];
      for (const [index, { id, settled_at }] of settled.entries()) {
        const at = (settled_at ?? 0n) - (ago[index] ?? 0n) * 86_400_000n;
        await kysely.updateTable("purchases").set({ settled_at: at }).where("id", "=", id).execute();
      }
      for (const reais of [1_000, 2_000]) await direct.sell(wallet, reais);
      await shop.runUntil("pay");
      // As 1.0.0 leaves it.
      for (const table of ["account_books", "account_sums", "account_days", "account_draws"] as const)
        await kysely.deleteFrom(table).execute();
      await kysely.updateTable("operations").set({ created_at: 1n }).execute();
      await direct.set({});
      const [books] = await findAccounts(kysely, [DIRECT]);
      expect([books?.credit_cents, books?.is_credit_set]).to.deep.equal([5_000n, 0n]);
      await shop.run();
      expect(await direct.sums(), "the larger one waits for its account").to.deep.equal({
        ...{ paid: 50, waiting: 100, booked: 0 },
      });
      expect(await shop.received(wallet)).to.equal(60 + 50);
    });

    it("hold what follows a day of ten times the usual, until a person announces it", async () => {
      const direct = await open({ credit_reais: 1_000_000 });
      const { shop } = direct;
      const wallet = await shop.buyer("a");
      for (let sale = 0; sale < 21; sale++) await direct.sell(wallet, 10_000);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10_000, waiting: 500, booked: 0 });
      await direct.book(1_000);
      await shop.run();
      expect((await direct.sums()).waiting, "money is not the reason").to.equal(500);
      const announce = { accountId: await direct.id(), dayMs: BigInt(Date.now()), actor: "admin" };
      await inTransaction(shop.database.kysely, (queries) => announceSalesDay(queries, announce));
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 10_500, waiting: 0, booked: 1_000 });
      const decided = await shop.database.kysely.selectFrom("decided_days").select(["decider", "gwei"]).execute();
      expect(decided, "it is that person's decision").to.deep.equal([{ decider: "admin", gwei: 500n * 10n ** 9n }]);
    });

    it("contain what was paid without them: by the version before, or after the backup that was restored", async () => {
      const direct = await open({ credit_reais: 30 });
      const { shop } = direct;
      const { kysely } = shop.database;
      const wallet = await shop.buyer("a");
      await direct.sell(wallet, 400);
      await shop.runUntil("pay");
      await shop.mine();
      for (const table of ["account_sums", "account_days", "account_draws"] as const)
        await kysely.deleteFrom(table).execute();
      await kysely
        .updateTable("payouts")
        .set({ paid_at: BigInt(Date.now()) + 1_000n })
        .execute();
      await direct.sell(wallet, 400);
      await shop.run();
      expect(await direct.sums()).to.deep.equal({ paid: 20, waiting: 20, booked: 0 });
      expect(await shop.received(wallet)).to.equal(20);
    });

    it("are of one account each", async () => {
      const direct = await open({ credit_reais: 10 });
      const { shop } = direct;
      expect(nameOf(DIRECT)).to.equal("direct/acme");
      const [one, other] = [await shop.buyer("a"), await shop.buyer("b")];
      await direct.sell(one, 400);
      const second = { network: "awin", account: "br" };
      await shop.database.kysely
        .updateTable("stores")
        .set({ ...second, advertiser_id: "17000" })
        .execute();
      shop.rules = { ...shop.rules, accounts: [...shop.rules.accounts, second] };
      const click = await shop.click(other, { groups: {}, defaultBps: 500n, bonusBps: 0n });
      await shop.read(reportOf(click, { reais: 400, status: "approved", payable: true }), shop.rules, second);
      await shop.run();
      expect(await shop.received(other), "a polled network is as before").to.equal(20);
    });
  });
});
