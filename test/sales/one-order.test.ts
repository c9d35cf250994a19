import { expect } from "chai";
import { sql } from "kysely";
import { inTransaction } from "../../core/database/transaction.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const declined = { status: "declined" } as const;
const micros = (reais: number) => ({ amountMicros: BigInt(reais * 1_000_000) });

/** docs/product.md#sales-once */
describe("An order", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    /** Sales of one order, each of another buyer. */
    async function open(...others: ("b" | "c")[]) {
      const shop = await Shop.open((await engine.open()).database);
      const buyers: WalletAddress[] = [];
      const sell = async (digit: string, orderRef: string) => {
        const wallet = await shop.buyer(digit);
        buyers.push(wallet);
        return reportOf(await shop.click(wallet), { ...payable, orderRef });
      };
      const first = await sell("a", "A-1");
      const second = await sell("b", " a-1 ");
      const rest = others.includes("c") ? [await sell("c", "A-1")] : [];
      const states = async () => {
        const rows = await shop.database.kysely
          .selectFrom("sales")
          .select(["state", "hold_reasons"])
          .orderBy("id")
          .execute();
        return rows.map(({ state, hold_reasons }) => (state === "held" ? hold_reasons : state));
      };
      const books = () =>
        Promise.all(
          buyers.map(async (wallet) => [
            await shop.received(wallet),
            Number(await outstandingDebt(shop.database.kysely, wallet)) / 1e9,
          ]),
        );
      return { shop, first, second, rest, states, books };
    }

    for (const others of [["b"], ["b", "c"]] as const) {
      it(`is paid once to ${others.length + 1} wallets, also when what was paid first is declined and comes back`, async () => {
        const { shop, first, second, rest, states, books } = await open(...others);
        await shop.read(first);
        await shop.run();
        await shop.read(second);
        await shop.read({ ...first, ...declined });
        await shop.run();
        for (const third of rest) await shop.read(third);
        await shop.read(first);
        await shop.run();
        expect(await states()).to.deep.equal(["order_twice", "settled", ...rest.map(() => "order_twice")]);
        expect(await books()).to.deep.equal([[5, 5], [5, 0], ...rest.map(() => [0, 0])]);
        // What the second one kept is owed back: now the first one may come back.
        for (const one of [second, ...rest]) await shop.read({ ...one, ...declined });
        await shop.run();
        expect(await books()).to.deep.equal([[5, 0], [5, 5], ...rest.map(() => [0, 0])]);
      });
    }

    it("stays with the sale whose payout was first, though a corrected amount takes it out of the queue", async () => {
      const { shop, first, second, states } = await open();
      await shop.read(first);
      await shop.runUntil("pay");
      await shop.read(second);
      await shop.read({ ...first, ...micros(99) });
      expect(await states()).to.deep.equal(["payable", "order_twice"]);
      await shop.run();
      await shop.read(first);
      await shop.run();
      expect(await states()).to.deep.equal(["settled", "order_twice"]);
    });

    it("is held for a sale that takes its number after it was paid for another one", async () => {
      const { shop, first, second, states, books } = await open();
      await shop.read(first);
      await shop.read({ ...second, orderRef: "B" });
      await shop.run();
      await shop.read({ ...second, ...micros(200) });
      expect(await states()).to.deep.equal(["settled", "order_twice"]);
      await shop.run();
      expect(await books()).to.deep.equal([
        [5, 0],
        [5, 0],
      ]);
    });

    it("is held for a sale that takes its number while its payout is queued", async () => {
      const { shop, first, second, states, books } = await open();
      await shop.read(first);
      await shop.run();
      await shop.read({ ...second, orderRef: "B" });
      await shop.runUntil("mint");
      for (const _step of ["mint", "confirm"]) {
        await shop.mine();
        await shop.plan();
      }
      await shop.read(second);
      await shop.run();
      expect(await states()).to.deep.equal(["settled", "order_twice"]);
      expect(await books()).to.deep.equal([
        [5, 0],
        [0, 0],
      ]);
    });

    it("of two sales that are decided together is held as if one had been decided after the other", async () => {
      const { shop, first, second, states } = await open();
      await shop.read(first);
      await shop.run();
      await shop.read(second);
      const { kysely } = shop.database;
      await sql`update sales set order_ref = 'C', report = replace(report, 'A-1', 'C') where id = 1`.execute(kysely);
      const ids = async (...some: bigint[]) => inTransaction(kysely, (queries) => decideSales(queries, some, RULES));
      await ids(2n, 1n);
      const together = await states();
      expect(together).to.deep.equal(["settled", "payable"]);
      await ids(2n);
      await ids(1n);
      expect(await states()).to.deep.equal(together);
    });
  });
});
