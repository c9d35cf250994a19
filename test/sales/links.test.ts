import { expect } from "chai";
import { createStoreRequestSchema } from "../../core/rules/api/catalogue.ts";
import { must } from "../../core/rules/field-rules.ts";
import { linkOf } from "../../core/sales/accounts.ts";
import type { PolledAccount } from "../../core/sales/network.ts";
import { standIn } from "../testing/stand-in.ts";

/** docs/product.md#sales-links */
describe("A link to a store", () => {
  const account = standIn<PolledAccount>({
    network: "admitad",
    account: "main",
    api_url: "https://api.example",
  });
  const store = { affiliate_link: null, network: "admitad", account: "main", store_url: "https://loja.example/" };
  const link = (ids: { advertiser_id: string | null; link_code: string | null }) =>
    new URL(linkOf({ ...store, ...ids }, "click", [account]) ?? "https://none.example/").pathname;

  for (const [pasted, out] of [
    ["https://go.example/?c=%7Bclick%7D", "https://go.example/?c=abc"],
    ["https://go.example/?c={CLICK}&u=%7burl%7D", "https://go.example/?c=abc&u=https%3A%2F%2Floja.example%2F"],
    [
      "https://go.example/?to=https%3A%2F%2Fx.example%3Fc%3D%257BClick%257D",
      "https://go.example/?to=https%3A%2F%2Fx.example%3Fc%3Dabc",
    ],
    ["https://go.example/?c={ click }", "https://go.example/?c=abc"],
  ] as const) {
    it(`is filled as it was pasted: ${pasted}`, () => {
      expect(linkOf({ ...store, affiliate_link: pasted, advertiser_id: null, link_code: null }, "abc", [])).to.equal(
        out,
      );
      const fields = { name: "Loja", country: "Brasil", affiliate_link: pasted };
      expect(createStoreRequestSchema.parse(fields).affiliate_link).to.match(/\{click\}/);
    });
  }

  it("is refused with a name that nothing fills", () => {
    for (const part of [
      "{clickref}",
      "%7Bsub_id%7D",
      "{{click}}",
      "%257Baff%257D",
      "[[click]]",
      "!!!sub1!!!",
      "{click",
      "click}",
    ]) {
      const fields = { name: "Loja", country: "Brasil", affiliate_link: `https://go.example/?c=${part}` };
      const { error } = createStoreRequestSchema.safeParse(fields);
      expect(error?.issues[0]?.message, part).to.equal(must("link_names"));
    }
  });

  it("takes the link's code, else the first of the advertiser ids", () => {
    expect([
      link({ advertiser_id: "5, 6", link_code: "abc" }),
      link({ advertiser_id: "5, 6", link_code: null }),
      link({ advertiser_id: null, link_code: null }),
    ]).to.deep.equal(["/g/abc/", "/g/5/", "/"]);
  });
});
