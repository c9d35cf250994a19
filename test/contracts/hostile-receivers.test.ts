import { expect } from "chai";
import { network } from "hardhat";
import {
  aPurchase,
  CENT_WEI,
  ethers,
  freshSystem,
  gasOf,
  item,
  MAX_BATCH,
  mintBatchArgs,
  networkHelpers,
  read,
  type System,
  send,
} from "./support/system.ts";

const AMOUNT = 10n ** 15n;
/** A quarter of Chiliz' block of 30 million. */
const QUARTER_BLOCK_GAS = 7_500_000;

describe("Hostile receivers", () => {
  let system: System;
  beforeEach(async () => {
    system = await freshSystem();
  });

  const payBatch = (ids: bigint[]) =>
    send(system.distributor, "payBatch", [ids.map((id) => item(id, AMOUNT)), CENT_WEI], system.payer);
  const addressOf = async (name: string, ...args: unknown[]) => (await ethers.deployContract(name, args)).getAddress();

  /** Pays a good, a hostile and a good recipient; returns whether the hostile one was paid, and the gas. */
  const payBetweenGoodOnes = async (hostile: string) => {
    const { buyer, other, distributor } = system;
    await system.confirmed(buyer.address, 1n);
    await system.confirmed(hostile, 2n);
    await system.confirmed(other.address, 3n);
    const sent = payBatch([1n, 2n, 3n]);
    await expect(sent).to.changeEtherBalances(ethers, [buyer, other], [AMOUNT, AMOUNT]);
    for (const id of [1n, 2n, 3n]) expect(await read(distributor, "isPaid", id)).to.equal(true);
    const credit = await read(distributor, "creditOf", hostile);
    const balance = await ethers.provider.getBalance(hostile);
    expect(credit + balance, "paid or credited, exactly once").to.equal(AMOUNT);
    return { isPaid: balance === AMOUNT, gas: await gasOf(sent) };
  };

  it("credits one that reverts", async () => {
    expect((await payBetweenGoodOnes(await addressOf("RevertingReceiver"))).isPaid).to.equal(false);
  });

  it("credits one that loops forever, at a bounded cost", async () => {
    const { isPaid, gas } = await payBetweenGoodOnes(await addressOf("LoopingReceiver"));
    expect(isPaid).to.equal(false);
    expect(gas).to.be.lessThan(250_000);
  });

  for (const refuses of [true, false]) {
    it(`copies nothing of a return bomb that ${refuses ? "refuses" : "takes"} the CHZ`, async () => {
      const { isPaid, gas } = await payBetweenGoodOnes(await addressOf("ReturnBombReceiver", refuses));
      expect(isPaid).to.equal(!refuses);
      expect(gas).to.be.lessThan(250_000);
    });
  }

  for (const insists of [true, false]) {
    it(`lets nobody re-enter, ${insists ? "one that insists" : "one that shrugs"}`, async () => {
      const { distributor, distributorAddress, admin } = system;
      const reenter = async (name: string, args: unknown[]) => {
        const payload = distributor.interface.encodeFunctionData(name, args);
        const receiver = await ethers.deployContract("ReenteringReceiver", [distributorAddress, payload, insists]);
        const address = await receiver.getAddress();
        for (const role of ["PAYER_ROLE", "TREASURER_ROLE"]) {
          await send(distributor, "grantRole", [await read<string>(distributor, role), address], admin);
        }
        return { receiver, address };
      };
      const calls: [string, unknown[]][] = [
        ["payBatch", [[item(90n, AMOUNT)], CENT_WEI]],
        ["pay", [90n, AMOUNT, CENT_WEI]],
        ["sweep", [system.stranger.address, 1n]],
        ["withdrawCredit", [system.stranger.address]],
        ["pushCredit", [system.stranger.address]],
      ];
      await system.confirmed(system.stranger.address, 90n);
      let id = 1n;
      for (const [name, args] of calls) {
        const { receiver, address } = await reenter(name, args);
        await system.confirmed(address, id);
        const sent = await payBatch([id]);
        expect(await read(distributor, "creditOf", address), name).to.equal(insists ? AMOUNT : 0n);
        if (!insists) await expect(sent, name).to.emit(receiver, "CallBackRefused");
        expect(await read(distributor, "isPaid", 90n)).to.equal(false);
        id += 1n;
      }
    });
  }

  it("lets nobody take a credit twice by re-entering the withdrawal", async () => {
    const { distributor, distributorAddress, admin } = system;
    const payload = distributor.interface.encodeFunctionData("sweep", [system.stranger.address, 1n]);
    const receiver = await ethers.deployContract("ReenteringReceiver", [distributorAddress, payload, true]);
    const address = await receiver.getAddress();
    await system.confirmed(address, 1n);
    await payBatch([1n]);
    expect(await read(distributor, "creditOf", address)).to.equal(AMOUNT);
    await send(distributor, "grantRole", [await read<string>(distributor, "TREASURER_ROLE"), address], admin);
    // It withdraws to itself and, when the CHZ comes, tries to withdraw again: the whole withdrawal is undone.
    await send(receiver, "setPayload", [distributor.interface.encodeFunctionData("withdrawCredit", [address])]);
    await expect(send(receiver, "callDistributor")).to.be.revertedWithCustomError(receiver, "CallBackFailed");
    expect(await read(distributor, "creditOf", address)).to.equal(AMOUNT);
  });

  it("keeps its books consistent for a recipient that reads them while being paid", async () => {
    const reader = await addressOf("BalanceReader", system.distributorAddress, 2n);
    expect((await payBetweenGoodOnes(reader)).isPaid).to.equal(true);
  });

  it("pays the distributor itself if it is a buyer", async () => {
    const { distributor, distributorAddress } = system;
    await system.confirmed(distributorAddress, 1n);
    const before = await read(distributor, "available");
    await expect(payBatch([1n]))
      .to.emit(distributor, "CashbackPaid")
      .withArgs(1n, distributorAddress, AMOUNT);
    expect(await read(distributor, "available")).to.equal(before);
  });

  it("credits a batch of hostile receivers only, within a block's gas", async () => {
    const loops = await addressOf("LoopingReceiver");
    const ids = Array.from({ length: MAX_BATCH }, (_, index) => BigInt(index + 1));
    await system.mint(...ids.map((id) => aPurchase({ id, buyer: loops })));
    await system.confirm(...ids);
    expect(await gasOf(payBatch(ids))).to.be.lessThan(QUARTER_BLOCK_GAS);
    expect(await read(system.distributor, "totalCredit")).to.equal(BigInt(MAX_BATCH) * AMOUNT);
  });

  it("credits a batch of 128 distinct receivers that burn all their gas, within half a block's gas", async () => {
    const ids = Array.from({ length: MAX_BATCH }, (_, index) => BigInt(index + 1));
    const code = await ethers.provider.getCode(await addressOf("LoopingReceiver"));
    const buyers = ids.map((id) => ethers.getAddress(ethers.toBeHex(0xdead0000n + id, 20)));
    for (const buyer of buyers) await networkHelpers.setCode(buyer, code);
    await system.mint(...ids.map((id, index) => aPurchase({ id, buyer: buyers[index] ?? "" })));
    await system.confirm(...ids);
    expect(await gasOf(payBatch(ids))).to.be.within(QUARTER_BLOCK_GAS, 2 * QUARTER_BLOCK_GAS);
    for (const buyer of buyers) expect(await read(system.distributor, "creditOf", buyer)).to.equal(AMOUNT);
  });

  it("pays the largest batch to brand-new accounts with less than a quarter of a block", async () => {
    const ids = Array.from({ length: MAX_BATCH }, (_, index) => BigInt(index + 200));
    await system.mint(...ids.map((id) => aPurchase({ id, buyer: ethers.Wallet.createRandom().address })));
    await system.confirm(...ids);
    expect(await gasOf(payBatch(ids))).to.be.lessThan(QUARTER_BLOCK_GAS);
  });

  it("mints the largest batch to new buyers with less than a quarter of a block", async () => {
    const ids = Array.from({ length: MAX_BATCH }, (_, index) => BigInt(index + 200));
    const gas = await gasOf(
      system.mint(...ids.map((id) => aPurchase({ id, buyer: ethers.Wallet.createRandom().address }))),
    );
    expect(gas).to.be.lessThan(QUARTER_BLOCK_GAS);
  });
});

