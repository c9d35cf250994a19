// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "./IPurchaseNFT.sol";

/// @title ITicketDescriptor
/// @notice Draws tickets. It is handed everything that a ticket says and holds no state of its own, so that it can be
/// replaced without touching a ticket. What it answers is shown; purchases are paid by what {IPurchaseNFT} stores.
interface ITicketDescriptor {
    /// @notice Everything that a ticket says.
    /// @param id The purchase id, which is the token id.
    /// @param purchase What the chain knows of the purchase.
    /// @param storeName The store's present name.
    /// @param storeColour The store's colour, 0xRRGGBB; 0 where it has none.
    /// @param siteUrl Where `external_url` points to.
    struct Ticket {
        uint256 id;
        IPurchaseNFT.PurchaseRecord purchase;
        string storeName;
        uint24 storeColour;
        string siteUrl;
    }

    /// @notice What the collection says.
    /// @param name The collection's name.
    /// @param symbol The collection's symbol.
    /// @param siteUrl Where `external_link` points to.
    struct Collection {
        string name;
        string symbol;
        string siteUrl;
    }

    /// @notice A ticket's metadata, picture included, as an address.
    function tokenURI(Ticket calldata ticket) external view returns (string memory);

    /// @notice The collection's metadata (ERC-7572), picture included, as an address.
    function contractURI(Collection calldata collection) external view returns (string memory);
}
