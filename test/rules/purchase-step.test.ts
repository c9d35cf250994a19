import { expect } from "chai";
import type { Moment } from "../../core/rules/purchase/life.ts";
import { afterStep, nextMove, nextSteps, type StepFacts } from "../../core/rules/purchase/life.ts";
import { decide } from "../../core/rules/sale/decide.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { simulatedSale } from "../../core/rules/sale/simulated.ts";
import { CONFIRMED_LIFE } from "../testing/confirmed-life.ts";

const MOMENT: Moment = { now: 1_000n, deepestBlock: 50n, hasRate: true };
const RATE = 10n ** 16n;
const CHZ = 10n ** 9n;
const [ONE, OTHER] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const;

/** A confirmed purchase whose cashback is so many CHZ. */
function purchase(id: bigint, chz: bigint, more: Partial<StepFacts["row"]> = {}, life = CONFIRMED_LIFE): StepFacts {
  const row = { id, wallet: ONE, source: "simulated" as const, wei_per_cent: RATE, offset_gwei: 0n };
  return { row: { ...row, cashback_cent_bps: chz * 1_000_000n, ...more }, life };
}

describe("The next steps of purchases", () => {
  const steps = (purchases: StepFacts[], debt = 0n) =>
    nextSteps(purchases, { debts: new Map([[ONE, debt]]), weiPerCent: RATE, moment: MOMENT });
  const told = (purchases: StepFacts[], debt = 0n) =>
    steps(purchases, debt).map(({ move, keptGwei, amountGwei, isOver }) => [move, keptGwei, amountGwei, isOver]);

  it("keep a debt from a buyer's purchases in their order, once, and from nobody else's", () => {
    const some = [purchase(1n, 5n), purchase(2n, 5n), purchase(3n, 5n), purchase(4n, 5n, { wallet: OTHER })];
    expect(told(some, 8n * CHZ)).to.deep.equal([
      [undefined, 5n * CHZ, 0n, true],
      ["pay", 3n * CHZ, 2n * CHZ, false],
      ["pay", 0n, 5n * CHZ, false],
      ["pay", 0n, 5n * CHZ, false],
    ]);
  });

  it("keep no more from a purchase of which something was kept before", () => {
    expect(told([purchase(1n, 5n, { offset_gwei: CHZ })], 9n * CHZ)).to.deep.equal([["pay", 0n, 4n * CHZ, false]]);
  });

  it("mint nothing: whether a ticket is issued follows from its sale, which may be held", () => {
    const life = { ...CONFIRMED_LIFE, status: "processing" as const, source: "live" as const };
    expect(told([purchase(1n, 5n, {}, life)])).to.deep.equal([[undefined, 0n, 0n, false]]);
  });

  it("freeze the current rate with what has none, and pay at it", () => {
    const [step] = steps([purchase(1n, 5n, { wei_per_cent: null }, { ...CONFIRMED_LIFE, isRateFrozen: false })]);
    expect(step).to.include({ isRateNew: true, amountGwei: 5n * CHZ });
    const [confirmation] = steps([purchase(1n, 5n, { wei_per_cent: null }, { ...CONFIRMED_LIFE, status: "pending" })]);
    expect(confirmation).to.include({ move: "confirm", isRateNew: true, amountGwei: 0n });
  });

  it("end what is final, and are taken once", () => {
    const paid = { ...CONFIRMED_LIFE, isPaid: true, payoutBlock: 50n };
    expect(told([purchase(1n, 5n, {}, paid)])).to.deep.equal([[undefined, 0n, 0n, true]]);
    for (const life of [CONFIRMED_LIFE, paid, { ...CONFIRMED_LIFE, status: "pending" as const }]) {
      const [step] = steps([purchase(1n, 5n, {}, life)]);
      const after = step ? afterStep(life, step, { isWaiting: false, accountWait: null }) : life;
      expect(told([purchase(1n, 5n, {}, after)])).to.deep.equal([[undefined, 0n, 0n, false]]);
    }
  });

  it("withdraw what was queued before the purchase was held, unless it is sent", () => {
    const held = { ...CONFIRMED_LIFE, isHeld: true, queued: new Set(["pay"] as const) };
    const [step] = steps([purchase(1n, 5n, {}, held)]);
    expect(step).to.include({ move: undefined, withdrawn: "pay" });
    const after = step && afterStep(held, step, { isWaiting: false, accountWait: null });
    expect(after?.queued).to.deep.equal(new Set());
    const sent = { ...held, sent: held.queued };
    expect(steps([purchase(1n, 5n, {}, sent)])[0]).to.include({ withdrawn: undefined });
    expect(steps([purchase(1n, 5n, {}, { ...held, isHeld: false })])[0]).to.include({ withdrawn: undefined });
  });

  it("leave a payout that takes a second person to that person", () => {
    const [step] = steps([purchase(1n, 5n)]);
    const after = step && afterStep(CONFIRMED_LIFE, step, { isWaiting: true, accountWait: null });
    expect(after && nextMove(after, MOMENT)).to.equal(undefined);
    expect(after && nextMove(after, MOMENT, "staff"), "who may decide anew").to.equal("pay");
  });
});

describe("A simulated purchase", () => {
  const RULES: SaleRules = {
    limits: { salesPerDay: 0n, maximumCents: 1n, minimumSeconds: 3_600n, marginLossCents: 0n },
    mintDelayMs: 86_400_000n,
    holdMs: 86_400_000n,
    accounts: [],
    fx: { url: undefined, fixed: new Map() },
    saleRefs: () => [],
  };
  const wanted = {
    ...{ wallet: ONE, storeId: 3n, storeName: "Loja", tokenSlug: null, balanceBlock: null },
    ...{ amountCents: 12_345n, cashbackBps: 600n, bonusBps: 200n },
  };

  it("is a sale that its network approves and pays for at once, whatever the rules hold", () => {
    const { actions, holds, state, permission } = decide(
      simulatedSale(wanted, { now: 7n, mintDelayMs: 5n }),
      RULES,
      7n,
    );
    expect(actions).to.deep.equal([
      { kind: "create", valueCents: 12_345n, cashbackBps: 600n, bonusBps: 200n, centBps: 12_345n * 800n },
    ]);
    expect(holds).to.deep.equal([]);
    expect(state).to.equal("payable");
    expect(permission).to.deep.equal({ approvedAt: 7n, payableAt: 7n, mintAfterMs: 5n });
  });
});
