import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { BatchLoader } from "../../core/database/batching.ts";

describe("Lookups of many callers in one query", () => {
  function open() {
    const queries: string[] = [];
    let version = 1;
    const loader = new BatchLoader(async (keys: readonly string[]) => {
      queries.push(keys.join());
      const read = version;
      await nextTurn();
      return new Map(keys.map((key) => [key, read] as const));
    });
    return { loader, queries, change: () => version++ };
  }

  it("are those of a burst, also if each turn of the event loop brings one of them", async () => {
    const { loader, queries } = open();
    const found: Promise<number | undefined>[] = [];
    for (const key of ["a", "b", "a", "b", "c"]) {
      found.push(loader.find(key));
      await nextTurn();
    }
    expect(await Promise.all(found)).to.deep.equal([1, 1, 1, 1, 1]);
    expect(queries).to.deep.equal(["a,b,c"]);
  });

  it("never get the result of a query that began before them", async () => {
    const { loader, queries, change } = open();
    const first = loader.find("a");
    while (queries.length === 0) await nextTurn();
    change();
    expect([await loader.find("a"), await first]).to.deep.equal([2, 1]);
    expect(queries).to.deep.equal(["a", "a"]);
  });

  it("leave one key without a result, and fail together with their query", async () => {
    const loader = new BatchLoader(async (keys: readonly string[]) => {
      if (keys.includes("broken")) throw new Error("The database is away");
      return new Map<string, number>();
    });
    expect(await loader.find("unknown")).to.equal(undefined);
    const outcomes = await Promise.allSettled(["broken", "other"].map((key) => loader.find(key)));
    expect(outcomes.map((one) => one.status)).to.deep.equal(["rejected", "rejected"]);
  });
});
