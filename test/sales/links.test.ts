import { expect } from "chai";
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

  it("takes the link's code, else the first of the advertiser ids", () => {
    expect([
      link({ advertiser_id: "5, 6", link_code: "abc" }),
      link({ advertiser_id: "5, 6", link_code: null }),
      link({ advertiser_id: null, link_code: null }),
    ]).to.deep.equal(["/g/abc/", "/g/5/", "/"]);
  });
});
