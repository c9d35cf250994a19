import { expect } from "chai";
import { connect } from "../../core/database/connect.ts";
import { until } from "../testing/until.ts";
import { onSystem } from "./support/on-both-systems.ts";

/**
 * A contract's variable names something else on the chain: each process ends with one line that names it, and the index
 * stays as it was.
 */
describe("A wrong contract (F53) @release", () => {
  onSystem("SQLite", {}, (system) => {
    const strange = `0x${"ab".repeat(20)}`;
    const silent = `0x${"cd".repeat(20)}`;
    const cases: [what: string, wrong: (nft: string, distributor: string, fan: string) => object, says: RegExp][] = [
      [
        "both are swapped",
        (nft, distributor) => ({ PURCHASE_NFT_ADDRESS: distributor, CASHBACK_DISTRIBUTOR_ADDRESS: nft }),
        /^CASHBACK_DISTRIBUTOR_ADDRESS, .* another contract than a CashbackDistributor/m,
      ],
      [
        "there are no tickets",
        () => ({ PURCHASE_NFT_ADDRESS: strange }),
        /^PURCHASE_NFT_ADDRESS, .* where this chain has no contract/m,
      ],
      [
        "the tickets are a fan token",
        (_, __, fan) => ({ PURCHASE_NFT_ADDRESS: fan }),
        /^CASHBACK_DISTRIBUTOR_ADDRESS, .* pays for the tickets of 0x\w+, not of 0x/m,
      ],
      [
        "the distributor is one that takes any call and answers nothing",
        () => ({ CASHBACK_DISTRIBUTOR_ADDRESS: silent }),
        /^CASHBACK_DISTRIBUTOR_ADDRESS, .* another contract than a CashbackDistributor/m,
      ],
      [
        "there is no distributor",
        () => ({ CASHBACK_DISTRIBUTOR_ADDRESS: strange }),
        /^CASHBACK_DISTRIBUTOR_ADDRESS, .* where this chain has no contract/m,
      ],
    ];
    const tickets = async () => {
      const { kysely, close } = await connect(system().databaseUrl);
      const rows = await kysely.selectFrom("nfts").select("token_id").execute().finally(close);
      return rows.length;
    };
    before(async () => {
      const buyer = await system().shopper();
      await buyer.buy(1, 10);
      await system().settled();
      await system().anvil.request("anvil_setCode", silent, "0x00");
      await Promise.all([system().api.stop(), system().indexer.stop()]);
    });

    for (const [what, wrong, says] of cases) {
      it(`ends the api and the indexer where ${what}, and the doctor tells it`, async () => {
        const { purchaseNft, cashbackDistributor, fanTokens } = system().deployment;
        const fan = fanTokens[0]?.address ?? "";
        const extra = { START_BLOCK: "0", ...wrong(purchaseNft.address, cashbackDistributor.address, fan) };
        for (const script of ["api/main.ts", "indexer/main.ts"]) {
          const { code, output } = await system().run(script, [], extra);
          expect(code, output).to.equal(1);
          expect(output, script).to.match(says);
        }
        const { output } = await system().run("scripts/doctor.ts", [], extra);
        // Of tickets that are not there, the node itself is no node of ours.
        expect(output).to.match(
          new RegExp(`${says.source.replace("^", "^✗ contracts: ")}|^✗ rpc .* has no contract at`, "m"),
        );
        expect(await tickets()).to.equal(1);
      });
    }

    it("ends the api that started while no node answered, once one does", async () => {
      const { proxy, deployment, run, url } = system();
      const { purchaseNft, cashbackDistributor } = deployment;
      proxy.set({ drop: 1 });
      const ending = run("api/main.ts", [], {
        PURCHASE_NFT_ADDRESS: cashbackDistributor.address,
        CASHBACK_DISTRIBUTOR_ADDRESS: purchaseNft.address,
        START_BLOCK: "0",
      });
      await until("it has started", () => fetch(`${url}/healthz`).then(({ ok }) => ok));
      proxy.set({});
      const { code, output } = await ending;
      expect(code, output).to.equal(1);
      expect(output).to.match(/waiting for one[\s\S]*^CASHBACK_DISTRIBUTOR_ADDRESS, .* another contract/m);
    });

    it("ends the indexer where the start block is after a ticket that it has", async () => {
      const { code, output } = await system().run("indexer/main.ts", [], { START_BLOCK: "1000000" });
      expect([code, await tickets()], output).to.deep.equal([1, 1]);
      expect(output).to.match(/^START_BLOCK, .* says 1000000, and a ticket of these contracts is of block \d+/m);
    });
  });
});
