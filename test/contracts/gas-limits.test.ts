import { expect } from "chai";
import type { BaseContract } from "ethers";
import { gasLimitOf, LOOK_GAS } from "../../core/catalogue/encoders.ts";
import { gasLimits } from "../../core/purchases/encoders.ts";
import { METADATA_URI_MAX_BYTES } from "../../core/rules/product.ts";
import { thirdGeneration, WORD_OF_PAID_BITS } from "../bench/gas/scenarios.ts";
import {
  aPurchase,
  CENT_WEI,
  ethers,
  freshSystem,
  gasOf,
  item,
  MAX_BATCH,
  NO_LIMITS,
  networkHelpers,
  read,
  type System,
  send,
} from "./support/system.ts";

const AMOUNT_WEI = 10n ** 15n;
/** Batches of the sender; the contracts allow MAX_BATCH. */
const BATCH = 100;

/**
 * Gas that the sender gives, against what the contracts need at their largest input. A limit below 1.2 times the need
 * would one day leave an operation without gas; one above 2.5 times it locks up the wallet's CHZ for nothing.
 */
describe("The gas limits of the sender", () => {
  let system: System;
  beforeEach(async () => {
    system = await freshSystem();
  });

  const account = (index: number) => ethers.getAddress(`0x${ethers.id(`account ${index}`).slice(26)}`);
  const sparse = (count: number) =>
    Array.from({ length: count }, (_, index) => (BigInt(index) + 1n) * WORD_OF_PAID_BITS);
  const expectRoom = (limit: bigint, used: number, most = 2.5) => {
    const times = Number(limit) / used;
    expect(times, `${limit} for ${used}`).to.be.within(1.2, most);
  };
  const purchases = (count: number, metadataUri = "") =>
    sparse(count).map((id, index) => aPurchase({ id, buyer: account(index), metadataUri }));

  for (const count of [1, BATCH]) {
    it(`leave room for ${count} tickets of new buyers`, async () => {
      expectRoom(gasLimits.mint(Array(count).fill("")), await gasOf(system.mint(...purchases(count))));
    });

    it(`leave room for ${count} tickets whose own data is as long as allowed`, async () => {
      const uri = `https://${"x".repeat(METADATA_URI_MAX_BYTES - 8)}`;
      expectRoom(gasLimits.mint(Array(count).fill(uri)), await gasOf(system.mint(...purchases(count, uri))));
    });

    it(`leave room for the confirmation of ${count} tickets with ids far apart`, async () => {
      await system.mint(...purchases(count));
      expectRoom(gasLimits.moveStatus(count), await gasOf(system.confirm(...sparse(count))));
    });

    it(`leave room for the return of ${count} tickets with ids far apart`, async () => {
      await system.mint(...purchases(count));
      await system.confirm(...sparse(count));
      const used = await gasOf(send(system.nft, "markReturned", [sparse(count)], system.confirmer));
      expectRoom(gasLimits.moveStatus(count), used);
    });
  }

  /** The gas limit, and what a payout of as many tickets as possible to recipients who burn all gas needs. */
  const largestPayout = async (succeed: () => Promise<BaseContract>) => {
    await system.admin.sendTransaction({ to: system.distributorAddress, value: 10n ** 20n });
    const code = await ethers.provider.getCode(await (await ethers.deployContract("LoopingReceiver")).getAddress());
    const wanted = purchases(MAX_BATCH);
    for (const { buyer } of wanted) await networkHelpers.setCode(String(buyer), code);
    await system.mint(...wanted);
    await system.confirm(...wanted.map(({ id }) => id));
    const items = wanted.map(({ id }) => item(id, AMOUNT_WEI));
    const gasLimit = gasLimits.payout(MAX_BATCH);
    const last = await succeed();
    const used = await gasOf(send(last, "payBatch", [items, CENT_WEI, { gasLimit }], system.payer));
    expect(await read(last, "totalCredit")).to.equal(BigInt(MAX_BATCH) * AMOUNT_WEI);
    expectRoom(gasLimit, used);
    expect(used, "less than half of Chiliz' block of 30 million").to.be.lessThan(15_000_000);
  };

  it("leave room for the largest payout to recipients who burn all gas, far apart, in a third generation", async () => {
    await largestPayout(() => thirdGeneration(system));
  });

  it("leave room for the same payout of the tickets of a former pair, in a fourth", async () => {
    await largestPayout(async () => {
      const { admin, payer, nftAddress, descriptorAddress } = system;
      const third = await thirdGeneration(system);
      await send(third, "retire", [], admin);
      const ofTickets = [admin.address, 0, "https://a.example", descriptorAddress, nftAddress];
      const tickets = await ethers.deployContract("PurchaseNFT", ofTickets);
      const args = [admin.address, 0, await tickets.getAddress(), NO_LIMITS, await third.getAddress()];
      const fourth: BaseContract = await ethers.deployContract("CashbackDistributor", args);
      await send(fourth, "grantRole", [ethers.id("PAYER_ROLE"), payer.address], admin);
      await admin.sendTransaction({ to: await fourth.getAddress(), value: 10n ** 21n });
      return fourth;
    });
  });

  it("leave room for the first look of a store", async () => {
    await send(system.nft, "registerStore", [777, "Loja"], system.catalogue);
    expectRoom(
      LOOK_GAS,
      await gasOf(send(system.nft, "setStoreLook", [777, 0xffffff, 0xffffff, 15], system.catalogue)),
    );
  });

  const longest = "e\u0301\u0301".repeat(20) + "e\u0301".repeat(20);
  for (const name of ["x".repeat(40), "ç".repeat(40), "\u0e01".repeat(40), "🏟".repeat(40), longest]) {
    it(`leave room for the store name ${JSON.stringify(name)}`, async () => {
      const sent = send(system.nft, "registerStore", [777, name], system.catalogue);
      // The first contract looks each letter up in a table: what it needs is given to this one too.
      expectRoom(gasLimitOf(name), await gasOf(sent), 8);
    });
  }
});
