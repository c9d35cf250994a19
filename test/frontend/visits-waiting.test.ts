import { expect } from "chai";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import type { Click } from "../../frontend/api/calls.ts";
import { openVisits } from "../../frontend/dashboard/visits-waiting.ts";

describe("The visits on the dashboard", () => {
  const now = Date.parse("2026-11-20T12:00:00.000Z");
  const visit = (id: string, store_id: number, days: number, sales = 0): Click => {
    const at = (after: number) => new Date(now + after * DAY_MS).toISOString();
    return {
      ...{ id, store_id, store: `Loja ${store_id}`, token_slug: null, sales, usual_days: null },
      ...{ declined: 0, amount: null, cashback: null },
      ...{ created_at: at(-days), expires_at: at(60 - days), claimable_at: at(7 - days) },
    };
  };
  const shown = (...clicks: Click[]) => openVisits(clicks, now).map(({ id }) => id);

  it("are those of a week that their store has not answered, newest first", () => {
    expect(shown(visit("a", 1, 0), visit("b", 2, 1, 1), visit("c", 3, 6), visit("d", 4, 8))).to.deep.equal(["a", "c"]);
  });

  it("are one a store, the latest, and none once that has a sale", () => {
    expect(shown(visit("a", 1, 0), visit("b", 1, 1))).to.deep.equal(["a"]);
    expect(shown(visit("a", 1, 0, 1), visit("b", 1, 1))).to.deep.equal([]);
  });

  it("are three at most", () => {
    expect(shown(...[1, 2, 3, 4, 5].map((one) => visit(String(one), one, one)))).to.deep.equal(["1", "2", "3"]);
  });
});
