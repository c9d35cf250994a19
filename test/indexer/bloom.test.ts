import { expect } from "chai";
import { openBloom } from "../../indexer/chain-node.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import {
  buyerOf,
  CASHBACK_DISTRIBUTOR,
  emit,
  mintEvents,
  PURCHASE_NFT,
  placeEmitters,
} from "../testing/event-chain.ts";
import { until } from "../testing/until.ts";

type Log = { address: string; topics: string[] };

describe("Bloom", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let logsBloom = "";
  let logs: Log[] = [];
  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    await placeEmitters(anvil);
    await emit(anvil, mintEvents({ tokenId: 7n, buyer: buyerOf(7) }));
    const mined = await until("the block is there", async () => {
      const block = await anvil.request<{ number: string; logsBloom: string }>("eth_getBlockByNumber", "latest", false);
      return Number(block.number) > 0 && block;
    });
    logsBloom = mined.logsBloom;
    logs = await anvil.request<Log[]>("eth_getLogs", { fromBlock: mined.number, toBlock: mined.number });
  });
  after(() => anvil.stop());

  it("says which contracts may have events in a real block", async () => {
    const bloom = await openBloom();
    expect(bloom.mayHold(logsBloom, PURCHASE_NFT)).to.equal(true);
    expect(bloom.mayHold(logsBloom, CASHBACK_DISTRIBUTOR)).to.equal(false);
  });

  it("distinguishes the block's logs from a subset and from others", async () => {
    const bloom = await openBloom();
    expect(logs).to.have.length(3);
    expect(bloom.isOf(logsBloom, logs)).to.equal(true);
    for (const left of [0, 1, 2]) {
      expect(bloom.isOf(logsBloom, logs.toSpliced(left, 1)), `without log ${left}`).to.equal(false);
    }
    const forged = logs.map((log) => ({ ...log, address: CASHBACK_DISTRIBUTOR }));
    expect(bloom.isOf(logsBloom, forged)).to.equal(false);
  });
});
