// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title IPurchaseNFT
/// @notice A receipt: one soulbound ERC-721 token a purchase. The token id is the purchase id, so a purchase can be
/// minted at most once: ERC-721 itself refuses the second mint.
interface IPurchaseNFT {
    /*//////////////////////////////////////////////////////////////////////////
                                       TYPES
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Where a purchase stands. It moves None → Pending → Confirmed or Cancelled, never back.
    enum Status {
        None,
        Pending,
        Confirmed,
        Cancelled
    }

    /// @notice What is minted. No personal data: a store's number, cents and an address.
    /// @param id The purchase id, which becomes the token id; not zero, below 2^160.
    /// @param buyer The wallet that bought and is paid.
    /// @param storeId The number of a registered store.
    /// @param valueCents The purchase value in cents of a Brazilian real; not zero.
    /// @param cashbackBps The store's cashback in basis points.
    /// @param bonusBps The fan-token bonus in basis points, on top of `cashbackBps`; both together at most 10,000.
    /// @param metadataUri Empty, or the address of metadata that replaces the ticket drawn on chain.
    struct Purchase {
        uint256 id;
        address buyer;
        uint16 storeId;
        uint40 valueCents;
        uint16 cashbackBps;
        uint16 bonusBps;
        string metadataUri;
    }

    /// @notice What the chain knows of a purchase.
    struct PurchaseRecord {
        address buyer;
        uint16 storeId;
        uint40 valueCents;
        uint16 cashbackBps;
        uint16 bonusBps;
        Status status;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice A purchase was minted, Pending.
    event PurchaseMinted(
        uint256 indexed tokenId,
        address indexed buyer,
        uint16 indexed storeId,
        uint40 valueCents,
        uint16 cashbackBps,
        uint16 bonusBps
    );

    /// @notice A purchase moved from one status to the next.
    event StatusUpdated(uint256 indexed tokenId, Status from, Status to);

    /// @notice A store was given its name.
    event StoreRegistered(uint16 indexed storeId, string name);

    /// @notice A store's name was changed; `BatchMetadataUpdate` follows.
    event StoreRenamed(uint16 indexed storeId, string name);

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The record of a purchase. Reverts for an id that was never minted.
    function purchaseOf(uint256 tokenId) external view returns (PurchaseRecord memory);

    /// @notice The name of a store, empty when it is not registered.
    function storeName(uint16 storeId) external view returns (string memory);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Mints one purchase to its buyer, Pending. Minter role.
    function mint(Purchase calldata purchase) external;

    /// @notice Mints several purchases; one that is refused reverts all. Minter role.
    function mintBatch(Purchase[] calldata purchases) external;

    /// @notice Moves Pending purchases to Confirmed. Confirmer role.
    function confirm(uint256[] calldata tokenIds) external;

    /// @notice Moves Pending purchases to Cancelled. Confirmer role.
    function cancel(uint256[] calldata tokenIds) external;

    /// @notice Names a new store, 1 to 40 bytes of valid UTF-8 without control characters. Catalogue role.
    function registerStore(uint16 storeId, string calldata name) external;

    /// @notice Changes the name of a registered store. Catalogue role.
    function renameStore(uint16 storeId, string calldata name) external;

    /// @notice Stops minting, confirming and cancelling. Pauser role.
    function pause() external;

    /// @notice Lets them go on. Admin.
    function unpause() external;
}
