import { expect } from "chai";
import { allRoutes } from "../../api/routes.ts";
import type { Role } from "../../core/rules/roles.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { type Books, OwnMoney } from "./support/own-money.ts";
import { callAs, STAFF_CALLS, WHO } from "./support/staff-calls.ts";

const STAFF: ReadonlySet<string> = new Set(["staff", "fresh_staff", "admin", "fresh_admin", "user_or_staff"]);

/** docs/product.md#who-frees */
describe("Who calls alone", function () {
  this.timeout(600_000);
  onEitherEngine(({ open, name }) => {
    let control: { now: Books; later: Books };
    let shop: OwnMoney;
    const openShop = async (role: Role, waits = WHO) => {
      shop = await OwnMoney.open((await open()).database, role, waits);
    };

    before(async () => {
      await openShop("owner");
      control = { now: await shop.settle(), later: await shop.settleLater() };
      await shop.stop();
    });
    afterEach(() => shop.stop());

    it("is asked about every call of the team", async () => {
      await openShop("owner");
      const calls = allRoutes(shop.api.services).filter(({ method, access }) => method !== "get" && STAFF.has(access));
      expect(calls.map(({ method, path }) => `${method} ${path}`)).to.have.members(Object.keys(STAFF_CALLS));
      expect(control, "what waits is not paid by itself, what nobody decides about is").to.deep.equal({
        now: { caller: 0, buyer: 0 },
        later: { caller: 5, buyer: 5 },
      });
    });

    const tierOfAll = name === "SQLite" ? " @deep" : " @release";
    for (const [waits, tier] of [[WHO, tierOfAll] as const, [["buyer"] as const, " @release"] as const]) {
      for (const [call, { acts, isSecond }] of Object.entries(STAFF_CALLS)) {
        it(`frees nothing by ${call}, where ${waits.join(" and ")} wait${tier}`, async () => {
          await openShop("owner", waits);
          await callAs(shop.caller, call, await acts(shop));
          const now = await shop.settle();
          expect(now.caller, "the caller's own, now").to.be.at.most(control.now.caller);
          if (!isSecond) expect(now.buyer, "somebody's, above a limit of nothing").to.be.at.most(control.now.buyer);
          expect((await shop.settleLater()).caller, "the caller's own, later").to.be.at.most(control.later.caller);
        });
      }
    }
  });
});
