import { expect } from "chai";
import { linkIn, readProductLink } from "../../core/rules/product-link.ts";

const urlOf = (text: string) => readProductLink(text)?.url;

/** docs/product.md#links */
describe("A pasted link", () => {
  it("keeps the product and loses what follows its reader", () => {
    expect(urlOf("https://www.loja.com.br/tv?cor=azul&utm_source=x&fbclid=abc&GCLID=1#fotos")).to.equal(
      "https://www.loja.com.br/tv?cor=azul#fotos",
    );
  });

  it("stays as it was written if nothing goes", () => {
    const written = "https://loja.com/p?a=1%202&b=x+y&c=%7Eok&d";
    expect(urlOf(written)).to.equal(written);
  });

  it("is read without its protocol, by http, with the default port and with the final dot of a full name", () => {
    for (const text of ["loja.com/tv", "http://loja.com/tv", "https://LOJA.com:443/tv", " https://loja.com./tv "])
      expect(urlOf(text), text).to.equal("https://loja.com/tv");
  });

  it("says that somebody else would have earned by it, and earns them nothing any more", () => {
    expect(readProductLink("https://loja.com/tv?awc=12_34&cor=azul")).to.include({
      url: "https://loja.com/tv?cor=azul",
      wasReferral: true,
    });
    expect(readProductLink("https://www.amazon.com.br/dp/B01?tag=outro-20&th=1")).to.include({
      url: "https://www.amazon.com.br/dp/B01?th=1",
      wasReferral: true,
    });
    // A shop's own filter of this name.
    expect(readProductLink("https://loja.com/tv?tag=promo")).to.include({
      url: "https://loja.com/tv?tag=promo",
      wasReferral: false,
    });
  });

  it("of a network is the page that it leads to", () => {
    const page = encodeURIComponent("https://www.loja.com/tv?utm_medium=x");
    for (const link of [
      `https://www.awin1.com/cread.php?awinmid=1&awinaffid=2&ued=${page}`,
      `https://ad.admitad.com/g/abc/?subid=7&ulp=${page}`,
      `https://loja.sjv.io/c/1/2/3?u=${page}`,
    ])
      expect(readProductLink(link), link).to.deep.equal({
        host: "www.loja.com",
        url: "https://www.loja.com/tv",
        wasReferral: true,
      });
  });

  it("is no endless chain of networks", () => {
    let link = "https://loja.com/tv";
    for (let times = 0; times < 5; times++) link = `https://www.awin1.com/cread.php?ued=${encodeURIComponent(link)}`;
    expect(readProductLink(link)).to.equal(undefined);
  });

  it("keeps what stays of its query letter by letter, in whatever encoding its shop reads", () => {
    for (const [pasted, kept] of [
      ["https://loja.com/?q=caf%E9&gclid=1&b=a+b%20c", "https://loja.com/?q=caf%E9&b=a+b%20c"],
      ["https://loja.com/?utm_source=1&a[]=1&a[]=2&=&flag", "https://loja.com/?a[]=1&a[]=2&=&flag"],
      ["https://loja.com/tv?%61wc=1&Utm_Medium=x#fotos", "https://loja.com/tv#fotos"],
    ] as const)
      expect(readProductLink(pasted)?.url).to.equal(kept);
  });

  it("is none to anything but a public page", () => {
    for (const text of [
      ...["", "tv", "loja", "javascript:alert(1)", "ftp://loja.com/tv", "data:text/html,x"],
      ...["https://ana:senha@loja.com/tv", "https://loja.com@evil.com/", "https://loja.com:8443/tv"],
      ...["https://.loja.com/", "https://..loja.com/", "https://loja.com../", "loja.com:8443/tv", "javascript:1"],
      ...[`https://${"a".repeat(64)}.com/`, `https://${"a.".repeat(130)}loja.com/`, "https://loja.com%00.evil.com/"],
      ...["https://127.0.0.1/tv", "https://2130706433/", "https://[::1]/tv", "https://loja.com\\@evil.com/tv"],
      ...["https://loja.com/t v", `https://loja.com/${"a".repeat(5_000)}`],
      `https://www.awin1.com/cread.php?ued=${encodeURIComponent("javascript:alert(1)")}`,
    ])
      expect(readProductLink(text), text).to.equal(undefined);
  });

  it("is known by its host in plain letters, whatever a reader sees", () => {
    expect(readProductLink("https://аmazon.com.br/tv")?.host).to.match(/^xn--/);
    expect(readProductLink("https://loja.com.evil.com/tv")?.host).to.equal("loja.com.evil.com");
    expect(readProductLink("https://loja.com%2eevil.com/tv")?.host).to.equal("loja.com.evil.com");
    for (const same of ["https://loja。com/", "https://ｌｏｊａ．com/", "https://lo\u00adja.com/", "loja.com:443/"])
      expect(readProductLink(same)?.host, same).to.equal("loja.com");
  });
});

describe("A shared text", () => {
  it("holds the first link in it, without the sentence around", () => {
    expect(linkIn("Olha esta TV! https://loja.com/tv?a=1.")).to.equal("https://loja.com/tv?a=1");
    expect(linkIn("“https://loja.com/tv” (https://outra.com)")).to.equal("https://loja.com/tv");
    expect(linkIn("nada aqui")).to.equal(undefined);
  });
});
