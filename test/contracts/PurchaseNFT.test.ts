import { expect } from "chai";
import type { BaseContract, ContractTransactionResponse } from "ethers";
import { isMetadataAddress } from "../../core/rules/chain-text.ts";
import { describeTree } from "./support/behaviour-tree.ts";
import {
  ADMIN_DELAY_SECONDS,
  aPurchase,
  CENT_WEI,
  ethers,
  fewerUnderCoverage,
  freshSystem,
  item,
  MAX_BATCH,
  mintArgs,
  NFT_ROLES,
  type Purchase,
  read,
  SALE_REF,
  SITE_URL,
  STATUS,
  type System,
  send,
} from "./support/system.ts";

type PurchaseRecord = {
  buyer: string;
  storeId: bigint;
  valueCents: bigint;
  baseBps: bigint;
  bonusBps: bigint;
  status: bigint;
};

/** Errors of the library that sends tokens. */
const TRANSFERS = { interface: new ethers.Interface(["error TransferFailed()"]) };

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
    const sent = send(nft, "mint", mintArgs(aPurchase({ id: 1n, buyer: aliceAddress, ...purchase })), system.minter);
    await expect(sent)
      .to.be.revertedWithCustomError(nft, error)
      .withArgs(...args);
  };
  /** A transaction's events, each its name and arguments, in order. */
  const eventsOf = async (sent: ContractTransactionResponse) =>
    ((await sent.wait())?.logs ?? []).map((log) => {
      const event = nft.interface.parseLog(log);
      return [event?.name, ...(event?.args ?? [])];
    });
  /** Tickets that continue others, with the same minter and store 1. */
  const successorOf = async (former: BaseContract) => {
    const { admin, minter, catalogue, descriptorAddress } = system;
    const args = [admin.address, 0, SITE_URL, descriptorAddress, await former.getAddress()];
    const next: BaseContract = await ethers.deployContract("PurchaseNFT", args);
    for (const [role, holder] of [
      ["MINTER_ROLE", minter],
      ["CONFIRMER_ROLE", system.confirmer],
      ["CATALOGUE_ROLE", catalogue],
    ] as const)
      await send(next, "grantRole", [ethers.id(role), holder.address], admin);
    await send(next, "registerStore", [1, "Verdão Store"], catalogue);
    return next;
  };
  const pay = (...ids: bigint[]) =>
    send(system.distributor, "payBatch", [ids.map((id) => item(id, 1n)), CENT_WEI], system.payer);
  const setDescriptor = (address: string) => send(nft, "setDescriptor", [address], system.admin);
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => aPurchase({ id: BigInt(index + 1), buyer: aliceAddress }));

  describe("construction", () => {
    it("it should make the admin the only holder of a role", async () => {
      const fresh = await ethers.deployContract("PurchaseNFT", [
        aliceAddress,
        ADMIN_DELAY_SECONDS,
        SITE_URL,
        system.descriptorAddress,
        ethers.ZeroAddress,
      ]);
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
    it("it should emit the site URL and the descriptor", async () => {
      const sent = nft.deploymentTransaction() as ContractTransactionResponse;
      expect(await eventsOf(sent)).to.deep.equal([
        ["RoleGranted", ethers.ZeroHash, system.admin.address, system.admin.address],
        ["SiteUrlSet", SITE_URL],
        ["DescriptorSet", system.descriptorAddress],
      ]);
    });
    it("it should refuse a site URL that is empty, too long or neither http nor https", async () => {
      for (const url of ["", `https://${"h".repeat(193)}`, "https://a\n", "javascript:alert(1)", "https://", "h"]) {
        const deployed = ethers.deployContract("PurchaseNFT", [
          aliceAddress,
          0,
          url,
          system.descriptorAddress,
          ethers.ZeroAddress,
        ]);
        await expect(deployed)
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidSiteUrl")
          .withArgs(ethers.hexlify(ethers.toUtf8Bytes(url)));
      }
      await ethers.deployContract("PurchaseNFT", [
        aliceAddress,
        0,
        `https://${"h".repeat(192)}`,
        system.descriptorAddress,
        ethers.ZeroAddress,
      ]);
    });
    it("it should name the collection", async () => {
      expect(await read(nft, "name")).to.equal("Torcida");
      expect(await read(nft, "symbol")).to.equal("TORCIDA");
      expect(await read(nft, "MAX_BATCH")).to.equal(BigInt(MAX_BATCH));
      const { image, description, ...metadata } = await metadataOf("contractURI");
      expect(metadata).to.deep.equal({ name: "Torcida", symbol: "TORCIDA", external_link: "https://torcida.example/" });
      expect(description).to.contain("uma compra com cashback em CHZ");
      expect(await read(nft, "descriptor")).to.equal(system.descriptorAddress);
      expect(image).to.match(/^data:image\/svg\+xml;base64,/);
    });
  });

  describe("succession", () => {
    it("it should mint no id that a predecessor minted, in whatever generation and status, burnt or not", async () => {
      await system.mint(...many(4));
      await system.confirm(2n);
      await send(nft, "cancel", [[3n, 4n]], system.confirmer);
      await send(nft, "burn", [4n], system.buyer);
      const second = await successorOf(nft);
      await send(second, "mint", mintArgs(aPurchase({ id: 300n, buyer: aliceAddress })), system.minter);
      const third = await successorOf(second);
      for (const id of [1n, 2n, 3n, 4n, 300n]) {
        for (const next of id === 300n ? [third] : [second, third]) {
          const minted = send(next, "mint", mintArgs(aPurchase({ id, buyer: aliceAddress })), system.minter);
          await expect(minted).to.be.revertedWithCustomError(next, "PurchaseNFT_AlreadyMinted").withArgs(id);
          expect(await read(next, "isMinted", id)).to.equal(true);
        }
      }
      expect(await read(third, "isMinted", 5n)).to.equal(false);
      await send(third, "mint", mintArgs(aPurchase({ id: 5n, buyer: aliceAddress })), system.minter);
      expect(await read(third, "isMinted", 5n)).to.equal(true);
    });
    it("it should return a predecessor's purchase as stored, and leave its record, owner and picture there", async () => {
      await system.confirmed(aliceAddress, 1n);
      const third = await successorOf(await successorOf(nft));
      expect(await read(third, "storedPurchaseOf", 1n)).to.equal(await read(nft, "storedPurchaseOf", 1n));
      expect(await read(third, "purchasesOfItems", [1n << 96n])).to.deep.equal([0n]);
      for (const view of ["purchaseOf", "tokenURI", "locked"]) {
        await expect(read(third, view, 1n)).to.be.revertedWithCustomError(third, "PurchaseNFT_UnknownPurchase");
      }
      await expect(read(third, "ownerOf", 1n)).to.be.revertedWithCustomError(third, "TokenDoesNotExist");
      await expect(send(third, "confirm", [[1n]], system.confirmer)).to.be.revertedWithCustomError(
        third,
        "PurchaseNFT_NotPending",
      );
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
    });
    it("it should name its predecessor, and take over its pause, which only the admin lifts", async () => {
      const before = await successorOf(nft);
      expect(await read(nft, "predecessor")).to.equal(ethers.ZeroAddress);
      expect(await read(before, "predecessor")).to.equal(system.nftAddress);
      expect(await read(before, "paused")).to.equal(false);
      await send(nft, "pause", [], system.pauser);
      const next = await successorOf(nft);
      expect(await read(next, "paused")).to.equal(true);
      const events = await eventsOf(next.deploymentTransaction() as ContractTransactionResponse);
      expect(events.slice(1)).to.deep.equal([
        ["SiteUrlSet", SITE_URL],
        ["DescriptorSet", system.descriptorAddress],
        ["Succeeded", system.nftAddress],
        ["Paused", system.admin.address],
      ]);
      await send(next, "unpause", [], system.admin);
    });
    it("it should refuse what is no such contract", async () => {
      await expect(successorOf(system.descriptor)).to.be.revert(ethers);
    });
  });

  describe("mint", () => {
    describe("given a purchase with the largest and the smallest value of each field", () => {
      it("it should store and return exactly those values", async () => {
        await send(nft, "registerStore", [0, "zero"], system.catalogue);
        await send(nft, "registerStore", [65_535, "last"], system.catalogue);
        const extremes: Purchase[] = [
          aPurchase({
            id: 1n,
            buyer: "0x0000000000000000000000000000000000000001",
            valueCents: 1n,
            baseBps: 0,
            bonusBps: 1,
            storeId: 0,
          }),
          aPurchase({
            id: 2n ** 160n - 1n,
            buyer: "0xffffffffffffffffffffffffffffffffffffffff",
            valueCents: 2n ** 40n - 1n,
            baseBps: 10_000,
            bonusBps: 0,
            storeId: 65_535,
          }),
          aPurchase({ id: 2n, buyer: aliceAddress, baseBps: 0, bonusBps: 10_000 }),
        ];
        for (const purchase of extremes) {
          await send(nft, "mint", mintArgs(purchase), system.minter);
          const { buyer, id, valueCents, baseBps, bonusBps, storeId } = purchase;
          expect(await purchaseOf(id)).to.deep.equal({
            buyer: ethers.getAddress(buyer),
            storeId: BigInt(storeId),
            valueCents,
            baseBps: BigInt(baseBps),
            bonusBps: BigInt(bonusBps),
            status: STATUS.pending,
          });
        }
      });
    });
    describe("given an invalid purchase", () => {
      it("it should refuse the id zero", () => refuses({ id: 0n }, "PurchaseNFT_InvalidPurchaseId", 0n));
      it("it should refuse an id of more than 160 bits", () =>
        refuses({ id: 2n ** 160n }, "PurchaseNFT_InvalidPurchaseId", 2n ** 160n));
      it("it should refuse an id that is already minted, in any status", async () => {
        await system.mint(...many(5));
        await system.confirm(2n, 4n, 5n);
        await send(nft, "cancel", [[3n]], system.confirmer);
        await send(nft, "markReturned", [[4n, 5n]], system.confirmer);
        await send(nft, "burn", [5n], system.buyer);
        for (const id of [1n, 2n, 3n, 4n, 5n]) {
          await refuses({ id, buyer: system.other.address }, "PurchaseNFT_AlreadyMinted", id);
          await refuses({ id, buyer: aliceAddress, valueCents: 1n }, "PurchaseNFT_AlreadyMinted", id);
        }
        expect(await read(nft, "balanceOf", aliceAddress)).to.equal(4n);
      });
      it("it should refuse the zero address as buyer", () =>
        refuses({ buyer: ethers.ZeroAddress }, "PurchaseNFT_InvalidBuyer", 1n));
      it("it should refuse a store that is not registered, below and above number 248", async () => {
        for (const storeId of [0, 2, 247, 248, 257, 65_535])
          await refuses({ storeId }, "PurchaseNFT_UnknownStore", storeId);
      });
      it("it should refuse a value of zero", () => refuses({ valueCents: 0n }, "PurchaseNFT_ZeroValue", 1n));
      it("it should refuse 0 % in total", () => refuses({ baseBps: 0, bonusBps: 0 }, "PurchaseNFT_ZeroPercent", 1n));
      it("it should refuse more than 100 % in total", async () => {
        await refuses({ baseBps: 10_000, bonusBps: 1 }, "PurchaseNFT_PercentTooHigh", 1n, 10_001n, 10_000n);
        await refuses({ baseBps: 10_000, bonusBps: 1 }, "PurchaseNFT_PercentTooHigh", 1n, 10_001n, 10_000n);
        await refuses({ baseBps: 65_535, bonusBps: 65_535 }, "PurchaseNFT_PercentTooHigh", 1n, 131_070n, 10_000n);
      });
    });
    describe("given its own metadata URI", () => {
      it("it should return that URI as tokenURI and emit it in an event", async () => {
        const metadataUri = `ipfs://${"x".repeat(193)}`;
        const sent = send(
          nft,
          "mint",
          mintArgs(aPurchase({ id: 1n, buyer: aliceAddress, metadataUri })),
          system.minter,
        );
        await expect(sent).to.emit(nft, "MetadataUriSet").withArgs(1n, metadataUri);
        expect(await read(nft, "tokenURI", 1n)).to.equal(metadataUri);
      });
      it("it should keep it for that id alone, whatever bits another shares", async () => {
        const id = 2n ** 128n + 5n;
        const others = [5n, 2n ** 159n + 5n, 2n ** 128n + 4n].map((other) =>
          aPurchase({ id: other, buyer: aliceAddress }),
        );
        await system.mint(aPurchase({ id, buyer: aliceAddress, metadataUri: "ipfs://x" }), ...others);
        expect(await read(nft, "tokenURI", id)).to.equal("ipfs://x");
        for (const other of others) expect(await read(nft, "tokenURI", other.id)).to.match(/^data:/);
      });
      it("it should accept https and ipfs URIs, and nothing else", async () => {
        const taken = [
          "https://a",
          "ipfs://a",
          "https://a.example/%C3%A9?b=[c]&d=e;f@g!$'()*+,#~_",
          "ipfs://Qm/1.json",
        ];
        await system.mint(
          ...taken.map((metadataUri, index) => aPurchase({ id: BigInt(index + 10), buyer: aliceAddress, metadataUri })),
        );
        for (const [index, uri] of taken.entries())
          expect(await read(nft, "tokenURI", BigInt(index + 10))).to.equal(uri);
        const refused = [
          "javascript:alert(1)",
          "javascript:\u0000alert(1)",
          "data:text/html,x",
          "http://a",
          "ftp://a",
          "//a",
          "a",
          "https:",
          "https:/a",
          "https//",
          "https://",
          "ipfs://",
          "HTTPS://a",
          "Ipfs://a",
          " https://a",
          "xhttps://a",
          'https://a"',
          "https://a'<",
          "https://a b",
          "https://a\n",
          "https://a\u0000",
          "https://a\\",
          "https://a`",
          "https://a\u007f",
          "https://ä",
          "https://a^",
          "https://a|",
          "https://{",
          "https://}",
          "ipfs://⚽",
        ];
        for (const metadataUri of refused) {
          const bytes = ethers.hexlify(ethers.toUtf8Bytes(metadataUri));
          await refuses({ metadataUri }, "PurchaseNFT_InvalidMetadataUri", 1n, bytes);
          expect(isMetadataAddress(metadataUri), metadataUri).to.equal(false);
        }
        for (const uri of taken) expect(isMetadataAddress(uri), uri).to.equal(true);
      });
      it("it should refuse more than 200 bytes", () =>
        refuses({ metadataUri: `ipfs://${"x".repeat(194)}` }, "PurchaseNFT_MetadataUriTooLong", 1n, 201n, 200n));
    });
    it("it should give the token to its buyer, Pending and locked, and emit three events", async () => {
      const sent = await send(nft, "mint", mintArgs(aPurchase({ id: 7n, buyer: aliceAddress })), system.minter);
      expect(await eventsOf(sent)).to.deep.equal([
        ["Transfer", ethers.ZeroAddress, aliceAddress, 7n],
        ["Locked", 7n],
        ["PurchaseMinted", 7n, aliceAddress, 1n, 123_450n, 500n, 75n, SALE_REF],
      ]);
      expect(await read(nft, "ownerOf", 7n)).to.equal(aliceAddress);
      expect(await read(nft, "balanceOf", aliceAddress)).to.equal(1n);
    });
    it("it should mint to a buyer whose code would reject tokens", async () => {
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
    it("it should mint each purchase, and emit three events for each", async () => {
      const sent = await system.mint(
        aPurchase({ id: 1n, buyer: aliceAddress }),
        aPurchase({
          id: 9n,
          buyer: system.other.address,
          metadataUri: "ipfs://x",
          storeId: 1,
          bonusBps: 0,
          saleRef: 0n,
        }),
      );
      const events = await eventsOf(sent);
      expect(events).to.deep.equal([
        ["Transfer", ethers.ZeroAddress, aliceAddress, 1n],
        ["Locked", 1n],
        ["PurchaseMinted", 1n, aliceAddress, 1n, 123_450n, 500n, 75n, SALE_REF],
        ["Transfer", ethers.ZeroAddress, system.other.address, 9n],
        ["Locked", 9n],
        ["PurchaseMinted", 9n, system.other.address, 1n, 123_450n, 500n, 0n, 0n],
        ["MetadataUriSet", 9n, "ipfs://x"],
      ]);
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
      expect(await read(nft, "ownerOf", 9n)).to.equal(system.other.address);
      expect(await read(nft, "tokenURI", 9n)).to.equal("ipfs://x");
    });
    it("it should mint none if one is refused", async () => {
      const sent = system.mint(aPurchase({ id: 1n, buyer: aliceAddress }), aPurchase({ id: 1n, buyer: aliceAddress }));
      await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_AlreadyMinted").withArgs(1n);
      await expect(read(nft, "purchaseOf", 1n))
        .to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownPurchase")
        .withArgs(1n);
    });
    it("it should accept no metadata URIs or one for each purchase, and no other number", async () => {
      const mint = (...uris: string[]) => send(nft, "mintBatch", [many(2), uris], system.minter);
      for (const uris of [["ipfs://x"], ["ipfs://x", "", ""]]) {
        await expect(mint(...uris))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidMetadataUriCount")
          .withArgs(uris.length, 2);
      }
      await mint("", "ipfs://x");
      expect(await read(nft, "tokenURI", 1n)).to.match(/^data:/);
      expect(await read(nft, "tokenURI", 2n)).to.equal("ipfs://x");
    });
    it("it should refuse an empty batch and one of 129", async () => {
      for (const size of [0, MAX_BATCH + 1]) {
        await expect(system.mint(...many(size)))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidBatchSize")
          .withArgs(size, MAX_BATCH);
      }
    });
    it("it should accept a batch of 128", async () => {
      const minted = await eventsOf(await system.mint(...many(MAX_BATCH)));
      expect(minted).to.deep.equal(
        many(MAX_BATCH).flatMap(({ id }) => [
          ["Transfer", ethers.ZeroAddress, aliceAddress, id],
          ["Locked", id],
          ["PurchaseMinted", id, aliceAddress, 1n, 123_450n, 500n, 75n, SALE_REF],
        ]),
      );
      expect(await read(nft, "balanceOf", aliceAddress)).to.equal(BigInt(MAX_BATCH));
    });
    it("it should revert while paused", async () => {
      await send(nft, "pause", [], system.pauser);
      await expect(system.mint(...many(1))).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  const movesPending = (name: "confirm" | "cancel", to: bigint, word: string) => {
    describe("given a Pending purchase", () => {
      it(`it should make it ${word}, change nothing else, and emit two events`, async () => {
        await system.mint(...many(2));
        const before = await purchaseOf(1n);
        expect(await eventsOf(await send(nft, name, [[1n]], system.confirmer))).to.deep.equal([
          ["StatusUpdated", 1n, to],
          ["MetadataUpdate", 1n],
        ]);
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
          // Ids whose lowest bits equal those of another purchase, which is Pending.
          [[2n ** 128n + 2n], 2n ** 128n + 2n, to],
          [[2n ** 160n - 1n], 2n ** 160n - 1n, to],
          [[2n ** 160n + 1n], 2n ** 160n + 1n, STATUS.none],
          [[2n ** 256n - 1n, 0n], 2n ** 256n - 1n, STATUS.none],
        ];
        const large = [2n ** 128n + 2n, 2n ** 160n - 1n].map((id) => aPurchase({ id, buyer: aliceAddress }));
        await system.mint(...large);
        await send(nft, name, [large.map(({ id }) => id)], system.confirmer);
        for (const [ids, id, status] of cases) {
          const sent = send(nft, name, [ids], system.confirmer);
          await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotPending").withArgs(id, status);
        }
        expect(await purchaseOf(1n)).to.have.property("status", STATUS.pending);
      });
    });
    describe("given several purchases", () => {
      const moved = (id: bigint) => ["StatusUpdated", id, to];
      const move = async (ids: bigint[]) => eventsOf(await send(nft, name, [ids], system.confirmer));
      it("it should emit one metadata event with the first and the last id of a run", async () => {
        await system.mint(...many(128));
        await system.mint(...many(20).map((one) => ({ ...one, id: one.id + 1_000n })));
        for (const ids of [
          [2n, 3n, 4n],
          [6n, 7n],
          Array.from({ length: 100 }, (_, index) => BigInt(index + 20)),
          Array.from({ length: 19 }, (_, index) => BigInt(index + 1_001)),
        ]) {
          expect(await move(ids)).to.deep.equal([...ids.map(moved), ["BatchMetadataUpdate", ids[0], ids.at(-1)]]);
        }
        expect(await move([5n])).to.deep.equal([moved(5n), ["MetadataUpdate", 5n]]);
      });
      it("it should emit one metadata event for each id that is not in a run", async () => {
        await system.mint(...many(40));
        for (const ids of [
          [1n, 3n],
          [5n, 4n],
          [7n, 8n, 10n],
          [11n, 13n, 12n],
          // Lower than the place it stands at.
          [18n, 19n, 2n],
          [6n, 9n],
          [14n, 16n, 17n, 20n],
          // Its ends are as far apart as those of a run.
          [21n, 23n, 22n, 24n],
          [25n, 26n, 26n + 5n, 28n],
        ]) {
          const events = ids.flatMap((id) => [moved(id), ["MetadataUpdate", id]]);
          expect(await move(ids), `${ids}`).to.deep.equal(events);
        }
      });
    });
    it("it should refuse an empty batch and one of 129", async () => {
      for (const size of [0, MAX_BATCH + 1]) {
        const ids = many(size).map(({ id }) => id);
        await expect(send(nft, name, [ids], system.confirmer))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidBatchSize")
          .withArgs(size, MAX_BATCH);
      }
    });
  };

  describe("confirm", () => {
    movesPending("confirm", STATUS.confirmed, "Confirmed");
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

  describe("markReturned", () => {
    it("it should make a Confirmed purchase Returned, paid or not, change nothing else, and emit events as confirm", async () => {
      await system.confirmed(aliceAddress, 1n, 2n, 3n);
      await pay(2n);
      const before = await purchaseOf(1n);
      expect(await eventsOf(await send(nft, "markReturned", [[1n, 2n]], system.confirmer))).to.deep.equal([
        ["StatusUpdated", 1n, STATUS.returned],
        ["StatusUpdated", 2n, STATUS.returned],
        ["BatchMetadataUpdate", 1n, 2n],
      ]);
      for (const id of [1n, 2n]) expect(await purchaseOf(id)).to.deep.equal({ ...before, status: STATUS.returned });
      expect(await purchaseOf(3n)).to.deep.equal(before);
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
      expect((await metadataOf("tokenURI", 1n)).attributes[3].value).to.equal("Returned");
    });
    it("it should move a burnt one too, so that nobody can hinder a batch", async () => {
      await system.confirmed(aliceAddress, 1n, 2n);
      await pay(1n);
      await send(nft, "burn", [1n], system.buyer);
      await send(nft, "markReturned", [[1n, 2n]], system.confirmer);
      expect(await purchaseOf(1n)).to.include({ status: STATUS.returned, buyer: ethers.ZeroAddress });
      await expect(read(nft, "ownerOf", 1n)).to.be.revertedWithCustomError(nft, "TokenDoesNotExist");
    });
    it("it should revert for any other status, and for the same one twice", async () => {
      await system.mint(...many(4));
      await system.confirm(2n, 4n);
      await send(nft, "cancel", [[3n]], system.confirmer);
      await send(nft, "markReturned", [[4n]], system.confirmer);
      const cases: [bigint[], bigint, bigint][] = [
        [[99n], 99n, STATUS.none],
        [[1n], 1n, STATUS.pending],
        [[2n, 3n], 3n, STATUS.cancelled],
        [[4n], 4n, STATUS.returned],
        [[2n, 2n], 2n, STATUS.returned],
        [[2n ** 160n + 2n], 2n ** 160n + 2n, STATUS.none],
      ];
      for (const [ids, id, status] of cases) {
        const sent = send(nft, "markReturned", [ids], system.confirmer);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotConfirmed").withArgs(id, status);
      }
      for (const name of ["confirm", "cancel"]) {
        const sent = send(nft, name, [[4n]], system.confirmer);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotPending").withArgs(4n, STATUS.returned);
      }
      expect(await purchaseOf(2n)).to.have.property("status", STATUS.confirmed);
    });
    it("it should refuse an empty batch and one of 129, and accept 128", async () => {
      for (const size of [0, MAX_BATCH + 1]) {
        await expect(send(nft, "markReturned", [many(size).map(({ id }) => id)], system.confirmer))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidBatchSize")
          .withArgs(size, MAX_BATCH);
      }
      const ids = many(MAX_BATCH).map(({ id }) => id);
      await system.confirmed(aliceAddress, ...ids);
      await send(nft, "markReturned", [ids], system.confirmer);
      for (const id of [1n, 128n]) expect(await purchaseOf(id)).to.have.property("status", STATUS.returned);
    });
    it("it should revert while paused", async () => {
      await system.confirmed(aliceAddress, 1n);
      await send(nft, "pause", [], system.pauser);
      const sent = send(nft, "markReturned", [[1n]], system.confirmer);
      await expect(sent).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  describe("burn", () => {
    const burn = (id: bigint, owner = system.buyer) => send(nft, "burn", [id], owner);
    it("it should burn a paid, a Cancelled and a Returned ticket, and keep its record without a buyer", async () => {
      await system.confirmed(aliceAddress, 1n, 2n);
      await system.mint(...[3n, 4n].map((id) => aPurchase({ id, buyer: aliceAddress })));
      await send(nft, "cancel", [[3n]], system.confirmer);
      await send(nft, "markReturned", [[2n]], system.confirmer);
      await pay(1n);
      const statuses = [STATUS.confirmed, STATUS.returned, STATUS.cancelled];
      for (const [index, status] of statuses.entries()) {
        const id = BigInt(index + 1);
        const before = await purchaseOf(id);
        expect(await eventsOf(await burn(id))).to.deep.equal([["Transfer", aliceAddress, ethers.ZeroAddress, id]]);
        expect(await purchaseOf(id)).to.deep.equal({ ...before, buyer: ethers.ZeroAddress, status });
        expect(await read(nft, "isMinted", id)).to.equal(true);
        expect(await read(nft, "burntOf", aliceAddress)).to.equal(id);
        expect(await read(nft, "balanceOf", aliceAddress)).to.equal(4n - id);
        await expect(read(nft, "ownerOf", id)).to.be.revertedWithCustomError(nft, "TokenDoesNotExist");
        for (const view of ["locked", "tokenURI"])
          await expect(read(nft, view, id)).to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownPurchase");
        await expect(burn(id)).to.be.revertedWithCustomError(nft, "TokenDoesNotExist");
        await refuses({ id }, "PurchaseNFT_AlreadyMinted", id);
      }
      expect(await read(nft, "burntOf", system.other.address)).to.equal(0n);
      // A mark above the status, and nothing else.
      const stored = await read(nft, "storedPurchaseOf", 3n);
      expect(stored >> 248n).to.equal((1n << 7n) | STATUS.cancelled);
      expect(await read(system.distributor, "isPaid", 1n)).to.equal(true);
    });
    it("it should refuse a Pending ticket and one that is not paid, whatever the distributor is", async () => {
      await system.mint(...many(2));
      await system.confirm(2n);
      for (const [id, status] of [
        [1n, STATUS.pending],
        [2n, STATUS.confirmed],
      ] as const)
        await expect(burn(id)).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotPaid").withArgs(id, status);
      await pay(2n);
      await send(nft, "setDistributor", [ethers.ZeroAddress], system.admin);
      await expect(burn(2n)).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotPaid").withArgs(2n, STATUS.confirmed);
      await send(nft, "setDistributor", [system.other.address], system.admin);
      await expect(burn(2n)).to.be.revert(ethers);
      await send(nft, "setDistributor", [system.distributorAddress], system.admin);
      await burn(2n);
    });
    it("it should let nobody but its owner burn it", async () => {
      await system.confirmed(aliceAddress, 1n);
      await pay(1n);
      for (const caller of [system.admin, system.minter, system.confirmer, system.stranger]) {
        const sent = burn(1n, caller);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_NotOwner").withArgs(1n, caller.address);
      }
      await expect(burn(9n)).to.be.revertedWithCustomError(nft, "TokenDoesNotExist");
    });
    it("it should leave nothing to pay, not even to a distributor that knows of no payout", async () => {
      await system.confirmed(aliceAddress, 1n);
      const saying: BaseContract = await ethers.deployContract("PaidSayer");
      await send(nft, "setDistributor", [await saying.getAddress()], system.admin);
      await burn(1n);
      await expect(pay(1n))
        .to.be.revertedWithCustomError(system.distributor, "CashbackDistributor_NotConfirmed")
        .withArgs(1n, STATUS.confirmed);
    });
    it("it should stay open while paused", async () => {
      await system.confirmed(aliceAddress, 1n);
      await pay(1n);
      await send(nft, "pause", [], system.pauser);
      await burn(1n);
    });
  });

  describe("clearMetadataUri", () => {
    it("it should take back the URI for ever, so that the ticket is drawn on chain, and emit two events", async () => {
      const metadataUri = "https://a.example/1.json";
      await system.mint(...[1n, 2n].map((id) => aPurchase({ id, buyer: aliceAddress, metadataUri })));
      expect(await eventsOf(await send(nft, "clearMetadataUri", [[1n]], system.admin))).to.deep.equal([
        ["MetadataUriCleared", 1n],
        ["MetadataUpdate", 1n],
      ]);
      expect((await metadataOf("tokenURI", 1n)).name).to.equal("Torcida nº 1");
      expect(await read(nft, "tokenURI", 2n)).to.equal(metadataUri);
    });
    it("it should refuse a ticket without one, an unknown one, an empty batch and one of 129", async () => {
      await system.mint(aPurchase({ id: 1n, buyer: aliceAddress, metadataUri: "ipfs://x" }), ...many(2).slice(1));
      const clear = (...ids: bigint[]) => send(nft, "clearMetadataUri", [ids], system.admin);
      for (const [ids, id] of [
        [[2n], 2n],
        [[1n, 1n], 1n],
        [[9n], 9n],
      ] as const)
        await expect(clear(...ids))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_NoMetadataUri")
          .withArgs(id);
      for (const size of [0, MAX_BATCH + 1])
        await expect(clear(...many(size).map(({ id }) => id))).to.be.revertedWithCustomError(
          nft,
          "PurchaseNFT_InvalidBatchSize",
        );
      expect(await read(nft, "tokenURI", 1n)).to.equal("ipfs://x");
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
        await refuses({ storeId: id }, "PurchaseNFT_UnknownStore", id);
      }
      expect(await read(nft, "paused")).to.equal(false);
    });
    it("it should refuse a store that has a name", async () => {
      await send(nft, "registerStore", [300, "a"], system.catalogue);
      for (const id of [1, 300]) {
        const sent = send(nft, "registerStore", [id, "b"], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_StoreAlreadyRegistered").withArgs(id);
      }
    });
    it("it should accept every name of 1 to 160 bytes of plain text, and no other", async () => {
      const bytes = (hex: string) => ethers.getBytes(`0x${hex}`);
      const text = (name: string) => ethers.toUtf8Bytes(name);
      const plain = [
        ...[
          "a",
          " a ",
          "~",
          "x".repeat(40),
          "Verdão",
          "</text>\"'&\\",
          "サッカー",
          "⚽🏟️",
          "a\u00a0b",
          "\u07ff",
          "\u0800",
        ].map(text),
        // 160 bytes in letters of one to four bytes; that a name can be read is the catalogue's to check.
        ...["x".repeat(160), "ç".repeat(80), `x${"ก".repeat(53)}`, "🏟".repeat(40), "a\u202eb", "\u0301"].map(text),
        ...["\ud7ff", "\ue000", "\ufffd", "\u{10000}", "\u{10fffd}"].map(text),
      ];
      const refused = [
        ...["x".repeat(161), `xxx${"ก".repeat(53)}`, `x${"🏟".repeat(40)}`].map(text),
        ...["", "\n", "\u0000", "\u001f", "\u007f", "\u0080", "\u009f", "\ufffe", "\uffff"].map(text),
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
      for (const [index, name] of fewerUnderCoverage(plain).entries()) {
        await register(1000 + index, name);
        expect(await read(nft, "storeName", 1000 + index)).to.equal(ethers.toUtf8String(name));
      }
      for (const name of refused) {
        await expect(register(2000, name))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidStoreName")
          .withArgs(ethers.hexlify(name));
      }
    });
  });

  describe("renameStore", () => {
    it("it should keep the colour", async () => {
      await send(nft, "setStoreColour", [1, 0x123456], system.catalogue);
      await send(nft, "renameStore", [1, "Loja Nova"], system.catalogue);
      expect(await read(nft, "storeColour", 1)).to.equal(0x123456n);
    });
    it("it should change the name and emit a metadata update", async () => {
      await system.mint(...many(1));
      await send(nft, "registerStore", [300, "old"], system.catalogue);
      for (const id of [1, 300]) {
        expect(await eventsOf(await send(nft, "renameStore", [id, "Loja Nova"], system.catalogue))).to.deep.equal([
          ["StoreRenamed", BigInt(id), "Loja Nova"],
          ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
        ]);
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
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownStore").withArgs(id);
      }
    });
    it("it should refuse a name that is not plain text", async () => {
      for (const [name, bytes] of [
        ["", "0x"],
        ["a\u0000", "0x6100"],
      ]) {
        const sent = send(nft, "renameStore", [1, name], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_InvalidStoreName").withArgs(bytes);
      }
    });
  });

  describe("setStoreColour", () => {
    it("it should set and clear the colour of a registered store, and emit metadata updates", async () => {
      await send(nft, "registerStore", [300, "a"], system.catalogue);
      expect(await read(nft, "storeColour", 1)).to.equal(0n);
      for (const [id, colour] of [
        [1, 0xffcc00],
        [300, 0xffffff],
        [1, 0],
      ]) {
        const sent = await send(nft, "setStoreColour", [id, colour], system.catalogue);
        expect(await eventsOf(sent)).to.deep.equal([
          ["StoreColourSet", BigInt(id ?? 0), BigInt(colour ?? 0)],
          ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
        ]);
        expect(await read(nft, "storeColour", id)).to.equal(BigInt(colour ?? 0));
      }
      expect(await read(nft, "storeName", 300)).to.equal("a");
    });
    it("it should colour that store's tickets, and no other's", async () => {
      await setDescriptor(await (await ethers.deployContract("EchoDescriptor")).getAddress());
      const colours = new Map([
        [1, 0x00a1b2],
        [300, 0x0c3d4e],
        [301, 0],
      ]);
      for (const [id, colour] of colours) {
        if (id !== 1) await send(nft, "registerStore", [id, "a"], system.catalogue);
        await send(nft, "setStoreColour", [id, colour], system.catalogue);
        await system.mint(aPurchase({ id: BigInt(id), buyer: aliceAddress, storeId: id }));
      }
      for (const [id, colour] of colours)
        expect((await read<string>(nft, "tokenURI", id)).split(",").at(-2)).to.equal(`${colour}`);
    });
    it("it should refuse a store that is not registered", async () => {
      for (const id of [2, 248]) {
        const sent = send(nft, "setStoreColour", [id, 1], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownStore").withArgs(id);
      }
    });
  });

  describe("setStoreLook", () => {
    it("it should set colours and pattern of a registered store, and emit metadata updates", async () => {
      for (const [first, second, pattern] of [
        [0x112233, 0xffffff, 15],
        [0, 0, 0],
        [0xffffff, 1, 1],
      ] as const) {
        expect(
          await eventsOf(await send(nft, "setStoreLook", [1, first, second, pattern], system.catalogue)),
        ).to.deep.equal([
          ["StoreLookSet", 1n, BigInt(first), BigInt(second), BigInt(pattern)],
          ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
        ]);
        expect([...(await read<bigint[]>(nft, "storeLook", 1))]).to.deep.equal([first, second, pattern].map(BigInt));
        expect(await read(nft, "storeColour", 1)).to.equal(BigInt(first));
      }
      await send(nft, "setStoreColour", [1, 0x445566], system.catalogue);
      expect([...(await read<bigint[]>(nft, "storeLook", 1))]).to.deep.equal([0x445566n, 1n, 1n]);
    });
    it("it should refuse a store that is not registered, and a pattern above 15", async () => {
      for (const id of [2, 248]) {
        const sent = send(nft, "setStoreLook", [id, 1, 2, 3], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownStore").withArgs(id);
      }
      for (const pattern of [16, 255]) {
        const sent = send(nft, "setStoreLook", [1, 1, 2, pattern], system.catalogue);
        await expect(sent).to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownPattern").withArgs(pattern, 15);
      }
    });
  });

  describe("setDistributor", () => {
    it("it should set who is asked whether a ticket is paid, and emit metadata updates", async () => {
      expect(await read(nft, "distributor")).to.equal(system.distributorAddress);
      expect(await eventsOf(await send(nft, "setDistributor", [aliceAddress], system.admin))).to.deep.equal([
        ["DistributorSet", aliceAddress],
        ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
      ]);
      expect(await read(nft, "distributor")).to.equal(aliceAddress);
    });
    it("it should have a ticket say that it is paid, and draw without an answer", async () => {
      await system.confirmed(aliceAddress, 1n, 2n);
      await pay(1n);
      const stamps = async () =>
        Promise.all(
          [1n, 2n].map(async (id) => {
            const svg = Buffer.from((await metadataOf("tokenURI", id)).image.split(",")[1], "base64").toString();
            return />([A-Z]+)<\/text><\/g><\/g><\/svg>/.exec(svg)?.[1];
          }),
        );
      expect(await stamps()).to.deep.equal(["PAGO", "CONFIRMADO"]);
      const silent = ["RevertingDescriptor", "BurningDescriptor"].map(async (name) =>
        (await ethers.deployContract(name)).getAddress(),
      );
      const bomb = (await ethers.deployContract("BombDescriptor", [100_000])).getAddress();
      for (const address of [
        ethers.ZeroAddress,
        aliceAddress,
        system.nftAddress,
        await bomb,
        ...(await Promise.all(silent)),
      ]) {
        await send(nft, "setDistributor", [address], system.admin);
        expect(await stamps(), address).to.deep.equal(["CONFIRMADO", "CONFIRMADO"]);
      }
      // Tickets that name no distributor, as the first ones, are drawn too.
      expect(await read<string>(system.descriptor, "contractURI", ["a", "b", SITE_URL])).to.match(/^data:/);
    });
  });

  describe("recover", () => {
    it("it should send the treasurer's choice all of a token that was sent here, and nothing else", async () => {
      const token: BaseContract = await ethers.deployContract("TestFanToken", ["PSG", "PSG", 0]);
      const address = await token.getAddress();
      await send(token, "mint", [system.nftAddress, 5n]);
      const sent = await send(nft, "recover", [address, system.other.address], system.treasurer);
      await expect(sent).to.emit(nft, "Recovered").withArgs(address, system.other.address, 5n);
      expect(await read(token, "balanceOf", system.other.address)).to.equal(5n);
      for (const none of [aliceAddress, system.nftAddress, system.descriptorAddress]) {
        const refused = send(nft, "recover", [none, aliceAddress], system.treasurer);
        await expect(refused).to.be.revertedWithCustomError(TRANSFERS, "TransferFailed");
      }
    });
  });

  describe("setDescriptor", () => {
    const abi = ethers.AbiCoder.defaultAbiCoder();
    const answering = async (answer: string) =>
      (await ethers.deployContract("AnsweringDescriptor", [answer])).getAddress();
    it("it should have another contract draw ticket and collection, and emit metadata updates", async () => {
      await system.mint(...many(1));
      const address = await answering(abi.encode(["string"], ["data:,drawn elsewhere"]));
      expect(await eventsOf(await setDescriptor(address))).to.deep.equal([
        ["DescriptorSet", address],
        ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
        ["ContractURIUpdated"],
      ]);
      expect(await read(nft, "descriptor")).to.equal(address);
      expect(await read(nft, "tokenURI", 1n)).to.equal("data:,drawn elsewhere");
      expect(await read(nft, "contractURI")).to.equal("data:,drawn elsewhere");
      await expect(read(nft, "tokenURI", 2n))
        .to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownPurchase")
        .withArgs(2n);
    });

    it("it should let nobody but the admin set it, not even to none", async () => {
      for (const caller of [system.catalogue, system.minter, system.confirmer, system.pauser, system.stranger]) {
        for (const address of [ethers.ZeroAddress, system.descriptorAddress]) {
          const sent = send(nft, "setDescriptor", [address], caller);
          await expect(sent).to.be.revertedWithCustomError(nft, "AccessControlUnauthorizedAccount");
        }
      }
      expect(await read(nft, "descriptor")).to.equal(system.descriptorAddress);
    });

    it("it should accept a short text that is not padded to whole words", async () => {
      await system.mint(...many(1));
      const text = ethers.hexlify(ethers.toUtf8Bytes("data:,x"));
      await setDescriptor(await answering(ethers.concat([ethers.toBeHex(32, 32), ethers.toBeHex(7, 32), text])));
      expect(await read(nft, "tokenURI", 1n)).to.equal("data:,x");
    });

    describe("given a descriptor that fails", () => {
      const word = (value: bigint | number) => ethers.toBeHex(value, 32).slice(2);
      /** Bytes that are not valid text, or have no valid length. */
      const MALFORMED: Record<string, string> = {
        nothing: "0x",
        "one word": `0x${word(32)}`,
        "an empty text": abi.encode(["string"], [""]),
        "a text elsewhere": `0x${word(64)}${word(0)}${word(1)}${word(0)}`,
        "a text before itself": `0x${word(0)}${word(1)}${word(0)}`,
        "a text far away": `0x${word(2n ** 255n)}${word(1)}${word(0)}`,
        "a text cut off": `0x${word(32)}${word(33)}${word(0)}`,
        "a length that overflows": `0x${word(32)}${word(2n ** 256n - 1n)}${word(0)}`,
      };
      it("it should return a name alone, whatever the descriptor does", async () => {
        await system.mint(...many(1));
        expect((await metadataOf("tokenURI", 1n)).image).to.match(/^data:image/);
        expect((await metadataOf("contractURI")).image).to.match(/^data:image/);
        const descriptors: Record<string, string> = {
          "none at all": ethers.ZeroAddress,
          "an account without code": aliceAddress,
          "the tickets themselves": system.nftAddress,
        };
        for (const name of ["RevertingDescriptor", "BurningDescriptor"])
          descriptors[name] = await (await ethers.deployContract(name)).getAddress();
        for (const length of [65_472, 1_000_000, 3_000_000])
          descriptors[`${length} bytes`] = await (await ethers.deployContract("BombDescriptor", [length])).getAddress();
        for (const [what, answer] of Object.entries(MALFORMED)) descriptors[what] = await answering(answer);
        for (const [what, address] of Object.entries(descriptors)) {
          await setDescriptor(address);
          expect(await metadataOf("tokenURI", 1n), what).to.deep.equal({ name: "Torcida nº 1" });
          expect(await metadataOf("contractURI"), what).to.deep.equal({ name: "Torcida" });
        }
        // The longest answer that is taken, and one that is padded to no whole word.
        await setDescriptor(await (await ethers.deployContract("BombDescriptor", [65_471])).getAddress());
        expect(await read<string>(nft, "tokenURI", 1n)).to.have.length(65_471);
        await setDescriptor(await answering(`0x${word(32)}${word(32)}${word(0x20)}`));
        expect(await read<string>(nft, "tokenURI", 1n)).to.have.length(32);
      });
      it("it should do so with little gas, and with the longest names", async () => {
        await send(nft, "setSiteUrl", [`https://${"a".repeat(192)}`], system.admin);
        // Escaped, a quotation mark is as long as two letters, and an emoji as four.
        for (const [index, store] of ['"'.repeat(160), "🏟".repeat(40)].entries()) {
          await send(system.nft, "setDescriptor", [system.descriptorAddress], system.admin);
          const storeId = 65_535 - index;
          await send(nft, "registerStore", [storeId, store], system.catalogue);
          const id = 2n ** 160n - 1n - BigInt(index);
          const largest = { valueCents: 2n ** 40n - 1n, baseBps: 9_999, bonusBps: 1 };
          await system.mint(aPurchase({ id, buyer: aliceAddress, storeId, ...largest }));
          expect((await metadataOf("tokenURI", id)).image).to.match(/^data:image/);
          for (const name of ["BurningDescriptor", "RevertingDescriptor"]) {
            await setDescriptor(await (await ethers.deployContract(name)).getAddress());
            for (const gasLimit of [130_000n, 400_000n, 1_000_000n, 10_000_000n]) {
              const uri = await nft.getFunction("tokenURI").staticCall(id, { gasLimit });
              const plain = JSON.parse(Buffer.from(uri.split(",")[1], "base64").toString());
              expect(plain, `${gasLimit}`).to.deep.equal({ name: `Torcida nº ${id}` });
            }
          }
        }
      });
    });
    it("it should pass all of a ticket's data to the descriptor", async () => {
      const echo = await ethers.deployContract("EchoDescriptor");
      await setDescriptor(await echo.getAddress());
      await send(nft, "setStoreColour", [1, 0x123456], system.catalogue);
      await system.mint(aPurchase({ id: 7n, buyer: aliceAddress }));
      await system.confirm(7n);
      const record = [aliceAddress, 1n, 123_450n, 500n, 75n, STATUS.confirmed].join();
      expect(await read(nft, "tokenURI", 7n)).to.equal(
        `7,${record},Verdão Store,${0x123456},${SITE_URL}`.toLowerCase(),
      );
      expect(await read(nft, "contractURI")).to.equal(`Torcida,TORCIDA,${SITE_URL}`);
    });
  });

  describe("setSiteUrl", () => {
    it("it should change the links of tokens and collection, and emit metadata updates", async () => {
      await system.mint(...many(1));
      const sent = await send(nft, "setSiteUrl", ["https://new.example/?a=%221%22"], system.admin);
      expect(await eventsOf(sent)).to.deep.equal([
        ["SiteUrlSet", "https://new.example/?a=%221%22"],
        ["BatchMetadataUpdate", 0n, ethers.MaxUint256],
        ["ContractURIUpdated"],
      ]);
      expect(await read(nft, "siteUrl")).to.equal("https://new.example/?a=%221%22");
      expect((await metadataOf("tokenURI", 1n)).external_url).to.equal("https://new.example/ticket/1");
      expect((await metadataOf("contractURI")).external_link).to.equal("https://new.example/");
    });
    it("it should count only scheme and host of it in the links", async () => {
      await system.mint(...many(1));
      const origins = {
        "https://a": "https://a",
        "http://localhost:3000/dashboard": "http://localhost:3000",
        "https://a.example/": "https://a.example",
        "https://a?b/c/d": "https://a",
        "https://a#b": "https://a",
        "http://a//": "http://a",
      };
      for (const [url, origin] of Object.entries(origins)) {
        await send(nft, "setSiteUrl", [url], system.admin);
        expect((await metadataOf("tokenURI", 1n)).external_url, url).to.equal(`${origin}/ticket/1`);
        expect((await metadataOf("contractURI")).external_link, url).to.equal(`${origin}/`);
      }
    });
    it("it should refuse an empty URL, one of 201 bytes and one with another scheme", async () => {
      for (const url of ["", `https://${"x".repeat(193)}`, "javascript:alert(1)", "ipfs://a", "http://"]) {
        await expect(send(nft, "setSiteUrl", [url], system.admin)).to.be.revertedWithCustomError(
          nft,
          "PurchaseNFT_InvalidSiteUrl",
        );
      }
    });
  });

  describe("transfers", () => {
    it("it should refuse transferFrom, both forms of safeTransferFrom, approve and setApprovalForAll", async () => {
      await system.mint(...many(1));
      const { buyer, admin, minter, confirmer, catalogue, pauser, stranger, other } = system;
      const calls: [string, unknown[]][] = [other, buyer, stranger].flatMap(
        ({ address: to }): [string, unknown[]][] => [
          ["transferFrom", [aliceAddress, to, 1n]],
          ["safeTransferFrom(address,address,uint256)", [aliceAddress, to, 1n]],
          ["safeTransferFrom(address,address,uint256,bytes)", [aliceAddress, to, 1n, "0x"]],
          ["approve", [to, 1n]],
          ["setApprovalForAll", [to, true]],
          ["setApprovalForAll", [to, false]],
        ],
      );
      calls.push(["approve", [ethers.ZeroAddress, 1n]], ["transferFrom", [aliceAddress, ethers.ZeroAddress, 1n]]);
      for (const caller of [buyer, admin, minter, confirmer, catalogue, pauser, stranger]) {
        for (const [name, args] of calls) {
          const call = nft
            .connect(caller)
            .getFunction(name)
            .staticCall(...args);
          await expect(call).to.be.revertedWithCustomError(nft, "PurchaseNFT_Soulbound").withArgs();
        }
      }
      await expect(send(nft, "transferFrom", [aliceAddress, other.address, 1n], buyer)).to.be.revertedWithCustomError(
        nft,
        "PurchaseNFT_Soulbound",
      );
      expect(await read(nft, "ownerOf", 1n)).to.equal(aliceAddress);
    });
    it("it should report every purchase as locked, and revert for unknown ids", async () => {
      await system.mint(...many(3));
      await system.confirm(2n);
      await send(nft, "cancel", [[3n]], system.confirmer);
      for (const id of [1n, 2n, 3n]) expect(await read(nft, "locked", id)).to.equal(true);
      for (const view of ["locked", "purchaseOf", "tokenURI"]) {
        await expect(read(nft, view, 4n))
          .to.be.revertedWithCustomError(nft, "PurchaseNFT_UnknownPurchase")
          .withArgs(4n);
      }
    });
  });

  describe("pause and unpause", () => {
    it("it should let only the admin unpause what the pauser paused", async () => {
      await send(nft, "pause", [], system.pauser);
      expect(await read(nft, "paused")).to.equal(true);
      await expect(send(nft, "unpause", [], system.pauser)).to.be.revertedWithCustomError(
        nft,
        "AccessControlUnauthorizedAccount",
      );
      await send(nft, "unpause", [], system.admin);
      await system.mint(...many(1));
    });
    it("it should stop minting, cancelling and marking as returned, and nothing else", async () => {
      await system.mint(...many(2));
      await send(nft, "pause", [], system.pauser);
      await system.confirm(1n);
      await send(nft, "registerStore", [300, "a"], system.catalogue);
      await send(nft, "renameStore", [300, "b"], system.catalogue);
      await send(nft, "setStoreColour", [300, 1], system.catalogue);
      await send(nft, "setSiteUrl", ["https://a"], system.admin);
      await setDescriptor(ethers.ZeroAddress);
      await refuses({ id: 9n }, "EnforcedPause");
      await expect(send(nft, "cancel", [[2n]], system.confirmer)).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
    it("it should refuse to pause twice", async () => {
      await send(nft, "pause", [], system.pauser);
      await expect(send(nft, "pause", [], system.pauser)).to.be.revertedWithCustomError(nft, "EnforcedPause");
    });
  });

  describe("ticketsOf", () => {
    it("it should return the records of several tokens in order, and an empty one for an unknown id", async () => {
      await system.mint(...many(3));
      await system.confirm(3n);
      const tickets = await read<unknown[][]>(nft, "ticketsOf", [3n, 99n, 1n]);
      expect(tickets.map((one) => [...one])).to.deep.equal([
        [aliceAddress, 1n, 123_450n, 500n, 75n, STATUS.confirmed],
        [ethers.ZeroAddress, 0n, 0n, 0n, 0n, STATUS.none],
        [aliceAddress, 1n, 123_450n, 500n, 75n, STATUS.pending],
      ]);
      expect(await read(nft, "ticketsOf", [])).to.deep.equal([]);
    });
    it("it should return 128 at once, burnt ones without a buyer", async () => {
      await system.mint(...many(MAX_BATCH));
      await send(nft, "cancel", [[101n]], system.confirmer);
      await send(nft, "burn", [101n], system.buyer);
      const tickets = await read<unknown[][]>(
        nft,
        "ticketsOf",
        many(MAX_BATCH).map(({ id }) => id),
      );
      const statuses = tickets.map((one) => one[5]);
      expect(statuses).to.deep.equal(
        many(MAX_BATCH).map(({ id }) => (id === 101n ? STATUS.cancelled : STATUS.pending)),
      );
      expect(tickets[100]?.[0]).to.equal(ethers.ZeroAddress);
      expect(tickets[127]?.[0]).to.equal(aliceAddress);
    });
  });

  describe("purchasesOfItems and storedPurchaseOf", () => {
    it("it should return each purchase as stored, and zero for unknown ids", async () => {
      await system.mint(...many(1));
      // What stands below an id is the caller's.
      const items = [(1n << 96n) | (2n ** 96n - 1n), 2n << 96n];
      const [stored, unknown] = await read<bigint[]>(nft, "purchasesOfItems", items);
      const status = (STATUS.pending << 248n) | (1n << 232n) | (75n << 216n) | (500n << 200n);
      expect(stored).to.equal(status | (123_450n << 160n) | BigInt(aliceAddress));
      expect(unknown).to.equal(0n);
      expect(await read(nft, "storedPurchaseOf", 1n)).to.equal(stored);
      expect(await read(nft, "storedPurchaseOf", 2n ** 160n + 1n)).to.equal(0n);
      expect(await read(nft, "purchasesOfItems", [])).to.deep.equal([]);
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
