import { expect } from "chai";
import { stepsOf } from "../../frontend/admin/stores/steps.ts";

const plain = {};
const grouped = { group_code: "A" };
const byDefault = { is_default: true } as const;
const READY = {
  ...{ affiliate_link: "https://shop.example/?c={click}", cashback_max: 5, logo: "https://img.example/l.png" },
  ...{ network: null, account: null, advertiser_id: null, store_url: null, is_draft: false },
  cashbacks: [plain],
};
const TESTED = { carriesClick: true, isTested: true };

describe("What is left until a shopper earns at a store", () => {
  it("is nothing where all is done, and shrinks step by step", () => {
    const bare = { ...READY, affiliate_link: null, cashback_max: 0, logo: null, cashbacks: [], is_draft: true };
    expect(stepsOf(bare, undefined)).to.deep.equal(["rate", "link", "logo"]);
    expect(stepsOf({ ...bare, cashback_max: 5 }, undefined)).to.deep.equal(["link", "logo"]);
    const linked = { ...READY, is_draft: true };
    expect(stepsOf(linked, { carriesClick: true, isTested: false })).to.deep.equal(["test", "chain_name"]);
    expect(stepsOf(READY, TESTED)).to.deep.equal([]);
  });

  it("asks for a test only of a link that would be recognized, and for nothing while it is unknown", () => {
    expect(stepsOf(READY, { carriesClick: false, isTested: false })).to.deep.equal(["click"]);
    expect(stepsOf(READY, undefined)).to.deep.equal([]);
  });

  it("asks a network's store for its advertiser, and for groups where one percent would not be enough", () => {
    const awin = { ...READY, network: "awin", account: "br" };
    expect(stepsOf(awin, TESTED)).to.deep.equal(["advertiser"]);
    const known = { ...awin, advertiser_id: "12345" };
    expect(stepsOf(known, TESTED)).to.deep.equal([]);
    expect(stepsOf({ ...known, cashbacks: [grouped, plain] }, TESTED)).to.deep.equal(["groups"]);
    expect(stepsOf({ ...known, cashbacks: [grouped, byDefault] }, TESTED)).to.deep.equal([]);
    expect(stepsOf({ ...READY, network: "direct", cashbacks: [plain, plain] }, TESTED)).to.deep.equal([]);
  });
});
