import { expect } from "chai";
import { type Boost, boostedPercent, boostStateOf } from "../../core/rules/boost.ts";
import { fromSaoPaulo, toSaoPaulo } from "../../core/rules/sao-paulo-time.ts";

const boost = (bps: bigint, more: Partial<Boost> = {}): Boost => ({
  categoryId: null,
  bps,
  startsAt: 100n,
  endsAt: 200n,
  ...more,
});
const percentAt = (at: bigint, boosts: readonly Boost[], bps = 500n) => boostedPercent({ id: 7n, bps }, boosts, at).bps;

describe("A boost", () => {
  it("counts from its first moment to just before its end", () => {
    const percents = [99n, 100n, 199n, 200n].map((at) => percentAt(at, [boost(1_000n)]));
    expect(percents).to.deep.equal([500n, 1_000n, 1_000n, 500n]);
  });
  it("raises the categories that pay less, and lowers none", () => {
    expect(percentAt(150n, [boost(1_000n)], 1_200n)).to.equal(1_200n);
    expect(percentAt(150n, [boost(1_000n, { categoryId: 8n })])).to.equal(500n);
    expect(percentAt(150n, [boost(1_000n, { categoryId: 7n })])).to.equal(1_000n);
  });
  it("counts by the highest percent where several run, and lasts as long as the last of equal ones", () => {
    expect(percentAt(150n, [boost(900n), boost(1_000n, { categoryId: 7n }), boost(800n)])).to.equal(1_000n);
    const long = boost(1_000n, { endsAt: 900n });
    for (const boosts of [
      [long, boost(1_000n)],
      [boost(1_000n), long],
    ])
      expect(boostedPercent({ id: 7n, bps: 500n }, boosts, 150n).boost).to.equal(long);
  });
  it("is planned, running and over by the clock, if people agreed to it", () => {
    const states = [99n, 100n, 200n].map((at) => boostStateOf("agreed", boost(1n), at));
    expect(states).to.deep.equal(["planned", "running", "over"]);
    expect([150n, 200n].map((at) => boostStateOf("waiting", boost(1n), at))).to.deep.equal(["waiting", "over"]);
    expect(boostStateOf("withdrawn", boost(1n), 150n)).to.equal("withdrawn");
  });
});

describe("Times of the panel", () => {
  it("are São Paulo's, with the summer time of its years", () => {
    expect(fromSaoPaulo("2026-11-29T23:59")).to.equal("2026-11-30T02:59:00.000Z");
    expect(fromSaoPaulo("2018-12-24T12:00")).to.equal("2018-12-24T14:00:00.000Z");
    expect(toSaoPaulo(Date.parse("2026-11-30T02:59:00Z"))).to.equal("2026-11-29T23:59");
    expect(fromSaoPaulo("")).to.equal(undefined);
  });
});
