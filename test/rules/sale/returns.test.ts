import { expect } from "chai";
import { returnOf } from "../../../core/rules/sale/decide.ts";
import type { KnownReturn, ReturnablePurchase } from "../../../core/rules/sale/facts.ts";
import type { SalePurchaseStage } from "../../../core/rules/sale/plan.ts";

const DAY = 86_400_000n;
const NOW = 1_000n * DAY;

const bought = (stage: SalePurchaseStage, more: Partial<ReturnablePurchase> = {}): ReturnablePurchase => ({
  ...{ id: 7n, stage, isSettled: true, isReturnFinal: false, isTicketConfirmed: true, queued: new Set() },
  ...more,
});
const declined = (
  purchases: readonly ReturnablePurchase[],
  { network = "awin", holdMs = 0n, changedAt = NOW, ...known }: Partial<KnownReturn> & Record<string, unknown> = {},
) =>
  returnOf(
    {
      ...{ isDeclined: true, network: String(network), holdMs: holdMs as bigint, changedAt: changedAt as bigint },
      ...{ known: { isKnown: false, dueAt: null, ...known }, purchases },
    },
    NOW,
  );
const LATER = (ms: bigint) => ({ dueAt: NOW + ms, ids: new Set() });

/** docs/product.md#return-final */
describe("When a return is final", () => {
  it("is 120 days after a network's sale was declined", () => {
    expect(declined([bought("paid")])).to.deep.equal(LATER(120n * DAY));
  });

  it("is after the waiting period of a shop's own sale, and at least a day", () => {
    expect(declined([bought("paid")], { network: "direct", holdMs: 30n * DAY })).to.deep.equal(LATER(30n * DAY));
    expect(declined([bought("paid")], { network: "direct", holdMs: 0n })).to.deep.equal(LATER(DAY));
  });

  it("counts from when it was first decided, however often it is decided again", () => {
    const known = { isKnown: true, dueAt: NOW + 5n };
    expect(declined([bought("confirmed")], known)).to.deep.equal({ dueAt: NOW + 5n, ids: new Set() });
  });

  it("counts from its last change where an earlier version declined it, and gives it at least a day", () => {
    const known = { isKnown: true, dueAt: 0n };
    expect(declined([bought("paid")], { ...known, changedAt: NOW - 20n * DAY })).to.deep.equal(LATER(100n * DAY));
    expect(declined([bought("paid")], { ...known, changedAt: NOW - 400n * DAY })).to.deep.equal(LATER(DAY));
  });

  it("is said by every ticket that is Confirmed, paid or not", () => {
    const purchases = [bought("paid", { id: 1n }), bought("confirmed", { id: 2n }), bought("cancelled", { id: 3n })];
    const due = declined(purchases, { isKnown: true, dueAt: NOW });
    expect(due).to.deep.equal({ dueAt: null, ids: new Set([1n, 2n]) });
  });

  it("waits for what is still on its way, and says the rest", () => {
    const [one, other] = [bought("paid", { id: 1n, isSettled: false }), bought("confirmed", { id: 2n })];
    const unseen = bought("confirmed", { id: 3n, isTicketConfirmed: false });
    const due = declined([one, other, unseen], { isKnown: true, dueAt: NOW });
    expect(due).to.deep.equal({ dueAt: NOW + DAY, ids: new Set([2n]) });
  });

  it("is over for a sale of which no ticket has to say so, and begins anew once it came back", () => {
    const over = [
      bought("planned"),
      bought("cancelled"),
      bought("paid", { isReturnFinal: true }),
      bought("confirmed", { queued: new Set(["return"]) }),
    ];
    for (const one of over)
      expect(declined([one], { isKnown: true, dueAt: NOW })).to.deep.equal({ dueAt: null, ids: new Set() });
    const back = { isDeclined: false, network: "awin", holdMs: 0n, changedAt: NOW, purchases: [bought("paid")] };
    expect(returnOf({ ...back, known: { isKnown: true, dueAt: NOW } }, NOW)).to.deep.equal({
      dueAt: 0n,
      ids: new Set(),
    });
  });
});
