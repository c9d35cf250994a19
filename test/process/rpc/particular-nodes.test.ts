import { expect } from "chai";
import { JsonRpc, type RpcCall } from "../../../core/process/rpc/json-rpc.ts";
import { ContradictionError, settleWitnessed } from "../../../core/process/rpc/node-proof.ts";
import { type Anvil, startAnvil } from "../../testing/anvil.ts";
import { type Particular, type ParticularNode, startParticularNode } from "../../testing/particular-node.ts";

const BLOCKS = 7;
/** Longer than a busy machine takes for a few seconds' worth of calls. */
const PATIENCE_MS = 60_000;

describe("A node with particulars", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let node: ParticularNode | undefined;
  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    await anvil.request("anvil_mine", `0x${BLOCKS.toString(16)}`);
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
  });
  after(() => anvil.stop());

  const start = async (particular?: Particular) => {
    node = await startParticularNode(anvil.rpcUrl, particular);
    return node;
  };
  const blocks: RpcCall[] = Array.from({ length: BLOCKS }, (_, index) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${index.toString(16)}`, false],
  }));
  const numbersOf = (answers: unknown[]) => answers.map((answer) => Number((answer as { number: string }).number));
  const all = blocks.map((_, index) => index);

  for (const refusal of ["error object", "first only", "short list", 400, 404, 405] as const) {
    it(`is asked one by one if it takes no batches: ${refusal}`, async () => {
      const one = await start({ batches: { most: 1, refusal } });
      const rpc = await JsonRpc.open(one.url, { timeoutMs: PATIENCE_MS });
      expect(numbersOf(await rpc.batch(blocks))).to.deep.equal(all);
      expect(one.largest).to.equal(1);
      const before = one.answered.length;
      expect(numbersOf(await rpc.batch(blocks))).to.deep.equal(all);
      expect(one.answered.length - before, "it was learned").to.equal(BLOCKS);
    });
  }

  for (const refusal of ["error object", "named", 400] as const) {
    it(`gets as many calls in a request as it takes: ${refusal}`, async () => {
      const one = await start({ batches: { most: 3, refusal } });
      const rpc = await JsonRpc.open(one.url, { timeoutMs: PATIENCE_MS });
      expect(numbersOf(await rpc.batch(blocks))).to.deep.equal(all);
      expect(numbersOf(await rpc.batch(blocks))).to.deep.equal(all);
      expect(one.largest).to.equal(3);
    });
  }

  it("proves its chain in each request of several calls, and before single ones", async () => {
    const { hash } = await anvil.request<{ hash: string }>("eth_getBlockByNumber", "0x1", false);
    for (const [most, requests] of [
      [3, 4],
      [1, 1],
    ] as const) {
      const one = await start({ batches: { most, refusal: most === 1 ? 400 : "named" } });
      const rpc = await JsonRpc.open(one.url, { timeoutMs: PATIENCE_MS });
      await settleWitnessed(rpc, { number: 1, hash }, blocks);
      const before = one.answered.length;
      const outcomes = await settleWitnessed(rpc, { number: 1, hash }, blocks);
      expect(outcomes).to.have.length(BLOCKS);
      expect(one.answered.length - before, `witnesses of requests of ${most}`).to.equal(BLOCKS + requests);
      const other = { number: 1, hash: `0x${"ab".repeat(32)}` };
      const error = await settleWitnessed(rpc, other, blocks).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ContradictionError);
      await one.stop();
    }
  });

  for (const refusal of ["429", "each call", "whole batch"] as const) {
    it(`answers everything at its own pace, which is learned and kept: ${refusal}`, async () => {
      const one = await start({ aSecond: { most: 20, refusal } });
      const rpc = await JsonRpc.open(one.url, { timeoutMs: PATIENCE_MS });
      const many = Array.from({ length: 40 }, (_, index) => blocks[index % BLOCKS] as RpcCall);
      for (let round = 0; round < 3; round++) expect(await rpc.batch(many)).to.have.length(many.length);
      expect(rpc.figures.allowed).to.be.within(1, 2 * many.length);
    });
  }
});
