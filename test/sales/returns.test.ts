import { expect } from "chai";
import { RawContractError } from "viem";
import type { Contracts } from "../../core/chain/deployment.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const approved = { status: "approved", payable: false } as const;
const declined = { status: "declined", payable: false } as const;
const chz = 10n ** 9n;
const [CONFIRMED, RETURNED] = [2, 4];

/** docs/product.md#return-final */
describe("A ticket whose return is final", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    async function open() {
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      const { kysely } = database;
      const wallet = await shop.buyer("a");
      const first = reportOf(await shop.click(wallet), {});
      let changedAt = first.changedAt ?? 0n;
      const report = (more: Partial<typeof first>) => shop.read({ ...first, ...more, changedAt: ++changedAt });
      const say = async (more: Partial<typeof first>) => {
        await report(more);
        await shop.run();
      };
      /** The network could change it until now. */
      const waitOut = () =>
        kysely.updateTable("sales").set({ return_due_at: 1n }).where("return_due_at", ">", 1n).execute();
      const tickets = async () => {
        const rows = await kysely.selectFrom("nfts").select("status").orderBy("token_id").execute();
        return rows.map(({ status }) => Number(status));
      };
      const returns = () =>
        kysely.selectFrom("operations").selectAll().where("kind", "=", "return").orderBy("subject_id").execute();
      const dueAt = async () => (await shop.sale(first.saleKey)).return_due_at;
      const situations = async () => (await shop.purchases()).map(({ situation }) => situation);
      return { shop, kysely, wallet, first, report, say, waitOut, tickets, returns, dueAt, situations };
    }

    it("says so once the sale has been declined for as long as its network may change it, not before", async () => {
      const { shop, say, waitOut, tickets, dueAt, situations } = await open();
      await say(payable);
      expect(await dueAt()).to.equal(0n);
      await say(declined);
      expect(await tickets()).to.deep.equal([CONFIRMED]);
      expect(Number((await dueAt()) - BigInt(Date.now())) / 86_400_000).to.be.closeTo(120, 0.1);
      await waitOut();
      await shop.run();
      expect(await tickets()).to.deep.equal([RETURNED]);
      expect(await dueAt()).to.equal(-1n);
      expect(await situations()).to.deep.equal(["paid_then_returned"]);
    });

    it("is another purchase once its sale comes back: kept for the debt that stands, or paid where that is settled", async () => {
      const { shop, kysely, wallet, say, waitOut, tickets, situations } = await open();
      await say(payable);
      await say(declined);
      await waitOut();
      await shop.run();
      await say(payable);
      expect(await tickets()).to.deep.equal([RETURNED, CONFIRMED]);
      expect(await situations()).to.deep.equal(["paid_then_returned", "netted"]);
      expect(await shop.received(wallet)).to.equal(5);
      expect(await outstandingDebt(kysely, wallet)).to.equal(0n);
      // Once more: the second ticket says so too, and a third is made.
      await say(declined);
      expect(await outstandingDebt(kysely, wallet)).to.equal(5n * chz);
      await waitOut();
      await shop.run();
      expect(await tickets()).to.deep.equal([RETURNED, RETURNED]);
      await say(payable);
      expect(await tickets()).to.deep.equal([RETURNED, RETURNED, CONFIRMED]);
      expect(await shop.received(wallet)).to.equal(5);
      expect(await outstandingDebt(kysely, wallet)).to.equal(0n);
    });

    it("says so of one that was never paid, whose sale comes back as a purchase that is", async () => {
      const { shop, wallet, say, waitOut, tickets, situations } = await open();
      await say(approved);
      expect(await tickets()).to.deep.equal([CONFIRMED]);
      await say(declined);
      await waitOut();
      await shop.run();
      expect(await tickets()).to.deep.equal([RETURNED]);
      expect(await situations()).to.deep.equal(["declined"]);
      await say(payable);
      expect(await tickets()).to.deep.equal([RETURNED, CONFIRMED]);
      expect(await situations()).to.deep.equal(["declined", "paid"]);
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("is left alone where the sale came back before it was sent", async () => {
      const { shop, kysely, wallet, report, say, waitOut, tickets, returns, dueAt } = await open();
      await say(payable);
      await say(declined);
      await waitOut();
      await shop.plan();
      expect((await returns()).map(({ status }) => status)).to.deep.equal(["queued"]);
      await report(payable);
      expect(await returns()).to.deep.equal([]);
      await shop.run();
      expect(await tickets()).to.deep.equal([CONFIRMED]);
      expect(await shop.received(wallet)).to.equal(5);
      expect(await outstandingDebt(kysely, wallet)).to.equal(0n);
      // The window begins anew.
      await say(declined);
      expect(Number((await dueAt()) - BigInt(Date.now())) / 86_400_000).to.be.closeTo(120, 0.1);
    });

    it("counts as soon as it is sent: a sale that comes back meanwhile is another purchase", async () => {
      const { shop, wallet, report, say, waitOut, tickets, returns } = await open();
      await say(payable);
      await say(declined);
      await waitOut();
      await shop.plan();
      const [queued] = await returns();
      if (!queued) throw new Error("No return is queued");
      await shop.send(queued);
      await report(payable);
      expect((await returns()).map(({ status }) => status)).to.deep.equal(["assigned"]);
      expect(await shop.purchases()).to.have.length(2);
      await shop.mineSent(queued.id);
      await shop.run();
      expect(await tickets()).to.deep.equal([RETURNED, CONFIRMED]);
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("is not one that is only lower, Cancelled, or whose payout is on its way", async () => {
      const { shop, kysely, say, waitOut, tickets, returns, dueAt } = await open();
      await say({ status: "pending", payable: false });
      await say(declined);
      expect(await tickets()).to.deep.equal([3]);
      expect(await dueAt()).to.equal(-1n);
      const other = reportOf(await shop.click(await shop.buyer("b")), payable);
      await shop.read(other);
      await shop.run();
      await shop.read({ ...other, amountMicros: other.amountMicros / 2n, changedAt: (other.changedAt ?? 0n) + 1n });
      await shop.run();
      const unpaid = reportOf(await shop.click(await shop.buyer("c")), payable);
      await shop.read(unpaid);
      const queuedPay = () =>
        kysely
          .selectFrom("operations")
          .selectAll()
          .where("kind", "=", "pay")
          .where("status", "=", "queued")
          .executeTakeFirst();
      await shop.plan();
      for (let round = 0; round < 12 && !(await queuedPay()); round++) {
        await shop.mine();
        await shop.plan();
      }
      const pay = await queuedPay();
      if (!pay) throw new Error("No payout is queued");
      await shop.send(pay);
      await shop.read({ ...unpaid, ...declined, changedAt: (unpaid.changedAt ?? 0n) + 1n });
      await waitOut();
      await shop.plan();
      expect(await returns()).to.deep.equal([]);
      await shop.mineSent(pay.id);
      await shop.run();
      await waitOut();
      await shop.run();
      expect(await returns()).to.have.length(1);
      expect(await tickets()).to.deep.equal([3, CONFIRMED, RETURNED]);
    });

    it("is not sent for a ticket of a former contract, nor by the first one, nor once its sale has come back", async () => {
      const { shop, kysely, say, waitOut, returns } = await open();
      await say(payable);
      await say(declined);
      await waitOut();
      await shop.plan();
      const purchaseNft: WalletAddress = `0x${"1".repeat(40)}`;
      const former: WalletAddress = `0x${"2".repeat(40)}`;
      const unwanted = async (formerPurchaseNfts: WalletAddress[], readContract: () => Promise<unknown>) => {
        const contracts = standIn<Contracts>({ purchaseNft, formerPurchaseNfts });
        const client = standIn<ChainClient>({ readContract } as Partial<ChainClient>);
        const encoders = purchaseEncoders({ contracts, client, payer: purchaseNft, rules: shop.rules });
        const encoder = encoders.find(({ kind }) => kind === "return");
        return (await encoder?.listUnwanted?.(kysely, await returns(), { isLocked: false }))?.length;
      };
      const knows = async () => former;
      const reverts = async () => {
        throw new RawContractError({ data: "0x" });
      };
      expect(await unwanted([], knows)).to.equal(0);
      expect(await unwanted([former], knows), "minted by the former one").to.equal(1);
      expect(await unwanted([], reverts), "which does not know the status").to.equal(1);
      await kysely.updateTable("sales").set({ state: "payable" }).execute();
      expect(await unwanted([], knows), "its sale came back").to.equal(1);
    });

    it("is found where a version before declined it, and stays one where the database is older than the chain", async () => {
      const { shop, kysely, wallet, say, waitOut, tickets, dueAt, first } = await open();
      await say(payable);
      await say(declined);
      await kysely
        .updateTable("sales")
        .set({ return_due_at: 0n, changed_at: 1n, created_at: 1n, report: (await shop.sale(first.saleKey)).report })
        .execute();
      await shop.plan();
      expect(Number((await dueAt()) - BigInt(Date.now())) / 86_400_000).to.be.within(0.9, 121);
      await waitOut();
      await shop.run();
      expect(await tickets()).to.deep.equal([RETURNED]);
      // The sale came back, and so did its purchase; the debt is not known any more.
      await say(payable);
      await kysely.deleteFrom("adjustments").execute();
      await kysely.deleteFrom("operations").where("kind", "=", "return").execute();
      await say({ ...payable, reason: "again" });
      expect(await shop.received(wallet)).to.equal(5);
      expect(await outstandingDebt(kysely, wallet)).to.equal(0n);
    });
  });
});
