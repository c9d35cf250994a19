import { expect } from "chai";
import type { BaseContract, ContractTransactionResponse } from "ethers";
import { describeTree } from "./support/behaviour-tree.ts";
import {
  ADMIN_DELAY_SECONDS,
  aPurchase,
  CENT_WEI,
  cashbackWei,
  DISTRIBUTOR_ROLES,
  ethers,
  freshSystem,
  item,
  LIMITS,
  MAX_BATCH,
  NO_LIMITS,
  networkHelpers,
  POOL_WEI,
  read,
  STATUS,
  type System,
  send,
} from "./support/system.ts";

const FULL = cashbackWei(aPurchase({ id: 1n, buyer: "" }));
const FULL_AT_MAX_RATE = cashbackWei(aPurchase({ id: 1n, buyer: "" }), LIMITS.maxWeiPerCent);

/** Errors of the library that sends tokens. */
const TRANSFERS = { interface: new ethers.Interface(["error TransferFailed()"]) };

describeTree("CashbackDistributor", () => {
  let system: System;
  let distributor: BaseContract;
  let aliceAddress: string;

  beforeEach(async () => {
    system = await freshSystem();
    distributor = system.distributor;
    aliceAddress = system.buyer.address;
  });

  const pay = (id: bigint, amount: bigint, rate = LIMITS.maxWeiPerCent) =>
    send(distributor, "pay", [id, amount, rate], system.payer);
  const payBatch = (items: bigint[], rate = CENT_WEI) => send(distributor, "payBatch", [items, rate], system.payer);
  const setLimits = (limits: Partial<typeof LIMITS>) =>
    send(distributor, "setLimits", [{ ...LIMITS, ...limits }], system.admin);
  const balance = (address: string) => ethers.provider.getBalance(address);
  const refuses = (sent: Promise<unknown>, error: string, ...args: unknown[]) =>
    expect(sent)
      .to.be.revertedWithCustomError(distributor, error)
      .withArgs(...args);
  /** All events of a transaction in order, each its name and arguments; another contract's is its address. */
  const eventsOf = async (sent: Promise<ContractTransactionResponse>) =>
    ((await (await sent).wait())?.logs ?? []).map((log) => {
      const event = log.address === system.distributorAddress ? distributor.interface.parseLog(log) : null;
      return event ? [event.name, ...event.args] : [log.address];
    });
  const contractAddress = async (name: string, ...args: unknown[]) =>
    (await ethers.deployContract(name, args)).getAddress();
  /** A purchase whose buyer refuses, paid: the buyer holds the credit. */
  const withCredit = async () => {
    const receiver: BaseContract = await ethers.deployContract("RevertingReceiver");
    await system.confirmed(await receiver.getAddress(), 1n);
    await pay(1n, FULL);
    return receiver;
  };
  /** A distributor that takes over, funded. */
  const successor = async (predecessor = system.distributorAddress, limits = NO_LIMITS) => {
    const args = [system.admin.address, 0, system.nftAddress, limits, predecessor];
    const next: BaseContract = await ethers.deployContract("CashbackDistributor", args);
    await send(next, "grantRole", [await read<string>(next, "PAYER_ROLE"), system.payer.address], system.admin);
    await system.admin.sendTransaction({ to: await next.getAddress(), value: 10n ** 18n });
    return next;
  };
  const startOfDay = async () => {
    const day = 86_400;
    const midnight = (Math.floor((await networkHelpers.time.latest()) / day) + 1) * day;
    await networkHelpers.time.increaseTo(midnight);
    return midnight;
  };

  describe("construction", () => {
    it("it should make the admin the only holder of a role", async () => {
      const fresh = await ethers.deployContract("CashbackDistributor", [
        aliceAddress,
        ADMIN_DELAY_SECONDS,
        system.nftAddress,
        LIMITS,
        ethers.ZeroAddress,
      ]);
      expect(await read(fresh, "defaultAdmin")).to.equal(aliceAddress);
      expect(await read(fresh, "defaultAdminDelay")).to.equal(BigInt(ADMIN_DELAY_SECONDS));
      for (const role of DISTRIBUTOR_ROLES) {
        const id = await read<string>(fresh, role);
        expect(id).to.equal(ethers.id(role));
        for (const { address } of await ethers.getSigners())
          expect(await read(fresh, "hasRole", id, address)).to.equal(false);
        expect(await read(fresh, "getRoleAdmin", id)).to.equal(ethers.ZeroHash);
      }
    });
    it("it should return tickets, limits and that nothing is paid", async () => {
      expect(await read(distributor, "purchaseNFT")).to.equal(system.nftAddress);
      expect((await read<{ toObject(): object }>(distributor, "limits")).toObject()).to.deep.equal(LIMITS);
      for (const view of ["spentToday", "totalCredit"]) expect(await read(distributor, view)).to.equal(0n);
      expect(await read(distributor, "available")).to.equal(POOL_WEI);
      for (const id of [1n, 255n, 256n]) expect(await read(distributor, "isPaid", id)).to.equal(false);
      expect(await read(distributor, "MAX_BATCH")).to.equal(BigInt(MAX_BATCH));
      expect(await read(distributor, "RECIPIENT_GAS")).to.equal(30_000n);
      expect(await read(distributor, "MIN_GAS_BEFORE_CALL")).to.equal(68_000n);
      const deployed = distributor.deploymentTransaction();
      await expect(deployed)
        .to.emit(distributor, "LimitsSet")
        .withArgs(...Object.values(LIMITS));
      expect(await read(distributor, "predecessor")).to.equal(ethers.ZeroAddress);
      expect(await read(distributor, "isRetired")).to.equal(false);
      expect(await read(distributor, "isPaid", 0n), "no purchase has this id").to.equal(false);
    });
    it("it should refuse a cap per payout above the daily cap", async () => {
      const limits = { maxWeiPerCent: 1n, maxPayout: 11n, dailyCap: 10n };
      const args = [aliceAddress, 0, system.nftAddress, limits, ethers.ZeroAddress];
      await refuses(
        ethers.deployContract("CashbackDistributor", args),
        "CashbackDistributor_MaxPayoutAboveDailyCap",
        11n,
        10n,
      );
    });
    describe("given a predecessor", () => {
      it("it should refuse one that is not retired, one of other tickets, and what is not a distributor", async () => {
        await refuses(successor(), "CashbackDistributor_PredecessorNotRetired", system.distributorAddress);
        await send(distributor, "pause", [], system.pauser);
        await refuses(successor(), "CashbackDistributor_PredecessorNotRetired", system.distributorAddress);
        const ofOthers = await contractAddress("FalsePredecessor", aliceAddress, true);
        await refuses(successor(ofOthers), "CashbackDistributor_PredecessorOfOtherTickets", ofOthers);
        const unretired = await contractAddress("FalsePredecessor", system.nftAddress, false);
        await refuses(successor(unretired), "CashbackDistributor_PredecessorNotRetired", unretired);
        for (const address of [aliceAddress, system.nftAddress]) await expect(successor(address)).to.be.revert(ethers);
      });
      it("it should treat everything it paid or credited as paid, from the first block, and pay the rest", async () => {
        const refusing = await contractAddress("RevertingReceiver");
        await system.confirmed(aliceAddress, 1n, 2n, 300n, 301n, 2n ** 160n - 1n, 2n ** 160n - 2n);
        await system.confirmed(refusing, 600n);
        await payBatch([item(1n, 1n), item(300n, 1n), item(600n, 1n), item(2n ** 160n - 1n, 1n)]);
        await send(distributor, "retire", [], system.admin);
        const next = await successor();
        expect(await read(next, "predecessor")).to.equal(system.distributorAddress);
        const paidAmong = async (...ids: bigint[]) => {
          const answers = await Promise.all(ids.map((id) => read<boolean>(next, "isPaid", id)));
          return ids.filter((_, index) => answers[index]);
        };
        const all = [1n, 2n, 3n, 299n, 300n, 301n, 555n, 600n, 2n ** 160n - 2n, 2n ** 160n - 1n];
        expect(await paidAmong(...all)).to.deep.equal([1n, 300n, 600n, 2n ** 160n - 1n]);
        expect(await read(next, "paidWord", 0n)).to.equal(3n);
        expect(await read(next, "paidWord", 1n)).to.equal(1n << 44n);

        const items = [1n, 2n, 300n, 301n, 600n, 2n ** 160n - 1n].map((id) => item(id, 1n));
        const sent = await send(next, "payBatch", [items, CENT_WEI], system.payer);
        for (const id of [1n, 300n, 600n, 2n ** 160n - 1n])
          await expect(sent).to.emit(next, "CashbackSkipped").withArgs(id);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress, next], [2n, -2n]);
        expect(await paidAmong(...all)).to.deep.equal([1n, 2n, 300n, 301n, 600n, 2n ** 160n - 1n]);
        expect(await read(next, "paidWord", 1n)).to.equal((1n << 44n) | (1n << 45n));
        for (const id of [1n, 300n, 2n ** 160n - 1n])
          await refuses(send(next, "pay", [id, 1n, CENT_WEI], system.payer), "CashbackDistributor_AlreadyPaid", id);
        await send(next, "pay", [2n ** 160n - 2n, 1n, CENT_WEI], system.payer);
        expect(await paidAmong(2n ** 160n - 2n, 2n ** 160n - 1n)).to.have.length(2);
      });
      it("it should keep the predecessor's bits of a word in which it pays another id, by pay or by payBatch", async () => {
        await system.confirmed(aliceAddress, 300n, 301n, 302n, 600n, 601n, 602n);
        await payBatch([item(300n, 1n), item(600n, 1n)]);
        await send(distributor, "retire", [], system.admin);
        const next = await successor();
        await send(next, "pay", [301n, 1n, CENT_WEI], system.payer);
        const items = [601n, 302n, 601n].map((id) => item(id, 1n));
        const sent = send(next, "payBatch", [items, CENT_WEI], system.payer);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress], [2n]);
        const paid = await Promise.all(
          [0n, 299n, 300n, 301n, 302n, 600n, 601n, 602n].map((id) => read<boolean>(next, "isPaid", id)),
        );
        expect(paid).to.deep.equal([false, false, true, true, true, true, true, false]);
        const again = [300n, 600n].map((id) => item(id, 1n));
        const repeated = send(next, "payBatch", [again, CENT_WEI], system.payer);
        await expect(repeated).to.changeEtherBalances(ethers, [aliceAddress], [0n]);
      });
      it("it should also treat what the predecessor's own predecessor paid as paid", async () => {
        await system.confirmed(aliceAddress, 1n, 2n, 300n, 301n);
        await payBatch([item(1n, 1n), item(300n, 1n)]);
        await send(distributor, "retire", [], system.admin);
        const second = await successor();
        await send(second, "pay", [2n, 1n, CENT_WEI], system.payer);
        await send(second, "retire", [], system.admin);
        const third = await successor(await second.getAddress());
        for (const id of [1n, 2n, 300n]) expect(await read(third, "isPaid", id), `${id}`).to.equal(true);
        const sent = send(third, "payBatch", [[1n, 2n, 300n, 301n].map((id) => item(id, 1n)), CENT_WEI], system.payer);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress], [1n]);
      });
      it("it should take over its limits and what was spent that day, over three generations", async () => {
        const limits = { ...LIMITS, maxPayout: 60n, dailyCap: 100n };
        await setLimits(limits);
        await system.confirmed(aliceAddress, 1n, 2n, 3n, 4n);
        await startOfDay();
        await pay(1n, 60n);
        await send(distributor, "retire", [], system.admin);
        const second = await successor();
        expect(await read<bigint[]>(second, "limits").then((found) => [...found])).to.deep.equal(Object.values(limits));
        expect(await read(second, "spentToday")).to.equal(60n);
        await refuses(
          send(second, "pay", [2n, 41n, CENT_WEI], system.payer),
          "CashbackDistributor_AboveDailyCap",
          101n,
          100n,
        );
        await send(second, "pay", [2n, 40n, CENT_WEI], system.payer);
        await send(second, "retire", [], system.admin);
        const third = await successor(await second.getAddress());
        await refuses(
          send(third, "pay", [3n, 1n, CENT_WEI], system.payer),
          "CashbackDistributor_AboveDailyCap",
          101n,
          100n,
        );
        await startOfDay();
        expect(await read(third, "spentToday")).to.equal(0n);
        await send(third, "pay", [3n, 60n, CENT_WEI], system.payer);
      });
      it("it should refuse limits of its own instead of ignoring them", async () => {
        await send(distributor, "retire", [], system.admin);
        for (const limits of [{ maxWeiPerCent: 1n }, { maxPayout: 1n }, { dailyCap: 1n }, LIMITS]) {
          await refuses(
            successor(system.distributorAddress, { ...NO_LIMITS, ...limits }),
            "CashbackDistributor_PredecessorSetsLimits",
            system.distributorAddress,
          );
        }
      });
      it("it should say in events what it took over", async () => {
        await system.confirmed(aliceAddress, 1n);
        await setLimits({ maxPayout: 60n });
        await pay(1n, 60n);
        await send(distributor, "pause", [], system.pauser);
        await send(distributor, "retire", [], system.admin);
        const next = await successor();
        const logs = (await next.deploymentTransaction()?.wait())?.logs ?? [];
        const events = logs
          .map((log) => next.interface.parseLog(log))
          .map((event) => [event?.name, ...(event?.args ?? [])]);
        expect(events.slice(1)).to.deep.equal([
          ["LimitsSet", LIMITS.maxWeiPerCent, 60n, LIMITS.dailyCap],
          ["Succeeded", system.distributorAddress, system.nftAddress, 60n],
          ["Paused", system.admin.address],
        ]);
      });
      it("it should pay the tickets of its own tickets' predecessor, once over both pairs", async () => {
        await system.confirmed(aliceAddress, 1n, 2n, 300n, 301n, 555n);
        await system.mint(aPurchase({ id: 9n, buyer: aliceAddress }));
        await payBatch([item(1n, 1n), item(300n, 1n)]);
        await send(distributor, "retire", [], system.admin);
        const args = [system.admin.address, 0, "https://a.example", system.descriptorAddress, system.nftAddress];
        const tickets: BaseContract = await ethers.deployContract("PurchaseNFT", args);
        const ofOthers = await contractAddress("FalsePredecessor", aliceAddress, true);
        const ofNobody = [system.admin.address, 0, await tickets.getAddress(), NO_LIMITS, ofOthers];
        const name = "CashbackDistributor_PredecessorOfOtherTickets";
        await refuses(ethers.deployContract("CashbackDistributor", ofNobody), name, ofOthers);
        const next: BaseContract = await ethers.deployContract("CashbackDistributor", [
          system.admin.address,
          0,
          await tickets.getAddress(),
          NO_LIMITS,
          system.distributorAddress,
        ]);
        await send(next, "grantRole", [ethers.id("PAYER_ROLE"), system.payer.address], system.admin);
        await system.admin.sendTransaction({ to: await next.getAddress(), value: 10n });
        for (const role of ["MINTER_ROLE", "CONFIRMER_ROLE", "CATALOGUE_ROLE"])
          await send(tickets, "grantRole", [ethers.id(role), system.admin.address], system.admin);
        await send(tickets, "registerStore", [1, "Loja"]);
        await send(tickets, "mint", [aPurchase({ id: 302n, buyer: system.other.address }), ""]);
        await send(tickets, "confirm", [[302n]]);
        const items = [1n, 2n, 300n, 301n, 302n, 2n].map((id) => item(id, 1n));
        const sent = await send(next, "payBatch", [items, CENT_WEI], system.payer);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress, system.other], [2n, 1n]);
        await send(next, "pay", [555n, 1n, CENT_WEI], system.payer);
        for (const id of [1n, 2n, 300n, 301n, 302n, 555n])
          expect(await read(next, "isPaid", id), `${id}`).to.equal(true);
        for (const id of [9n, 10n])
          await refuses(
            send(next, "payBatch", [[item(id, 1n)], CENT_WEI], system.payer),
            "CashbackDistributor_NotConfirmed",
            id,
            id === 9n ? STATUS.pending : STATUS.none,
          );
      });
      it("it should take over its pause, which only the admin lifts", async () => {
        await system.confirmed(aliceAddress, 1n);
        await send(distributor, "pause", [], system.pauser);
        await send(distributor, "retire", [], system.admin);
        const next = await successor();
        await refuses(send(next, "pay", [1n, 1n, CENT_WEI], system.payer), "EnforcedPause");
        await send(next, "unpause", [], system.admin);
        await send(next, "pay", [1n, 1n, CENT_WEI], system.payer);
      });
    });
  });

  describe("pay", () => {
    describe("given a Confirmed, unpaid purchase", () => {
      it("it should pay its buyer exactly the amount, once, and emit the rate and the payout", async () => {
        await system.confirmed(aliceAddress, 1n);
        const sent = pay(1n, FULL, CENT_WEI);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress, distributor], [FULL, -FULL]);
        expect(await eventsOf(sent)).to.deep.equal([
          ["RateApplied", CENT_WEI],
          ["CashbackPaid", 1n, aliceAddress, FULL],
        ]);
        expect(await read(distributor, "isPaid", 1n)).to.equal(true);
        expect(await read(distributor, "isPaid", 2n)).to.equal(false);
        expect(await read(distributor, "spentToday")).to.equal(FULL);
      });
      it("it should accept the largest amount that rate and percent allow, and not a wei more", async () => {
        await system.confirmed(aliceAddress, 1n);
        await setLimits({ maxWeiPerCent: 3n });
        for (const rate of [2n, 3n]) {
          const most = (123_450n * 575n * rate) / 10_000n;
          await refuses(pay(1n, most + 1n, rate), "CashbackDistributor_AboveCashback", 1n, most + 1n, most);
        }
        await refuses(pay(1n, 1n, 4n), "CashbackDistributor_RateTooHigh", 4n, 3n);
        await pay(1n, (123_450n * 575n * 3n) / 10_000n, 3n);
      });
      it("it should count both percents of the largest value", async () => {
        const purchase = aPurchase({ id: 1n, buyer: aliceAddress, valueCents: 2n ** 40n - 1n });
        await system.mint(purchase);
        await system.confirm(1n);
        const most = cashbackWei(purchase, 3n);
        await refuses(pay(1n, most + 1n, 3n), "CashbackDistributor_AboveCashback", 1n, most + 1n, most);
        await pay(1n, most, 3n);
      });
    });
    describe("given a purchase that must not be paid", () => {
      it("it should refuse an unknown, a Pending, a Cancelled and a Returned one", async () => {
        await system.mint(aPurchase({ id: 1n, buyer: aliceAddress }), aPurchase({ id: 2n, buyer: aliceAddress }));
        await system.confirmed(aliceAddress, 4n);
        await send(system.nft, "markReturned", [[4n]], system.confirmer);
        await refuses(pay(4n, 1n), "CashbackDistributor_NotConfirmed", 4n, STATUS.returned);
        await refuses(payBatch([item(4n, 1n)]), "CashbackDistributor_NotConfirmed", 4n, STATUS.returned);
        await send(system.nft, "cancel", [[2n]], system.confirmer);
        await refuses(pay(1n, 1n), "CashbackDistributor_NotConfirmed", 1n, STATUS.pending);
        await refuses(pay(2n, 1n), "CashbackDistributor_NotConfirmed", 2n, STATUS.cancelled);
        await refuses(pay(3n, 1n), "CashbackDistributor_NotConfirmed", 3n, STATUS.none);
      });
      it("it should refuse them even if their ids have every bit set, and ids that no ticket can have", async () => {
        const [pending, cancelled] = [2n ** 160n - 1n, 2n ** 159n];
        await system.mint(...[pending, cancelled].map((id) => aPurchase({ id, buyer: aliceAddress })));
        await send(system.nft, "cancel", [[cancelled]], system.confirmer);
        await system.confirmed(aliceAddress, 5n);
        await refuses(pay(pending, 1n), "CashbackDistributor_NotConfirmed", pending, STATUS.pending);
        await refuses(payBatch([item(pending, 1n)]), "CashbackDistributor_NotConfirmed", pending, STATUS.pending);
        await refuses(pay(cancelled, 1n), "CashbackDistributor_NotConfirmed", cancelled, STATUS.cancelled);
        await refuses(payBatch([item(cancelled, 1n)]), "CashbackDistributor_NotConfirmed", cancelled, STATUS.cancelled);
        // The id of a Confirmed purchase, but for a bit above the 160 that an item of a batch can hold.
        await refuses(pay(2n ** 160n + 5n, 1n), "CashbackDistributor_NotConfirmed", 2n ** 160n + 5n, STATUS.none);
      });
      it("it should refuse one that is already paid, by pay or by payBatch", async () => {
        await system.confirmed(aliceAddress, 1n, 2n);
        await pay(1n, 1n);
        await payBatch([item(2n, 1n)]);
        await refuses(pay(1n, 1n), "CashbackDistributor_AlreadyPaid", 1n);
        await refuses(pay(2n, 1n), "CashbackDistributor_AlreadyPaid", 2n);
      });
      it("it should refuse an amount of zero", async () => {
        await system.confirmed(aliceAddress, 1n);
        await refuses(pay(1n, 0n), "CashbackDistributor_ZeroAmount", 1n);
      });
    });
    describe("given the limits", () => {
      it("it should accept exactly the cap per payout, and not a wei more", async () => {
        await system.confirmed(aliceAddress, 1n);
        await setLimits({ maxPayout: 1_000n });
        await refuses(pay(1n, 1_001n), "CashbackDistributor_AboveMaxPayout", 1n, 1_001n, 1_000n);
        await refuses(payBatch([item(1n, 1_001n)]), "CashbackDistributor_AboveMaxPayout", 1n, 1_001n, 1_000n);
        await pay(1n, 1_000n);
      });
      it("it should accept exactly the daily cap, and not a wei more, and start again the next day", async () => {
        await system.confirmed(aliceAddress, 1n, 2n, 3n, 4n);
        await setLimits({ maxPayout: 1_000n, dailyCap: 1_000n });
        await startOfDay();
        await pay(1n, 600n);
        await refuses(pay(2n, 401n), "CashbackDistributor_AboveDailyCap", 1_001n, 1_000n);
        await pay(2n, 400n);
        await refuses(pay(3n, 1n), "CashbackDistributor_AboveDailyCap", 1_001n, 1_000n);
        expect(await read(distributor, "spentToday")).to.equal(1_000n);
        await startOfDay();
        expect(await read(distributor, "spentToday")).to.equal(0n);
        await pay(3n, 1_000n);
        expect(await read(distributor, "spentToday")).to.equal(1_000n);
      });
      it("it should begin a new day after any number of days, even 256 or 65,536", async () => {
        await system.confirmed(aliceAddress, 1n);
        await startOfDay();
        await pay(1n, 600n);
        const day = await networkHelpers.time.latest();
        for (const days of [256, 65_536]) {
          await networkHelpers.time.increaseTo(day + days * 86_400);
          expect(await read(distributor, "spentToday"), `${days} days`).to.equal(0n);
        }
      });
      it("it should count a payout until the last second of its UTC day", async () => {
        await system.confirmed(aliceAddress, 1n, 2n);
        await setLimits({ maxPayout: 1_000n, dailyCap: 1_000n });
        const midnight = await startOfDay();
        await networkHelpers.time.setNextBlockTimestamp(midnight + 60);
        await pay(1n, 600n);
        await networkHelpers.time.increaseTo(midnight + 86_399);
        expect(await read(distributor, "spentToday")).to.equal(600n);
        await networkHelpers.time.increaseTo(midnight + 86_400);
        expect(await read(distributor, "spentToday")).to.equal(0n);
        await pay(2n, 1_000n);
        await networkHelpers.time.increaseTo(midnight + 2 * 86_400);
        expect(await read(distributor, "spentToday")).to.equal(0n);
      });
      it("it should refuse what the balance less credits cannot cover", async () => {
        const receiver = await withCredit();
        await system.confirmed(aliceAddress, 2n, 3n);
        await send(distributor, "sweep", [system.other.address, POOL_WEI - FULL - 500n], system.treasurer);
        expect(await read(distributor, "available")).to.equal(500n);
        await refuses(pay(2n, 501n), "CashbackDistributor_InsufficientFunds", 501n, 500n);
        await pay(2n, 500n);
        expect(await read(distributor, "creditOf", await receiver.getAddress())).to.equal(FULL);
      });
    });
    describe("given a recipient that refuses", () => {
      it("it should credit it, keep the paid bit, and emit the rate and the credit", async () => {
        const receiver = await contractAddress("RevertingReceiver");
        await system.confirmed(receiver, 1n, 2n);
        expect(await eventsOf(pay(1n, FULL, CENT_WEI))).to.deep.equal([
          ["RateApplied", CENT_WEI],
          ["CashbackDeferred", 1n, receiver, FULL],
        ]);
        await pay(2n, 5n);
        expect(await read(distributor, "isPaid", 1n)).to.equal(true);
        expect(await read(distributor, "creditOf", receiver)).to.equal(FULL + 5n);
        expect(await read(distributor, "totalCredit")).to.equal(FULL + 5n);
        expect(await read(distributor, "spentToday")).to.equal(FULL + 5n);
        await refuses(pay(1n, FULL), "CashbackDistributor_AlreadyPaid", 1n);
      });
      it("it should credit a single wei", async () => {
        const receiver = await contractAddress("RevertingReceiver");
        await system.confirmed(receiver, 1n);
        await pay(1n, 1n);
        expect(await read(distributor, "creditOf", receiver)).to.equal(1n);
        expect(await read(distributor, "totalCredit")).to.equal(1n);
      });
      it("it should forward 30,000 gas, and credit a recipient that needs more", async () => {
        const hungry = await contractAddress("HungryReceiver");
        await system.confirmed(hungry, 1n);
        await pay(1n, 5n);
        expect(await read(distributor, "creditOf", hungry)).to.equal(5n);
        const meter: BaseContract = await ethers.deployContract("MeteringReceiver");
        await system.confirmed(await meter.getAddress(), 2n);
        await pay(2n, 5n);
        // 30,000 and the stipend of 2,300, less what its own code spends before it looks: more under coverage.
        expect(await read(meter, "gasOnArrival")).to.be.within(31_900n, 32_300n);
      });
    });
    it("it should revert while paused", async () => {
      await system.confirmed(aliceAddress, 1n);
      await send(distributor, "pause", [], system.pauser);
      await refuses(pay(1n, 1n), "EnforcedPause");
    });
  });

  describe("payBatch", () => {
    describe("given Confirmed, unpaid purchases", () => {
      it("it should pay each buyer, including one with several purchases", async () => {
        await system.confirmed(aliceAddress, 1n, 256n, 300n);
        await system.confirmed(system.other.address, 2n);
        const sent = payBatch([item(1n, 1n), item(2n, 20n), item(256n, 300n), item(300n, 4_000n)]);
        await expect(sent).to.changeEtherBalances(
          ethers,
          [aliceAddress, system.other.address, distributor],
          [4_301n, 20n, -4_321n],
        );
        expect(await eventsOf(sent)).to.deep.equal([
          ["RateApplied", CENT_WEI],
          ["CashbackPaid", 1n, aliceAddress, 1n],
          ["CashbackPaid", 2n, system.other.address, 20n],
          ["CashbackPaid", 256n, aliceAddress, 300n],
          ["CashbackPaid", 300n, aliceAddress, 4_000n],
        ]);
        for (const id of [1n, 2n, 256n, 300n]) expect(await read(distributor, "isPaid", id)).to.equal(true);
        for (const id of [3n, 255n, 257n, 44n]) expect(await read(distributor, "isPaid", id)).to.equal(false);
        expect(await read(distributor, "spentToday")).to.equal(4_321n);
      });
      it("it should cap each amount by the rate of the batch", async () => {
        await system.confirmed(aliceAddress, 1n, 2n, 3n);
        const excess = item(1n, FULL + 1n);
        await refuses(payBatch([excess]), "CashbackDistributor_AboveCashback", 1n, FULL + 1n, FULL);
        await refuses(payBatch([item(2n, FULL), excess]), "CashbackDistributor_AboveCashback", 1n, FULL + 1n, FULL);
        await refuses(
          payBatch([item(2n, 1n), item(3n, 1n), excess]),
          "CashbackDistributor_AboveCashback",
          1n,
          FULL + 1n,
          FULL,
        );
        await expect(payBatch([item(1n, FULL_AT_MAX_RATE)], LIMITS.maxWeiPerCent))
          .to.emit(distributor, "RateApplied")
          .withArgs(LIMITS.maxWeiPerCent);
      });
      it("it should keep the paid bits of ids in any order, even when it returns to a word", async () => {
        // 200 and 1 follow an id of another word that would be theirs if the id were shifted by 7 bits, or to the left.
        const ids = [300n, 200n, 301n, 2n, 70_000n, 65_536n, 1n, 2n ** 160n - 1n, 255n, 256n, 3n];
        await system.confirmed(aliceAddress, ...ids);
        await payBatch(ids.map((id) => item(id, 1n)));
        for (const id of ids) expect(await read(distributor, "isPaid", id), `${id}`).to.equal(true);
        for (const id of [4n, 254n, 257n, 302n, 69_999n, 2n ** 160n - 2n])
          expect(await read(distributor, "isPaid", id), `${id}`).to.equal(false);
        await expect(payBatch(ids.map((id) => item(id, 1n)))).to.changeEtherBalances(ethers, [aliceAddress], [0n]);
      });
      it("it should emit the rate of each batch before its payouts", async () => {
        await system.confirmed(aliceAddress, 1n, 2n);
        for (const [id, rate] of [
          [1n, CENT_WEI + 1n],
          [2n, LIMITS.maxWeiPerCent],
        ] as const) {
          expect(await eventsOf(payBatch([item(id, FULL)], rate))).to.deep.equal([
            ["RateApplied", rate],
            ["CashbackPaid", id, aliceAddress, FULL],
          ]);
        }
      });
    });
    describe("given purchases that are already paid", () => {
      it("it should skip them and pay the others, and emit what it skips before what it pays", async () => {
        const refusing = await contractAddress("RevertingReceiver");
        await system.confirmed(aliceAddress, 1n, 2n);
        await system.confirmed(refusing, 3n);
        await pay(1n, 7n);
        const sent = payBatch([item(3n, 8n), item(1n, FULL), item(2n, 9n)]);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress], [9n]);
        expect(await eventsOf(sent)).to.deep.equal([
          ["RateApplied", CENT_WEI],
          ["CashbackSkipped", 1n],
          ["CashbackDeferred", 3n, refusing, 8n],
          ["CashbackPaid", 2n, aliceAddress, 9n],
        ]);
      });
      it("it should skip the second occurrence of an id in one batch", async () => {
        await system.confirmed(aliceAddress, 1n);
        const sent = payBatch([item(1n, 5n), item(1n, 6n)]);
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress], [5n]);
        await expect(sent).to.emit(distributor, "CashbackSkipped").withArgs(1n);
      });
      it("it should skip an id that comes again after one of another word", async () => {
        await system.confirmed(aliceAddress, 1n, 2n, 300n);
        const sent = payBatch([1n, 300n, 1n, 2n, 300n].map((id) => item(id, 5n)));
        await expect(sent).to.changeEtherBalances(ethers, [aliceAddress], [15n]);
        for (const id of [1n, 300n]) await expect(sent).to.emit(distributor, "CashbackSkipped").withArgs(id);
        expect(await read(distributor, "spentToday")).to.equal(15n);
      });
      it("it should change nothing when a whole batch is repeated", async () => {
        await system.confirmed(aliceAddress, 1n, 2n);
        const items = [item(1n, 5n), item(2n, 6n)];
        await payBatch(items);
        await expect(payBatch(items)).to.changeEtherBalances(ethers, [aliceAddress, distributor], [0n, 0n]);
        expect(await read(distributor, "spentToday")).to.equal(11n);
      });
      it("it should skip them after a pause, in another batch, and after the daily cap was lowered", async () => {
        await system.confirmed(aliceAddress, 1n, 2n);
        await payBatch([item(1n, 500n)]);
        await send(distributor, "pause", [], system.pauser);
        await send(distributor, "unpause", [], system.admin);
        await setLimits({ maxPayout: 1n, dailyCap: 1n });
        await expect(payBatch([item(1n, 500n)]))
          .to.emit(distributor, "CashbackSkipped")
          .withArgs(1n);
        await refuses(payBatch([item(1n, 500n), item(2n, 1n)]), "CashbackDistributor_AboveDailyCap", 501n, 1n);
      });
    });
    describe("given one invalid item", () => {
      it("it should pay none", async () => {
        await system.confirmed(aliceAddress, 1n);
        await system.mint(aPurchase({ id: 2n, buyer: aliceAddress }));
        await refuses(payBatch([item(1n, 1n), item(2n, 1n)]), "CashbackDistributor_NotConfirmed", 2n, STATUS.pending);
        await refuses(payBatch([item(1n, 1n), item(3n, 1n)]), "CashbackDistributor_NotConfirmed", 3n, STATUS.none);
        await refuses(payBatch([item(1n, 0n)]), "CashbackDistributor_ZeroAmount", 1n);
        expect(await read(distributor, "isPaid", 1n)).to.equal(false);
        expect(await read(distributor, "spentToday")).to.equal(0n);
      });
    });
    it("it should refuse a rate above the bound", async () => {
      await system.confirmed(aliceAddress, 1n);
      const rate = LIMITS.maxWeiPerCent + 1n;
      await refuses(payBatch([item(1n, 1n)], rate), "CashbackDistributor_RateTooHigh", rate, LIMITS.maxWeiPerCent);
      await payBatch([item(1n, 1n)], LIMITS.maxWeiPerCent);
    });
    it("it should refuse an empty batch and one of 129", async () => {
      for (const size of [0, MAX_BATCH + 1]) {
        const items = Array.from({ length: size }, () => item(1n, 1n));
        await refuses(payBatch(items), "CashbackDistributor_InvalidBatchSize", size, MAX_BATCH);
      }
    });
    it("it should pay a batch of 128", async () => {
      const ids = Array.from({ length: MAX_BATCH }, (_, index) => BigInt(index + 200));
      await system.confirmed(aliceAddress, ...ids);
      await expect(payBatch(ids.map((id) => item(id, 3n)))).to.changeEtherBalances(ethers, [aliceAddress], [384n]);
    });
    it("it should count the whole batch against the daily cap and the balance", async () => {
      await system.confirmed(aliceAddress, 1n, 2n);
      await setLimits({ maxPayout: 10n, dailyCap: 10n });
      await refuses(payBatch([item(1n, 5n), item(2n, 6n)]), "CashbackDistributor_AboveDailyCap", 11n, 10n);
      await send(distributor, "sweep", [system.other.address, POOL_WEI - 10n], system.treasurer);
      await refuses(payBatch([item(1n, 5n), item(2n, 6n)]), "CashbackDistributor_InsufficientFunds", 11n, 10n);
      await payBatch([item(1n, 5n), item(2n, 5n)]);
    });
    it("it should accept 160-bit ids and 96-bit amounts", async () => {
      const [id, amount] = [2n ** 160n - 1n, 2n ** 96n - 1n];
      await setLimits({ maxPayout: amount, maxWeiPerCent: amount, dailyCap: 2n ** 112n - 1n });
      await networkHelpers.setBalance(system.distributorAddress, amount);
      await system.mint(aPurchase({ id, buyer: aliceAddress, valueCents: 2n ** 40n - 1n }));
      await system.confirm(id);
      await expect(payBatch([item(id, amount)], amount)).to.changeEtherBalances(ethers, [aliceAddress], [amount]);
      expect(await read(distributor, "isPaid", id)).to.equal(true);
    });
    it("it should refuse tickets that do not answer with one purchase an item, and pass on their error", async () => {
      const [admin] = await ethers.getSigners();
      const limits = { ...LIMITS, maxWeiPerCent: CENT_WEI };
      // An account without code answers any call with nothing.
      const args = [admin, ADMIN_DELAY_SECONDS, system.other.address, limits, ethers.ZeroAddress];
      const fresh = await ethers.deployContract("CashbackDistributor", args);
      await send(fresh, "grantRole", [ethers.id("PAYER_ROLE"), admin], admin);
      await expect(send(fresh, "payBatch", [[item(1n, 1n)], CENT_WEI], admin))
        .to.be.revertedWithCustomError(fresh, "TicketReader_InvalidAnswer")
        .withArgs(system.other.address);
      // `revert` with four bytes.
      const selector = ethers.id("PurchaseNFT_Soulbound()").slice(2, 10);
      await networkHelpers.setCode(system.other.address, `0x63${selector}6000526004601cfd`);
      await expect(send(fresh, "payBatch", [[item(1n, 1n)], CENT_WEI], admin)).to.be.revertedWithCustomError(
        system.nft,
        "PurchaseNFT_Soulbound",
      );
    });
    it("it should revert if too little gas is left for the next recipient, whatever credits there are", async () => {
      await withCredit();
      await system.confirmed(aliceAddress, 11n, 2n, 3n);
      const items = [item(11n, 1n), item(2n, 1n), item(3n, 1n)];
      const data = distributor.interface.encodeFunctionData("payBatch", [items, CENT_WEI]);
      const outcomes = new Set<string>();
      for (let gasLimit = 60_000n; gasLimit <= 260_000n; gasLimit += 5_000n) {
        const snapshot = await networkHelpers.takeSnapshot();
        const sent = system.payer.sendTransaction({ to: system.distributorAddress, data, gasLimit });
        const receipt = await sent.then((tx) => tx.wait()).catch(() => null);
        const events = (receipt?.logs ?? []).map((log) => distributor.interface.parseLog(log)?.name);
        outcomes.add(receipt ? events.join() : "reverted");
        await snapshot.restore();
      }
      expect([...outcomes]).to.deep.equal(["reverted", "RateApplied,CashbackPaid,CashbackPaid,CashbackPaid"]);
      const call = system.payer.call({ to: system.distributorAddress, data, gasLimit: 130_000n });
      await refuses(call, "CashbackDistributor_InsufficientGas", (left: bigint) => left < 68_000n, 68_000n);
    });
    it("it should revert while paused", async () => {
      await system.confirmed(aliceAddress, 1n);
      await send(distributor, "pause", [], system.pauser);
      await refuses(payBatch([item(1n, 1n)]), "EnforcedPause");
    });
  });

  describe("withdrawCredit", () => {
    it("it should send the caller's entire credit to the given address, once", async () => {
      const receiver = await withCredit();
      const [from, to] = [await receiver.getAddress(), system.other.address];
      const sent = send(receiver, "withdraw", [system.distributorAddress, to]);
      await expect(sent).to.changeEtherBalances(ethers, [to, distributor], [FULL, -FULL]);
      await expect(sent).to.emit(distributor, "CreditWithdrawn").withArgs(from, to, FULL);
      expect(await read(distributor, "creditOf", from)).to.equal(0n);
      expect(await read(distributor, "totalCredit")).to.equal(0n);
      await refuses(send(receiver, "withdraw", [system.distributorAddress, to]), "CashbackDistributor_NoCredit", from);
      expect(await read(distributor, "isPaid", 1n)).to.equal(true);
    });
    it("it should emit an event before it sends", async () => {
      const receiver = await withCredit();
      const talking = await contractAddress("ReenteringReceiver", system.distributorAddress, "0x12345678", false);
      expect(await eventsOf(send(receiver, "withdraw", [system.distributorAddress, talking]))).to.deep.equal([
        ["CreditWithdrawn", await receiver.getAddress(), talking, FULL],
        [talking],
      ]);
    });
    it("it should stay open while paused, and once retired", async () => {
      const receiver = await withCredit();
      await system.confirmed(await receiver.getAddress(), 2n);
      await pay(2n, 1n);
      await send(distributor, "pause", [], system.pauser);
      const to = system.other.address;
      const snapshot = await networkHelpers.takeSnapshot();
      await expect(send(receiver, "withdraw", [system.distributorAddress, to])).to.changeEtherBalances(
        ethers,
        [to],
        [FULL + 1n],
      );
      await snapshot.restore();
      await send(distributor, "retire", [], system.admin);
      await send(receiver, "withdraw", [system.distributorAddress, to]);
      expect(await read(distributor, "totalCredit")).to.equal(0n);
    });
    it("it should forward all gas: a recipient may need more than a batch forwards", async () => {
      const receiver = await withCredit();
      const hungry = await contractAddress("HungryReceiver");
      const sent = send(receiver, "withdraw", [system.distributorAddress, hungry]);
      await expect(sent).to.changeEtherBalances(ethers, [hungry], [FULL]);
    });
    it("it should update its state before it sends", async () => {
      const reader: BaseContract = await ethers.deployContract("CreditReader", [system.distributorAddress]);
      await system.confirmed(await reader.getAddress(), 1n);
      await pay(1n, FULL);
      expect(await read(distributor, "totalCredit")).to.equal(FULL);
      await expect(send(reader, "withdraw")).to.changeEtherBalances(ethers, [reader, distributor], [FULL, -FULL]);
    });
    it("it should refuse a caller without credit", async () => {
      await withCredit();
      await refuses(
        send(distributor, "withdrawCredit", [aliceAddress], system.buyer),
        "CashbackDistributor_NoCredit",
        aliceAddress,
      );
    });
    it("it should refuse the zero address, the distributor and a recipient that refuses, and keep the credit", async () => {
      const receiver = await withCredit();
      const from = await receiver.getAddress();
      const withdraw = (to: string) => send(receiver, "withdraw", [system.distributorAddress, to]);
      await refuses(withdraw(ethers.ZeroAddress), "CashbackDistributor_InvalidRecipient", ethers.ZeroAddress);
      await refuses(
        withdraw(system.distributorAddress),
        "CashbackDistributor_InvalidRecipient",
        system.distributorAddress,
      );
      await refuses(withdraw(from), "CashbackDistributor_TransferRefused", from, FULL);
      expect(await read(distributor, "creditOf", from)).to.equal(FULL);
      await send(receiver, "becomeWilling");
      await expect(withdraw(from)).to.changeEtherBalances(ethers, [from], [FULL]);
    });
  });

  describe("pushCredit", () => {
    it("it should let anyone send a credit, whole and with all gas, to whom it is due and nowhere else", async () => {
      const receiver: BaseContract = await ethers.deployContract("HungryReceiver");
      const address = await receiver.getAddress();
      await system.confirmed(address, 1n);
      await pay(1n, FULL);
      expect(await read(distributor, "creditOf", address)).to.equal(FULL);
      const sent = send(distributor, "pushCredit", [address], system.stranger);
      await expect(sent).to.changeEtherBalances(ethers, [address, distributor], [FULL, -FULL]);
      expect(await eventsOf(sent)).to.deep.equal([["CreditWithdrawn", address, address, FULL]]);
      for (const view of ["totalCredit"]) expect(await read(distributor, view)).to.equal(0n);
      expect(await read(distributor, "creditOf", address)).to.equal(0n);
    });
    it("it should keep the credit of one that refuses, and refuse where there is none", async () => {
      const receiver = await withCredit();
      const from = await receiver.getAddress();
      const push = (address: string) => send(distributor, "pushCredit", [address], system.stranger);
      await refuses(push(from), "CashbackDistributor_TransferRefused", from, FULL);
      await refuses(push(aliceAddress), "CashbackDistributor_NoCredit", aliceAddress);
      expect(await read(distributor, "creditOf", from)).to.equal(FULL);
      expect(await read(distributor, "totalCredit")).to.equal(FULL);
    });
    it("it should stay open while paused, and once retired", async () => {
      const receiver = await withCredit();
      await send(receiver, "becomeWilling");
      await send(distributor, "pause", [], system.pauser);
      await send(distributor, "retire", [], system.admin);
      await send(distributor, "pushCredit", [await receiver.getAddress()], system.stranger);
      expect(await read(distributor, "totalCredit")).to.equal(0n);
    });
  });

  describe("recover", () => {
    it("it should send the treasurer's choice all of a token that was sent here, and no CHZ", async () => {
      const token: BaseContract = await ethers.deployContract("TestFanToken", ["PSG", "PSG", 0]);
      const address = await token.getAddress();
      await send(token, "mint", [system.distributorAddress, 5n]);
      const sent = send(distributor, "recover", [address, system.other.address], system.treasurer);
      await expect(sent).to.changeEtherBalances(ethers, [distributor, system.other], [0n, 0n]);
      await expect(sent).to.emit(distributor, "Recovered").withArgs(address, system.other.address, 5n);
      expect(await read(token, "balanceOf", system.other.address)).to.equal(5n);
      for (const none of [aliceAddress, system.nftAddress, system.distributorAddress]) {
        const refused = send(distributor, "recover", [none, aliceAddress], system.treasurer);
        await expect(refused).to.be.revertedWithCustomError(TRANSFERS, "TransferFailed");
      }
    });
  });

  describe("sweep", () => {
    it("it should send all CHZ not reserved for credits, to the last wei, and not a wei of a credit", async () => {
      await withCredit();
      const free = POOL_WEI - FULL;
      const sweep = (amount: bigint) => send(distributor, "sweep", [system.other.address, amount], system.treasurer);
      await refuses(sweep(free + 1n), "CashbackDistributor_InsufficientFunds", free + 1n, free);
      const sent = sweep(free);
      await expect(sent).to.changeEtherBalances(ethers, [system.other, distributor], [free, -free]);
      await expect(sent).to.emit(distributor, "Swept").withArgs(system.other.address, free);
      expect(await balance(system.distributorAddress)).to.equal(FULL);
      expect(await read(distributor, "available")).to.equal(0n);
    });
    it("it should emit an event before it sends", async () => {
      const talking = await contractAddress("ReenteringReceiver", system.distributorAddress, "0x12345678", false);
      const sent = send(distributor, "sweep", [talking, 5n], system.treasurer);
      expect(await eventsOf(sent)).to.deep.equal([["Swept", talking, 5n], [talking]]);
    });
    it("it should stay open while paused, and forward all gas", async () => {
      await send(distributor, "pause", [], system.pauser);
      const hungry = await contractAddress("HungryReceiver");
      const sent = send(distributor, "sweep", [hungry, 5n], system.treasurer);
      await expect(sent).to.changeEtherBalances(ethers, [hungry], [5n]);
    });
    it("it should refuse the zero address, the distributor and a recipient that refuses", async () => {
      const refusing = await contractAddress("RevertingReceiver");
      const sweep = (to: string) => send(distributor, "sweep", [to, 1n], system.treasurer);
      await refuses(sweep(ethers.ZeroAddress), "CashbackDistributor_InvalidRecipient", ethers.ZeroAddress);
      await refuses(
        sweep(system.distributorAddress),
        "CashbackDistributor_InvalidRecipient",
        system.distributorAddress,
      );
      await refuses(sweep(refusing), "CashbackDistributor_TransferRefused", refusing, 1n);
    });
  });

  describe("setLimits", () => {
    it("it should set the limits, even the largest, and emit an event", async () => {
      for (const limits of [
        { maxWeiPerCent: 1n, maxPayout: 2n, dailyCap: 3n },
        { maxWeiPerCent: 2n ** 96n - 1n, maxPayout: 2n ** 96n - 1n, dailyCap: 2n ** 112n - 1n },
        { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n },
      ]) {
        await expect(setLimits(limits))
          .to.emit(distributor, "LimitsSet")
          .withArgs(...Object.values(limits));
        expect((await read<{ toObject(): object }>(distributor, "limits")).toObject()).to.deep.equal(limits);
        expect(await read(distributor, "paused")).to.equal(false);
        expect(await read(distributor, "isRetired")).to.equal(false);
      }
    });
    it("it should leave what was spent that day, whether it raises or lowers the cap", async () => {
      await system.confirmed(aliceAddress, 1n, 2n);
      await startOfDay();
      await pay(1n, 600n);
      for (const dailyCap of [LIMITS.dailyCap + 1n, 2n ** 112n - 1n, 700n]) {
        await setLimits({ dailyCap, maxPayout: 700n });
        expect(await read(distributor, "spentToday"), `${dailyCap}`).to.equal(600n);
      }
      await refuses(pay(2n, 101n), "CashbackDistributor_AboveDailyCap", 701n, 700n);
    });
    it("it should refuse a cap per payout above the daily cap, and accept one that equals it", async () => {
      await refuses(setLimits({ maxPayout: 10n, dailyCap: 9n }), "CashbackDistributor_MaxPayoutAboveDailyCap", 10n, 9n);
      await setLimits({ maxPayout: 10n, dailyCap: 10n });
    });
  });

  describe("retire", () => {
    it("it should end payouts permanently, once, and leave credits to withdraw and the rest to sweep", async () => {
      const receiver = await withCredit();
      await system.confirmed(aliceAddress, 2n);
      await expect(send(distributor, "retire", [], system.admin))
        .to.emit(distributor, "Retired")
        .withArgs();
      expect(await read(distributor, "isRetired")).to.equal(true);
      expect(await read(distributor, "paused")).to.equal(false);
      await refuses(pay(2n, 1n), "CashbackDistributor_DistributorRetired");
      await refuses(payBatch([item(2n, 1n)]), "CashbackDistributor_DistributorRetired");
      await send(distributor, "pause", [], system.pauser);
      await send(distributor, "unpause", [], system.admin);
      await setLimits({});
      await refuses(payBatch([item(2n, 1n)]), "CashbackDistributor_DistributorRetired");
      await refuses(send(distributor, "retire", [], system.admin), "CashbackDistributor_DistributorRetired");
      expect(await read(distributor, "isPaid", 1n)).to.equal(true);
      // Still takes CHZ, and what is owed stays out of reach.
      const funded = system.stranger.sendTransaction({ to: system.distributorAddress, value: 3n });
      await expect(funded).to.emit(distributor, "Funded").withArgs(system.stranger.address, 3n);
      const free = POOL_WEI - FULL + 3n;
      const sweep = (amount: bigint) => send(distributor, "sweep", [system.other.address, amount], system.treasurer);
      await refuses(sweep(free + 1n), "CashbackDistributor_InsufficientFunds", free + 1n, free);
      await sweep(free);
      await send(receiver, "withdraw", [system.distributorAddress, system.other.address]);
      expect(await balance(system.distributorAddress)).to.equal(0n);
    });
  });

  describe("receive", () => {
    it("it should accept CHZ from anyone, even if it is forced in", async () => {
      const sent = system.stranger.sendTransaction({ to: system.distributorAddress, value: 5n });
      await expect(sent).to.emit(distributor, "Funded").withArgs(system.stranger.address, 5n);
      const funder: BaseContract = await ethers.deployContract("Funder");
      const through = await funder.getFunction("fund").send(system.distributorAddress, { value: 7n });
      await expect(through)
        .to.emit(distributor, "Funded")
        .withArgs(await funder.getAddress(), 7n);
      // As a block's producer or a dying contract would: without a call.
      await networkHelpers.setBalance(system.distributorAddress, POOL_WEI + 12n);
      expect(await read(distributor, "available")).to.equal(POOL_WEI + 12n);
    });
  });

  describe("pause and unpause", () => {
    it("it should let only the admin unpause what the pauser paused", async () => {
      await send(distributor, "pause", [], system.pauser);
      await expect(send(distributor, "unpause", [], system.pauser)).to.be.revertedWithCustomError(
        distributor,
        "AccessControlUnauthorizedAccount",
      );
      await send(distributor, "unpause", [], system.admin);
      await system.confirmed(aliceAddress, 1n);
      await pay(1n, 1n);
    });
  });
});
