import { expect } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { onEitherEngine } from "../testing/databases.ts";
import { PROPERTY_TIMEOUT_MS, seeded } from "./support/seeded.ts";
import { type Act, keyOf, type Moment, TwoSales } from "./support/two-sales.ts";

/** Every history of so many steps is told, and back from each of at most so many: six take about 48,000 steps, an hour. */
const STEPS = { deep: 2, release: { SQLite: 6, PostgreSQL: 3 }, back: 3 };
const DRAWN = { usual: 4, release: 2_000 };
/** An act, or back to that moment. */
type Step = Act | number;
const RELEASE_TIMEOUT_MS = 4 * 3_600_000;

/** What a decision could mistake, and a history that would show it. The first moment is 0; each step makes one. */
const TOLD: Record<string, readonly Step[]> = {
  "what was paid is nobody's order once a backup is restored": ["1 less", "pay", "2 pending", 0],
  "what is held goes on with the purchases that it has": ["1 approved", "confirm", "2 approved", "pay"],
  "a debt is forgotten with the report that made it": ["1 approved", "pay", "1 declined", "2 approved", "pay", 1, 0],
  "an order is held by a sale that a restored backup has not read yet": [
    ...(["2 approved", "pay", "2 declined", "1 approved", "2 pending", 3] as const),
  ],
  "a release covers what its sale rises to once it was paid": [
    ...(["1 approved", "pay", "2 less", "2 release", "pay", "2 agree", "pay", "2 approved", "pay"] as const),
  ],
  "a person's hold is that of one purchase": ["1 less", "confirm", "1 hold", "1 approved", "pay"],
  "a person's hold is over once it was ended": ["1 less", "1 hold", "1 release", "1 approved", "pay", "1 agree", "pay"],
  "a second person's no is that of one purchase": [
    ...(["1 less", "1 hold", "1 release", "pay", "1 refuse", "1 approved", "pay", "1 agree", "pay"] as const),
  ],
  "what comes back is kept beside the other one": [
    "1 approved",
    "pay",
    "2 approved",
    "1 declined",
    "pay",
    "1 approved",
  ],
  "a ticket keeps a value that the database never knew": ["1 approved", "1 less", "confirm", 1],
  "what one person releases lifts a debt above what they may alone": [
    ...(["1 approved", "pay", "1 declined", "2 pending", "1 approved", "1 release"] as const),
  ],
  "a part of what is due may not be paid first": ["1 less", "confirm", "1 approved", "confirm", "pay"],
  "a hold leaves what is queued of another purchase of its sale": [
    ...(["1 less", "confirm", "1 approved", "queue", "1 hold"] as const),
  ],
  "a hold that a backup lost is remembered": ["1 approved", "1 hold", "confirm", 1],
};

/**
 * Two sales of one order: what networks, people and the chain do to them, and from each moment back to the earlier ones, as
 * where a backup is restored. docs/product.md#sales-once
 */
describe("Two sales of one order", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  onEitherEngine(({ open, name }) => {
    const newSales = async () => {
      const { database } = await open();
      // No machine fails here: commits that wait for the disk would take most of the time.
      if (name === "SQLite") await sql`pragma synchronous = off`.execute(database.kysely);
      return TwoSales.open(database);
    };

    /** Every history of so many steps, each moment once; and back from it to all that were before it. */
    async function tellAll(steps: number): Promise<void> {
      const sales = await newSales();
      const first = await sales.do("queue");
      const known = new Set([keyOf(first)]);
      let level = [{ said: [] as readonly string[], moments: [first] as readonly Moment[] }];
      for (let step = 0; step < steps; step++) {
        const next: typeof level = [];
        for (const { said, moments } of level) {
          const [last] = moments.slice(-1);
          for (const act of last?.can ?? []) {
            const telling = [...said, act];
            await sales.resume(last as Moment);
            const moment = await tell(telling, () => sales.do(act));
            if (known.has(keyOf(moment))) continue;
            known.add(keyOf(moment));
            next.push({ said: telling, moments: [...moments, moment] });
            for (const [at, earlier] of (step < STEPS.back ? moments : []).entries()) {
              if (at > 0) await sales.resume(moment);
              await tell([...telling, `back to ${at}`], () => sales.goBack(earlier));
            }
          }
        }
        level = next;
      }
      expect(level, "histories").to.not.be.empty;
    }

    async function tellOf(sales: TwoSales, first: Moment, steps: readonly Step[]): Promise<void> {
      await sales.resume(first);
      const moments = [first];
      for (const [at, step] of steps.entries()) {
        const go = () => (typeof step === "number" ? sales.goBack(moments[step] ?? first) : sales.do(step));
        moments.push(await tell(steps.slice(0, at + 1), go));
      }
    }

    async function draw(runs: number): Promise<void> {
      const sales = await newSales();
      const first = await sales.do("queue");
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(999), { minLength: 6, maxLength: 14, size: "max" }), async (numbers) => {
          await sales.resume(first);
          const moments = [first];
          const said: string[] = [];
          for (const number of numbers) {
            const { can } = moments.at(-1) ?? first;
            const at = number % moments.length;
            const isBack = number % 10 === 0;
            const act = can[number % can.length] as Act;
            said.push(isBack ? `back to ${at}` : act);
            const go = () => (isBack ? sales.goBack(moments[at] ?? first) : sales.do(act));
            moments.push(await tell(said, go));
          }
        }),
        seeded<[number[]]>(runs),
      );
    }

    const title = "are paid once by what is said of them, whatever happens, and whichever backup is restored";
    it("are so where a mistake would be hard to see", async () => {
      const sales = await newSales();
      const first = await sales.do("queue");
      const wrong: string[] = [];
      for (const [mistake, steps] of Object.entries(TOLD))
        await tellOf(sales, first, steps).catch((error: Error) => wrong.push(`As if ${mistake}: ${error.message}`));
      expect(wrong.join("\n")).to.equal("");
    });
    it(title, () => draw(DRAWN.usual));
    it(`${title}, in many more histories @release`, async function () {
      this.timeout(RELEASE_TIMEOUT_MS);
      await draw(DRAWN.release);
    });
    // A release's longer ones begin with these.
    if (name === "SQLite") it("are so after every step of every short history @deep", () => tellAll(STEPS.deep));
    it(`are so after every step of every history of ${STEPS.release[name]} steps @release`, async function () {
      this.timeout(RELEASE_TIMEOUT_MS);
      await tellAll(STEPS.release[name]);
    });
  });
});

/** Says which history it was. */
async function tell<T>(history: readonly (string | number)[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${history.join(", ")}: ${(error as Error).message}`, { cause: error });
  }
}
