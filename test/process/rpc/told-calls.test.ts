import { expect } from "chai";
import {
  keepCallLimits,
  listNodeCalls,
  nodeCallsProblem,
  nodeCallsText,
} from "../../../core/process/rpc/told-calls.ts";
import { onBothEngines } from "../../testing/databases.ts";

const RPC = "https://node.example";

describe("What processes tell of their node calls", () => {
  onBothEngines(({ open }) => {
    it("is what a node takes of all of them together, and what they need", async () => {
      const { database } = await open();
      const row = (process: string, allowed: bigint | null, needed: bigint, told_at: number) =>
        database.kysely
          .insertInto("node_calls")
          .values({ process, rpc: RPC, allowed, needed, told_at: BigInt(told_at) })
          .execute();
      await row("api one:3000", 3_000n, 4_000n, Date.now());
      await row("indexer one:3001", null, 1_500n, Date.now());
      await row("api of yesterday:3000", 1_000n, 90_000n, Date.now() - 86_400_000);
      const [calls] = await listNodeCalls(database.kysely);
      expect(calls).to.deep.equal({ rpc: RPC, allowed: 4.5, needed: 5.5 });
      expect(calls && nodeCallsProblem(calls)).to.equal(
        "The provider of https://node.example allows 4.5 calls a second, this shop needs 5.5",
      );
    });

    it("is no problem of a node that refused nothing, or takes what is needed", async () => {
      const needed = 90;
      expect(nodeCallsProblem({ rpc: RPC, allowed: undefined, needed })).to.equal(undefined);
      expect(nodeCallsProblem({ rpc: RPC, allowed: needed, needed })).to.equal(undefined);
      expect(nodeCallsText({ rpc: RPC, allowed: undefined, needed: 1.2 })).to.equal(
        "https://node.example has refused no calls, this shop needs 1.2 a second",
      );
    });

    it("is where the next process of that name begins", async () => {
      const { database } = await open();
      const row = { process: "api one:3000", rpc: RPC, allowed: 4_500n, needed: 0n, told_at: 1n };
      await database.kysely.insertInto("node_calls").values(row).execute();
      const recalled: [string, number][] = [];
      const recallLimit = (rpc: string, allowed: number) => void recalled.push([rpc, allowed]);
      for (const process of ["api one:3000", "api two:3000"]) {
        (await keepCallLimits({ database, process, nodes: { figures: [], recallLimit } }))();
      }
      expect(recalled).to.deep.equal([[RPC, 4.5]]);
    });
  });
});
