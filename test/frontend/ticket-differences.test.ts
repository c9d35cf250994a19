import { expect } from "chai";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { ticketDifferences, ticketsBehind } from "../../frontend/chain/ticket-differences.ts";

const BUYER = `0x${"aB".repeat(20)}`;
const ticket = (tokenId: string, status: string): PurchaseNft => ({
  ...{ tokenId, txHash: "0x", contract: "0x", name: "Torcida", symbol: "TORCIDA" },
  metadata: {
    ...{ name: "", image: "", description: "" },
    attributes: [
      { trait_type: "Valor da Compra", value: "R$ 1.234,50" },
      { trait_type: "Cashback", value: "5.5%" },
      { trait_type: "Status", value: status },
      { trait_type: "Comprador", value: BUYER },
    ],
  },
});
const record = { buyer: BUYER.toLowerCase(), valueCents: 123_450, baseBps: 400, bonusBps: 150, status: 2 };

describe("A ticket compared with the contract's", () => {
  const differs = (change: Partial<typeof record>, status = "Confirmed") =>
    ticketDifferences([ticket("7", status)], [{ ...record, ...change }]);

  it("is the same, or further on the chain than the server knows", () => {
    expect(differs({})).to.deep.equal([]);
    expect(differs({ status: 2 }, "Pending")).to.deep.equal([]);
    expect(differs({ status: 3 }, "Pending")).to.deep.equal([]);
  });

  it("differs by buyer, value, percent, a status that the chain does not have, and by not existing", () => {
    expect(differs({ buyer: `0x${"1".repeat(40)}` })).to.deep.equal(["7"]);
    expect(differs({ valueCents: 123_451 })).to.deep.equal(["7"]);
    expect(differs({ bonusBps: 0 })).to.deep.equal(["7"]);
    expect(differs({ status: 1 })).to.deep.equal(["7"]);
    expect(differs({ status: 0 }, "Pending")).to.deep.equal(["7"]);
    expect(ticketDifferences([ticket("7", "Confirmed")], [])).to.deep.equal(["7"]);
  });

  it("is behind if only its settlement, or all of it, is not on the chain yet", () => {
    const isBehind = (change: Partial<typeof record>, status = "Confirmed") =>
      ticketsBehind([ticket("7", status)], [{ ...record, ...change }]).length > 0;
    expect(isBehind({ status: 1 })).to.equal(true);
    expect(isBehind({ buyer: `0x${"0".repeat(40)}`, valueCents: 0, status: 0 }, "Pending")).to.equal(true);
    expect(isBehind({}), "the same").to.equal(false);
    expect(isBehind({ status: 1 }, "Pending"), "the same, pending").to.equal(false);
    expect(isBehind({ status: 1, valueCents: 1 }), "another value").to.equal(false);
    expect(isBehind({ status: 3 }), "settled otherwise").to.equal(false);
  });
});
