import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { listShopStores } from "../../scripts/rehearse/catalogue.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type LiveSystem, startLiveSystem } from "./support/live-system.ts";

/** Usually five seconds; never the hour by which the clock is behind. */
const USUAL_MS = 60_000;

describe("A clock that is set back by an hour (F15) @release", function () {
  this.timeout(300_000);
  let live: LiveSystem;
  before(async () => {
    const preload = `--import ${process.cwd()}/test/testing/set-back-clock.ts`;
    live = await startLiveSystem({
      // Deep enough that transactions are followed for a while.
      environment: {
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}`,
        CONFIRMATIONS: "2",
        PAYOUT_CONFIRMATIONS: "2",
      },
    });
  });
  after(() => live?.stop());

  it("delays no sale while the processes run: it is read, minted and paid as before (F15)", async () => {
    const { system, networks, reader } = live;
    const mining = setInterval(() => void system.anvil.request("evm_mine"), 300);
    try {
      await paidSale();
      for (const { pid } of [system.api, system.indexer, reader]) process.kill(pid(), "SIGUSR2");
      await paidSale();
      // The reader's alone, which is an hour slow now.
      process.kill(reader.pid(), "SIGUSR2");
      await paidSale();
      await system.settled();
    } finally {
      clearInterval(mining);
    }

    async function paidSale(): Promise<void> {
      const database = await connect(system.databaseUrl);
      const store = (await listShopStores(database)).find(({ network }) => network === "awin");
      await database.close();
      const network = networks.find("awin");
      const [category] = store?.categories ?? [];
      if (!(network && store && category)) throw new Error("No store of Awin");
      const shopper = new Shopper(system.url);
      await shopper.signUp();
      // Only the poll finds the sale.
      networks.trouble(network, { calls: "none", pushes: "lost" });
      const part = { group: category.group, cents: 10_000, commissionCents: 1_200 };
      const click = await shopper.visit(store.id);
      const { id } = networks.sell(network, {
        click,
        advertiserId: store.advertiserId,
        currency: "BRL",
        parts: [part],
      });
      networks.decide(network, id, (book) => book.approve(id));
      networks.decide(network, id, (book) => book.pay(id));
      const isPaid = async () => {
        const { purchases } = await shopper.me();
        return purchases.length > 0 && purchases.every((one) => one.cashback_state === "paid");
      };
      expect(await until("the sale is paid", isPaid, USUAL_MS)).to.equal(true);
    }
  });
});
