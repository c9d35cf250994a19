import { expect } from "chai";
import pino from "pino";
import { noteChangedFact } from "../../database/changed-facts.ts";
import { purchaseEncoders } from "../../purchases/encoders.ts";
import { Dispatch } from "../../sender/dispatch.ts";
import { PayoutSwitch } from "../../sender/payout-switch.ts";
import type { SenderContext } from "../../sender/sender-context.ts";
import { RULES, reportOf, Shop } from "../affiliates/support/shop.ts";
import { onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";

describe("What is due to be sent", () => {
  onBothEngines(({ open }) => {
    it("has no payout while sales are still to be decided by other rules, and then has it", async () => {
      const { database } = await open();
      const shop = await Shop.open(database);
      const payer = await shop.buyer("a");
      await shop.read(reportOf(await shop.click(payer), { status: "approved", payable: true }));
      await shop.runUntil("pay");
      const encoders = purchaseEncoders({ contracts: standIn({}), client: standIn({}), payer, rules: RULES });
      const context = standIn<SenderContext>({
        options: {
          ...{ database, encoders, kinds: new Set(encoders.map(({ kind }) => kind)), batchSize: 10, batchAgeMs: 0 },
          ...{ payouts: new PayoutSwitch(database, false), log: pino({ level: "silent" }) },
        },
        status: {},
        part: (work: () => Promise<unknown>) => work(),
      });
      const dispatch = new Dispatch(context, standIn({}));
      const due = async () => (await dispatch.dueKinds()).map(({ encoder }) => encoder.kind);
      expect(await due()).to.deep.equal(["pay"]);
      await noteChangedFact(database.kysely, "sales");
      expect(await due()).to.deep.equal([]);
      await shop.plan();
      expect(await due()).to.deep.equal(["pay"]);
    });
  });
});
