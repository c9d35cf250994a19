// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Whether a call is refused is what these tests ask; the handler belongs to its invariants.
// solhint-disable avoid-low-level-calls

import {CashbackDistributor} from "./CashbackDistributor.sol";
import {PurchaseNFT} from "./PurchaseNFT.sol";
import {ICashbackDistributor} from "./interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "./interfaces/IPurchaseNFT.sol";
import {LoopingReceiver, ReturnBombReceiver, RevertingReceiver} from "./testing/HostileReceivers.sol";
import {TestSystem} from "./testing/TestSystem.sol";
import {VM} from "./testing/Vm.sol";

/// @notice Properties of single payments that hold for any input.
contract CashbackDistributorFuzzTest is TestSystem {
    receive() external payable {}

    function setUp() external {
        deploySystem();
        VM.deal(address(distributor), DAILY_CAP);
    }

    function _confirmed(uint256 id, address buyer, uint40 valueCents, uint16 totalBps) private {
        nft.mint(purchase(id, buyer, valueCents, totalBps, 0, 1));
        nft.confirm(one(id));
    }

    /// An amount is paid exactly when it is not zero and within percent × rate and the cap; then to the wei.
    function testFuzz_amountIsBounded(uint160 id, uint40 valueCents, uint16 totalBps, uint96 rate, uint96 amount) external {
        VM.assume(id != 0 && valueCents != 0);
        totalBps = totalBps % 10_000 + 1;
        rate %= MAX_RATE + 1;
        address buyer = address(0xb0b);
        _confirmed(id, buyer, valueCents, totalBps);
        uint256 most = uint256(valueCents) * totalBps * rate / 10_000;
        bool isRight = amount != 0 && amount <= most && amount <= MAX_PAYOUT;
        (bool isDone,) = address(distributor).call(
            abi.encodeCall(distributor.payBatch, (one(uint256(id) << 96 | amount), rate))
        );
        expect(isDone == isRight, "paid exactly when right");
        expect(buyer.balance == (isRight ? amount : 0), "to the wei");
        expect(distributor.isPaid(id) == isRight || id == 0, "paid bit");
    }

    /// The bit of one id is the bit of no other.
    function testFuzz_paidBitsDoNotMeet(uint160 id, uint160 other) external {
        VM.assume(id != 0 && other != 0 && id != other);
        _confirmed(id, address(0xb0b), 100, 1000);
        distributor.pay(id, 1, MAX_RATE);
        expect(distributor.isPaid(id), "paid");
        expect(!distributor.isPaid(other), "the other");
    }

    /// A second payment of an id never happens, in whatever form.
    function testFuzz_paidOnce(uint160 id, bool first, bool second) external {
        VM.assume(id != 0);
        _confirmed(id, address(0xb0b), 100, 1000);
        for (uint256 i; i < 2; ++i) {
            bytes memory data = (i == 0 ? first : second)
                ? abi.encodeCall(distributor.pay, (id, 10, MAX_RATE))
                : abi.encodeCall(distributor.payBatch, (one(uint256(id) << 96 | 10), MAX_RATE));
            (bool isDone,) = address(distributor).call(data);
            expect(isDone || i == 1, "the first is paid");
        }
        expect(address(0xb0b).balance == 10, "once");
    }

    /// With any amount of gas a batch either pays all good recipients, or does nothing.
    function testFuzz_gasCannotTurnPaymentsIntoCredits(uint24 gasLimit) external {
        uint256[] memory items = new uint256[](4);
        for (uint256 i; i < 4; ++i) {
            _confirmed(i + 1, address(uint160(0xb0b0 + i)), 100, 1000);
            items[i] = (i + 1) << 96 | 5;
        }
        (bool isDone,) =
            address(distributor).call{gas: gasLimit}(abi.encodeCall(distributor.payBatch, (items, MAX_RATE)));
        expect(distributor.totalCredit() == 0, "no credit");
        expect(address(0xb0b0).balance == (isDone ? 5 : 0) && address(0xb0b3).balance == (isDone ? 5 : 0), "all or nothing");
    }

    /// A sweep takes exactly what nobody is owed, and never more.
    function testFuzz_sweepLeavesCredits(uint96 credit, uint128 amount) external {
        credit = credit % MAX_PAYOUT + 1;
        address refusing = address(new RevertingReceiver());
        _confirmed(1, refusing, type(uint40).max, 10_000);
        distributor.pay(1, credit, MAX_RATE);
        uint256 free = distributor.available();
        (bool isDone,) = address(distributor).call(abi.encodeCall(distributor.sweep, (payable(address(0xfee1)), amount)));
        expect(isDone == (amount <= free), "only the free part");
        expect(address(distributor).balance >= credit && distributor.creditOf(refusing) == credit, "the credit stays");
    }

    /// The rate's bound is exact.
    function testFuzz_rateIsBounded(uint256 rate) external {
        _confirmed(1, address(0xb0b), 1_000_000, 1000);
        (bool isDone,) = address(distributor).call(abi.encodeCall(distributor.payBatch, (one(1 << 96 | 1), rate)));
        expect(isDone == (rate != 0 && rate <= MAX_RATE), "rate");
    }
}

