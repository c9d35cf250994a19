import { expect } from "chai";
import type { BaseContract } from "ethers";
import { describeTree } from "./support/behaviour-tree.ts";
import {
  ADMIN_DELAY_SECONDS,
  aPurchase,
  ethers,
  freshSystem,
  NFT_ROLES,
  type Purchase,
  read,
  SITE_URL,
  STATUS,
  type System,
  send,
} from "./support/system.ts";

type PurchaseRecord = {
  buyer: string;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  status: bigint;
};

describeTree("PurchaseNFT", () => {
  let system: System;
  let nft: BaseContract;
  let aliceAddress: string;

  beforeEach(async () => {
    system = await freshSystem();
    nft = system.nft;
    aliceAddress = system.buyer.address;
  });

  const purchaseOf = async (id: bigint) =>
    (await read<PurchaseRecord & { toObject(): object }>(nft, "purchaseOf", id)).toObject();
  const metadataOf = async (view: string, ...args: unknown[]) =>
    JSON.parse(Buffer.from((await read<string>(nft, view, ...args)).split(",")[1] ?? "", "base64").toString());
  const refuses = async (purchase: Partial<Purchase>, error: string, ...args: unknown[]) => {
    const sent = send(nft, "mint", [aPurchase({ id: 1n, buyer: aliceAddress, ...purchase })], system.minter);
    await expect(sent)
      .to.be.revertedWithCustomError(nft, error)
      .withArgs(...args);
  };
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => aPurchase({ id: BigInt(index + 1), buyer: aliceAddress }));

  describe("construction", () => {
    it("it should make the admin the only holder of a role", async () => {
      const fresh = await ethers.deployContract("PurchaseNFT", [aliceAddress, ADMIN_DELAY_SECONDS, SITE_URL]);
      expect(await read(fresh, "defaultAdmin")).to.equal(aliceAddress);
      expect(await read(fresh, "defaultAdminDelay")).to.equal(BigInt(ADMIN_DELAY_SECONDS));
      for (const role of NFT_ROLES) {
        const id = await read<string>(fresh, role);
        expect(id).to.equal(ethers.id(role));
        for (const { address } of await ethers.getSigners())
          expect(await read(fresh, "hasRole", id, address)).to.equal(false);
        expect(await read(fresh, "getRoleAdmin", id)).to.equal(ethers.ZeroHash);
      }
    });
    it("it should refuse a site address that is empty, too long or not plain text", async () => {
      for (const url of ["", "h".repeat(201), "https://a\n"]) {
        const deployed = ethers.deployContract("PurchaseNFT", [aliceAddress, 0, url]);
        await expect(deployed)
          .to.be.revertedWithCustomError(nft, "InvalidSiteUrl")
          .withArgs(ethers.hexlify(ethers.toUtf8Bytes(url)));
      }
      await ethers.deployContract("PurchaseNFT", [aliceAddress, 0, "h".repeat(200)]);
    });
    it("it should name the collection", async () => {
      expect(await read(nft, "name")).to.equal("Torcida");
      expect(await read(nft, "symbol")).to.equal("TORCIDA");
      expect(await read(nft, "MAX_BATCH")).to.equal(128n);
      const { image, description, ...metadata } = await metadataOf("contractURI");
      expect(metadata).to.deep.equal({ name: "Torcida", symbol: "TORCIDA", external_link: SITE_URL });
      expect(description).to.contain("recibo de uma compra");
      expect(image).to.match(/^data:image\/svg\+xml;base64,/);
    });
  });

  describe("mint", () => {
    describe("given a purchase with the largest and the smallest value of each field", () => {
      it("it should store and answer exactly them", async () => {
        await send(nft, "registerStore", [0, "zero"], system.catalogue);
        await send(nft, "registerStore", [65_535, "last"], system.catalogue);
        const extremes: Purchase[] = [
          aPurchase({
            id: 1n,
            buyer: "0x0000000000000000000000000000000000000001",
            valueCents: 1n,
            cashbackBps: 0,
            bonusBps: 0,
            storeId: 0,
          }),
          aPurchase({
            id: 2n ** 160n - 1n,
            buyer: "0xffffffffffffffffffffffffffffffffffffffff",
            valueCents: 2n ** 40n - 1n,
            cashbackBps: 10_000,
            bonusBps: 0,
            storeId: 65_535,
          }),
          aPurchase({ id: 2n, buyer: aliceAddress, cashbackBps: 0, bonusBps: 10_000 }),
        ];
        for (const purchase of extremes) {
          await send(nft, "mint", [purchase], system.minter);
          const { buyer, id, valueCents, cashbackBps, bonusBps, storeId } = purchase;
          expect(await purchaseOf(id)).to.deep.equal({
            buyer: ethers.getAddress(buyer),
            storeId: BigInt(storeId),
            valueCents,
            cashbackBps: BigInt(cashbackBps),
            bonusBps: BigInt(bonusBps),
            status: STATUS.pending,
          });
        }
      });
    });
    describe("given a wrong purchase", () => {
      it("it should refuse the id zero", () => refuses({ id: 0n }, "InvalidPurchaseId", 0n));
      it("it should refuse an id of more than 160 bits", () =>
        refuses({ id: 2n ** 160n }, "InvalidPurchaseId", 2n ** 160n));
      it("it should refuse an id that was minted before, in any status", async () => {
        await system.mint(...many(3));
        await system.confirm(2n);
        await send(nft, "cancel", [[3n]], system.confirmer);
        for (const id of [1n, 2n, 3n]) await refuses({ id, buyer: system.other.address }, "AlreadyMinted", id);
        expect(await read(nft, "balanceOf", aliceAddress)).to.equal(3n);
      });
      it("it should refuse the zero address as buyer", () =>
        refuses({ buyer: ethers.ZeroAddress }, "InvalidBuyer", 1n));
      it("it should refuse a store that is not registered, below and above number 248", async () => {
        for (const storeId of [0, 2, 247, 248, 257, 65_535]) await refuses({ storeId }, "UnknownStore", storeId);
      });
      it("it should refuse a value of zero", () => refuses({ valueCents: 0n }, "ZeroValue", 1n));
      it("it should refuse more than 100 % in all", async () => {
        await refuses({ cashbackBps: 10_000, bonusBps: 1 }, "PercentTooHigh", 1n, 10_001n, 10_000n);
        await refuses({ cashbackBps: 65_535, bonusBps: 65_535 }, "PercentTooHigh", 1n, 131_070n, 10_000n);
      });
    });
    describe("given metadata of its own", () => {
      it("it should answer that address as tokenURI and tell it in an event", async () => {
        const metadataUri = `ipfs://${"x".repeat(1_017)}`;
        const sent = send(nft, "mint", [aPurchase({ id: 1n, buyer: aliceAddress, metadataUri })], system.minter);
        await expect(sent).to.emit(nft, "MetadataUriSet").withArgs(1n, metadataUri);
        expect(await read(nft, "tokenURI", 1n)).to.equal(metadataUri);
      });
      it("it should refuse more than 1,024 bytes", () =>
        refuses({ metadataUri: "x".repeat(1_025) }, "MetadataUriTooLong", 1n, 1_025n, 1_024n));
    });
    it("it should give the token to its buyer, Pending and locked, and tell so in three events", async () => {
      const sent = await send(nft, "mint", [aPurchase({ id: 7n, buyer: aliceAddress })], system.minter);
      await expect(sent).to.emit(nft, "Transfer").withArgs(ethers.ZeroAddress, aliceAddress, 7n);
      await expect(sent).to.emit(nft, "Locked").withArgs(7n);
      await expect(sent).to.emit(nft, "PurchaseMinted").withArgs(7n, aliceAddress, 1, 123_450n, 500, 75);
      expect((await sent.wait())?.logs).to.have.length(3);
      expect(await read(nft, "ownerOf", 7n)).to.equal(aliceAddress);
      expect(await read(nft, "balanceOf", aliceAddress)).to.equal(1n);
    });
    it("it should mint to a buyer whose code would refuse tokens", async () => {
      const receiver = await ethers.deployContract("RevertingReceiver");
      await system.mint(aPurchase({ id: 1n, buyer: await receiver.getAddress() }));
      expect(await read(nft, "ownerOf", 1n)).to.equal(await receiver.getAddress());
    });
    it("it should revert while paused", async () => {
      await send(nft, "pause", [], system.pauser);
      await refuses({}, "EnforcedPause");
    });
  });

  describe("mintBatch", () => {
    it("it should mint each purchase", async () => {
      await system.mint(
        aPurchase({ id: 1n, buyer: aliceAddress }),
        aPurchase({ id: 9n, buyer: system.other.address, metadataUri: "ipfs://x" }),
      );
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
      expect(await read(nft, "ownerOf", 9n)).to.equal(system.other.address);
      expect(await read(nft, "tokenURI", 9n)).to.equal("ipfs://x");
    });
    it("it should mint none where one is refused", async () => {
      const sent = system.mint(aPurchase({ id: 1n, buyer: aliceAddress }), aPurchase({ id: 1n, buyer: aliceAddress }));
      await expect(sent).to.be.revertedWithCustomError(nft, "AlreadyMinted").withArgs(1n);
      await expect(read(nft, "purchaseOf", 1n))
        .to.be.revertedWithCustomError(nft, "UnknownPurchase")
        .withArgs(1n);
    });
    it("it should refuse an empty batch and one of 129", async () => {
      await expect(system.mint()).to.be.revertedWithCustomError(nft, "InvalidBatchSize").withArgs(0n, 128n);
      await expect(system.mint(...many(129)))
        .to.be.revertedWithCustomError(nft, "InvalidBatchSize")
        .withArgs(129n, 128n);
    });
    it("it should take a batch of 128", async () => {
      await system.mint(...many(128));
      expect(await read(nft, "balanceOf", aliceAddress)).to.equal(128n);
    });
    it("it should revert while paused", async () => {
      await send(nft, "pause", [], system.pauser);
      await expect(system.mint(...many(1))).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  const movesPending = (name: "confirm" | "cancel", to: bigint, word: string) => {
    describe("given a Pending purchase", () => {
      it(`it should make it ${word}, change nothing else, and tell so in two events`, async () => {
        await system.mint(...many(2));
        const before = await purchaseOf(1n);
        const sent = await send(nft, name, [[1n]], system.confirmer);
        await expect(sent).to.emit(nft, "StatusUpdated").withArgs(1n, STATUS.pending, to);
        await expect(sent).to.emit(nft, "MetadataUpdate").withArgs(1n);
        expect((await sent.wait())?.logs).to.have.length(2);
        expect(await purchaseOf(1n)).to.deep.equal({ ...before, status: to });
        expect(await purchaseOf(2n)).to.deep.equal({ ...before, status: STATUS.pending });
      });
    });
    describe("given any other status", () => {
      it("it should revert for an unknown, a Confirmed and a Cancelled purchase, and for the same one twice", async () => {
        await system.mint(...many(3));
        await system.confirm(2n);
        await send(nft, "cancel", [[3n]], system.confirmer);
        const cases: [bigint[], bigint, bigint][] = [
          [[99n], 99n, STATUS.none],
          [[2n], 2n, STATUS.confirmed],
          [[3n], 3n, STATUS.cancelled],
          [[1n, 1n], 1n, to],
        ];
        for (const [ids, id, status] of cases) {
          const sent = send(nft, name, [ids], system.confirmer);
          await expect(sent).to.be.revertedWithCustomError(nft, "NotPending").withArgs(id, status);
        }
        expect(await purchaseOf(1n)).to.have.property("status", STATUS.pending);
      });
    });
  };

  describe("confirm", () => {
    movesPending("confirm", STATUS.confirmed, "Confirmed");
    it("it should refuse an empty batch and one of 129", async () => {
      await expect(system.confirm()).to.be.revertedWithCustomError(nft, "InvalidBatchSize").withArgs(0n, 128n);
      const ids = many(129).map(({ id }) => id);
      await expect(system.confirm(...ids))
        .to.be.revertedWithCustomError(nft, "InvalidBatchSize")
        .withArgs(129n, 128n);
    });
    it("it should stay open while paused", async () => {
      await system.mint(...many(1));
      await send(nft, "pause", [], system.pauser);
      await system.confirm(1n);
      expect(await purchaseOf(1n)).to.have.property("status", STATUS.confirmed);
    });
  });

  describe("cancel", () => {
    movesPending("cancel", STATUS.cancelled, "Cancelled");
    it("it should revert while paused", async () => {
      await system.mint(...many(1));
      await send(nft, "pause", [], system.pauser);
      await expect(send(nft, "cancel", [[1n]], system.confirmer)).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  describe("registerStore", () => {
    it("it should name the numbers 0, 247, 248 and 65,535, and no others", async () => {
      for (const id of [0, 247, 248, 65_535]) {
        await expect(send(nft, "registerStore", [id, `store ${id}`], system.catalogue))
          .to.emit(nft, "StoreRegistered")
          .withArgs(id, `store ${id}`);
        expect(await read(nft, "storeName", id)).to.equal(`store ${id}`);
        await system.mint(aPurchase({ id: BigInt(id + 10), buyer: aliceAddress, storeId: id }));
      }
      for (const id of [2, 246, 249, 255, 256, 504, 65_534]) {
        expect(await read(nft, "storeName", id)).to.equal("");
        await refuses({ storeId: id }, "UnknownStore", id);
      }
      expect(await read(nft, "paused")).to.equal(false);
    });
    it("it should refuse a store that has a name", async () => {
      await send(nft, "registerStore", [300, "a"], system.catalogue);
      for (const id of [1, 300]) {
        const sent = send(nft, "registerStore", [id, "b"], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "StoreAlreadyRegistered").withArgs(id);
      }
    });
    it("it should take every name of 1 to 40 bytes of plain text, and no other", async () => {
      const bytes = (hex: string) => ethers.getBytes(`0x${hex}`);
      const text = (name: string) => ethers.toUtf8Bytes(name);
      const plain = [
        ...[
          "a",
          " ",
          "~",
          "x".repeat(40),
          "Verdão",
          "</text>\"'&\\",
          "サッカー",
          "⚽🏟️",
          "\u00a0",
          "\u07ff",
          "\u0800",
        ].map(text),
        ...["\ud7ff", "\ue000", "\ufffd", "\u{10000}", "\u{10ffff}"].map(text),
      ];
      const refused = [
        ...["", "x".repeat(41), "\n", "\u0000", "\u001f", "\u007f", "\u0080", "\u009f", "\ufffe", "\uffff"].map(text),
        // A lone continuation, overlong forms, surrogates, above U+10FFFF, cut off, and a wrong continuation.
        ...["80", "bf", "c080", "c1bf", "e08080", "e09fbf", "f0808080", "f08fbfbf", "eda080", "edbfbf"].map(bytes),
        ...["f4908080", "f5808080", "ff", "c3", "e282", "f09f8f", "61c3", "c328", "e28228", "f09f2880", "f09f8f28"].map(
          bytes,
        ),
      ];
      // ethers refuses to encode text that is not UTF-8, so the bytes go in under a `bytes` signature.
      const raw = new ethers.Interface(["function registerStore(uint16,bytes)"]);
      const register = (id: number, name: Uint8Array) => {
        const encoded = raw.encodeFunctionData("registerStore", [id, name]);
        const data = ethers.concat([ethers.id("registerStore(uint16,string)").slice(0, 10), `0x${encoded.slice(10)}`]);
        return system.catalogue.sendTransaction({ to: system.nftAddress, data });
      };
      for (const [index, name] of plain.entries()) {
        await register(1000 + index, name);
        expect(await read(nft, "storeName", 1000 + index)).to.equal(ethers.toUtf8String(name));
      }
      for (const name of refused) {
        await expect(register(2000, name))
          .to.be.revertedWithCustomError(nft, "InvalidStoreName")
          .withArgs(ethers.hexlify(name));
      }
    });
  });

  describe("renameStore", () => {
    it("it should change the name and ask readers to look again", async () => {
      await system.mint(...many(1));
      await send(nft, "registerStore", [300, "old"], system.catalogue);
      for (const id of [1, 300]) {
        const sent = await send(nft, "renameStore", [id, "Loja Nova"], system.catalogue);
        await expect(sent).to.emit(nft, "StoreRenamed").withArgs(id, "Loja Nova");
        await expect(sent).to.emit(nft, "BatchMetadataUpdate").withArgs(0n, ethers.MaxUint256);
        expect(await read(nft, "storeName", id)).to.equal("Loja Nova");
      }
      expect((await metadataOf("tokenURI", 1n)).attributes[0]).to.deep.equal({
        trait_type: "Loja",
        value: "Loja Nova",
      });
    });
    it("it should refuse a store that is not registered", async () => {
      for (const id of [2, 248]) {
        const sent = send(nft, "renameStore", [id, "x"], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "UnknownStore").withArgs(id);
      }
    });
    it("it should refuse a name that is not plain text", async () => {
      const sent = send(nft, "renameStore", [1, ""], system.catalogue);
      await expect(sent).to.be.revertedWithCustomError(nft, "InvalidStoreName").withArgs("0x");
    });
  });

  describe("setSiteUrl", () => {
    it("it should change where tokens and collection point, and ask readers to look again", async () => {
      await system.mint(...many(1));
      const sent = await send(nft, "setSiteUrl", ['https://new.example/?a="1"'], system.admin);
      await expect(sent).to.emit(nft, "SiteUrlSet").withArgs('https://new.example/?a="1"');
      await expect(sent).to.emit(nft, "BatchMetadataUpdate").withArgs(0n, ethers.MaxUint256);
      await expect(sent).to.emit(nft, "ContractURIUpdated").withArgs();
      expect(await read(nft, "siteUrl")).to.equal('https://new.example/?a="1"');
      expect((await metadataOf("tokenURI", 1n)).external_url).to.equal('https://new.example/?a="1"');
      expect((await metadataOf("contractURI")).external_link).to.equal('https://new.example/?a="1"');
    });
    it("it should refuse an empty address and one of 201 bytes", async () => {
      for (const url of ["", "x".repeat(201)]) {
        await expect(send(nft, "setSiteUrl", [url], system.admin)).to.be.revertedWithCustomError(nft, "InvalidSiteUrl");
      }
    });
  });

  describe("transfers", () => {
    it("it should refuse transferFrom, both forms of safeTransferFrom, approve and setApprovalForAll", async () => {
      await system.mint(...many(1));
      const [from, to] = [aliceAddress, system.other.address];
      const calls: [string, unknown[]][] = [
        ["transferFrom", [from, to, 1n]],
        ["safeTransferFrom(address,address,uint256)", [from, to, 1n]],
        ["safeTransferFrom(address,address,uint256,bytes)", [from, to, 1n, "0x"]],
        ["approve", [to, 1n]],
        ["setApprovalForAll", [to, true]],
      ];
      for (const [name, args] of calls) {
        await expect(send(nft, name, args, system.buyer)).to.be.revertedWithCustomError(nft, "Soulbound");
      }
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
    });
    it("it should say that every purchase is locked, and revert for unknown ids", async () => {
      await system.mint(...many(1));
      expect(await read(nft, "locked", 1n)).to.equal(true);
      for (const view of ["locked", "purchaseOf", "tokenURI"]) {
        await expect(read(nft, view, 2n))
          .to.be.revertedWithCustomError(nft, "UnknownPurchase")
          .withArgs(2n);
      }
    });
  });

  describe("pause and unpause", () => {
    it("it should let only the admin end what the pauser began", async () => {
      await send(nft, "pause", [], system.pauser);
      expect(await read(nft, "paused")).to.equal(true);
      await expect(send(nft, "unpause", [], system.pauser)).to.be.revertedWithCustomError(
        nft,
        "AccessControlUnauthorizedAccount",
      );
      await send(nft, "unpause", [], system.admin);
      await system.mint(...many(1));
    });
    it("it should refuse to pause twice", async () => {
      await send(nft, "pause", [], system.pauser);
      await expect(send(nft, "pause", [], system.pauser)).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  describe("storedPurchasesOf", () => {
    it("it should answer each purchase as it is stored, and zero for unknown ids", async () => {
      await system.mint(...many(1));
      const [stored, unknown] = await read<bigint[]>(nft, "storedPurchasesOf", [1n, 2n]);
      const status = (STATUS.pending << 248n) | (1n << 232n) | (75n << 216n) | (500n << 200n);
      expect(stored).to.equal(status | (123_450n << 160n) | BigInt(aliceAddress));
      expect(unknown).to.equal(0n);
    });
  });

  describe("supportsInterface", () => {
    it("it should be true for ERC-165, 721, 721 metadata, 4906, 5192 and access control, and false for others", async () => {
      for (const id of [
        "0x01ffc9a7",
        "0x80ac58cd",
        "0x5b5e139f",
        "0x49064906",
        "0xb45a3c0e",
        "0x7965db0b",
        "0x31498786",
      ]) {
        expect(await read(nft, "supportsInterface", id), id).to.equal(true);
      }
      for (const id of ["0xffffffff", "0x00000000", "0x780e9d63"])
        expect(await read(nft, "supportsInterface", id), id).to.equal(false);
    });
  });
});
