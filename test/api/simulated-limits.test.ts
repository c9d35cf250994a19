import { expect } from "chai";
import { readEnvironment } from "../../api/environment.ts";
import { limitsOf } from "../../api/purchases/registration.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { admitSimulated, deleteSimulatedDays } from "../../core/purchases/simulated-limits.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { onBothEngines } from "../testing/databases.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { onBothSystems } from "./support/system.ts";

onBothSystems(
  "A simulated purchase within limits",
  {
    SIMULATED_STEP_DELAY_MS: "3600000",
    SIMULATED_MAX_REAIS: "100",
    SIMULATED_DAILY_MAX_REAIS: "250",
    SIMULATED_TOTAL_DAILY_REAIS: "600",
  },
  (system) => {
    it("is refused alone above a purchase's, a wallet's or everybody's limit, whoever sends how many at once", async () => {
      const [one, two, three, four] = await Promise.all(Array.from({ length: 4 }, () => system().user()));
      if (!one || !two || !three || !four) throw new Error("No users");
      const buy = (user: typeof one, amount: number, headers = {}) =>
        user.post("/api/register-purchase", { user: user.address, store_id: 1, amount }, headers);

      const large = await buy(one, 100.01);
      expectRefusal(large, 409, "SIMULATED_LIMIT");
      expect(large.body).to.deep.include({ limit: "purchase", params: { max: "100.00" }, due_at: null });

      const atOnce = await Promise.all(Array.from({ length: 10 }, () => buy(one, 50)));
      expect(atOnce.filter(({ status }) => status === 200)).to.have.length(5);
      const refused = atOnce.filter(({ status }) => status !== 200);
      for (const answer of refused) {
        expectRefusal(answer, 409, "SIMULATED_LIMIT");
        expect(answer.body.limit).to.equal("wallet");
        expect(Date.parse(answer.body.due_at) % DAY_MS).to.equal(0);
      }

      // A request with a key goes its own way to the same counters.
      const keyed = await Promise.all([0, 1, 2].map((key) => buy(two, 100, { "idempotency-key": `k${key}` })));
      expect(keyed.map(({ status }) => status).sort()).to.deep.equal([200, 200, 409]);

      const last = await Promise.all([buy(three, 100), buy(four, 100), buy(three, 100), buy(four, 100)]);
      expect(last.filter(({ status }) => status === 200)).to.have.length(1);
      expect(last.find(({ status }) => status === 409)?.body.limit).to.equal("all");
      expect((await one.get("/api/purchases")).body.purchases).to.have.length(5);
    });
  },
);

describe("The day of simulated purchases", () => {
  onBothEngines(({ open }) => {
    it("ends at midnight UTC, and is deleted afterwards", async () => {
      const { kysely } = (await open()).database;
      const limits = limitsOf(readEnvironment({ SIMULATED_DAILY_MAX_REAIS: "10" }));
      if (!limits) throw new Error("No limits");
      const purchase = { wallet: `0x${"ab".repeat(20)}`, amountCents: 1_000n };
      const midnight = Date.UTC(2026, 10, 24);
      const admit = (now: number) =>
        inTransaction(kysely, async (queries) => (await admitSimulated(queries, [purchase], limits, now))[0]?.limit);
      expect(await admit(midnight - 1)).to.equal(undefined);
      expect(await admit(midnight - 1)).to.equal("wallet");
      expect(await admit(midnight)).to.equal(undefined);
      expect(await deleteSimulatedDays(kysely, 500, midnight)).to.equal(false);
      expect(await kysely.selectFrom("simulated_days").select("day").distinct().execute()).to.have.length(1);
    });
  });
});
