import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { Metrics } from "../../../api/operations/metrics.ts";
import { EveryNode, NoAgreementError, type Question } from "../../../core/process/rpc/every-node.ts";
import { fixedRate } from "../../../core/rates/rate-source.ts";
import { Senders } from "../../../core/sender/sender.ts";
import { type Reply, type RpcCall, type ScriptedNode, startScriptedNode } from "../../indexer/support/scripted-node.ts";
import { type Anvil, startAnvil } from "../../testing/anvil.ts";

const CONTRACT = "0x00000000000000000000000000000000000c0de7";
/** Returns the number of the block. */
const TELLS_BLOCK = "0x435f5260205ff3";
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

describe("Every node", function () {
  this.timeout(120_000);
  let anvil: Anvil;
  const nodes: ScriptedNode[] = [];
  const opened: EveryNode[] = [];

  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    await anvil.request("anvil_setCode", CONTRACT, TELLS_BLOCK);
    await anvil.request("anvil_mine", "0x20");
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) one.close();
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });
  after(() => anvil.stop());

  const node = async (reply: (call: RpcCall) => Reply | Promise<Reply> = () => undefined) => {
    const one = await startScriptedNode(anvil.rpcUrl, reply);
    nodes.push(one);
    return one;
  };
  /** The second one is of another host. */
  const open = async (nodes: readonly ScriptedNode[], states: { rpc: string; trust: "contradicting" }[] = []) => {
    const urls = nodes.map(({ url }, index) => (index === 1 ? url.replace("127.0.0.1", "localhost") : url));
    const one = await EveryNode.open({ urls, pool: { states } });
    opened.push(one);
    return one;
  };
  const ask = (everyNode: EveryNode, question: Partial<Question> = {}) =>
    everyNode.agreed({ asker: "a", at: { depth: 1 }, ...question }, [{ to: CONTRACT, data: "0x" }]);
  const whyNot = (asking: Promise<unknown>) =>
    asking.then(
      () => "agreed",
      (error: unknown) => (error instanceof NoAgreementError ? error.why : String(error)),
    );
  const head = async () => Number(await anvil.request<string>("eth_blockNumber"));
  const lyingTo = (method: string, result: unknown) => (call: RpcCall) =>
    call.method === method ? { result } : undefined;

  it("has its calls counted beside those of the other connections to the same node", async () => {
    const everyNode = await open([await node()]);
    await ask(everyNode);
    const [{ rpc = "", count = 0 } = {}] = everyNode.calls.filter(({ lane }) => lane === "read");
    expect(count).to.be.greaterThan(1);
    const calls = [{ rpc, lane: "read" as const, count: 5 }];
    const pool = { isReady: true, contradictions: [], calls };
    const metrics = new Metrics(new Senders([], []), fixedRate(1n), pool, everyNode);
    expect(await metrics.registry.getSingleMetricAsString("torcida_node_calls_total")).to.include(
      `{rpc="${rpc}",kind="read"} ${5 + count}`,
    );
  });

  it("says what all nodes say alike, at the newest block that all have, or so deep below it", async () => {
    const behind = (await head()) - 3;
    const everyNode = await open([await node(), await node(lyingTo("eth_blockNumber", `0x${behind.toString(16)}`))]);
    const newest = await ask(everyNode);
    expect(newest.value).to.deep.equal([word(behind)]);
    expect(newest.block.number).to.equal(behind);
    expect((await ask(everyNode, { at: { depth: 15 } })).value).to.deep.equal([word(behind - 14)]);
    expect((await ask(everyNode, { at: { number: 7 } })).value).to.deep.equal([word(7)]);
  });

  it("agrees to nothing while one lies, is of another chain, is silent, or lost the block's state", async () => {
    const honest = await node();
    const other = (reply: Parameters<typeof node>[0]) => node(reply).then((one) => open([honest, one]));
    expect(await whyNot(ask(await other(lyingTo("eth_call", word(1)))))).to.equal("different");
    const fork = { number: "0x7", hash: `0x${"ab".repeat(32)}` };
    const forked = await other(lyingTo("eth_getBlockByNumber", fork));
    expect(await whyNot(ask(forked, { at: { number: 7 } }))).to.equal("different");
    expect(await whyNot(ask(await other(lyingTo("eth_blockNumber", "0xffffff"))))).to.equal("different");
    expect(await whyNot(ask(await other(() => ({ status: 503 }))))).to.equal("silent");
    const pruned = await other((call) =>
      call.method === "eth_call" ? { error: { code: -32_000, message: "missing trie node 12" } } : undefined,
    );
    expect(await whyNot(ask(pruned))).to.equal("gone");
    const strange = await open([honest], [{ rpc: honest.url, trust: "contradicting" }]);
    expect(await whyNot(ask(strange))).to.equal("different");
  });

  it("lets two of different hosts stand for all only where that is asked", async () => {
    const nodes = [await node(), await node(), await node(lyingTo("eth_call", word(1)))];
    const everyNode = await open(nodes);
    expect(await whyNot(ask(everyNode))).to.equal("different");
    expect((await ask(everyNode, { quorum: "two hosts" })).value).to.deep.equal([word(await head())]);
    const [first, , third] = nodes as [ScriptedNode, ScriptedNode, ScriptedNode];
    const oneHost = await EveryNode.open({ urls: [first.url, third.url], pool: { states: [] } });
    opened.push(oneHost);
    expect(await whyNot(ask(oneHost, { quorum: "two hosts" })), "of one host").to.equal("different");
  });

  it("asks each question in a request of its own, with gas and bytes bounded", async () => {
    const big = await node(lyingTo("eth_call", `0x${"00".repeat(65)}`));
    const everyNode = await open([big]);
    expect((await ask(everyNode)).value, "65 bytes where 32 are expected").to.deep.equal([null]);
    const [call] = big.calls.filter(({ method }) => method === "eth_call");
    expect(call?.params[0]).to.deep.equal({ to: CONTRACT, data: "0x", gas: "0x493e0" });
    const huge = await open([await node(lyingTo("eth_call", `0x${"00".repeat(100_000)}`))]);
    expect((await ask(huge)).value).to.deep.equal([null]);
    const reverts = await open([
      await node((call) =>
        call.method === "eth_call" ? { error: { code: 3, message: "execution reverted" } } : undefined,
      ),
    ]);
    expect((await ask(reverts)).value).to.deep.equal([null]);
  });

  it("asks two at a time in all, and one of each asker", async () => {
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const slow = await node(async (call) => {
      if (call.method !== "eth_blockNumber") return undefined;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => release.push(resolve));
      running -= 1;
      return undefined;
    });
    const everyNode = await open([slow]);
    /** Answers once as many wait as are let in at once; after a second whoever waits, so that no fault hangs. */
    const letGo = async (atOnce: number, asked: Promise<unknown>[]) => {
      let isOver = false;
      let rounds = 0;
      const all = Promise.all(asked).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        rounds = release.length === 0 ? 0 : rounds + 1;
        if (release.length >= atOnce || rounds > 200) for (const go of release.splice(0)) go();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return all;
    };
    await letGo(
      1,
      ["a", "a", "a"].map((asker) => ask(everyNode, { asker })),
    );
    expect(most, "of one asker").to.equal(1);
    await letGo(
      2,
      ["a", "b", "c", "d"].map((asker) => ask(everyNode, { asker })),
    );
    expect(most, "in all").to.equal(2);
  });

  it("shows what the first node that answers claims", async () => {
    const everyNode = await open([await node(() => ({ status: 503 })), await node()]);
    const claimed = await everyNode.claimed("a", [{ to: CONTRACT, data: "0x" }]);
    expect(claimed.shown).to.deep.equal([word(await head())]);
  });
});

