import { expect } from "chai";
import { inTransaction } from "../../core/database/transaction.ts";
import {
  countFanPayments,
  deleteClosedPayments,
  forgetOpenMonths,
  readFanClub,
  setFanClub,
} from "../../core/purchases/fan-figures.ts";
import { monthOf, monthsBefore } from "../../core/rules/iso-time.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { countChange } from "../../indexer/store/chain-index.ts";
import { reportOf, Shop } from "../sales/support/shop.ts";
import { onEitherEngine } from "../testing/databases.ts";

const DAY_MS = 86_400_000;
const CHZ = 1_000_000_000n;

/** docs/product.md#fans */
describe("The figures of a club's fans", function () {
  this.timeout(120_000);
  onEitherEngine((engine) => {
    let shop: Shop;
    let ana: WalletAddress;
    let bia: WalletAddress;
    const month = monthOf(Date.now());

    beforeEach(async () => {
      shop = await Shop.open((await engine.open()).database);
      [ana, bia] = [await shop.buyer("a"), await shop.buyer("b")];
    });

    const choose = (wallet: WalletAddress, club: string | null) =>
      inTransaction(shop.database.kysely, (queries) => setFanClub(queries, wallet, club));

    /** A purchase that the index sees paid at a time, as it writes it. */
    async function pay(wallet: WalletAddress, chz: bigint, at = Date.now()): Promise<bigint> {
      const { kysely } = shop.database;
      await shop.read(reportOf(await shop.click(wallet)));
      const { id } = await kysely.selectFrom("purchases").select("id").orderBy("id", "desc").executeTakeFirstOrThrow();
      const payout = {
        ...{ token_id: id, recipient: wallet, amount_gwei: chz * CHZ, state: "paid" as const, transaction_hash: "0x" },
        ...{ block_number: 1n, log_index: 0n, paid_at: BigInt(at) },
      };
      await inTransaction(kysely, (queries) =>
        countChange(queries, { tokenIds: [], payoutIds: [id] }, async () => {
          await queries.insertInto("payouts").values(payout).execute();
          return [{ state: "paid", amountGwei: payout.amount_gwei, paidAtMs: at }];
        }),
      );
      return id;
    }

    /** A reorg takes the payment away. */
    const takeBack = (id: bigint) =>
      inTransaction(shop.database.kysely, (queries) =>
        countChange(queries, { tokenIds: [], payoutIds: [id] }, async () => {
          await queries.deleteFrom("payouts").where("token_id", "=", id).execute();
          return [];
        }),
      );

    /** What the counters say, and what all payments of those who count say, by the rule and nothing else. */
    async function expectExact(clubs: Record<string, string>) {
      const { kysely } = shop.database;
      const paid = await kysely
        .selectFrom("payouts")
        .innerJoin("purchases", "purchases.id", "payouts.token_id")
        .select(["purchases.wallet", "payouts.amount_gwei", "payouts.paid_at"])
        .where("payouts.state", "=", "paid")
        .execute();
      const ofMonth = paid.filter(({ paid_at }) => monthOf(paid_at) === month);
      const expected = [...new Set(Object.values(clubs))].sort().map((club) => {
        const own = ofMonth.filter(({ wallet }) => clubs[wallet] === club);
        const gwei = own.reduce((sum, { amount_gwei }) => sum + amount_gwei, 0n);
        const fans = BigInt(new Set(own.map(({ wallet }) => wallet)).size);
        return { month, club, fans, purchases: BigInt(own.length), gwei };
      });
      const rows = await kysely.selectFrom("club_months").selectAll().orderBy("club").execute();
      const isSome = ({ purchases }: { purchases: bigint }) => purchases > 0n;
      expect(rows.filter(isSome)).to.deep.equal(expected.filter(isSome));
      for (const row of rows.filter((one) => !isSome(one))) expect([row.fans, row.gwei]).to.deep.equal([0n, 0n]);
    }

    it("are those of the payments, whoever is paid, changes the club, leaves, or loses a payment to a reorg", async () => {
      await choose(ana, "flamengo");
      await choose(bia, "santos");
      await pay(ana, 3n);
      const second = await pay(ana, 4n);
      await pay(bia, 5n);
      await pay(await shop.buyer("c"), 9n);
      await expectExact({ [ana]: "flamengo", [bia]: "santos" });
      await takeBack(second);
      await expectExact({ [ana]: "flamengo", [bia]: "santos" });
      await choose(bia, "flamengo");
      await expectExact({ [ana]: "flamengo", [bia]: "flamengo" });
      await pay(bia, 1n);
      await choose(ana, "santos");
      await expectExact({ [ana]: "santos", [bia]: "flamengo" });
      await choose(bia, null);
      await expectExact({ [ana]: "santos" });
      expect(await readFanClub(shop.database.kysely, bia)).to.equal(null);
      const left = shop.database.kysely.selectFrom("fan_payments").select("purchase_id").where("wallet", "=", bia);
      expect(await left.execute(), "nothing of who left").to.deep.equal([]);
    });

    it("count a payment once, however often the index writes it, and anew after it was emptied", async () => {
      await choose(ana, "flamengo");
      const id = await pay(ana, 3n);
      const { kysely } = shop.database;
      await inTransaction(kysely, (queries) => countFanPayments(queries, [id]));
      await expectExact({ [ana]: "flamengo" });
      await inTransaction(kysely, forgetOpenMonths);
      expect(await kysely.selectFrom("club_months").selectAll().execute()).to.deep.equal([]);
      await inTransaction(kysely, (queries) => countFanPayments(queries, [id]));
      await expectExact({ [ana]: "flamengo" });
    });

    it("leave out what another wallet was paid for a token of the same id", async () => {
      await choose(ana, "flamengo");
      const { kysely } = shop.database;
      const id = await pay(ana, 3n);
      await kysely.updateTable("payouts").set({ recipient: bia }).where("token_id", "=", id).execute();
      await inTransaction(kysely, (queries) => countFanPayments(queries, [id]));
      const rows = await kysely.selectFrom("club_months").selectAll().execute();
      expect(rows).to.deep.equal([{ month, club: "flamengo", fans: 0n, purchases: 0n, gwei: 0n }]);
    });

    it("move right between clubs whose fans change sides at the same time", async () => {
      const sides = ["flamengo", "santos"] as const;
      const fans = await Promise.all(Array.from("cdefghij", (name) => shop.buyer(name)));
      const clubOf = (index: number, turn: number) => sides[(index + turn) % 2] ?? "flamengo";
      for (const [index, fan] of fans.entries()) {
        await choose(fan, clubOf(index, 0));
        await pay(fan, BigInt(index + 1));
      }
      for (const turn of [1, 2, 3]) {
        await Promise.all(fans.map((fan, index) => choose(fan, clubOf(index, turn))));
        await expectExact(Object.fromEntries(fans.map((fan, index) => [fan, clubOf(index, turn)])));
      }
    });

    it("of a return are those of what was paid: a debt is kept of what is paid later", async () => {
      await choose(ana, "flamengo");
      await pay(ana, 3n);
      const report = await shop.database.kysely.selectFrom("sales").select("sale_key").executeTakeFirstOrThrow();
      const sale = reportOf(undefined, { saleKey: report.sale_key, status: "declined", changedAt: BigInt(Date.now()) });
      await shop.read(sale);
      await expectExact({ [ana]: "flamengo" });
    });

    it("of a closed month stay, whoever leaves it, and take nothing more", async () => {
      const { kysely } = shop.database;
      const before = monthsBefore(month, 2);
      const closed = { month: before, club: "flamengo", fans: 21n, purchases: 30n, gwei: 400n * CHZ };
      await kysely.insertInto("club_months").values(closed).execute();
      const counted = { purchase_id: 900n, wallet: ana, month: before, club: "flamengo", gwei: CHZ };
      await choose(ana, "flamengo");
      await kysely.insertInto("fan_payments").values(counted).execute();
      await pay(ana, 7n, Date.parse(`${before}-15T12:00:00Z`));
      await choose(ana, "santos");
      await choose(ana, null);
      expect(await kysely.selectFrom("club_months").selectAll().execute()).to.deep.equal([closed]);
      await choose(ana, "flamengo");
      await kysely.insertInto("fan_payments").values(counted).execute();
      await pay(ana, 2n);
      expect(await inTransaction(kysely, (queries) => deleteClosedPayments(queries, BigInt(Date.now()), 1))).to.equal(
        true,
      );
      const left = await kysely.selectFrom("fan_payments").select("month").execute();
      expect(left).to.deep.equal([{ month }]);
      const later = BigInt(Date.now() + 40 * DAY_MS);
      await inTransaction(kysely, (queries) => deleteClosedPayments(queries, later, 10));
      expect(await kysely.selectFrom("fan_payments").select("month").execute()).to.deep.equal([]);
    });
  });
});
