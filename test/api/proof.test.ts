import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { formatDecimal, parseDecimal } from "../../core/rules/money.ts";
import { runProve } from "../../scripts/prove.ts";
import { commandHere } from "../testing/command-here.ts";
import { until } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

const ALL_PAID = { less: 0, more: 0, missing: 0, matches: true };

/** Compares what the server shows buyers with what `npm run prove` reads from the node alone. */
describe("The dashboards' totals", function () {
  this.timeout(240_000);
  let system: ApiSystem;
  before(async () => {
    // A rate that leaves a remainder below a gwei for nearly every purchase.
    system = await startSystem({ WEI_PER_CENT: "12345678901234567" });
  });
  after(() => system?.stop());

  it("are what a stranger finds on the chain for ten wallets, to the gwei", async () => {
    const buyers: Caller[] = [];
    for (let index = 0; index < 10; index++) {
      const buyer = await system.user();
      for (let count = 0; count <= index % 3; count++) {
        await buyer.buy(1 + ((index + count) % 3), (1_999 + 137 * index + 11 * count) / 100);
      }
      buyers.push(buyer);
    }
    for (const buyer of buyers) {
      const { totals } = await until("all is paid", async () => {
        const me = await buyer.me();
        return me.totals.paid === me.totals.total && me.totals.pending_count === 0 ? me : undefined;
      });
      expect(totals.paid).to.match(/\.\d{7,9}$/);
      expect(await prove(buyer.address)).to.deep.equal({
        purchases: totals.count,
        expected: totals.confirmed,
        paid: totals.paid,
        ...ALL_PAID,
      });
    }
    for (const buyer of buyers) {
      const { totals, purchases } = await buyer.me();
      const { body } = await buyer.get(`/api/wallets/${buyer.address}/tickets`);
      expect(body.tickets.map((one: { token_id: number }) => one.token_id)).to.deep.equal(
        purchases.map(({ id }) => id),
      );
      const paid: bigint[] = body.tickets.map((one: { paid: { amount: string } }) => parseDecimal(one.paid.amount, 9));
      const sum = paid.reduce((one, other) => one + other, 0n);
      expect(formatDecimal(sum, 9)).to.equal(totals.paid);
    }
    const [three] = buyers.slice(2) as [Caller];
    const path = `/api/wallets/${three.address}/tickets?limit=2`;
    const first = (await three.get(path)).body;
    const rest = (await three.get(`${path}&before=${first.next_before}`)).body;
    expect([first.tickets.length, rest.tickets.length, rest.next_before]).to.deep.equal([2, 1, null]);

    // What was paid in full needs no explanation, and is not published.
    const books = (await three.get(`/api/proof?wallet=${three.address}&limit=2`)).body;
    expect(books).to.deep.equal({ success: true, purchases: [], next_before: first.next_before });
    expect((await three.get("/api/proof?wallet=0x12")).status).to.equal(400);
    expect((await three.get("/api/proof")).status).to.equal(400);
    expect(await prove(three.address, "--books", `${system.url}/api/proof`)).to.include({ purchases: 3, ...ALL_PAID });

    // Deposits minus payouts and sweeps equal the contract's balance, except for remainders below a gwei.
    const stranger = await system.user();
    const { data } = (await stranger.get("/api/books")).body;
    const wei = (chz: string) => parseDecimal(chz, 18);
    const client = createPublicClient({ transport: http(system.anvil.rpcUrl) });
    const balance = await client.getBalance({ address: system.deployment.cashbackDistributor.address });
    const difference = wei(data.funded) - wei(data.paid) - wei(data.withdrawn) - balance;
    expect(Number(difference)).to.be.within(0, 20 * 1e9);
    expect(wei(data.paid) > 0n).to.equal(true);
    expect((await stranger.get("/api/wallets/0x12/tickets")).status).to.equal(400);

    expect(await prove(stranger.address)).to.deep.equal({ purchases: 0, expected: "0", paid: "0", ...ALL_PAID });
  });

  async function prove(wallet: string, ...more: string[]): Promise<unknown> {
    const { DEPLOYMENTS_DIR = "" } = system.environment;
    const args = ["--wallet", wallet, "--rpc", system.anvil.rpcUrl, ...more];
    const { output } = await commandHere(runProve, args, { DEPLOYMENTS_DIR }).ended;
    return JSON.parse(output.trim().split("\n").at(-1) ?? "");
  }
});
