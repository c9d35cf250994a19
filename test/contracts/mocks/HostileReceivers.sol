// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Hostile on purpose.
// solhint-disable avoid-low-level-calls, no-complex-fallback

import {ICashbackDistributor} from "../../../contracts/interfaces/ICashbackDistributor.sol";

/// @title RevertingReceiver
/// @notice Refuses CHZ until told otherwise, then can take its credit.
contract RevertingReceiver {
    bool public isWilling;

    error Unwilling();

    receive() external payable {
        if (!isWilling) revert Unwilling();
    }

    function becomeWilling() external {
        isWilling = true;
    }

    function withdraw(ICashbackDistributor distributor, address payable to) external {
        distributor.withdrawCredit(to);
    }
}

/// @title LoopingReceiver
/// @notice Burns all the gas it is given.
contract LoopingReceiver {
    uint256 public turns;

    receive() external payable {
        while (true) ++turns;
    }
}

/// @title ReturnBombReceiver
/// @notice Takes CHZ, or refuses it, with as much return data as its gas can buy.
contract ReturnBombReceiver {
    bool private immutable _REFUSES;

    constructor(bool refuses) {
        _REFUSES = refuses;
    }

    receive() external payable {
        bool refuses = _REFUSES;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            if refuses { revert(0, 80000) }
            return(0, 80000)
        }
    }
}

/// @title ReenteringReceiver
/// @notice Calls the distributor back with prepared data while it is paid, and requires success or ignores failure.
contract ReenteringReceiver {
    address private immutable _DISTRIBUTOR;
    bytes private _payload;
    bool private immutable _INSISTS;

    event CallBackRefused();

    error CallBackFailed();

    constructor(address distributor, bytes memory payload, bool insists) {
        _DISTRIBUTOR = distributor;
        _payload = payload;
        _INSISTS = insists;
    }

    receive() external payable {
        (bool isDone,) = _DISTRIBUTOR.call(_payload);
        if (!isDone && _INSISTS) revert CallBackFailed();
        if (!isDone) emit CallBackRefused();
    }

    function setPayload(bytes calldata payload) external {
        _payload = payload;
    }

    function callDistributor() external {
        (bool isDone,) = _DISTRIBUTOR.call(_payload);
        if (!isDone) revert CallBackFailed();
    }
}

/// @title BalanceReader
/// @notice Reads the distributor's books while it is paid, and rejects the transfer if they are inconsistent.
contract BalanceReader {
    ICashbackDistributor private immutable _DISTRIBUTOR;
    uint256 private immutable _PURCHASE_ID;

    error BooksOutOfOrder();

    constructor(ICashbackDistributor distributor, uint256 purchaseId) {
        _DISTRIBUTOR = distributor;
        _PURCHASE_ID = purchaseId;
    }

    receive() external payable {
        if (!_DISTRIBUTOR.isPaid(_PURCHASE_ID)) revert BooksOutOfOrder();
        if (_DISTRIBUTOR.spentToday() < msg.value) revert BooksOutOfOrder();
        if (address(_DISTRIBUTOR).balance < _DISTRIBUTOR.totalCredit()) revert BooksOutOfOrder();
    }
}

/// @title HungryReceiver
/// @notice Takes CHZ with code that needs far more gas than a batch forwards, as a multisig's may.
contract HungryReceiver {
    uint256[5] public slots;

    receive() external payable {
        for (uint256 i; i < slots.length; ++i) {
            slots[i] = msg.value;
        }
    }
}

/// @title MeteringReceiver
/// @notice Records the gas it has on arrival, and takes the CHZ.
contract MeteringReceiver {
    uint256 public gasOnArrival;

    receive() external payable {
        gasOnArrival = gasleft();
    }
}

/// @title CreditReader
/// @notice Rejects payouts, withdraws its credit to itself, and requires the books to be updated before anything is
/// sent.
contract CreditReader {
    ICashbackDistributor private immutable _DISTRIBUTOR;
    bool private _isWithdrawing;

    error CreditStillOpen();
    error Unwilling();

    constructor(ICashbackDistributor distributor) {
        _DISTRIBUTOR = distributor;
    }

    receive() external payable {
        if (!_isWithdrawing) revert Unwilling();
        if (_DISTRIBUTOR.creditOf(address(this)) != 0 || _DISTRIBUTOR.totalCredit() != 0) revert CreditStillOpen();
    }

    function withdraw() external {
        _isWithdrawing = true;
        _DISTRIBUTOR.withdrawCredit(payable(address(this)));
    }
}

/// @title Funder
/// @notice Forwards CHZ on behalf of someone else.
contract Funder {
    error Refused();

    function fund(address to) external payable {
        (bool isDone,) = to.call{value: msg.value}("");
        if (!isDone) revert Refused();
    }
}

/// @title FalsePredecessor
/// @notice Responds like a distributor whose paid bits are all set.
contract FalsePredecessor {
    address public immutable purchaseNFT;
    bool public immutable isRetired;

    constructor(address tickets, bool retired) {
        purchaseNFT = tickets;
        isRetired = retired;
    }

    function paidWord(uint256) external pure returns (uint256) {
        return type(uint256).max;
    }
}