/// @notice Does what people and hostile receivers may do, in any order, and keeps its own books.
contract Handler is TestSystem {
    uint256 public constant BUYERS = 6;

    address[] private _buyers;
    uint256 public lastId;
    uint256 public deposited;
    uint256 public withdrawn;
    uint256 public swept;
    uint256 public paidAmounts;
    uint256 public largestDay;
    uint256 private _day;
    uint256 private _daySpent;

    mapping(uint256 id => address) public firstOwner;
    mapping(uint256 id => IPurchaseNFT.Status) public lastStatus;
    mapping(uint256 id => bool) public wasPaid;

    constructor() {
        deploySystem();
        distributor.setLimits(ICashbackDistributor.Limits(MAX_RATE, 1e18, 3e18));
        _buyers.push(address(0xa11ce));
        _buyers.push(address(0xb0b));
        _buyers.push(address(new RevertingReceiver()));
        _buyers.push(address(new LoopingReceiver()));
        _buyers.push(address(new ReturnBombReceiver(true)));
        _buyers.push(address(new ReturnBombReceiver(false)));
    }

    function contracts() external view returns (address, address) {
        return (address(nft), address(distributor));
    }

    function buyerAt(uint256 index) external view returns (address) {
        return _buyers[index];
    }

    function mint(uint256 buyerSeed, uint40 valueCents) external {
        uint256 id = ++lastId;
        address buyer = _buyers[buyerSeed % BUYERS];
        nft.mint(purchase(id, buyer, valueCents % 100_000_000 + 1, 500, 200, 1));
        firstOwner[id] = buyer;
    }

    function confirm(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.confirm, (one(seed % (lastId + 1)))));
    }

    function cancel(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.cancel, (one(seed % (lastId + 1)))));
    }

    function pay(uint256 seed, uint96 amount) external {
        uint256 id = seed % (lastId + 1);
        amount %= 1e18 + 2;
        if (_attempt(address(distributor), abi.encodeCall(distributor.pay, (id, amount, MAX_RATE)))) _book(id, amount);
    }

    /// Takes ids that were paid before and the same id twice, as a retry does.
    function payBatch(uint256[4] calldata seeds, uint96 amount) external {
        amount %= 1e18 + 2;
        uint256[] memory items = new uint256[](4);
        bool[4] memory isFresh;
        for (uint256 i; i < 4; ++i) {
            uint256 id = seeds[i] % (lastId + 1);
            items[i] = id << 96 | amount;
            isFresh[i] = !distributor.isPaid(id);
            for (uint256 k; k < i; ++k) {
                if (items[k] == items[i]) isFresh[i] = false;
            }
        }
        if (!_attempt(address(distributor), abi.encodeCall(distributor.payBatch, (items, MAX_RATE)))) return;
        for (uint256 i; i < 4; ++i) {
            if (isFresh[i]) _book(items[i] >> 96, amount);
        }
    }

    function withdraw(uint256 buyerSeed) external {
        address buyer = _buyers[buyerSeed % BUYERS];
        uint256 credit = distributor.creditOf(buyer);
        VM.prank(buyer);
        if (_attempt(address(distributor), abi.encodeCall(distributor.withdrawCredit, (payable(address(0xcafe)))))) {
            withdrawn += credit;
        }
    }

    function sweep(uint96 amount) external {
        if (_attempt(address(distributor), abi.encodeCall(distributor.sweep, (payable(address(0xfee)), amount)))) {
            swept += amount;
        }
    }

    function fund(uint64 amount) external {
        VM.deal(address(this), amount);
        _attempt(address(distributor), "", amount);
        deposited += amount;
    }

    function pauseOrUnpause(bool isPause) external {
        _attempt(address(distributor), isPause ? abi.encodeCall(distributor.pause, ()) : abi.encodeCall(distributor.unpause, ()));
    }

    function nextDay(uint8 hoursLater) external {
        VM.warp(block.timestamp + uint256(hoursLater % 36) * 1 hours);
    }

    /// Remembers every status and paid bit, and says whether any went back.
    function observe() external returns (bool isForward) {
        isForward = true;
        for (uint256 id = 1; id <= lastId; ++id) {
            IPurchaseNFT.Status status = nft.purchaseOf(id).status;
            if (lastStatus[id] > IPurchaseNFT.Status.Pending && status != lastStatus[id]) isForward = false;
            if (wasPaid[id] && !distributor.isPaid(id)) isForward = false;
            lastStatus[id] = status;
            wasPaid[id] = distributor.isPaid(id);
        }
    }

    function _book(uint256, uint256 amount) private {
        paidAmounts += amount;
        if (_day != block.timestamp / 1 days) (_day, _daySpent) = (block.timestamp / 1 days, 0);
        _daySpent += amount;
        if (_daySpent > largestDay) largestDay = _daySpent;
    }

    function _attempt(address target, bytes memory data) private returns (bool isDone) {
        return _attempt(target, data, 0);
    }

    function _attempt(address target, bytes memory data, uint256 value) private returns (bool isDone) {
        (isDone,) = target.call{value: value}(data);
    }
}

