import { expect } from "chai";
import { directAccountsFile } from "../testing/direct-accounts.ts";
import { until } from "../testing/until.ts";
import { approvedSale, tell } from "./support/affiliate-network.ts";
import type { Caller } from "./support/caller.ts";
import { AFFILIATE_SECRET, onBothSystems } from "./support/system.ts";

const STORE = 1;
const environment = {
  SIMULATED_PURCHASES: "false",
  AFFILIATE_ACCOUNTS: directAccountsFile(`awin:${AFFILIATE_SECRET}`, 20),
  SALE_MIN_SECONDS: "0",
  SALES_PER_DAY_MAX: "100",
};

onBothSystems("A direct shop that says its sales are payable", environment, (system) => {
  before(async () => {
    const { kysely } = await system().database();
    const ofAccount = { network: "direct", account: "awin" };
    await kysely.updateTable("stores").set(ofAccount).where("id", "=", BigInt(STORE)).execute();
  });

  const visit = async (buyer: Caller): Promise<string> => {
    const { body } = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: STORE, amount: 1 });
    return body.click.id;
  };
  const paidGwei = async (): Promise<bigint> => {
    const { kysely } = await system().database();
    const rows = await kysely.selectFrom("payouts").select("amount_gwei").execute();
    return rows.reduce((sum, row) => sum + row.amount_gwei, 0n);
  };

  it("is paid for no more than its credit, whatever it says and however many wallets it has", async () => {
    const buyers = await Promise.all(Array.from({ length: 5 }, () => system().user()));
    for (const buyer of buyers) {
      for (let sale = 0; sale < 10; sale++) {
        const { status, text } = await tell(
          system(),
          approvedSale(await visit(buyer), { amount: "9999.00", commission: undefined }),
        );
        expect(status, text).to.equal(200);
      }
    }
    await until("all of them are confirmed and looked at", async () => {
      const all = (await Promise.all(buyers.map((buyer) => buyer.me()))).flatMap(({ purchases }) => purchases);
      const situations = [...new Set(all.map(({ situation }) => situation))];
      return all.length === 50 && situations.join() === "awaiting_network"
        ? true
        : Promise.reject(new Error(`${all.length} are ${situations}`));
    });
    expect(await paidGwei()).to.equal(0n);
  });
});
