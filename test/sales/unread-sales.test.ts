import { expect } from "chai";
import type { Queries } from "../../core/database/transaction.ts";
import { SALE_STATES, type SaleState } from "../../core/rules/sale/facts.ts";
import { listLongestUnread } from "../../core/sales/unread-sales.ts";
import { onBothEngines } from "../testing/databases.ts";

const OLD = 1_200;
const ACCOUNT = { network: "awin", account: "br" };

describe("The sales to reread", () => {
  onBothEngines(({ open }) => {
    it("are those that can still change; old ones leave the queue once", async () => {
      const { database } = await open();
      const queries = database.kysely;
      await insertSales(queries, [
        ...Array.from({ length: OLD }, (_, index) => ({ key: `old ${index}`, madeAt: 1, readAt: 1 + index })),
        { key: "read longest ago", madeAt: 5_000, readAt: 5_000 },
        { key: "read later", madeAt: 5_000, readAt: 6_000 },
        { key: "just read", madeAt: 5_000, readAt: 9_000 },
      ]);
      const list = async () => {
        const times = { unreadSince: 8_000, changeableSince: 4_000, limit: 1 };
        const sales = await listLongestUnread(queries, { ...ACCOUNT, states: ["settled"] }, times);
        return sales.map((sale) => sale.sale_key);
      };
      expect(await list()).to.deep.equal(["read longest ago"]);
      const inFront = await queries.selectFrom("sales").select("id").where("read_at", "<", 5_000n).execute();
      expect(inFront).to.deep.equal([]);
      expect(await list()).to.deep.equal(["read longest ago"]);
    });

    it("are never too old while they are open, or were declined lately", async () => {
      const { database } = await open();
      await insertSales(database.kysely, [
        { key: "open", madeAt: 1, readAt: 1, state: "open" },
        { key: "payable", madeAt: 1, readAt: 2, state: "payable" },
        { key: "declined long ago", madeAt: 1, readAt: 3, state: "declined" },
        { key: "declined lately", madeAt: 1, readAt: 4, state: "declined", changedAt: 4_001 },
      ]);
      const times = { unreadSince: 8_000, changeableSince: 4_000, limit: 5 };
      const listed = await listLongestUnread(database.kysely, { ...ACCOUNT, states: SALE_STATES }, times);
      expect(listed.map((sale) => sale.sale_key)).to.deep.equal(["open", "payable", "declined lately"]);
    });

    it("are none if only old ones are left", async () => {
      const { database } = await open();
      await insertSales(database.kysely, [{ key: "old", madeAt: 1, readAt: 1 }]);
      const times = { unreadSince: 8_000, changeableSince: 4_000, limit: 1 };
      expect(await listLongestUnread(database.kysely, { ...ACCOUNT, states: ["settled"] }, times)).to.deep.equal([]);
    });
  });
});

type Inserted = { key: string; madeAt: number; readAt: number; state?: SaleState; changedAt?: number };

async function insertSales(queries: Queries, sales: readonly Inserted[]) {
  await queries
    .insertInto("sales")
    .values(
      sales.map(({ key, madeAt, readAt, state = "settled", changedAt }) => ({
        ...ACCOUNT,
        sale_key: key,
        status: "approved" as const,
        state,
        changed_at: changedAt === undefined ? null : BigInt(changedAt),
        currency: "BRL",
        amount_micros: 1n,
        report: "{}",
        read_at: BigInt(readAt),
        created_at: BigInt(madeAt),
        updated_at: BigInt(madeAt),
      })),
    )
    .execute();
}
