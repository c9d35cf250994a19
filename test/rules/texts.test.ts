import { expect } from "chai";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { purchaseStatusFromChain, statusAttribute, storedStatus } from "../../core/rules/purchase/life.ts";
import { signInSentence } from "../../core/rules/session.ts";
import { joinFullName, SLUG_PATTERN, slugify, splitFullName } from "../../core/rules/text.ts";
import { isAddressShaped, shortenAddress } from "../../core/rules/wallet-address.ts";

const ADDRESS = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

describe("The messages that wallets sign", () => {
  it("have the fixed words and the address in lower case", () => {
    expect(signInSentence("register", ADDRESS)).to.equal(`Cadastro Torcida para ${ADDRESS.toLowerCase()}`);
    expect(signInSentence("login", ADDRESS)).to.equal(`Login Torcida para ${ADDRESS.toLowerCase()}`);
  });
});

describe("Names", () => {
  it("are split at the first space after trimming and collapsing", () => {
    expect(splitFullName("  Ana   Maria Silva ")).to.deep.equal({ firstName: "Ana", lastName: "Maria Silva" });
    expect(splitFullName("Pelé")).to.deep.equal({ firstName: "Pelé", lastName: "" });
    expect(joinFullName("Pelé", "")).to.equal("Pelé");
  });
});

describe("Addresses", () => {
  it("are shortened to six and four characters", () => expect(shortenAddress(ADDRESS)).to.equal("0xF39F...2266"));
  it("are 20 bytes of hex", () => {
    expect(isAddressShaped(ADDRESS)).to.equal(true);
    for (const wrong of ["", "0x", ADDRESS.slice(0, -1), `${ADDRESS}0`, ADDRESS.replace("F", "G")]) {
      expect(isAddressShaped(wrong), wrong).to.equal(false);
    }
  });
});

describe("Slugs", () => {
  it("drop accents and joiners", () => expect(slugify(" São Paulo F.C. ")).to.equal("sao-paulo-f-c"));
  it("have a pattern", () => {
    for (const good of ["psg", "a-1"]) expect(SLUG_PATTERN.test(good)).to.equal(true);
    for (const bad of ["", "PSG", "a b", "ç", "a".repeat(33)]) expect(SLUG_PATTERN.test(bad), bad).to.equal(false);
  });
});

describe("Statuses", () => {
  it("are derived from the contract's, `processing` for an unknown one", () => {
    expect([0, 1, 2n, 3, undefined].map(purchaseStatusFromChain)).to.deep.equal([
      "processing",
      "pending",
      "confirmed",
      "cancelled",
      "processing",
    ]);
  });
  it("have fixed spellings for tickets and for stored records", () => {
    expect(statusAttribute("processing")).to.equal("Pending");
    expect(statusAttribute("confirmed")).to.equal("Confirmed");
    expect(storedStatus("pending")).to.equal("Pendente");
    expect(storedStatus("confirmed")).to.equal("Confirmado");
  });
});

describe("The sample stores", () => {
  it("are eight, from 2.5 % to 7 %, of several countries, categories and clubs", () => {
    const all = SAMPLE_STORES.flatMap((store) => store.cashbacks.map((one) => Number(one.cashbackBps)));
    expect(SAMPLE_STORES).to.have.length(8);
    expect([Math.min(...all), Math.max(...all)]).to.deep.equal([250, 700]);
    for (const key of ["country", "category", "club"] as const) {
      expect(new Set(SAMPLE_STORES.map((store) => store[key]).filter(Boolean)).size, key).to.be.greaterThan(2);
    }
    expect(SAMPLE_STORES.filter((store) => store.featured)).to.have.length(4);
  });
});
