import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { onBothSystems } from "./support/on-both-systems.ts";
import { patiently } from "./support/patiently.ts";
import { between, pick, seededRandom } from "./support/random.ts";

const SEED = Number(process.env.FAULT_SEED ?? 1);
/** `npm run chaos` kills for as long as one likes, `test/properties` at every step. */
const KILLS = 6;
const PURCHASES_A_KILL = 2;

describe("Killed processes (F1, F2, F33) @deep", () => {
  onBothSystems({}, (system, engine) => {
    const kills = engine === "SQLite" ? KILLS : KILLS / 2;
    it("pays each of many purchases once while the api is killed repeatedly (F1)", async () => {
      const { api, settled, shopper } = system();
      const random = seededRandom(SEED);
      const buyer = await shopper();
      const killing = (async () => {
        for (let count = 0; count < kills; count++) {
          await api.ready("/healthz");
          await delay(between(random, 100, 700));
          await api.kill();
        }
      })();
      for (let count = 0; count < PURCHASES_A_KILL * kills; count++) {
        await patiently(() => buyer.buy(pick(random, [1, 2, 3, 4]), between(random, 1, 500)));
        await delay(between(random, 0, 100));
      }
      await killing;
      const verdict = await settled();
      expect(verdict.purchases).to.be.at.least(PURCHASES_A_KILL * kills);
      expect(api.crashes(), "unexpected exits").to.equal(0);
    });

    it("indexes everything once while the indexer is killed repeatedly (F33)", async () => {
      const { api, indexer, settled, shopper } = system();
      const random = seededRandom(SEED + 1);
      await api.ready("/healthz");
      const buyer = await shopper();
      for (let count = 0; count < kills; count++) {
        await buyer.buy(1, 10 + count);
        await delay(between(random, 0, 300));
        await indexer.kill();
      }
      await settled();
      expect(indexer.crashes(), "unexpected exits").to.equal(0);
    });
  });
});
