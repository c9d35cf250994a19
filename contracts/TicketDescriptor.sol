// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibCall} from "solady/src/utils/LibCall.sol";

import {ICashbackDistributor} from "./interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "./interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "./interfaces/ITicketDescriptor.sol";
import {TicketArt} from "./libraries/TicketArt.sol";
import {TicketMetadata} from "./libraries/TicketMetadata.sol";

/// @title TicketDescriptor
/// @notice See {ITicketDescriptor}. Draws each ticket as an SVG inside JSON, both base64-encoded, and asks the tickets
/// for their store's look and their distributor whether it is paid. Has no state and no owner.
contract TicketDescriptor is ITicketDescriptor {
    /// @dev The most gas of each question; the answer of a distributor with many predecessors needs less.
    uint256 private constant _QUESTION_GAS = 200_000;

    uint256 private constant _WORD = 32;

    /// @inheritdoc ITicketDescriptor
    function tokenURI(Ticket calldata ticket) external view returns (string memory) {
        return TicketMetadata.tokenURI(ticket, TicketArt.ticket(ticket, _lookOf(ticket), _isPaid(ticket.id)));
    }

    /// @inheritdoc ITicketDescriptor
    function contractURI(Collection calldata collection) external pure returns (string memory) {
        return TicketMetadata.contractURI(collection, TicketArt.emblem());
    }

    /// @dev The store's look as the caller says it; its first colour alone if the caller does not answer.
    function _lookOf(Ticket calldata ticket) private view returns (IPurchaseNFT.StoreLook memory) {
        bytes memory answer = _ask(msg.sender, 3, abi.encodeCall(IPurchaseNFT.storeLook, (ticket.purchase.storeId)));
        (, uint256 second, uint256 pattern) = abi.decode(answer, (uint256, uint256, uint256));
        // The casts are safe: a wrong answer only draws other colours.
        return IPurchaseNFT.StoreLook({first: ticket.storeColour, second: uint24(second), pattern: uint8(pattern)});
    }

    /// @dev Whether the caller's distributor says so; false if the caller names none, or it does not answer.
    function _isPaid(uint256 id) private view returns (bool) {
        uint256 distributor = _word(msg.sender, abi.encodeCall(IPurchaseNFT.distributor, ()));
        // The cast is safe: only the answer of an address is cast to one, and a wrong one only draws another word.
        return _word(address(uint160(distributor)), abi.encodeCall(ICashbackDistributor.isPaid, (id))) == 1;
    }

    /// @dev The one word that a contract answers.
    function _word(address target, bytes memory call) private view returns (uint256) {
        return abi.decode(_ask(target, 1, call), (uint256));
    }

    /// @dev The words that a contract answers; zeros if it has no code, reverts or answers more or less.
    function _ask(address target, uint256 words, bytes memory call) private view returns (bytes memory) {
        uint256 size = words * _WORD;
        // The cast is safe: an answer has at most three words.
        (bool isDone, bool isTooLong, bytes memory answer) =
            LibCall.tryStaticCall(target, _QUESTION_GAS, uint16(size), call);
        return isDone && !isTooLong && answer.length == size ? answer : new bytes(size);
    }
}
