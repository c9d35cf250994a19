import { expect } from "chai";
import type { KyselyPlugin } from "kysely";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { loadSales } from "../../core/purchases/facts.ts";
import { RULES, reportOf, Shop } from "../sales/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";

const SALES = 24;

describe("What decides about a batch of sales", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    /** Paired: two sales of one buyer, two of the other. */
    async function open() {
      const shop = await Shop.open((await engine.open()).database);
      const { kysely } = shop.database;
      const wallets = [await shop.buyer("a"), await shop.buyer("b")] as const;
      for (let index = 0; index < SALES; index++) {
        const wallet = wallets[index % 4 < 2 ? 0 : 1];
        await shop.read(reportOf(await shop.click(wallet), { status: "approved", payable: true }));
      }
      const ids = (await kysely.selectFrom("sales").select("id").orderBy("id").execute()).map(({ id }) => id);
      /** The statements of `work`. */
      const statementsOf = async (work: (queries: Queries) => Promise<unknown>) => {
        const asked: string[] = [];
        const plugin: KyselyPlugin = {
          transformQuery: ({ node, queryId }) => {
            asked.push(kysely.getExecutor().compileQuery(node, queryId).sql);
            return node;
          },
          transformResult: async ({ result }) => result,
        };
        await inTransaction(kysely.withPlugin(plugin), work);
        return asked;
      };
      return { shop, kysely, ids, statementsOf };
    }

    it("is read in as many statements for many as for one, also if their buyers are only now known", async () => {
      const { kysely, ids, statementsOf } = await open();
      const lost = ids.filter((id) => id % 2n === 0n);
      await kysely.updateTable("sales").set({ click_id: null, wallet: null }).where("id", "in", lost).execute();
      const ordinals: bigint[] = [];
      const load = (some: readonly bigint[]) =>
        statementsOf(async (queries) => {
          const loaded = await loadSales(queries, some, RULES);
          ordinals.splice(0, ordinals.length, ...loaded.map(({ facts }) => facts.ordinalOfDay));
        });
      const [one, all] = [await load(lost.slice(0, 1)), await load(ids)];
      expect(one.filter((statement) => !all.includes(statement))).to.deep.equal([]);
      expect(all.length - new Set(all).size, "asked twice").to.equal(0);
      expect(all.length, all.join("\n")).to.be.at.most(17);
      expect(all.filter((statement) => statement.includes('from "clicks"'))).to.have.lengthOf(1);
      // The sales of a wallet that are stored with it, and are older; and itself.
      expect(ordinals.slice(0, 6)).to.deep.equal([1n, 2n, 1n, 2n, 2n, 3n]);
    });

    it("is decided again in as many statements for many as for one, if nothing changed", async () => {
      const { ids, statementsOf } = await open();
      const decide = (some: readonly bigint[]) => statementsOf((queries) => decideSales(queries, some, RULES));
      await decide(ids);
      const [one, all] = [await decide(ids.slice(0, 1)), await decide(ids)];
      expect(all, all.join("\n")).to.have.lengthOf(one.length);
    });
  });
});
