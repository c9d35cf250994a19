// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// These tests check whether a call is rejected; the handler records what its invariants are about.
// solhint-disable avoid-low-level-calls, max-states-count

import {CashbackDistributor} from "../../../contracts/CashbackDistributor.sol";
import {ICashbackDistributor} from "../../../contracts/interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {PackedPurchase} from "../../../contracts/libraries/PackedPurchase.sol";
import {TestFanToken} from "../../../contracts/testing/TestFanToken.sol";
import {
    LoopingReceiver,
    ReenteringReceiver,
    ReturnBombReceiver,
    RevertingReceiver
} from "../mocks/HostileReceivers.sol";
import {TestSystem} from "./TestSystem.t.sol";
import {VM} from "./Vm.sol";

/// @notice Does what people and hostile receivers may do, in any order, and keeps its own books of what arrived where.
/// Payments go to the distributor in office, or to one that was retired; now and then a successor takes over.
contract Handler is TestSystem {
    /// @dev As many hostile recipients as a batch takes, and a few plain accounts behind them.
    uint256 private constant _HOSTILE = 128;
    uint256 private constant _BUYERS = _HOSTILE + 24;
    uint256 private constant _MOST_DISTRIBUTORS = 3;

    /// @dev Where credits are withdrawn to, and what is swept.
    address payable private constant _WALLET = payable(address(0xcafe));
    address payable private constant _TREASURY = payable(address(0xfee));

    uint96 private _maxRate = MAX_RATE;
    uint96 private _maxPayout = 1e18;
    uint112 private _dailyCap = 3e18;

    CashbackDistributor[] private _distributors;
    address[] private _buyers;

    /// @dev What went into all distributors together.
    uint256 private _deposited;
    /// @dev What was reported as paid or credited, by the accepted arguments.
    uint256 private _accepted;
    /// @dev Accepted on a day by a distributor, and whether that was ever above the cap of that moment.
    mapping(uint256 day => uint256) private _acceptedOn;
    bool private _wasCapBroken;
    bool private _wasPaidTwice;
    bool private _wasPaidUnconfirmed;
    bool private _wasPaidAboveRate;
    bool private _hasRetiredPaid;

    /// @dev What was minted, from 1 on, and what is remembered of each ticket.
    uint256 private _lastId;
    mapping(uint256 index => uint256 id) private _ids;
    mapping(uint256 id => address) private _firstOwner;
    mapping(uint256 id => IPurchaseNFT.Status) private _lastStatus;
    mapping(uint256 id => uint256) private _acceptedFor;
    mapping(uint256 id => bool) private _wasPaid;
    mapping(uint256 id => bool) private _isBurnt;
    mapping(address owner => uint256) private _minted;
    TestFanToken private _token = new TestFanToken("PSG", "PSG", 0);

    constructor() {
        deploySystem();
        _distributors.push(distributor);
        distributor.setLimits(ICashbackDistributor.Limits(_maxRate, _maxPayout, _dailyCap));
        for (uint256 i; i < _BUYERS; ++i) {
            _buyers.push(_newBuyer(i));
        }
    }

    /*//////////////////////////////////////////////////////////////////////////
                                   WHAT MAY HAPPEN
    //////////////////////////////////////////////////////////////////////////*/

    /// Ids that are neighbours, and ids that differ only in their highest bits.
    function mint(uint256 buyerSeed, uint40 valueCents, uint8 high) external {
        uint256 id = ++_lastId;
        address buyer = _buyers[buyerSeed % _BUYERS];
        string memory uri = high % 3 == 0 ? "ipfs://x" : "";
        nft.mint(purchase(_idOf(id) | uint256(high % 2) << 159, buyer, valueCents % 100_000_000 + 1, 500, 200, 1), uri);
        _ids[id] = _idOf(id) | uint256(high % 2) << 159;
        _firstOwner[_ids[id]] = buyer;
        ++_minted[buyer];
    }

    /// Minted again for somebody else, or sent to them.
    function take(uint256 seed, uint256 buyerSeed) external {
        (uint256 id, address buyer) = (_idAt(seed), _buyers[buyerSeed % _BUYERS]);
        if (id == 0) return;
        bool isMinted = _attempt(address(nft), abi.encodeCall(nft.mint, (purchase(id, buyer, 100, 500, 200, 1), "")));
        VM.prank(_firstOwner[id]);
        bool isSent = _attempt(address(nft), abi.encodeCall(nft.transferFrom, (_firstOwner[id], buyer, id)));
        expect(!isMinted && !isSent, "a ticket stays as it is");
    }

    function confirm(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.confirm, (one(_idAt(seed)))));
    }

    function cancel(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.cancel, (one(_idAt(seed)))));
    }

    function markReturned(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.markReturned, (one(_idAt(seed)))));
    }

    /// By its owner, or by somebody else.
    function burn(uint256 seed, bool byOwner) external {
        uint256 id = _idAt(seed);
        if (id == 0) return;
        PackedPurchase ticket = nft.storedPurchaseOf(id);
        bool isOver = ticket.hasStatus(IPurchaseNFT.Status.Cancelled)
            || ticket.hasStatus(IPurchaseNFT.Status.Returned) || distributor.isPaid(id);
        VM.prank(byOwner ? _firstOwner[id] : address(0xbad));
        bool isDone = _attempt(address(nft), abi.encodeCall(nft.burn, (id)));
        expect(isDone == (byOwner && isOver && !_isBurnt[id]), "burnt once, by its owner, when it is over");
        if (isDone) _isBurnt[id] = true;
    }

    function clearMetadataUri(uint256 seed) external {
        _attempt(address(nft), abi.encodeCall(nft.clearMetadataUri, (one(_idAt(seed)))));
    }

    /// Tokens sent by mistake come out whole, and no CHZ with them.
    function recover(uint64 amount, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        (uint256 held, uint256 before) = (address(target).balance, _token.balanceOf(_TREASURY));
        _token.mint(address(target), amount);
        _token.mint(address(nft), amount);
        target.recover(address(_token), _TREASURY);
        nft.recover(address(_token), _TREASURY);
        expect(_token.balanceOf(_TREASURY) - before == 2 * uint256(amount), "the tokens");
        expect(address(target).balance == held, "no CHZ");
        bool isDone = _attempt(address(target), abi.encodeCall(target.recover, (address(nft), _TREASURY)));
        expect(!isDone, "tickets are no such tokens");
    }

    function pay(uint256 seed, uint96 amount, uint96 rate, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        uint256 id = _idAt(seed);
        amount %= 1e18 + 2;
        bytes memory call = abi.encodeCall(target.pay, (id, amount, rate % (_maxRate + 2)));
        if (_attempt(address(target), call)) _book(target, id, amount, rate % (_maxRate + 2));
    }

    /// Pays ids that were paid before, here or by a predecessor, and the same id twice, as a retry does.
    function payBatch(uint256[6] calldata seeds, uint96 amount, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        amount %= 1e18 + 2;
        uint256[] memory items = new uint256[](6);
        bool[6] memory isFresh;
        for (uint256 i; i < 6; ++i) {
            uint256 id = _idAt(seeds[i]);
            items[i] = id << 96 | amount;
            isFresh[i] = id != 0 && !target.isPaid(id);
            for (uint256 k; k < i; ++k) {
                if (items[k] == items[i]) isFresh[i] = false;
            }
        }
        if (!_attempt(address(target), abi.encodeCall(target.payBatch, (items, _maxRate)))) return;
        for (uint256 i; i < 6; ++i) {
            if (isFresh[i]) _book(target, items[i] >> 96, amount, _maxRate);
        }
    }

    /// The largest batch, to 128 recipients: where it begins with the first, all of them are hostile.
    function payLargest(uint8 first) external {
        if (_lastId > 2 * _BUYERS) return; // enough to look through after every step
        uint256[] memory ids = new uint256[](_HOSTILE);
        uint256[] memory items = new uint256[](_HOSTILE);
        for (uint256 i; i < _HOSTILE; ++i) {
            (uint256 id, address buyer) = (_idOf(++_lastId), _buyers[(first % 2 * 64 + i) % _BUYERS]);
            _ids[_lastId] = id;
            nft.mint(purchase(id, buyer, 10_000, 500, 200, 1), "");
            _firstOwner[id] = buyer;
            ++_minted[buyer];
            ids[i] = id;
            items[i] = id << 96 | (i + 1);
        }
        nft.confirm(ids);
        if (!_attempt(address(distributor), abi.encodeCall(distributor.payBatch, (items, _maxRate)))) return;
        for (uint256 i; i < _HOSTILE; ++i) {
            _book(distributor, ids[i], i + 1, _maxRate);
        }
    }

    function setLimits(uint96 rate, uint96 payout, uint112 cap) external {
        (rate, payout, cap) = (rate % (MAX_RATE + 1), payout % 2e18, cap % 4e18);
        bytes memory call =
            abi.encodeCall(distributor.setLimits, (ICashbackDistributor.Limits(rate, payout, cap)));
        bool isDone = _attempt(address(distributor), call);
        expect(isDone == (payout <= cap), "limits that are possible, and no others");
        if (isDone) (_maxRate, _maxPayout, _dailyCap) = (rate, payout, cap);
    }

    /// Retires the distributor in office, and lets another take over.
    function succeed() external {
        if (_distributors.length == _MOST_DISTRIBUTORS) return;
        distributor.retire();
        CashbackDistributor next = deployDistributor(distributor);
        _distributors.push(next);
        distributor = next;
        nft.setDistributor(next);
        VM.deal(address(this), 5e18);
        _fund(5e18);
    }

    /// A credit is withdrawn whole whenever its owner asks, or there is none.
    function withdraw(uint256 buyerSeed, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        address buyer = _buyers[buyerSeed % _BUYERS];
        uint256 credit = target.creditOf(buyer);
        uint256 before = _WALLET.balance;
        VM.prank(buyer);
        bool isDone = _attempt(address(target), abi.encodeCall(target.withdrawCredit, (_WALLET)));
        expect(isDone == (credit != 0) && _WALLET.balance - before == credit, "the whole credit");
    }

    /// Whoever pushes a credit, it arrives whole at its owner, or stays.
    function pushCredit(uint256 buyerSeed, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        address buyer = _buyers[buyerSeed % _BUYERS];
        (uint256 credit, uint256 before) = (target.creditOf(buyer), buyer.balance);
        bytes memory call = abi.encodeCall(target.pushCredit, (buyer));
        VM.prank(address(0xbad));
        (bool isDone,) = address(target).call{gas: 1_000_000}(call);
        expect(buyer.balance - before == (isDone ? credit : 0), "to its owner");
        expect(target.creditOf(buyer) == (isDone ? 0 : credit), "whole or not at all");
    }

    function sweep(uint96 amount, uint8 which) external {
        CashbackDistributor target = _distributorAt(which);
        bool isFree = amount <= target.available();
        bool isDone = _attempt(address(target), abi.encodeCall(target.sweep, (_TREASURY, amount)));
        expect(isDone == isFree, "what is free, and no more");
    }

    function fund(uint64 amount) external {
        VM.deal(address(this), amount);
        _fund(amount);
    }

    /// CHZ that arrives without a call, as a block's reward does.
    function force(uint64 amount, uint8 which) external {
        address target = address(_distributorAt(which));
        VM.deal(target, target.balance + amount);
        _deposited += amount;
    }

    function pauseOrUnpause(bool isPause) external {
        bytes4 selector = isPause ? distributor.pause.selector : distributor.unpause.selector;
        _attempt(address(distributor), abi.encodeWithSelector(selector));
    }

    function nextDay(uint8 hoursLater) external {
        VM.warp(block.timestamp + uint256(hoursLater % 36) * 1 hours);
    }

    /*//////////////////////////////////////////////////////////////////////////
                                   WHAT MUST HOLD
    //////////////////////////////////////////////////////////////////////////*/

    /// What went in is what is there, what arrived at the buyers, what they withdrew and what was swept.
    function noWeiIsLostOrMade() external view {
        uint256 held;
        for (uint256 i; i < _distributors.length; ++i) {
            held += address(_distributors[i]).balance;
        }
        expect(_deposited == held + _received() + _WALLET.balance + _TREASURY.balance, "books");
    }

    /// What was accepted as payments is what arrived at the buyers, what they are credited and what they withdrew.
    function paymentsArriveOrAreCredited() external view {
        uint256 credits;
        for (uint256 i; i < _distributors.length; ++i) {
            credits += _distributors[i].totalCredit();
        }
        expect(_accepted == _received() + credits + _WALLET.balance, "payments");
    }

    /// The balance covers every credit, and the total is the sum of all credits.
    function creditsAreCovered() external view {
        for (uint256 k; k < _distributors.length; ++k) {
            CashbackDistributor one = _distributors[k];
            uint256 sum;
            for (uint256 i; i < _BUYERS; ++i) {
                sum += one.creditOf(_buyers[i]);
            }
            expect(sum == one.totalCredit(), "sum of credits");
            expect(address(one).balance >= sum, "covered");
            expect(one.available() == address(one).balance - sum, "available");
        }
    }

    /// A day's payments stay within the cap that holds while they are made.
    function dailyCapHolds() external view {
        expect(!_wasCapBroken, "daily cap");
    }

    /// Each purchase is paid once, by one distributor, at most value × percent × rate, under the cap of one payment.
    function paidOnceAndNeverTooMuch() external view {
        expect(!_wasPaidTwice, "once");
        expect(!_wasPaidAboveRate, "never too much");
        expect(!_hasRetiredPaid, "a retired one pays nothing");
    }

    /// What is true of each ticket.
    function everyTicketHolds() external {
        expect(!_wasPaidUnconfirmed, "only Confirmed ones are paid");
        for (uint256 i; i < _BUYERS; ++i) {
            address buyer = _buyers[i];
            expect(nft.balanceOf(buyer) + nft.burntOf(buyer) == _minted[buyer], "balance and burnt");
        }
        for (uint256 i = 1; i <= _lastId; ++i) {
            uint256 id = _ids[i];
            PackedPurchase ticket = nft.storedPurchaseOf(id);
            bool isPaid = distributor.isPaid(id);
            _paidMeansConfirmed(id, ticket, isPaid);
            _ownerStays(id, ticket);
            _nothingGoesBack(id, ticket, isPaid);
        }
    }

    /// @dev What was paid is Confirmed, or was and is Returned; reported payouts were paid; a successor knows what
    /// its predecessors paid.
    function _paidMeansConfirmed(uint256 id, PackedPurchase ticket, bool isPaid) private view {
        expect(isPaid == (_acceptedFor[id] != 0), "paid bit");
        bool isReturned = ticket.hasStatus(IPurchaseNFT.Status.Returned);
        if (isPaid) expect(ticket.hasStatus(IPurchaseNFT.Status.Confirmed) || isReturned, "confirmed");
    }

    /// @dev An id's owner never changes, until it burns it.
    function _ownerStays(uint256 id, PackedPurchase ticket) private view {
        expect(ticket.buyer() == (_isBurnt[id] ? address(0) : _firstOwner[id]), "owner");
        expect(nft.isMinted(id), "minted");
    }

    /// @dev Statuses and paid bits only move forward.
    function _nothingGoesBack(uint256 id, PackedPurchase ticket, bool isPaid) private {
        IPurchaseNFT.Status status = ticket.status();
        IPurchaseNFT.Status last = _lastStatus[id];
        bool isReturned = last == IPurchaseNFT.Status.Confirmed && status == IPurchaseNFT.Status.Returned;
        if (last > IPurchaseNFT.Status.Pending) expect(status == last || isReturned, "status");
        if (status != _lastStatus[id]) _lastStatus[id] = status;
        if (_wasPaid[id]) expect(isPaid, "a paid bit stays");
        else if (isPaid) _wasPaid[id] = true;
    }

    /// @dev What arrived: the balances of all buyers, as the chain has them.
    function _received() private view returns (uint256 sum) {
        for (uint256 i; i < _BUYERS; ++i) {
            sum += _buyers[i].balance;
        }
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      INTERNAL
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Spread over words, so that some share one and some do not.
    function _idOf(uint256 index) private pure returns (uint256) {
        return index * 7;
    }

    function _idAt(uint256 seed) private view returns (uint256) {
        return _ids[seed % (_lastId + 1)];
    }

    function _distributorAt(uint8 which) private view returns (CashbackDistributor) {
        // Mostly the one in office.
        return which < 200 ? distributor : _distributors[which % _distributors.length];
    }

    function _newBuyer(uint256 index) private returns (address) {
        if (index >= _HOSTILE) return address(uint160(0xb0b000 + index));
        uint256 kind = index % 5;
        if (kind == 0) return address(new RevertingReceiver());
        if (kind == 1) return address(new LoopingReceiver());
        if (kind == 2) return address(new ReturnBombReceiver(true));
        if (kind == 3) return address(new ReturnBombReceiver(false));
        bytes memory call = abi.encodeCall(ICashbackDistributor.withdrawCredit, (_WALLET));
        return address(new ReenteringReceiver(address(distributor), call, index % 2 == 0));
    }

    function _book(CashbackDistributor target, uint256 id, uint256 amount, uint256 rate) private {
        IPurchaseNFT.PurchaseRecord memory record = nft.purchaseOf(id);
        if (_acceptedFor[id] != 0) _wasPaidTwice = true;
        if (target.isRetired()) _hasRetiredPaid = true;
        if (record.status != IPurchaseNFT.Status.Confirmed) _wasPaidUnconfirmed = true;
        uint256 most = uint256(record.valueCents) * (record.baseBps + record.bonusBps) * rate / 10_000;
        if (amount > most || amount > _maxPayout || rate > _maxRate) _wasPaidAboveRate = true;
        _acceptedFor[id] = amount;
        _accepted += amount;
        uint256 day = block.timestamp / 1 days;
        // Over all generations: a successor takes over what was spent.
        _acceptedOn[day] += amount;
        if (_acceptedOn[day] > _dailyCap) _wasCapBroken = true;
    }

    function _fund(uint256 amount) private {
        (bool isDone,) = address(distributor).call{value: amount}("");
        expect(isDone, "anyone may fund");
        _deposited += amount;
    }

    function _attempt(address target, bytes memory data) private returns (bool isDone) {
        (isDone,) = target.call(data);
    }
}

/// @notice The invariants of all contracts, whatever happened in whatever order.
contract InvariantTest is TestSystem {
    Handler private _handler;

    function setUp() external {
        _handler = new Handler();
        _handler.fund(type(uint64).max);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_handler);
    }

    /// Checks all of them after every step: one run of steps proves more than a run for each.
    function invariant_whateverHappened() external {
        _handler.noWeiIsLostOrMade();
        _handler.paymentsArriveOrAreCredited();
        _handler.creditsAreCovered();
        _handler.dailyCapHolds();
        _handler.paidOnceAndNeverTooMuch();
        _handler.everyTicketHolds();
    }
}
