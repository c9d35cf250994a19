// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {Base64} from "solady/src/utils/Base64.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {TicketArt} from "../libraries/TicketArt.sol";

/// @title TicketPainter
/// @notice Draws a ticket and nothing else, so that the bench can say what the drawing costs.
contract TicketPainter {
    function draw(uint256 tokenId, IPurchaseNFT.PurchaseRecord calldata purchase, string calldata store)
        external
        pure
        returns (string memory)
    {
        return Base64.encode(bytes(TicketArt.ticket(tokenId, purchase, store)));
    }
}
