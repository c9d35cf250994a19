import { expect } from "chai";
import { generatePrivateKey, mnemonicToAccount } from "viem/accounts";
import { isKnownKey, KNOWN_ADDRESSES, LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import { DEMO_ADMIN, DEMO_SHOPPER } from "../../core/rules/demo-wallets.ts";

const MNEMONICS = [
  "test test test test test test test test test test test junk",
  "myth like bonus scare over problem client lizard pioneer submit female collect",
  "candy maple cake sugar pudding cream honey rich smooth crumble sweet treat",
];

describe("Keys that everyone knows", () => {
  it("are the accounts of the development chains' mnemonics", () => {
    const accounts = MNEMONICS.flatMap((mnemonic) =>
      Array.from({ length: 20 }, (_, addressIndex) => mnemonicToAccount(mnemonic, { addressIndex })),
    );
    expect([...KNOWN_ADDRESSES]).to.deep.equal(accounts.map(({ address }) => address.toLowerCase()));
    const tenth = accounts[9]?.getHdKey().privateKey;
    expect(isKnownKey(`0x${Buffer.from(tenth ?? []).toString("hex")}`)).to.equal(true);
    expect(KNOWN_ADDRESSES).to.include(DEMO_ADMIN).and.include(DEMO_SHOPPER);
  });

  it("are the local chain's, in any spelling, and small numbers", () => {
    expect(isKnownKey(LOCAL_TEST_KEY)).to.equal(true);
    expect(isKnownKey(`0x${LOCAL_TEST_KEY.slice(2).toUpperCase()}`)).to.equal(true);
    expect(isKnownKey(`0x${"1".padStart(64, "0")}`)).to.equal(true);
    expect(isKnownKey(generatePrivateKey())).to.equal(false);
  });
});
