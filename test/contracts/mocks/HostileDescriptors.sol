// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "../../../contracts/interfaces/ITicketDescriptor.sol";

// Hostile on purpose.
// solhint-disable no-complex-fallback, payable-fallback, no-inline-assembly

/// @title AnsweringDescriptor
/// @notice Returns the same bytes for every call.
contract AnsweringDescriptor {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback() external {
        bytes memory answer = _answer;
        assembly ("memory-safe") {
            return(add(answer, 32), mload(answer))
        }
    }
}

/// @title RevertingDescriptor
/// @notice Reverts every call with data that looks like a result.
contract RevertingDescriptor {
    fallback() external {
        bytes memory answer = abi.encode("data:application/json;base64,e30=");
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}

/// @title BurningDescriptor
/// @notice Burns all the gas it is given.
contract BurningDescriptor {
    fallback() external {
        assembly ("memory-safe") {
            invalid()
        }
    }
}

/// @title BombDescriptor
/// @notice Returns a string of zeros of a given length.
contract BombDescriptor {
    uint256 private immutable _LENGTH;

    constructor(uint256 length) {
        _LENGTH = length;
    }

    fallback() external {
        uint256 length = _LENGTH;
        assembly ("memory-safe") {
            mstore(0, 32)
            mstore(32, length)
            // Zeros, whatever stood in memory: there is no data behind the call's end.
            calldatacopy(64, calldatasize(), length)
            return(0, add(64, length))
        }
    }
}

/// @title EchoDescriptor
/// @notice Not hostile: returns its input as text.
contract EchoDescriptor is ITicketDescriptor {
    using LibString for *;

    function tokenURI(Ticket calldata ticket) external pure returns (string memory) {
        IPurchaseNFT.PurchaseRecord calldata purchase = ticket.purchase;
        string memory record = string.concat(
            purchase.buyer.toHexString(),
            ",",
            uint256(purchase.storeId).toString(),
            ",",
            uint256(purchase.valueCents).toString(),
            ",",
            uint256(purchase.baseBps).toString(),
            ",",
            uint256(purchase.bonusBps).toString(),
            ",",
            uint256(purchase.status).toString()
        );
        return string.concat(
            ticket.id.toString(),
            ",",
            record,
            ",",
            ticket.storeName.lower(),
            ",",
            uint256(ticket.storeColour).toString(),
            ",",
            ticket.siteUrl
        );
    }

    function contractURI(Collection calldata collection) external pure returns (string memory) {
        return string.concat(collection.name, ",", collection.symbol, ",", collection.siteUrl);
    }
}

/// @title PaidSayer
/// @notice Says of every ticket that it is paid.
contract PaidSayer {
    function isPaid(uint256) external pure returns (bool) {
        return true;
    }
}
