// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {TicketText} from "./TicketText.sol";

/// @title TicketArt
/// @notice Draws a purchase as a match ticket.
library TicketArt {
    using LibString for *;

    /// @notice The ticket as an SVG document: no script, no external reference.
    function ticket(uint256 tokenId, IPurchaseNFT.PurchaseRecord memory purchase, string memory store)
        internal
        pure
        returns (string memory)
    {
        return string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><rect width="600" height="600" fill="#0b3d2e"/>',
            '<text x="40" y="120" font-size="40" fill="#f7f3e8">',
            store.escapeHTML(),
            '</text><text x="40" y="220" font-size="40" fill="#f7f3e8">',
            TicketText.reais(purchase.valueCents),
            '</text><text x="40" y="320" font-size="40" fill="#f7f3e8">',
            TicketText.percent(uint256(purchase.cashbackBps) + purchase.bonusBps),
            '</text><text x="40" y="420" font-size="40" fill="#f7f3e8">',
            TicketText.status(purchase.status),
            '</text><text x="40" y="520" font-size="40" fill="#f7f3e8">',
            tokenId.toString(),
            "</text></svg>"
        );
    }

    /// @notice The collection's picture.
    function emblem() internal pure returns (string memory) {
        return
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><rect width="600" height="600" fill="#0b3d2e"/></svg>';
    }
}
