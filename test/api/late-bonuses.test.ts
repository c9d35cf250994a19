import { expect } from "chai";
import { decideLateBonuses } from "../../api/purchases/late-bonuses.ts";
import type { Services } from "../../api/services.ts";
import { type BonusRead, encodeBonusRead } from "../../core/rules/bonus-read.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { buyerOf } from "../testing/event-chain.ts";
import { insertPlainPurchase } from "../testing/plain-purchase.ts";
import { standIn } from "../testing/stand-in.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** docs/product.md#bonus-read */
describe("Bonuses that are decided late", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    before(async () => {
      const { database } = await open();
      api = await startInProcess(database);
    });
    after(() => api.stop());

    const READ: BonusRead = {
      ...{
        state: "open",
        token: { slug: "verdao", name: "Verdão" },
        contract: buyerOf(9),
        club: null,
        clubToken: null,
      },
      ...{ program: "tiers", block: 1n, mostBps: 9_500n, mostBoostedBps: null },
    };

    it("wait for none that cannot be decided, which is tried again later", async () => {
      const { kysely } = api.services.database;
      const poisoned = await insertPlainPurchase(kysely, { wallet: buyerOf(2) });
      const other = await insertPlainPurchase(kysely, { wallet: buyerOf(3) });
      for (const [due, id] of [poisoned, other].entries())
        await kysely
          .updateTable("purchases")
          .set({ bonus_read: encodeBonusRead(READ), bonus_due_at: BigInt(due), created_at: BigInt(Date.now()) })
          .where("id", "=", id)
          .execute();
      const balances = standIn<Services["balances"]>({
        agreed: async (wallet: string) => {
          if (wallet === buyerOf(2)) throw new TypeError("Nobody thought of it");
          return { value: { units: 0n, decimals: 0 } };
        },
      });
      await decideLateBonuses({ ...api.services, balances });
      const dueAt = async (id: bigint) => {
        const row = kysely.selectFrom("purchases").select("bonus_due_at").where("id", "=", id);
        return (await row.executeTakeFirstOrThrow()).bonus_due_at;
      };
      expect(await dueAt(other)).to.equal(null);
      expect(Number(await dueAt(poisoned))).to.be.above(Date.now() + 30_000);
    });
  });
});
