import { expect } from "chai";
import { requestedSecondRead, requestSecondRead } from "../../core/database/second-read.ts";
import { WrongChainError } from "../../core/process/rpc/node-pool.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { buyerOf, emit, mintEvents, placeEmitters } from "../testing/event-chain.ts";
import { until } from "../testing/until.ts";
import { caughtUp, type RunningIndexer, readIndex, startIndexer } from "./support/running-indexer.ts";
import { type RpcCall, type ScriptedNode, startScriptedNode } from "./support/scripted-node.ts";

type Log = { blockNumber: string; address: string };
const PURCHASES = 12;

describe("Nodes", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  const nodes: ScriptedNode[] = [];
  let running: RunningIndexer | undefined;
  before(async () => {
    anvil = await startAnvil({ manualBlocks: true, extraArguments: ["--gas-limit", "1000000000"] });
    await placeEmitters(anvil);
    for (let id = 1; id <= PURCHASES; id++) {
      await emit(anvil, mintEvents({ tokenId: BigInt(id), buyer: buyerOf(id) }));
      await anvil.request("anvil_mine", "0x32");
    }
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });
  after(() => anvil.stop());

  const script = async (
    ...parameters: Parameters<typeof startScriptedNode> extends [string, infer S] ? [S] : never
  ) => {
    const node = await startScriptedNode(anvil.rpcUrl, parameters[0]);
    nodes.push(node);
    return node;
  };
  const rangeOf = ({ params }: RpcCall) => {
    const { fromBlock = "0x0", toBlock = "0x0" } = params[0] as { fromBlock?: string; toBlock?: string };
    return Number(toBlock) - Number(fromBlock) + 1;
  };
  const isRange = ({ method, params }: RpcCall) =>
    method === "eth_getLogs" && (params[0] as { fromBlock?: string }).fromBlock !== undefined;

  onEitherEngine(({ name, open }) => {
    // The node's behaviour does not depend on the database; only the final state is tested on both.
    if (name === "PostgreSQL") return;

    const indexedBy = async (...rpcUrls: string[]) => {
      const { database, url } = await open();
      running = await startIndexer({ databaseUrl: url, rpcUrls });
      await caughtUp(database, anvil);
      const { nfts } = await readIndex(database);
      expect(nfts.map((nft) => Number(nft.token_id))).to.deep.equal(
        Array.from({ length: PURCHASES }, (_, at) => at + 1),
      );
      return running;
    };

    it("requests no more blocks than a provider accepts", async () => {
      const node = await script((call) =>
        isRange(call) && rangeOf(call) > 40 ? { error: { code: -32602, message: "max block range: 40" } } : undefined,
      );
      await indexedBy(node.url);
      const refused = node.calls.filter((call) => isRange(call) && rangeOf(call) > 40);
      expect(refused.length, "it remembers the limit").to.be.within(1, 6);
    });

    it("requests less if there are too many results or the body is too large", async () => {
      let turn = 0;
      const node = await script((call) => {
        if (!isRange(call) || rangeOf(call) <= 60) return undefined;
        turn += 1;
        return turn % 2 === 0 ? { status: 413 } : { error: { code: -32005, message: "more than 10 results" } };
      });
      await indexedBy(node.url);
      expect(turn).to.be.greaterThan(0);
    });

    it("waits as long as a provider requires", async () => {
      let refusedAt = 0;
      let againAt = 0;
      const node = await script((call) => {
        if (!isRange(call)) return undefined;
        if (refusedAt === 0) {
          refusedAt = performance.now();
          return { status: 429, headers: { "retry-after": "1" } };
        }
        againAt ||= performance.now();
        return undefined;
      });
      await indexedBy(node.url);
      expect(againAt - refusedAt).to.be.greaterThan(900);
    });

    for (const [lie, spoil] of [
      ["twice", (logs: Log[]) => logs.flatMap((log) => [log, log])],
      ["out of order", (logs: Log[]) => logs.toReversed()],
      ["of another block", (logs: Log[]) => logs.map((log) => ({ ...log, blockHash: `0x${"ab".repeat(32)}` }))],
      ["of another contract", (logs: Log[]) => logs.map((log) => ({ ...log, address: `0x${"77".repeat(20)}` }))],
      ["from outside the range", (logs: Log[]) => logs.map((log) => ({ ...log, blockNumber: "0xfffffff" }))],
    ] as const) {
      it(`rejects a node that returns logs ${lie}, and asks the next`, async () => {
        const liar = await script(async (call, passOn) => {
          if (call.method !== "eth_getLogs") return undefined;
          return { result: spoil((await passOn()) as Log[]) };
        });
        const indexer = await indexedBy(liar.url, anvil.rpcUrl);
        expect(await indexer.metric("torcida_indexer_ignored_events_total")).to.equal(0);
        expect(liar.calls.some((call) => call.method === "eth_getLogs")).to.equal(true);
      });
    }

    it("finds in its second read what a node omitted from every first one", async () => {
      const asked = new Set<string>();
      const node = await script(async (call, passOn) => {
        if (!isRange(call)) return undefined;
        const logs = (await passOn()) as Log[];
        const left = logs.filter((log) => asked.has(log.blockNumber));
        for (const log of logs) asked.add(log.blockNumber);
        return { result: left };
      });
      const { database, url } = await open();
      running = await startIndexer({ databaseUrl: url, rpcUrls: [node.url] });
      await caughtUp(database, anvil);
      await until("everything is there", async () => (await readIndex(database)).nfts.length === PURCHASES);
    });

    it("rereads at once what a comparison questions, and reports when it is done", async () => {
      const { database, url } = await open();
      running = await startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl] });
      await caughtUp(database, anvil);
      // The first pass ends, and the next one is half a minute away.
      await requestSecondRead(database.kysely, 0);
      await until("the chain was read again", async () => !(await requestedSecondRead(database.kysely)));
      const complete = await readIndex(database);
      const lost = complete.events.find((event) => event.kind === "StatusUpdated");
      await database.kysely
        .deleteFrom("chain_events")
        .where("block_number", "=", lost?.block_number ?? 0n)
        .where("log_index", "=", lost?.log_index ?? 0n)
        .execute();
      await database.kysely
        .updateTable("nfts")
        .set({ status: 1n })
        .where("token_id", "=", lost?.token_id ?? 0n)
        .execute();
      await requestSecondRead(database.kysely, 0);
      await until("the chain was read again", async () => !(await requestedSecondRead(database.kysely)));
      expect(await readIndex(database)).to.deep.equal(complete);
    });

    it("does not start on a node of another chain", async () => {
      const { url } = await open();
      const other = await script((call) => (call.method === "eth_chainId" ? { result: "0x1" } : undefined));
      const failure = await startIndexer({ databaseUrl: url, rpcUrls: [other.url] }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(WrongChainError);
      expect((failure as Error).message).to.match(/is of chain 1, not 88882; check RPC_URLS and CHAIN_ID$/);
    });

    it("ignores one node of another chain, and works with the others", async () => {
      const other = await script((call) => (call.method === "eth_chainId" ? { result: "0x1" } : undefined));
      const indexer = await indexedBy(other.url, anvil.rpcUrl);
      expect(other.calls.some((call) => call.method === "eth_getLogs")).to.equal(false);
      expect((await indexer.readiness()).body.rpc).to.equal(anvil.rpcUrl);
    });

    it("does not mistake a node that is behind for a reorg", async () => {
      let isBehind = false;
      const node = await script(async (call, passOn) => {
        if (!isBehind || call.method !== "eth_getBlockByNumber" || call.params[0] !== "latest") return undefined;
        const head = (await passOn()) as { number: string };
        const number = `0x${(Number(head.number) - 20).toString(16)}`;
        return { result: await anvil.request("eth_getBlockByNumber", number, false) };
      });
      const indexer = await indexedBy(node.url);
      isBehind = true;
      const before = node.calls.length;
      await until("it has asked again", () => node.calls.length > before + 10);
      expect(await indexer.metric("torcida_indexer_reorgs_total")).to.equal(0);
    });
  });
});
