// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Whether a call is refused is what these tests ask; the handler belongs to its invariants.
// solhint-disable avoid-low-level-calls, max-states-count

import {CashbackDistributor} from "./CashbackDistributor.sol";
import {PurchaseNFT} from "./PurchaseNFT.sol";
import {ICashbackDistributor} from "./interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "./interfaces/IPurchaseNFT.sol";
import {LoopingReceiver, ReenteringReceiver, ReturnBombReceiver, RevertingReceiver} from "./testing/HostileReceivers.sol";
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

/// @notice Does what people and hostile receivers may do, in any order, and keeps its own books of what arrived where.
/// Payments go to the distributor in office, or to one that was retired; now and then a successor takes over.
contract Handler is TestSystem {
    /// @dev As many as a batch takes: each a recipient of its own, most of them hostile.
    uint256 public constant BUYERS = 128;
    uint256 public constant MOST_DISTRIBUTORS = 3;

    uint96 public maxRate = MAX_RATE;
    uint96 public maxPayout = 1e18;
    uint112 public dailyCap = 3e18;

    CashbackDistributor[] public distributors;
    address[] private _buyers;
    mapping(address buyer => bool) private _isHostile;
    uint256 public lastId;

    /// @dev What went in and out, of all distributors together.
    uint256 public deposited;
    uint256 public withdrawn;
    uint256 public swept;
    /// @dev What was told as paid or credited, by the arguments that were accepted.
    uint256 public accepted;
    /// @dev Accepted on a day by a distributor, and whether that was ever above the cap of that moment.
    mapping(uint256 day => mapping(address distributor => uint256)) private _acceptedOn;
    bool public wasCapBroken;
    bool public wasPaidTwice;
    bool public wasPaidUnconfirmed;
    bool public wasPaidAboveRate;
    bool public hasRetiredPaid;

    mapping(uint256 id => address) public firstOwner;
    mapping(uint256 id => IPurchaseNFT.Status) public lastStatus;
    mapping(uint256 id => uint256) public acceptedFor;
    mapping(uint256 id => bool) public wasPaid;

    constructor() {
        deploySystem();
        distributors.push(distributor);
        distributor.setLimits(ICashbackDistributor.Limits(maxRate, maxPayout, dailyCap));
        for (uint256 i; i < BUYERS; ++i) {
            address buyer = _newBuyer(i);
            _buyers.push(buyer);
            _isHostile[buyer] = buyer.code.length != 0;
        }
    }

    function buyerAt(uint256 index) external view returns (address) {
        return _buyers[index];
    }

    function distributorCount() external view returns (uint256) {
        return distributors.length;
    }

    function tickets() external view returns (PurchaseNFT) {
        return nft;
    }

    /// Ids that are neighbours, and ids that differ only in their highest bits.
    function mint(uint256 buyerSeed, uint40 valueCents, uint8 high) external {
        uint256 id = ++lastId;
        address buyer = _buyers[buyerSeed % BUYERS];
        nft.mint(purchase(idOf(id) | uint256(high % 2) << 159, buyer, valueCents % 100_000_000 + 1, 500, 200, 1));
        _ids[id] = idOf(id) | uint256(high % 2) << 159;
        firstOwner[_ids[id]] = buyer;
    }

    function confirm(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.confirm, (one(_idAt(seed)))));
    }

    function cancel(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.cancel, (one(_idAt(seed)))));
    }

    function pay(uint256 seed, uint96 amount, uint96 rate, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        uint256 id = _idAt(seed);
        amount %= 1e18 + 2;
        bytes memory call = abi.encodeCall(target.pay, (id, amount, rate % (maxRate + 2)));
        if (_attempt(address(target), call)) _book(target, id, amount, rate % (maxRate + 2));
    }

    /// Takes ids that were paid before, here or by a predecessor, and the same id twice, as a retry does.
    function payBatch(uint256[6] calldata seeds, uint96 amount, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        amount %= 1e18 + 2;
        uint256[] memory items = new uint256[](6);
        bool[6] memory isFresh;
        for (uint256 i; i < 6; ++i) {
            uint256 id = _idAt(seeds[i]);
            items[i] = id << 96 | amount;
            isFresh[i] = !target.isPaid(id);
            for (uint256 k; k < i; ++k) {
                if (items[k] == items[i]) isFresh[i] = false;
            }
        }
        if (!_attempt(address(target), abi.encodeCall(target.payBatch, (items, maxRate)))) return;
        for (uint256 i; i < 6; ++i) {
            if (isFresh[i]) _book(target, items[i] >> 96, amount, maxRate);
        }
    }

    /// Everyone is paid at once: the largest batch, to 128 recipients.
    function payEveryone() external {
        if (lastId > 2 * BUYERS) return; // enough to look through after every step
        uint256[] memory ids = new uint256[](BUYERS);
        uint256[] memory items = new uint256[](BUYERS);
        for (uint256 i; i < BUYERS; ++i) {
            uint256 id = idOf(++lastId);
            _ids[lastId] = id;
            nft.mint(purchase(id, _buyers[i], 10_000, 500, 200, 1));
            firstOwner[id] = _buyers[i];
            ids[i] = id;
            items[i] = id << 96 | (i + 1);
        }
        nft.confirm(ids);
        if (!_attempt(address(distributor), abi.encodeCall(distributor.payBatch, (items, maxRate)))) return;
        for (uint256 i; i < BUYERS; ++i) {
            _book(distributor, ids[i], i + 1, maxRate);
        }
    }

    function setLimits(uint96 rate, uint96 payout, uint112 cap) external {
        (rate, payout, cap) = (rate % (MAX_RATE + 1), payout % 2e18, cap % 4e18);
        bytes memory call =
            abi.encodeCall(distributor.setLimits, (ICashbackDistributor.Limits(rate, payout, cap)));
        bool isDone = _attempt(address(distributor), call);
        expect(isDone == (payout <= cap), "limits that are possible, and no others");
        if (isDone) (maxRate, maxPayout, dailyCap) = (rate, payout, cap);
    }

    /// Retires the distributor in office, and lets another take over.
    function succeed() external {
        if (distributors.length == MOST_DISTRIBUTORS) return;
        distributor.retire();
        CashbackDistributor next = deployDistributor(distributor);
        next.setLimits(ICashbackDistributor.Limits(maxRate, maxPayout, dailyCap));
        distributors.push(next);
        distributor = next;
        VM.deal(address(this), 5e18);
        _fund(5e18);
    }

    function withdraw(uint256 buyerSeed, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        address buyer = _buyers[buyerSeed % BUYERS];
        uint256 credit = target.creditOf(buyer);
        VM.prank(buyer);
        if (_attempt(address(target), abi.encodeCall(target.withdrawCredit, (payable(address(0xcafe)))))) {
            withdrawn += credit;
        }
    }

    function sweep(uint96 amount, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        if (_attempt(address(target), abi.encodeCall(target.sweep, (payable(address(0xfee)), amount)))) {
            swept += amount;
        }
    }

    function fund(uint64 amount) external {
        VM.deal(address(this), amount);
        _fund(amount);
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
        for (uint256 i = 1; i <= lastId; ++i) {
            uint256 id = _ids[i];
            IPurchaseNFT.Status status = nft.purchaseOf(id).status;
            if (lastStatus[id] > IPurchaseNFT.Status.Pending && status != lastStatus[id]) isForward = false;
            if (wasPaid[id] && !distributor.isPaid(id)) isForward = false;
            lastStatus[id] = status;
            wasPaid[id] = distributor.isPaid(id);
        }
    }

    function idAt(uint256 index) external view returns (uint256) {
        return _ids[index];
    }

    /// What arrived: the balances of all buyers, as the chain has them.
    function received() external view returns (uint256 sum) {
        for (uint256 i; i < BUYERS; ++i) {
            sum += _buyers[i].balance;
        }
    }

    mapping(uint256 index => uint256 id) private _ids;

    /// @dev Spread over words, so that some share one and some do not.
    function idOf(uint256 index) private pure returns (uint256) {
        return index * 7;
    }

    function _idAt(uint256 seed) private view returns (uint256) {
        return _ids[seed % (lastId + 1)];
    }

    function _distributorAt(uint8 which) private view returns (CashbackDistributor) {
        // Mostly the one in office.
        return which < 200 ? distributor : distributors[which % distributors.length];
    }

    function _newBuyer(uint256 index) private returns (address) {
        uint256 kind = index % 6;
        if (kind == 0) return address(new RevertingReceiver());
        if (kind == 1) return address(new LoopingReceiver());
        if (kind == 2) return address(new ReturnBombReceiver(true));
        if (kind == 3) return address(new ReturnBombReceiver(false));
        if (kind == 4) {
            bytes memory call = abi.encodeCall(ICashbackDistributor.withdrawCredit, (payable(address(this))));
            return address(new ReenteringReceiver(address(distributor), call, true));
        }
        return address(uint160(0xb0b000 + index));
    }

    function _book(CashbackDistributor target, uint256 id, uint256 amount, uint256 rate) private {
        IPurchaseNFT.PurchaseRecord memory record = nft.purchaseOf(id);
        if (acceptedFor[id] != 0) wasPaidTwice = true;
        if (target.isRetired()) hasRetiredPaid = true;
        if (record.status != IPurchaseNFT.Status.Confirmed) wasPaidUnconfirmed = true;
        uint256 most = uint256(record.valueCents) * (record.cashbackBps + record.bonusBps) * rate / 10_000;
        if (amount > most || amount > maxPayout || rate > maxRate) wasPaidAboveRate = true;
        acceptedFor[id] = amount;
        accepted += amount;
        uint256 day = block.timestamp / 1 days;
        _acceptedOn[day][address(target)] += amount;
        if (_acceptedOn[day][address(target)] > dailyCap) wasCapBroken = true;
    }

    function _fund(uint256 amount) private {
        (bool isDone,) = address(distributor).call{value: amount}("");
        expect(isDone, "anyone may fund");
        deposited += amount;
    }

    function _attempt(address target, bytes memory data) private returns (bool isDone) {
        (isDone,) = target.call(data);
    }
}