/// @notice The invariants of both contracts, whatever happened in whatever order.
contract TorcidaInvariantTest is TestSystem {
    Handler private _handler;

    function setUp() external {
        _handler = new Handler();
        (address nftAddress, address distributorAddress) = _handler.contracts();
        nft = PurchaseNFT(nftAddress);
        distributor = CashbackDistributor(payable(distributorAddress));
        _handler.fund(type(uint64).max);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// Deposits = balance + paid + withdrawn + swept; the amounts of paid ids = what was sent + what was credited.
    function invariant_noWeiIsLostOrMade() external view {
        uint256 credits = distributor.totalCredit();
        // Credits, open or withdrawn, are amounts of paid ids that the recipients did not get at once.
        uint256 sent = _handler.paidAmounts() - credits - _handler.withdrawn();
        expect(
            _handler.deposited() == address(distributor).balance + sent + _handler.withdrawn() + _handler.swept(), "books"
        );
    }

    /// The balance covers every credit, and the total is the sum of all credits.
    function invariant_creditsAreCovered() external view {
        uint256 sum;
        for (uint256 i; i < _handler.BUYERS(); ++i) {
            sum += distributor.creditOf(_handler.buyerAt(i));
        }
        expect(sum == distributor.totalCredit(), "sum of credits");
        expect(address(distributor).balance >= sum, "covered");
        expect(distributor.available() == address(distributor).balance - sum, "available");
    }

    /// A day's payments stay within the cap.
    function invariant_dailyCapHolds() external view {
        expect(_handler.largestDay() <= 3e18 && distributor.spentToday() <= 3e18, "daily cap");
    }

    /// What was paid is Confirmed.
    function invariant_paidMeansConfirmed() external view {
        for (uint256 id = 1; id <= _handler.lastId(); ++id) {
            if (distributor.isPaid(id)) expect(nft.purchaseOf(id).status == IPurchaseNFT.Status.Confirmed, "confirmed");
        }
    }

    /// An id's owner never changes.
    function invariant_ownersStay() external view {
        for (uint256 id = 1; id <= _handler.lastId(); ++id) {
            expect(nft.ownerOf(id) == _handler.firstOwner(id), "owner");
        }
    }

    /// Statuses and paid bits only move forward.
    function invariant_nothingGoesBack() external {
        expect(_handler.observe(), "forward");
    }
}
