// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "./IPurchaseNFT.sol";

/// @title ITicketDescriptor
/// @notice Draws tickets. It receives a ticket's data, may ask its caller for more (such as the store's look, or the
/// distributor, for the paid bit), and holds no state of its own, so it can be replaced without changing a ticket. Its
/// output is for display only; payments use what {IPurchaseNFT} stores.
interface ITicketDescriptor {
    /// @notice The data of a ticket.
    /// @param id The purchase id, which is the token id.
    /// @param purchase The on-chain record of the purchase.
    /// @param storeName The store's current name.
    /// @param storeColour The store's colour as 0xRRGGBB; 0 if it has none.
    /// @param siteUrl The site that `external_url` points to; only scheme and host count.
    struct Ticket {
        uint256 id;
        IPurchaseNFT.PurchaseRecord purchase;
        string storeName;
        uint24 storeColour;
        string siteUrl;
    }

    /// @notice All data of the collection.
    /// @param name The collection's name.
    /// @param symbol The collection's symbol.
    /// @param siteUrl The site that `external_link` points to; only scheme and host count.
    struct Collection {
        string name;
        string symbol;
        string siteUrl;
    }

    /// @notice A ticket's metadata, including its image, as a URI.
    function tokenURI(Ticket calldata ticket) external view returns (string memory);

    /// @notice The collection's metadata (ERC-7572), including its image, as a URI.
    function contractURI(Collection calldata collection) external view returns (string memory);
}
