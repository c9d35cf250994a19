import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { Caller } from "./support/caller.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

/** Account 3 of the local chain's published mnemonic: the deployment gives it 35 PSG. */
const HOLDER = privateKeyToAccount("0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6");

describe("BONUS_PROGRAM=tiers", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  before(async () => {
    system = await startSystem({ BONUS_PROGRAM: "tiers" });
  });
  after(() => system?.stop());

  it("is applied to purchases and reported to the page", async () => {
    const shopper = new Caller(system.url, HOLDER);
    await shopper.register();
    const { body: config } = await shopper.get("/api/config");
    expect(config.data.bonus_program).to.equal("tiers");
    const { body: catalogue } = await shopper.get("/api/stores");
    const store = (club: string | null) => catalogue.stores.find((one: { club: string | null }) => one.club === club);
    const bonusAt = async (club: string | null) => {
      const { body } = await shopper.post("/api/register-purchase", {
        user: shopper.address,
        store_id: store(club).id,
        amount: 100,
        token_slug: "psg",
      });
      return body.purchase.bonus_percent;
    };
    // Program `club` would give 0 and 3.
    expect(await bonusAt(null)).to.equal("1");
    expect(await bonusAt("Paris Saint-Germain")).to.equal("3");
  });
});
