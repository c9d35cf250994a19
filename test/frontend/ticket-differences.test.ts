import { expect } from "chai";
import { zeroAddress } from "viem";
import type { PurchaseNft } from "../../core/rules/api/people.ts";
import { DifferenceClock, PASSING_MS } from "../../frontend/chain/difference-clock.ts";
import { differenceOf, type TicketRecord } from "../../frontend/chain/ticket-differences.ts";

const BUYER = `0x${"aB".repeat(20)}`;
const CONTRACT = `0x${"Cd".repeat(20)}`;
const record: TicketRecord = {
  ...{ contract: CONTRACT.toLowerCase(), buyer: BUYER.toLowerCase(), storeId: 3, storeName: "Verdão Store" },
  ...{ valueCents: 123_450, baseBps: 400, bonusBps: 150, status: 2, isPaid: false },
};
const ticket = (status: string, change: Record<string, string> = {}): PurchaseNft => ({
  ...{ tokenId: "7", txHash: "0x", contract: CONTRACT, name: "Torcida", symbol: "TORCIDA" },
  metadata: {
    ...{ name: "", image: "", description: "" },
    attributes: Object.entries({
      Loja: "Verdão Store",
      "Valor da Compra": "R$ 1.234,50",
      Cashback: "5.5%",
      Status: status,
      Comprador: BUYER,
      Bônus: "1.5% (incluído)",
      ...change,
    }).map(([trait_type, value]) => ({ trait_type, value })),
  },
});

describe("A ticket compared with the contracts'", () => {
  const differs = (change: Partial<TicketRecord>, status = "Confirmed", isPaid: boolean | undefined = false) =>
    differenceOf({ nft: ticket(status), isPaid }, { ...record, ...change });

  it("is the same, also as 1.0.0 says its bonus, by a number for a store without a name, and once it is burnt", () => {
    expect(differs({})).to.equal(undefined);
    expect(differs({ status: 4 }, "Returned")).to.equal(undefined);
    expect(differs({ buyer: zeroAddress })).to.equal(undefined);
    expect(differenceOf({ nft: ticket("Confirmed"), isPaid: undefined }, { ...record, isPaid: true })).to.equal(
      undefined,
    );
    const other = (change: Record<string, string>) =>
      differenceOf({ nft: ticket("Confirmed", change), isPaid: false }, record);
    expect(other({ Bônus: "1.5%" })).to.equal(undefined);
    expect(other({ Loja: "Loja 3" })).to.equal(undefined);
  });

  it("differs for good by wallet, value, percent, bonus, and by a status that does not lead to the chain's", () => {
    const lasting = [
      [{ buyer: `0x${"1".repeat(40)}` }, ["wallet"]],
      [{ valueCents: 123_451 }, ["value"]],
      [{ baseBps: 300 }, ["cashback"]],
      [{ baseBps: 500, bonusBps: 50 }, ["bonus"]],
      [{ baseBps: 550, bonusBps: 0 }, ["bonus"]],
      [{ status: 3 }, ["status"]],
      [{ status: 3, storeName: "Outra" }, ["store", "status"]],
      [{ valueCents: 1, status: 1 }, ["value", "status"]],
      [{ contract: `0x${"1".repeat(40)}` }, ["ticket"]],
    ] as const;
    for (const [change, facts] of lasting)
      expect(differs(change), JSON.stringify(change)).to.deep.equal({ id: "7", facts, isPassing: false });
    const own = { nft: ticket("Confirmed"), isPaid: false, wallet: `0x${"2".repeat(40)}` };
    expect(differenceOf(own, record)?.facts, "another wallet's").to.deep.equal(["wallet"]);
  });

  it("differs for a while by what one of the two can have seen before the other", () => {
    const passing = [
      [{ status: 1 }, "Confirmed", ["status"]],
      [{ status: 2 }, "Pending", ["status"]],
      [{ status: 3 }, "Pending", ["status"]],
      [{ status: 4 }, "Confirmed", ["status"]],
      [{ status: 2 }, "Returned", ["status"]],
      [{ storeName: "Verdão" }, "Confirmed", ["store"]],
      [{ isPaid: true }, "Confirmed", ["paid"]],
      [{ buyer: zeroAddress, valueCents: 0, status: 0 }, "Pending", ["ticket"]],
    ] as const;
    for (const [change, status, facts] of passing)
      expect(differs(change, status), JSON.stringify(change)).to.deep.equal({ id: "7", facts, isPassing: true });
  });
});

describe("How long a difference may pass", () => {
  const passing = { id: "7", facts: ["status"] as const, isPassing: true };

  it("is two minutes from when it was first seen, whatever else is said meanwhile", () => {
    const clock = new DifferenceClock();
    expect(clock.judge([passing], 1_000)).to.deep.equal({ differs: [], passes: true });
    const otherwise = { ...passing, facts: ["paid"] as const };
    expect(clock.judge([otherwise], 1_000 + PASSING_MS - 1)).to.deep.equal({ differs: [], passes: true });
    expect(clock.judge([otherwise], 1_000 + PASSING_MS)).to.deep.equal({ differs: [otherwise], passes: false });
  });

  it("begins anew once there was none, and is none for what cannot pass", () => {
    const clock = new DifferenceClock();
    clock.judge([passing], 0);
    expect(clock.judge([], 1)).to.deep.equal({ differs: [], passes: false });
    expect(clock.judge([passing], PASSING_MS)).to.deep.equal({ differs: [], passes: true });
    const lasting = { id: "8", facts: ["value"] as const, isPassing: false };
    expect(clock.judge([passing, lasting], PASSING_MS)).to.deep.equal({ differs: [lasting], passes: true });
  });
});
