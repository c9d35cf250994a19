import { expect } from "chai";
import { StoreDomains } from "../../core/catalogue/store-domains.ts";

const site = (id: number, name: string, store_url: string | null, domains: string | null = null) => ({
  id: BigInt(id),
  name,
  store_url,
  domains,
});

/** docs/product.md#links */
describe("The domains of stores", () => {
  const table = new StoreDomains([
    site(1, "Amazônia Store", "https://www.amazon.com.br/", "short:amzn.to"),
    site(2, "Magalu", "https://www.magazineluiza.com.br/loja"),
    site(3, "Camisas", null, "camisas.com.br,camisas.com"),
    site(4, "Camisas (outro programa)", "https://camisas.com.br"),
    site(5, "Plataforma", null, "myshopify.com"),
    site(6, "Chuteiras", "https://chuteiras.myshopify.com/"),
    site(7, "Sem site", null),
    site(8, "Sufixo", null, "com.br"),
  ]);
  const idsAt = (host: string) => table.find(host).stores.map(({ id }) => id);

  it("find a store by its domain, with www and whatever lies below it", () => {
    for (const host of ["amazon.com.br", "www.amazon.com.br", "m.amazon.com.br", "a.b.c.amazon.com.br"])
      expect(idsAt(host), host).to.deep.equal([1]);
  });

  it("find nothing by a look-alike, a prefix, or a domain that only ends alike", () => {
    for (const host of [
      "amaz0n.com.br",
      "amazon.com.br.evil.com",
      "xamazon.com.br",
      "xn--mazon-3ve.com.br",
      "evil.com.br",
    ])
      expect(idsAt(host), host).to.deep.equal([]);
  });

  it("find each program of a shop", () => {
    expect(idsAt("loja.camisas.com.br")).to.deep.equal([3, 4]);
    expect(idsAt("camisas.com")).to.deep.equal([3]);
  });

  it("find a host of many shops, or a public suffix, only as itself", () => {
    expect(idsAt("myshopify.com")).to.deep.equal([5]);
    expect(idsAt("outra.myshopify.com")).to.deep.equal([]);
    expect(idsAt("chuteiras.myshopify.com")).to.deep.equal([6]);
    expect(idsAt("qualquer.com.br")).to.deep.equal([]);
  });

  it("know the links that are shortened", () => {
    expect(table.find("amzn.to")).to.deep.equal({ stores: [{ id: 1, name: "Amazônia Store" }], isShort: true });
    expect(table.find("amazon.com.br").isShort).to.equal(false);
  });

  it("say which stores a mistyped one may mean, at most three", () => {
    expect(table.like("amaz0n.com").map(({ id }) => id)).to.deep.equal([1]);
    expect(table.like("magazineluizza.com").map(({ id }) => id)).to.deep.equal([2]);
    expect(table.like("www.camisas-baratas.com.br").map(({ id }) => id)).to.have.members([3, 4]);
    expect(table.like("xyz.com")).to.deep.equal([]);
  });

  it("are told of the stores that have one, but those of shortened links", () => {
    expect(table.stores.find(({ id }) => id === 1)?.domains).to.deep.equal(["amazon.com.br"]);
    expect(
      table.stores.map(({ id }) => id),
      "none, or one below which others sell",
    ).not.to.include.oneOf([5, 7, 8]);
    expect(table.stores.flatMap(({ domains }) => domains)).to.not.include("myshopify.com");
  });
});
