// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Read together.
// solhint-disable avoid-low-level-calls, gas-custom-errors, no-complex-fallback, no-empty-blocks, no-inline-assembly
// solhint-disable reason-string

import {CashbackDistributor} from "../../../contracts/CashbackDistributor.sol";
import {ICashbackDistributor} from "../../../contracts/interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {PackedPurchase} from "../../../contracts/libraries/PackedPurchase.sol";

/// @title Actor
/// @notice Holds a role or a ticket, and calls what it is told to. Accepts CHZ.
contract Actor {
    receive() external payable virtual {}

    function call(address to, bytes calldata data) external returns (bool isDone) {
        (isDone,) = to.call(data);
    }
}

/// @title HostileActor
/// @notice Withdraws its credit while it is paid, and takes CHZ only if it gets that too.
contract HostileActor is Actor {
    address payable private constant _SINK = payable(address(0x51a4));

    receive() external payable override {
        (bool isDone,) = msg.sender.call(abi.encodeCall(ICashbackDistributor.withdrawCredit, (_SINK)));
        if (!isDone) revert();
    }
}

/// @title Explorer
/// @notice Tries every call by every actor from the current state, and tells which states they lead to and whether a
/// rule is broken there. A probe leaves nothing behind: each attempt is reverted.
contract Explorer {
    /// @notice A call that actors try. `target` is 0 for the tickets, `g` for generation `g` of the distributor.
    struct Attempt {
        uint256 target;
        bytes data;
    }

    /// @dev What the rules compare before and after a call.
    struct View {
        address[2] owners;
        uint256[2] statuses;
        uint256 paid;
        uint256 received;
        uint256 paidToday;
        uint256 deposits;
    }

    uint256 private constant _MAX_GENERATIONS = 3;

    /// @notice The two amounts that are paid. No sum of two of them is one of them.
    uint256 public constant SMALL = 5;
    uint256 public constant LARGE = 7;

    IPurchaseNFT public nft;
    CashbackDistributor[] public generations;
    Attempt[] public attempts;

    /// @notice Actors by number: admin, minter, confirmer, payer, treasurer, pauser, stranger, plain and hostile buyer.
    Actor[] public actors;
    address public immutable SINK;
    address private immutable _CODE;

    /// @dev What all buyers together had at the last midnight.
    uint256 private _receivedAtMidnight;

    /// @param code The distributor's creation code as deployed.
    constructor(address sink, bytes memory code) payable {
        SINK = sink;
        for (uint256 i; i < 8; ++i) {
            actors.push(new Actor());
        }
        actors.push(new HostileActor());
        // Kept as the code of an account, behind a STOP.
        bytes memory keeper = abi.encodePacked(hex"61", uint16(code.length + 1), hex"80600a3d393df300", code);
        address at;
        assembly ("memory-safe") {
            at := create(0, add(keeper, 0x20), mload(keeper))
        }
        _CODE = at;
    }

    function start(IPurchaseNFT tickets, ICashbackDistributor.Limits calldata limits) external {
        nft = tickets;
        _deploy(limits, ICashbackDistributor(address(0)));
    }

    function add(Attempt[] calldata more) external {
        for (uint256 i; i < more.length; ++i) {
            attempts.push(more[i]);
        }
    }

    /// @notice Does one step after the other for good: `actor << 16 | attempt`, or all bits set for a succession.
    function follow(uint256[] calldata steps) external {
        for (uint256 i; i < steps.length; ++i) {
            require(_step(steps[i]), "step");
        }
    }

    /// @notice To be called first thing on a new day.
    function startDay() external {
        _receivedAtMidnight = _received();
    }

    /// @notice For each step, 0 if nothing happens, otherwise the state it leads to, whose lowest byte names the broken
    /// rules.
    function probe(uint256[] calldata steps) external returns (bytes32[] memory states) {
        View memory before = _look();
        states = new bytes32[](steps.length);
        for (uint256 i; i < steps.length; ++i) {
            try this.tryStep(steps[i], before) {}
            catch (bytes memory answer) {
                states[i] = answer.length == 32 ? bytes32(answer) : bytes32(type(uint256).max);
            }
        }
    }

    /// @dev Reverts with the state if the call succeeds.
    function tryStep(uint256 step, View calldata before) external {
        if (!_step(step)) return;
        uint256 reached = uint256(this.state()) | _brokenRules(before, _look());
        assembly ("memory-safe") {
            mstore(0, reached)
            revert(0, 32)
        }
    }

    /// @notice Everything that storage and balances hold, hashed; the lowest byte is zero.
    function state() external view returns (bytes32) {
        bytes memory all = abi.encode(
            nft.storedPurchaseOf(1), nft.storedPurchaseOf(2), _isPaused(address(nft)), _paidToday(), generations.length
        );
        for (uint256 i; i < generations.length; ++i) {
            CashbackDistributor one = generations[i];
            all = bytes.concat(
                all,
                abi.encode(one.paidWord(0), one.limits(), one.spentToday(), one.isRetired(), one.paused()),
                abi.encode(one.totalCredit(), one.creditOf(_plain()), one.creditOf(_hostile()), address(one).balance)
            );
        }
        address treasurer = address(actors[4]);
        all = bytes.concat(all, abi.encode(_plain().balance, _hostile().balance, SINK.balance, treasurer.balance));
        return keccak256(all) & ~bytes32(uint256(0xff));
    }

    /// @notice What was paid since the last midnight.
    function paidToday() external view returns (uint256) {
        return _paidToday();
    }

    function _step(uint256 step) private returns (bool) {
        if (step == type(uint256).max) return _succeed();
        Attempt storage one = attempts[step & 0xffff];
        if (one.target > generations.length) return false;
        address to = one.target == 0 ? address(nft) : address(generations[one.target - 1]);
        return actors[step >> 16].call(to, one.data);
    }

    function _succeed() private returns (bool) {
        ICashbackDistributor last = generations[generations.length - 1];
        if (generations.length == _MAX_GENERATIONS || !last.isRetired()) return false;
        // The predecessor's limits are taken over.
        _deploy(ICashbackDistributor.Limits(0, 0, 0), last);
        return true;
    }

    function _deploy(ICashbackDistributor.Limits memory limits, ICashbackDistributor last) private {
        bytes memory code = bytes.concat(_creationCode(), abi.encode(actors[0], uint48(0), nft, limits, last));
        address at;
        assembly ("memory-safe") {
            at := create(0, add(code, 0x20), mload(code))
        }
        require(at != address(0), "not deployed");
        CashbackDistributor one = CashbackDistributor(payable(at));
        generations.push(one);
        _grant(one, one.PAYER_ROLE(), 3);
        _grant(one, one.TREASURER_ROLE(), 4);
        _grant(one, one.PAUSER_ROLE(), 5);
        (bool isFunded,) = at.call{value: 20}("");
        require(isFunded, "not funded");
    }

    function _grant(CashbackDistributor one, bytes32 role, uint256 actor) private {
        require(actors[0].call(address(one), abi.encodeCall(one.grantRole, (role, address(actors[actor])))), "grant");
    }

    function _creationCode() private view returns (bytes memory code) {
        address from = _CODE;
        uint256 length = from.code.length - 1;
        code = new bytes(length);
        assembly ("memory-safe") {
            extcodecopy(from, add(code, 0x20), 1, length)
        }
    }

    function _look() private view returns (View memory seen) {
        for (uint256 i; i < 2; ++i) {
            PackedPurchase one = nft.storedPurchaseOf(i + 1);
            seen.owners[i] = one.buyer();
            seen.statuses[i] = uint256(one.status());
        }
        for (uint256 i; i < generations.length; ++i) {
            seen.paid |= generations[i].paidWord(0);
            seen.deposits += address(generations[i]).balance;
        }
        seen.received = _received();
        seen.paidToday = _paidToday();
        seen.deposits += _plain().balance + _hostile().balance + SINK.balance + address(actors[4]).balance;
        seen.deposits -= 20 * generations.length;
    }

    /// @dev One bit for each rule; docs/contracts.md lists them.
    function _brokenRules(View calldata before, View memory later) private view returns (uint256 broken) {
        uint256 paidIds = (later.paid >> 1 & 1) + (later.paid >> 2 & 1);
        if (!_isSumOf(later.received, paidIds)) broken |= 1;
        if (!_areCreditsCovered()) broken |= 2;
        uint256 dailyCap = generations[generations.length - 1].limits().dailyCap;
        if (later.received > before.received && later.paidToday > dailyCap) broken |= 4;
        for (uint256 i; i < 2; ++i) {
            bool isPaid = later.paid >> (i + 1) & 1 == 1;
            // It moves only into nothing, and only once it is paid, Cancelled or Returned.
            bool isOver = isPaid || later.statuses[i] > 2;
            bool isBurnt = later.owners[i] == address(0) && isOver;
            if (before.owners[i] != address(0) && later.owners[i] != before.owners[i] && !isBurnt) broken |= 8;
            if (before.owners[i] == address(0) && before.statuses[i] != 0 && later.owners[i] != address(0)) broken |= 8;
            bool isMonotone = later.statuses[i] == before.statuses[i]
                || (before.statuses[i] == 0 && later.statuses[i] == 1)
                || (before.statuses[i] == 1 && (later.statuses[i] == 2 || later.statuses[i] == 3))
                || (before.statuses[i] == 2 && later.statuses[i] == 4);
            // Paid while Confirmed, and only then.
            bool isPaidAnew = isPaid && before.paid >> (i + 1) & 1 == 0;
            bool isRightlyPaid = !isPaid || later.statuses[i] == 2 || later.statuses[i] == 4;
            if (!isMonotone || !isRightlyPaid || (isPaidAnew && later.statuses[i] != 2)) broken |= 16;
        }
        if (before.paid & ~later.paid != 0) broken |= 32;
        if (later.deposits != before.deposits) broken |= 64;
    }

    /// @dev Whether that many payments of either amount make `sum`.
    function _isSumOf(uint256 sum, uint256 payments) private pure returns (bool) {
        for (uint256 large; large <= payments; ++large) {
            if (sum == large * LARGE + (payments - large) * SMALL) return true;
        }
        return false;
    }

    function _areCreditsCovered() private view returns (bool) {
        for (uint256 i; i < generations.length; ++i) {
            CashbackDistributor one = generations[i];
            uint256 credit = one.totalCredit();
            if (address(one).balance < credit) return false;
            if (credit != one.creditOf(_plain()) + one.creditOf(_hostile())) return false;
        }
        return true;
    }

    /// @dev What buyers have, can withdraw, or have withdrawn.
    function _received() private view returns (uint256 sum) {
        sum = _plain().balance + _hostile().balance + SINK.balance;
        for (uint256 i; i < generations.length; ++i) {
            sum += generations[i].totalCredit();
        }
    }

    function _paidToday() private view returns (uint256) {
        return _received() - _receivedAtMidnight;
    }

    function _isPaused(address one) private view returns (bool) {
        return CashbackDistributor(payable(one)).paused();
    }

    function _plain() private view returns (address) {
        return address(actors[7]);
    }

    function _hostile() private view returns (address) {
        return address(actors[8]);
    }
}
