import { expect } from "chai";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { until } from "../testing/until.ts";
import { type ChaosProxy, type FaultRates, startChaosProxy } from "./support/chaos-proxy.ts";

describe("The chaos proxy", () => {
  let anvil: Anvil;
  let proxy: ChaosProxy | undefined;
  before(async function () {
    this.timeout(300_000);
    anvil = await startAnvil({ manualBlocks: true });
  });
  afterEach(() => proxy?.stop());
  after(() => anvil?.stop());

  const open = async (rates: FaultRates, seed = 1, hangMs = 30_000) => {
    proxy = await startChaosProxy({ target: anvil.rpcUrl, seed, rates, hangMs });
    return proxy;
  };
  const ask = async (url: string, method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
    return ((await response.json()) as { result: unknown }).result;
  };
  const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: Error) => error);

  it("forwards everything if it injects no faults", async () => {
    const { url, counts } = await open({});
    expect(await ask(url, "eth_chainId")).to.equal(await ask(anvil.rpcUrl, "eth_chainId"));
    expect(counts.passed).to.equal(1);
  });

  it("drops a request before the node receives it", async () => {
    const { url } = await open({ drop: 1 });
    const before = await ask(anvil.rpcUrl, "eth_blockNumber");
    expect(await failure(ask(url, "anvil_mine", "0x1"))).to.be.instanceOf(TypeError);
    expect(await ask(anvil.rpcUrl, "eth_blockNumber")).to.equal(before);
  });

  it("loses a response after the node executed the request", async () => {
    const { url } = await open({ "lose-answer": 1 });
    const before = Number(await ask(anvil.rpcUrl, "eth_blockNumber"));
    expect(await failure(ask(url, "anvil_mine", "0x1"))).to.be.instanceOf(TypeError);
    expect(Number(await ask(anvil.rpcUrl, "eth_blockNumber"))).to.equal(before + 1);
  });

  it("reports an old block, another chain and no receipt, and changes nothing else", async () => {
    await anvil.request("anvil_mine", "0x14");
    const height = Number(await anvil.request("eth_blockNumber"));
    const { url, set } = await open({ stale: 1 });
    expect(Number(await ask(url, "eth_blockNumber"))).to.equal(height - 5);
    expect(await ask(url, "eth_chainId")).to.equal("0x15b32");
    set({ "wrong-chain": 1 });
    expect(await ask(url, "eth_chainId")).to.equal("0x1");
    expect(Number(await ask(url, "eth_blockNumber"))).to.equal(height);
    const [from, to] = await anvil.request<string[]>("eth_accounts");
    const hash = await anvil.request("eth_sendTransaction", { from, to, value: "0x1" });
    await until("it is mined", () => anvil.request("eth_getTransactionReceipt", hash));
    set({ "no-receipt": 1 });
    expect(await ask(url, "eth_getTransactionReceipt", hash)).to.equal(null);
  });

  it("hangs until it is released", async () => {
    const { url, set, counts } = await open({ hang: 1 });
    const asked = failure(ask(url, "eth_chainId"));
    await until("it hangs", () => counts.hang === 1);
    set({});
    expect(await asked).to.be.instanceOf(TypeError);
    expect(await ask(url, "eth_chainId")).to.equal("0x15b32");
  });

  it("does the same for the same seed, and differs for another", async () => {
    const run = async (seed: number) => {
      const { url, stop } = await open({ drop: 0.3, unavailable: 0.3 }, seed);
      const outcomes: string[] = [];
      for (let index = 0; index < 30; index++) {
        const outcome = await ask(url, "eth_chainId").catch((error: Error) => error.name);
        outcomes.push(String(outcome));
      }
      await stop();
      return outcomes.join();
    };
    const first = await run(7);
    expect(await run(7)).to.equal(first);
    expect(await run(8)).not.to.equal(first);
    expect(first).to.include("TypeError").and.include("SyntaxError").and.include("0x15b32");
  });
});