describe("EIP-7702 accounts", () => {
  /** Both contracts on a chain that knows such accounts, every role with one key, and 1 CHZ to pay from. */
  const deployOnPrague = async () => {
    const prague = (await network.create({ override: { hardfork: "prague" } })).ethers;
    const signers = await prague.getSigners();
    const [admin] = signers;
    if (!admin) throw new Error("no signers");
    const nft = await prague.deployContract("PurchaseNFT", [
      admin.address,
      0,
      "https://a.example",
      ethers.ZeroAddress,
      ethers.ZeroAddress,
    ]);
    const limits = { maxWeiPerCent: CENT_WEI, maxPayout: 10n ** 21n, dailyCap: 10n ** 21n };
    const distributor = await prague.deployContract("CashbackDistributor", [
      admin.address,
      0,
      await nft.getAddress(),
      limits,
      ethers.ZeroAddress,
    ]);
    for (const role of ["MINTER_ROLE", "CONFIRMER_ROLE", "CATALOGUE_ROLE"])
      await send(nft, "grantRole", [ethers.id(role), admin.address]);
    await send(distributor, "grantRole", [ethers.id("PAYER_ROLE"), admin.address]);
    await send(nft, "registerStore", [1, "x"]);
    await admin.sendTransaction({ to: await distributor.getAddress(), value: 10n ** 18n });
    const addressOf = async (name: string, ...args: unknown[]) =>
      (await prague.deployContract(name, args)).getAddress();
    /** Points an account at code, as its own signature does. */
    const delegate = async (account: string, to: string) => {
      await prague.provider.send("hardhat_setCode", [account, `0xef0100${to.slice(2)}`]);
      return account;
    };
    /** Mints and confirms a purchase for each, and pays all in one batch. */
    const payAll = async (buyers: string[]) => {
      const ids = buyers.map((_, index) => BigInt(index + 1));
      await send(
        nft,
        "mintBatch",
        mintBatchArgs(buyers.map((buyer, index) => aPurchase({ id: ids[index] ?? 0n, buyer }))),
      );
      await send(nft, "confirm", [ids]);
      return send(distributor, "payBatch", [ids.map((id) => item(id, AMOUNT)), CENT_WEI]);
    };
    return { prague, signers, nft, distributor, addressOf, delegate, payAll };
  };

  it("are minted to and paid; if their code refuses, they are credited and withdraw elsewhere", async () => {
    const { signers, distributor, addressOf, delegate, payAll } = await deployOnPrague();
    const [admin, willing, refusing] = signers;
    if (!admin || !willing || !refusing) throw new Error("no signers");
    await delegate(willing.address, await addressOf("BalanceReader", await distributor.getAddress(), 1n));
    await delegate(refusing.address, await addressOf("RevertingReceiver"));
    const sent = await payAll([willing.address, refusing.address]);
    await expect(sent).to.emit(distributor, "CashbackPaid").withArgs(1n, willing.address, AMOUNT);
    await expect(sent).to.emit(distributor, "CashbackDeferred").withArgs(2n, refusing.address, AMOUNT);
    await send(distributor, "withdrawCredit", [admin.address], refusing);
    expect(await read(distributor, "totalCredit")).to.equal(0n);
  });

  it("mixed in one batch with contracts of every hostile kind, block nobody's payout (F10)", async () => {
    const { prague, signers, distributor, addressOf, delegate, payAll } = await deployOnPrague();
    const target = await distributor.getAddress();
    const payload = distributor.interface.encodeFunctionData("withdrawCredit", [target]);
    const kinds: [string, ...unknown[]][] = [
      ["RevertingReceiver"],
      ["LoopingReceiver"],
      ["ReturnBombReceiver", true],
      ["ReturnBombReceiver", false],
      ["ReenteringReceiver", target, payload, true],
      ["ReenteringReceiver", target, payload, false],
      ["BalanceReader", target, 1n],
    ];
    const hostile: string[] = [];
    for (const [index, [name, ...args]] of kinds.entries()) {
      const address = await addressOf(name, ...args);
      hostile.push(address, await delegate(signers[index + 1]?.address ?? "", address));
    }
    const good = hostile.map((_, index) =>
      ethers.getAddress(`0x${(index + 1).toString(16).padStart(2, "0").repeat(20)}`),
    );
    const buyers = good.flatMap((address, index) => [address, hostile[index] ?? ""]);
    const before = await Promise.all(buyers.map((address) => prague.provider.getBalance(address)));
    await payAll(buyers);
    let credits = 0n;
    for (const [index, address] of buyers.entries()) {
      const credit = await read(distributor, "creditOf", address);
      const received = (await prague.provider.getBalance(address)) - (before[index] ?? 0n);
      expect(credit + received, `${index}: paid or credited, exactly once`).to.equal(AMOUNT);
      if (good.includes(address)) expect(credit, `${index}: a good one is paid`).to.equal(0n);
      expect(await read(distributor, "isPaid", BigInt(index + 1))).to.equal(true);
      credits += credit;
    }
    expect(await read(distributor, "totalCredit")).to.equal(credits);
    expect(credits, "some of them refused").to.be.greaterThan(4n * AMOUNT);
  });
});
