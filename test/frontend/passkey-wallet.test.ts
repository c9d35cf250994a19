import { expect } from "chai";
import { encodeFunctionData, erc20Abi, getAddress, numberToHex } from "viem";
import { pause, withdrawCredit } from "../../core/chain/generated/cashback-distributor.ts";
import { readChz } from "../../frontend/wallet/passkey/read-chz.ts";
import { checkAddress } from "../../frontend/wallet/passkey/send-rules.ts";
import { readTransaction } from "../../frontend/wallet/passkey/transaction.ts";
import { dueOffer, isSameWord, somePositions } from "../../frontend/wallet/passkey/words-kept.ts";

const OWN = `0x${"a1".repeat(20)}` as const;
const OTHER = getAddress(`0x${"b2".repeat(20)}`);
const DISTRIBUTOR = `0x${"c3".repeat(20)}` as const;
const TOKEN = `0x${"d4".repeat(20)}` as const;
const AROUND = { own: OWN, chainId: 88_888, distributors: [DISTRIBUTOR], tokens: [{ contract: TOKEN, symbol: "PSG" }] };

/** What becomes of a transaction: its meaning, or the code that refuses it. */
function read(change: Record<string, unknown>): unknown {
  try {
    return readTransaction({ from: OWN, to: OTHER, value: "0x0", ...change }, AROUND).meaning;
  } catch (error) {
    return (error as { code: number }).code;
  }
}

describe("A transaction that a passkey's wallet is asked to sign", () => {
  it("is a transfer of CHZ, a withdrawal or a transfer of a listed fan token, said as what it is", () => {
    expect(read({ value: numberToHex(15n) })).to.deep.equal({ kind: "chz", to: OTHER, wei: 15n });
    const withdrawal = encodeFunctionData({ abi: [withdrawCredit], args: [OTHER] });
    expect(read({ to: DISTRIBUTOR, data: withdrawal })).to.deep.equal({ kind: "withdraw", to: OTHER });
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [OTHER, 7n] });
    expect(read({ to: TOKEN, data: transfer })).to.deep.equal({
      ...{ kind: "token", to: OTHER, units: 7n, symbol: "PSG", contract: getAddress(TOKEN) },
    });
  });

  it("is nothing else: no other call, contract, chain or account", () => {
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [OTHER, 7n] });
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [OTHER, 7n] });
    expect(read({ to: TOKEN, data: approval })).to.equal(4100);
    expect(read({ to: OTHER, data: transfer }), "a token that the shop does not list").to.equal(4100);
    expect(read({ to: TOKEN, data: transfer, value: "0x1" }), "with CHZ that no sentence tells").to.equal(4100);
    expect(read({ to: DISTRIBUTOR, data: encodeFunctionData({ abi: [pause] }) })).to.equal(4100);
    expect(read({ to: TOKEN, data: `${transfer}00` }), "with bytes behind it").to.equal(4100);
    const dirty = transfer.replace(/(?<=^0x.{8})00/, "01");
    expect(read({ to: TOKEN, data: dirty }), "with bytes before the receiver").to.equal(4100);
    expect(
      read({ to: DISTRIBUTOR, data: `${encodeFunctionData({ abi: [withdrawCredit], args: [OTHER] })}ff` }),
    ).to.equal(4100);
    expect(read({ data: "0x12" })).to.equal(4100);
    expect(read({ chainId: "0x1" })).to.equal(4100);
    expect(read({ from: OTHER })).to.equal(4100);
    expect(read({ to: undefined }), "a new contract").to.equal(-32602);
    expect(read({ value: 1.5 })).to.equal(-32602);
  });
});

describe("An address to send to", () => {
  it("is refused with one letter wrong, as one's own, and as nobody's", () => {
    expect(checkAddress(OTHER, OWN)).to.equal("right");
    expect(
      checkAddress(
        OTHER.replace(/B|b(?=[^x]*$)/, (letter) => (letter === "B" ? "b" : "B")),
        OWN,
      ),
    ).to.equal("mistyped");
    const last = OTHER.at(-1) === "2" ? "3" : "2";
    expect(checkAddress(OTHER.slice(0, -1) + last, OWN)).to.equal("mistyped");
    expect(checkAddress(OTHER.slice(0, -1), OWN)).to.equal("bad");
    expect(checkAddress(getAddress(OWN), OWN)).to.equal("own");
    expect(checkAddress(`0x${"0".repeat(40)}`, OWN)).to.equal("zero");
  });

  it("is not trusted without capitals, which would show a typing error", () => {
    expect(checkAddress(OTHER.toLowerCase(), OWN)).to.equal("unchecked");
  });
});

describe("An amount of CHZ as people type it", () => {
  it("takes a comma or a dot, and nothing that is no amount above zero", () => {
    expect(readChz(" 1,5 ")).to.equal(15n * 10n ** 17n);
    expect(readChz("0.000000000000000001")).to.equal(1n);
    for (const text of ["", "0", "0,0", "-1", "1e3", "1.000,50", "abc"])
      expect(readChz(text), text).to.equal(undefined);
  });
});

describe("The 24 words", () => {
  it("are offered at the first confirmed purchase and once more above R$ 100, and then never", () => {
    const small = { confirmed: 1, cashbackCents: 900n };
    const large = { confirmed: 9, cashbackCents: 100_01n };
    expect(dueOffer(undefined, { confirmed: 0, cashbackCents: 0n })).to.equal(undefined);
    expect(dueOffer(undefined, small)).to.equal("first");
    expect(dueOffer("first", small)).to.equal(undefined);
    expect(dueOffer("first", { confirmed: 9, cashbackCents: 100_00n })).to.equal(undefined);
    expect(dueOffer("first", large)).to.equal("again");
    expect(dueOffer(undefined, large)).to.equal("again");
    expect(dueOffer("again", large)).to.equal(undefined);
    expect(dueOffer("saved", large)).to.equal(undefined);
  });

  it("are asked back at three different places, and a typing error is no word", () => {
    for (const random of [() => 0, () => 0.999, Math.random]) {
      const at = somePositions(3, 24, random);
      expect(new Set(at).size).to.equal(3);
      expect(at).to.deep.equal(at.toSorted((a, b) => a - b));
      for (const one of at) expect(one).to.be.within(0, 23);
    }
    expect(isSameWord(" Castle ", "castle")).to.equal(true);
    for (const typed of ["castel", "", "castle battle"]) expect(isSameWord(typed, "castle"), typed).to.equal(false);
  });
});
