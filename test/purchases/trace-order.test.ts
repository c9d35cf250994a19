import { expect } from "chai";
import { inOrder, type Step } from "../../core/purchases/trace.ts";

describe("The life of a purchase", () => {
  const of = (kind: Step["kind"], atMs: number, text: string, txHash?: string): Step => ({
    ...{ atMs: BigInt(atMs), source: kind === "chain_event" ? "chain" : "database", kind, text },
    ...(txHash ? { txHash } : {}),
  });
  const life = (eventAt: number) =>
    inOrder([
      of("registered", 13_000, "registered"),
      of("signed", 13_310, "mint signed", "0x1"),
      of("final", 41_000, "mint final", "0x1"),
      of("queued", 13_532, "confirm queued"),
      of("signed", 15_295, "confirm signed", "0x2"),
      of("chain_event", eventAt, "minted", "0x1"),
    ]).map(({ text }) => text);

  it("is told as it happened: what is final much later does not take its event along", () => {
    const told = ["registered", "mint signed", "minted", "confirm queued", "confirm signed", "mint final"];
    // A block of the same second, of a clock that is behind.
    for (const at of [13_000, 13_400, 2_000]) expect(life(at), `${at}`).to.deep.equal(told);
  });

  it("lists an event by the time it was seen, by a chain whose clock is ahead", () => {
    expect(life(90_000).slice(-2)).to.deep.equal(["mint final", "minted"]);
  });
});
