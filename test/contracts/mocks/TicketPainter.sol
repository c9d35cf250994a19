// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Base64} from "solady/src/utils/Base64.sol";

import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "../../../contracts/interfaces/ITicketDescriptor.sol";
import {TicketArt} from "../../../contracts/libraries/TicketArt.sol";

/// @title TicketPainter
/// @notice Draws a ticket and nothing else, so that the benchmark can measure the cost of drawing.
contract TicketPainter {
    function draw(ITicketDescriptor.Ticket calldata ticket) external pure returns (string memory) {
        IPurchaseNFT.StoreLook memory look;
        look.first = ticket.storeColour;
        return Base64.encode(bytes(TicketArt.ticket(ticket, look, false)));
    }
}
