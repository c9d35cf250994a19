import { hkdfSync } from "node:crypto";
import { expect } from "chai";
import { HDNodeWallet, Mnemonic, verifyMessage } from "ethers";
import { accountOf, wordsOf } from "../../frontend/wallet/passkey/derivation.ts";
import vectors from "../vectors/passkey-wallet.json" with { type: "json" };

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));

/** docs/passkey-wallet.md */
describe("A passkey's wallet", () => {
  for (const { prf, entropy, words, address } of vectors.wallets) {
    it(`is ${address} from the answer ${prf.slice(0, 10)}…, by Node and ethers as by our own code`, async () => {
      const bytes = Buffer.from(hkdfSync("sha256", bytesOf(prf), "", vectors.info, 32));
      expect(`0x${bytes.toString("hex")}`).to.equal(entropy);
      const theirs = HDNodeWallet.fromMnemonic(Mnemonic.fromEntropy(entropy), vectors.path);
      expect(theirs.mnemonic?.phrase).to.equal(words);
      expect(theirs.address).to.equal(address);
      const ours = await accountOf(bytesOf(prf));
      expect(await wordsOf(bytesOf(prf))).to.equal(words);
      expect(ours.address).to.equal(address);
      expect(verifyMessage("Olá", await ours.signMessage({ message: "Olá" }))).to.equal(address);
    });
  }

  it("is none for an answer of another length", async () => {
    const shorter = await wordsOf(new Uint8Array(31)).catch((error: Error) => error.message);
    expect(shorter).to.include("32 bytes");
  });
});
