import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { RpcError } from "../../core/process/rpc/json-rpc.ts";
import { type Block, type ChainNode, readLinked } from "../../indexer/chain-node.ts";
import type { Context } from "../../indexer/context.ts";
import type { RpcLog } from "../../indexer/events.ts";
import { standIn } from "../testing/stand-in.ts";

const PREVIOUS = { number: 9, hash: "0x09" };
const blockOf = (hash: string): Block => ({ number: 10, hash, parentHash: "0x09", timestamp: 1, logsBloom: "0x" });
const OLD = { block: blockOf("0x0a"), logs: [] };
const NEW = { block: blockOf("0xfa"), logs: [standIn<RpcLog>({ blockNumber: "0xa", blockHash: "0xfa" })] };

describe("Reading blocks that are linked to the cursor", () => {
  it("never takes the headers of a new fork with the logs of the one that it replaced", async () => {
    let fork: typeof OLD | typeof NEW = OLD;
    const answer = <Answer>(of: (one: typeof OLD | typeof NEW) => Answer): Answer => {
      const given = of(fork);
      fork = NEW;
      return given;
    };
    const node = standIn<ChainNode>({
      name: "the node",
      blocks: async () => {
        await turn();
        return answer(({ block }) => [block]);
      },
      logs: async () => answer(({ logs }) => logs),
    });
    const outcome = await readLinked(standIn<Context>({}), node, undefined, {
      previous: PREVIOUS,
      from: 10,
      to: 10,
    }).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(RpcError);
    expect((outcome as RpcError).failure).to.equal("inconsistent");
  });
});
