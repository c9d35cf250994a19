import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { openLog } from "../../../core/process/log.ts";
import { JsonRpc, RpcError } from "../../../core/process/rpc/json-rpc.ts";
import { NodePool, WrongChainError } from "../../../core/process/rpc/node-pool.ts";
import type { ChainMemory, KnownChain } from "../../../core/process/rpc/node-proof.ts";
import { type Reply, type RpcCall, type ScriptedNode, startScriptedNode } from "../../indexer/support/scripted-node.ts";
import { type Anvil, startAnvil } from "../../testing/anvil.ts";
import { PURCHASE_NFT, placeEmitters } from "../../testing/event-chain.ts";
import { freePorts } from "../../testing/free-port.ts";
import { until } from "../../testing/until.ts";

const OTHER_HASH = `0x${"ab".repeat(32)}`;
const DEEP = 10;
/** `/readyz` is 503 five seconds after the last verified node went down; a busy machine gets more. */
const GONE_MS = 15_000;

describe("The node pool", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let known: KnownChain;
  const nodes: ScriptedNode[] = [];
  const pools: NodePool<JsonRpc>[] = [];
  const endings: (() => void)[] = [];

  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    await placeEmitters(anvil);
    await anvil.request("anvil_mine", "0x40");
    known = { genesis: await hashOf(0), deep: { number: DEEP, hash: await hashOf(DEEP) } };
  });
  afterEach(async () => {
    for (const end of endings.splice(0)) end();
    for (const pool of pools.splice(0)) pool.close();
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });
  after(() => anvil.stop());

  const hashOf = async (number: number) =>
    (await anvil.request<{ hash: string }>("eth_getBlockByNumber", `0x${number.toString(16)}`, false)).hash;
  const script = async (reply: (call: RpcCall) => Reply | Promise<Reply>) => {
    const node = await startScriptedNode(anvil.rpcUrl, reply);
    nodes.push(node);
    return node;
  };
  const remembering = (chain: () => KnownChain): ChainMemory & { kept: string[] } => {
    const kept: string[] = [];
    const keepGenesis = async (hash: string) => {
      kept.push(hash);
      return chain().genesis ?? hash;
    };
    return { kept, recall: async () => chain(), keepGenesis };
  };
  const open = async (urls: string[], options: { memory?: ChainMemory; followsDeepReorgs?: boolean } = {}) => {
    const pool = await NodePool.open({
      urls,
      chainId: 88_882,
      contract: PURCHASE_NFT,
      memory: remembering(() => known),
      ...options,
      timeoutMs: 1_000,
      patienceMs: 3_000,
      log: openLog("silent"),
      open: (rpc: JsonRpc) => rpc,
    });
    pools.push(pool);
    return pool;
  };
  const headOf = (pool: NodePool<JsonRpc>) => pool.ask((rpc) => rpc.call("eth_blockNumber"));
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail("It was believed"),
      (error: Error) => error,
    );
  /** Another hash for one block. */
  const otherBlock = (number: number) => async (call: RpcCall) =>
    call.method === "eth_getBlockByNumber" && Number(call.params[0]) === number
      ? {
          result: { ...(await anvil.request<object>("eth_getBlockByNumber", call.params[0], false)), hash: OTHER_HASH },
        }
      : undefined;

  const otherChain = async (call: RpcCall) => (await otherBlock(0)(call)) ?? otherBlock(DEEP)(call);

  for (const { what, reply, kind } of [
    {
      what: "another chain id",
      reply: (call: RpcCall) => (call.method === "eth_chainId" ? { result: "0x1" } : undefined),
      kind: "chain-id",
    },
    { what: "another genesis block", reply: otherChain, kind: "genesis" },
    { what: "another deep block", reply: otherBlock(DEEP), kind: "block" },
  ] as const) {
    it(`sends nothing to a node with ${what}, counts it, and asks the next one (F4)`, async () => {
      const liar = await script(reply);
      const pool = await open([liar.url, anvil.rpcUrl]);
      await headOf(pool);
      await headOf(pool);
      expect(pool.inUse).to.equal(anvil.rpcUrl);
      expect(pool.contradictions).to.deep.equal([{ rpc: liar.url, kind, count: 1 }]);
      const alone = await open([liar.url]);
      const { failure, message } = (await refusal(headOf(alone))) as RpcError;
      expect(failure).to.equal("unproven");
      expect(message).to.match(/is of (another )?chain/);
    });
  }

  it("waits at most a minute for a node that asks for more", async () => {
    const tomorrow = () => new Date(Date.now() + 86_400_000).toUTCString();
    for (const [asked, waits] of [
      ["3600", 60_000],
      [tomorrow(), 60_000],
      ["20", 20_000],
      ["soon", undefined],
    ] as const) {
      const node = await script(() => ({ status: 429, headers: { "retry-after": asked } }));
      const rpc = await JsonRpc.open(node.url, { timeoutMs: 1_000 });
      const { failure, retryAfterMs } = (await refusal(rpc.call("eth_blockNumber"))) as RpcError;
      expect([failure, retryAfterMs], asked).to.deep.equal(["rate-limited", waits]);
    }
  });

  it("starts if a node is away, which may be on our chain, and does not if every node is on another chain (F45)", async () => {
    const [port] = await freePorts(1);
    const away = `http://127.0.0.1:${port}`;
    await (await open([away])).refuseWrongChain();
    const liar = await script(otherChain);
    await (await open([liar.url, anvil.rpcUrl])).refuseWrongChain();
    const waiting = await open([away, liar.url]);
    await waiting.refuseWrongChain();
    expect(waiting.isReady).to.equal(false);
    expect(await refusal(headOf(waiting))).to.be.instanceOf(RpcError);
    const both = await open([liar.url, (await script(otherChain)).url]);
    expect(await refusal(both.refuseWrongChain())).to.be.instanceOf(WrongChainError);
  });

  it("keeps the genesis block of the first node that has the contracts, and of no other", async () => {
    let genesis: string | undefined;
    const memory = remembering(() => ({ genesis, deep: undefined }));
    const empty = await script((call) => (call.method === "eth_getCode" ? { result: "0x" } : undefined));
    const pool = await open([empty.url, anvil.rpcUrl], { memory });
    await headOf(pool);
    expect(pool.inUse).to.equal(anvil.rpcUrl);
    expect(memory.kept).to.deep.equal([await hashOf(0)]);
  });

  it("proves a node again after each failure", async () => {
    let isOther = false;
    let isAway = false;
    const node = await script(async (call) => {
      if (isAway) return { status: 503 };
      return isOther ? otherChain(call) : undefined;
    });
    const pool = await open([node.url]);
    await headOf(pool);
    isAway = true;
    await refusal(headOf(pool));
    [isAway, isOther] = [false, true];
    expect(((await refusal(headOf(pool))) as RpcError).failure).to.equal("unproven");
  });

  it("learns in the same response whether a load balancer switched it to another chain (F4)", async () => {
    let isOther = false;
    const node = await script((call) => (isOther ? otherBlock(DEEP)(call) : undefined));
    const pool = await open([node.url, anvil.rpcUrl]);
    const ask = () => pool.ask((rpc) => pool.settleWitnessed(rpc, [{ method: "eth_blockNumber", params: [] }]));
    await ask();
    expect(pool.inUse).to.equal(node.url);
    isOther = true;
    await ask();
    expect(pool.inUse).to.equal(anvil.rpcUrl);
    expect(pool.contradictions).to.deep.equal([{ rpc: node.url, kind: "block", count: 1 }]);
  });

  it("is not ready five seconds after its last node stopped responding, and ready soon after it responds again", async () => {
    let isSilent = false;
    let release = () => {};
    const node = await script(async () => {
      if (isSilent) await new Promise<void>((resolve) => (release = resolve));
      return undefined;
    });
    const pool = await open([node.url]);
    endings.push(pool.watch());
    await until("it is ready", () => pool.isReady);
    isSilent = true;
    await until("it is not ready", () => !pool.isReady, GONE_MS);
    expect(pool.problem).to.match(/did not answer/);
    isSilent = false;
    release();
    await until("it is ready again", () => pool.isReady);
  });

  it("is not ready as soon as its only node reports another chain", async () => {
    let isOther = false;
    const node = await script((call) => (isOther ? otherChain(call) : undefined));
    const pool = await open([node.url]);
    endings.push(pool.watch());
    await until("it is ready", () => pool.isReady);
    isOther = true;
    await until("it is not ready", () => !pool.isReady, GONE_MS);
    isOther = false;
    await until("it is ready again", () => pool.isReady);
  });

  it("replaces a deep block only if every node has the same other one, and only for the indexer (F34)", async () => {
    let areUnanimous = false;
    const first = await script(otherBlock(DEEP));
    const second = await script((call) => (areUnanimous ? otherBlock(DEEP)(call) : { status: 503 }));
    const indexer = await open([first.url, second.url], { followsDeepReorgs: true });
    const api = await open([first.url, second.url]);
    endings.push(indexer.watch(), api.watch());
    await delay(4_000);
    expect(indexer.isReady, "one node alone").to.equal(false);
    areUnanimous = true;
    await until("the indexer follows", () => indexer.isReady);
    expect(api.isReady, "the api waits for the index").to.equal(false);
  });

  it("trusts a node that has our deep block, whatever its block 0, as after a restart of anvil", async () => {
    const anvilAgain = await script(otherBlock(0));
    const pool = await open([anvilAgain.url]);
    await headOf(pool);
    expect(pool.contradictions).to.deep.equal([]);
  });

  it("treats a contract's revert as an answer, and asks no other node", async () => {
    const reverting = await script((call) =>
      call.method === "eth_call"
        ? { error: { code: 3, message: "execution reverted: limit exceeded", data: "0x12" } }
        : undefined,
    );
    const pool = await open([reverting.url, anvil.rpcUrl]);
    const [outcome] = await pool.ask((rpc) =>
      pool.settleWitnessed(rpc, [{ method: "eth_call", params: [{}, "latest"] }]),
    );
    expect(outcome && "error" in outcome && outcome.error).to.be.instanceOf(RpcError);
    expect(outcome && "error" in outcome && outcome.error.answer).to.include({ code: 3, data: "0x12" });
    expect(pool.inUse).to.equal(reverting.url);
  });
});
