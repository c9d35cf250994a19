import { expect } from "chai";
import { movesOf } from "../../core/catalogue/store-moves.ts";
import { createStoreRequestSchema } from "../../core/rules/api/catalogue.ts";

const SHOP = {
  ...{ affiliate_link: "https://shop.example.com/?ref={click}", store_url: "https://shop.example.com/" },
  ...{ network: "direct", account: "shop", advertiser_id: null, link_code: null, merchant: "shop", domains: null },
};

/** docs/product.md#proposals */
describe("What moves a store's buyers", () => {
  const movedBy = (fields: object, before: Partial<typeof SHOP> = {}) => {
    const { atOnce, moves } = movesOf({ ...SHOP, ...before }, fields);
    return { atOnce: Object.keys(atOnce), kinds: moves.map(({ kind }) => kind) };
  };
  const WAITS = { atOnce: [], kinds: ["store_link"] };

  it("is a link that browsers read otherwise than it looks", () => {
    for (const evil of [
      "https://evil.example.com\\@shop.example.com/?ref={click}",
      "https:\\\\evil.example.com\\//shop.example.com/",
    ]) {
      expect(movedBy({ affiliate_link: evil }), evil).to.deep.equal(WAITS);
      const asked = { name: "Loja", country: "Brasil", affiliate_link: evil };
      expect(createStoreRequestSchema.safeParse(asked).error?.issues[0]?.path, evil).to.deep.equal(["affiliate_link"]);
    }
  });

  it("is the page to which the link leads, whoever its orders are", () => {
    const store_url = "https://evil.example.com/";
    const affiliate_link = "https://go.example.com/?c={click}&u={url}";
    for (const network of ["direct", "awin"])
      expect(movedBy({ store_url }, { affiliate_link, network }), network).to.deep.equal(WAITS);
    const encoded = "https://go.example.com/?c=%7Bclick%7D&u=%7BURL%7D";
    expect(movedBy({ store_url }, { affiliate_link: encoded })).to.deep.equal(WAITS);
  });

  it("is no other page of the same shop, and no address to which no link leads", () => {
    const affiliate_link = "https://go.example.com/?c={click}&u={url}";
    const page = { store_url: "https://shop.example.com/br" };
    expect(movedBy(page, { affiliate_link })).to.deep.equal({ atOnce: ["store_url"], kinds: [] });
    expect(movedBy({ store_url: "https://other.example.com/" })).to.deep.equal({ atOnce: ["store_url"], kinds: [] });
  });
});
