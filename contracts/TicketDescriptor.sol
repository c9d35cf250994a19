// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ITicketDescriptor} from "./interfaces/ITicketDescriptor.sol";
import {TicketArt} from "./libraries/TicketArt.sol";
import {TicketMetadata} from "./libraries/TicketMetadata.sol";

/// @title TicketDescriptor
/// @notice See {ITicketDescriptor}. Draws each ticket as an SVG inside JSON, both base64-encoded. Has no state and no
/// owner.
contract TicketDescriptor is ITicketDescriptor {
    /// @inheritdoc ITicketDescriptor
    function tokenURI(Ticket calldata ticket) external pure returns (string memory) {
        return TicketMetadata.tokenURI(ticket, TicketArt.ticket(ticket));
    }

    /// @inheritdoc ITicketDescriptor
    function contractURI(Collection calldata collection) external pure returns (string memory) {
        return TicketMetadata.contractURI(collection, TicketArt.emblem());
    }
}