/// @notice The invariants of all contracts, whatever happened in whatever order.
contract TorcidaInvariantTest is TestSystem {
    Handler private _handler;

    function setUp() external {
        _handler = new Handler();
        _handler.fund(type(uint64).max);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// What went in is what is there, what arrived at the buyers, what they withdrew and what was swept.
    function invariant_noWeiIsLostOrMade() external view {
        uint256 held;
        for (uint256 i; i < _handler.distributorCount(); ++i) {
            held += address(_handler.distributors(i)).balance;
        }
        expect(_handler.deposited() == held + _handler.received() + _handler.withdrawn() + _handler.swept(), "books");
    }

    /// What was accepted as payments is what arrived at the buyers and what they were credited.
    function invariant_paymentsArriveOrAreCredited() external view {
        uint256 credits;
        for (uint256 i; i < _handler.distributorCount(); ++i) {
            credits += _handler.distributors(i).totalCredit();
        }
        expect(_handler.accepted() == _handler.received() + credits + _handler.withdrawn(), "payments");
    }

    /// The balance covers every credit, and the total is the sum of all credits.
    function invariant_creditsAreCovered() external view {
        for (uint256 k; k < _handler.distributorCount(); ++k) {
            CashbackDistributor one = _handler.distributors(k);
            uint256 sum;
            for (uint256 i; i < _handler.BUYERS(); ++i) {
                sum += one.creditOf(_handler.buyerAt(i));
            }
            expect(sum == one.totalCredit(), "sum of credits");
            expect(address(one).balance >= sum, "covered");
            expect(one.available() == address(one).balance - sum, "available");
        }
    }

    /// A day's payments stay within the cap that holds while they are made.
    function invariant_dailyCapHolds() external view {
        expect(!_handler.wasCapBroken(), "daily cap");
    }

    /// Each purchase is paid once, by one distributor, at most value × percent × rate, under the cap of one payment.
    function invariant_paidOnceAndNeverTooMuch() external view {
        expect(!_handler.wasPaidTwice(), "once");
        expect(!_handler.wasPaidAboveRate(), "never too much");
        expect(!_handler.hasRetiredPaid(), "a retired one pays nothing");
    }

    /// What was paid was Confirmed, and is; what is told as paid was paid; a successor knows what its predecessors paid.
    function invariant_paidMeansConfirmed() external view {
        expect(!_handler.wasPaidUnconfirmed(), "confirmed");
        PurchaseNFT tickets = _handler.tickets();
        CashbackDistributor inOffice = _handler.distributors(_handler.distributorCount() - 1);
        for (uint256 i = 1; i <= _handler.lastId(); ++i) {
            uint256 id = _handler.idAt(i);
            bool isPaid = inOffice.isPaid(id);
            expect(isPaid == (_handler.acceptedFor(id) != 0), "paid bit");
            if (isPaid) expect(tickets.purchaseOf(id).status == IPurchaseNFT.Status.Confirmed, "confirmed");
        }
    }

    /// An id's owner never changes.
    function invariant_ownersStay() external view {
        PurchaseNFT tickets = _handler.tickets();
        for (uint256 i = 1; i <= _handler.lastId(); ++i) {
            uint256 id = _handler.idAt(i);
            expect(tickets.ownerOf(id) == _handler.firstOwner(id), "owner");
        }
    }

    /// Statuses and paid bits only move forward.
    function invariant_nothingGoesBack() external {
        expect(_handler.observe(), "forward");
    }
}