describe("The grade of what the chain says", function () {
  this.timeout(120_000);
  const ROOT = resolve(import.meta.dirname, "../../..");
  const IMPORTS = `
    import { Claimed, type Agreed } from "${ROOT}/core/process/rpc/every-node.ts";
    import { openSession } from "${ROOT}/api/people/sign-in.ts";
    import type { Consent } from "${ROOT}/api/people/signatures.ts";
    declare const session: Parameters<typeof openSession> extends [...infer Head, unknown] ? Head : never;
    declare const claimed: Claimed<Consent>;
    declare const agreed: Agreed<Consent>;
    void [claimed, agreed];
  `;
  const letIn = (signer: string) => `${IMPORTS} void openSession(...session, { kind: "nonce", signer: ${signer} });`;
  const PROGRAMS = {
    sound: letIn("agreed"),
    "lets in by a claim": letIn("claimed"),
    "lets in by an object": letIn('{ value: { kind: "contract" } }'),
    "makes an agreement": `${IMPORTS}
      const made: Agreed<Consent> = { value: { kind: "contract" }, block: { number: 1, hash: "0x" }, map: () => made };`,
    "has its class": `import { AgreedAnswer } from "${ROOT}/core/process/rpc/every-node.ts"; void AgreedAnswer;`,
  };

  it("is in the type: a claim lets nobody in, and only asking makes an agreement", () => {
    const directory = mkdtempSync(join(ROOT, "node_modules", ".grades-"));
    try {
      const nameOf = (index: number) => `program-${index}.ts`;
      const files = Object.values(PROGRAMS).map((program, index) => {
        writeFileSync(join(directory, nameOf(index)), program);
        return nameOf(index);
      });
      const config = { extends: join(ROOT, "tsconfig.json"), include: [], files };
      writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
      const tsc = join(ROOT, "node_modules/.bin/tsc");
      const { stdout } = spawnSync(tsc, ["--noEmit", "-p", directory], { encoding: "utf8" });
      const refused = Object.keys(PROGRAMS).filter((_, index) => stdout.includes(`${nameOf(index)}(`));
      expect(refused, stdout).to.deep.equal(Object.keys(PROGRAMS).slice(1));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
