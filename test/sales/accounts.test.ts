import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import { noteRules } from "../../core/purchases/changed-facts.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import type { KnownAccount } from "../../core/rules/sale/rules.ts";
import { type AffiliateAccount, linkOf } from "../../core/sales/accounts.ts";
import { admitad } from "../../core/sales/admitad/admitad.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { listGoneAccounts, noteAccounts } from "../../core/sales/known-accounts.ts";
import { onBothEngines } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const awinOf = (account: string, publisher_id: string): AffiliateAccount =>
  awin.accountSchema.parse({ network: "awin", account, publisher_id, token: "t" });
const BR = awinOf("br", "1");
const LEAKED = awinOf("leaked", "2");
const rulesOf = (accounts: readonly KnownAccount[]) => ({ ...RULES, accounts });

/** Accounts come, go and are renamed: what is configured is a fact with a history. docs/product.md#sales-accounts */
describe("The accounts of a shop", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    async function open(store: Record<string, unknown> = { account: "br" }) {
      const shop = await Shop.open((await engine.open()).database);
      await shop.database.kysely.updateTable("stores").set(store).execute();
      const wallet = await shop.buyer("a");
      return { shop, wallet, click: await shop.click(wallet) };
    }
    /** A process starts with these accounts. */
    async function start(
      shop: Shop,
      accounts: readonly AffiliateAccount[],
      closed: { network: string; account: string }[] = [],
    ) {
      const noted = await inTransaction(shop.database.kysely, (queries) => noteAccounts(queries, accounts, closed));
      shop.rules = rulesOf(noted.known);
      await inTransaction(shop.database.kysely, (queries) => noteRules(queries, shop.rules));
      const sales = await shop.database.kysely.selectFrom("sales").select("id").execute();
      await inTransaction(shop.database.kysely, (queries) =>
        decideSales(queries, new Set(sales.map(({ id }) => id)), shop.rules),
      );
      return noted;
    }
    const failure = async (work: Promise<unknown>) =>
      String(
        await work.then(
          () => "none",
          (error: unknown) => error,
        ),
      );
    const of = (account: string) => ({ network: "awin", account });

    it("pays no held sale because an account was taken out, of whichever account it is", async () => {
      const { shop, wallet, click } = await open({ account: null });
      await start(shop, [BR, LEAKED]);
      const [ofLeaked, ofOther] = [reportOf(click, payable), reportOf(click, payable)];
      await shop.read(ofLeaked, shop.rules, of("leaked"));
      await shop.read(ofOther, shop.rules, of("br"));
      await shop.run();
      expect((await shop.sale(ofLeaked.saleKey)).hold_reasons).to.equal("other_account");
      await start(shop, [BR], [of("leaked")]);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(0);
      expect(await shop.sale(ofLeaked.saleKey)).to.include({
        state: "held",
        reason: "The account awin/leaked is not configured any more",
      });
      expect(await shop.sale(ofOther.saleKey), "by what is left").to.include({ state: "held" });
      // A visit from when there was only one is known to be its.
      const later = reportOf(await shop.click(wallet), payable);
      await shop.read(later, shop.rules, of("br"));
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("holds a sale of a store's own account once that is not configured, whatever was released before", async () => {
      const { shop, wallet, click } = await open({ account: "leaked" });
      await start(shop, [BR, LEAKED]);
      const report = reportOf(click, { status: "approved", payable: false });
      await shop.read(report, shop.rules, of("leaked"));
      await shop.run();
      await start(shop, [BR], [of("leaked")]);
      await shop.read({ ...report, payable: true }, shop.rules, of("leaked"));
      await shop.run();
      expect((await shop.sale(report.saleKey)).state).to.equal("held");
      expect(await shop.received(wallet)).to.equal(0);
      await start(shop, [BR, LEAKED]);
      await shop.run();
      expect(await shop.received(wallet), "it is back").to.equal(5);
    });

    it("refuses a start without an account that has open sales, and says which", async () => {
      const { shop, click } = await open();
      await start(shop, [BR, LEAKED]);
      const report = reportOf(click);
      await shop.read(report, shop.rules, of("br"));
      expect(await failure(start(shop, [LEAKED]))).to.match(/The account awin:br has open sales and is not configured/);
      expect(await listGoneAccounts(shop.database.kysely, [LEAKED])).to.deep.equal([of("br")]);
      await start(shop, [LEAKED], [of("br")]);
      await start(shop, [BR]);
      await shop.read({ ...report, status: "declined" }, shop.rules, of("br"));
      await start(shop, []);
      expect(await listGoneAccounts(shop.database.kysely, [])).to.deep.equal([]);
    });

    it("refuses one whose sales another version recorded without noting the account", async () => {
      const { shop, click } = await open();
      await shop.read(reportOf(click));
      expect(await failure(start(shop, []))).to.match(/awin:br has open sales/);
      await start(shop, [BR]);
    });

    it("starts an upgraded shop as it was, also without an account that was gone before", async () => {
      const { shop, wallet, click } = await open();
      const inherited = { network: "awin", identity: null };
      for (const name of ["br", "old"])
        await shop.database.kysely
          .insertInto("account_names")
          .values({ ...inherited, name, account: name })
          .execute();
      const [old, own] = [reportOf(click), reportOf(click, payable)];
      await shop.read(old, RULES, of("old"));
      await shop.read(own);
      expect(await failure(start(shop, [awinOf("new", "3"), BR])), "it may be the same one").to.match(
        /The account awin:old .* If awin:new is the same account/,
      );
      await start(shop, [BR]);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      expect((await shop.sale(old.saleKey)).state).to.equal("held");
    });

    it("knows a renamed account by what its network calls it, and makes no new sales", async () => {
      const { shop, wallet, click } = await open();
      await start(shop, [BR]);
      const report = reportOf(click, { ...payable, orderRef: null });
      await shop.read(report, shop.rules, of("br"));
      await shop.run();
      const renamed = awinOf("brasil", "1");
      const { configured } = await start(shop, [renamed]);
      const [account] = configured;
      expect(account).to.deep.include({ account: "br", aliases: ["brasil"] });
      await shop.read(report, shop.rules, { network: "awin", account: account?.account ?? "" });
      const second = reportOf(click, { ...payable, orderRef: null });
      await shop.read(second, shop.rules, of("br"));
      await shop.run();
      expect(await shop.received(wallet)).to.equal(10);
      expect(await shop.database.kysely.selectFrom("sales").select("account").execute()).to.deep.equal([
        { account: "br" },
        { account: "br" },
      ]);
      // A store is found by the new name too, and so is its link.
      await shop.database.kysely
        .updateTable("stores")
        .set({ account: "brasil", store_url: "https://loja.example" })
        .execute();
      await shop.read(reportOf(click, payable), shop.rules, of("br"));
      await shop.run();
      expect(await shop.received(wallet)).to.equal(15);
      const [store] = await shop.database.kysely.selectFrom("stores").selectAll().execute();
      expect(store && linkOf(store, "abc", configured)).to.include("awinaffid=1");
      await start(shop, [BR]);
    });

    it("takes an Admitad account by its website, a number typed wrong only until it has sales", async () => {
      const { shop, click } = await open({ network: "admitad", advertiser_id: null });
      const of = (website_id: string) =>
        admitad.accountSchema.parse({
          network: "admitad",
          account: "main",
          website_id,
          client_id: "i",
          client_secret: "s",
        });
      await start(shop, [of("21")]);
      await start(shop, [of("22")]);
      await shop.read(reportOf(click, { advertiserId: null }), shop.rules, { network: "admitad", account: "main" });
      expect(await failure(start(shop, [of("23")]))).to.match(/admitad:main is another one of the network than before/);
      await start(shop, [of("22")]);
    });

    it("refuses two names for one account, which would pay each sale twice", async () => {
      const { shop } = await open();
      expect(await failure(start(shop, [BR, awinOf("brasil", "1")]))).to.match(/are the same one of the network/);
    });

    it("decides no sale of a store without a network", async () => {
      const { shop, wallet, click } = await open({ network: null, account: null, advertiser_id: null });
      const direct: AffiliateAccount = {
        network: "direct",
        account: "acme",
        secrets: ["a-secret-of-acme"],
        credit_reais: 5,
      };
      await start(shop, [direct]);
      const report = reportOf(click, { ...payable, advertiserId: null, commissionMicros: null });
      await shop.read(report, shop.rules, { network: "direct", account: "acme" });
      await shop.run();
      expect(await shop.sale(report.saleKey)).to.include({
        state: "held",
        reason: "The click's store has no network",
      });
      expect(await shop.received(wallet)).to.equal(0);
      // One that is older than 1.1 goes on as the direct shop that it was.
      await shop.database.kysely.updateTable("stores").set({ unlinked_is_direct: 1n }).execute();
      await start(shop, [direct]);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });
  });
});
