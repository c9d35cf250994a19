// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {PackedPurchase} from "../libraries/PackedPurchase.sol";
import {ITicketDescriptor} from "./ITicketDescriptor.sol";

/// @title IPurchaseNFT
/// @notice A ticket: one soulbound ERC-721 token a purchase. The token id is the purchase id, so a purchase can be
/// minted at most once: ERC-721 itself refuses the second mint. Beside ERC-721 it speaks ERC-4906 (metadata changes),
/// ERC-5192 (soulbound) and ERC-7572 (collection metadata).
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
    /// @param buyer The wallet that bought and is paid.
    /// @param id The purchase id, which becomes the token id; not zero, below 2^160.
    /// @param valueCents The purchase value in cents of a Brazilian real; not zero.
    /// @param cashbackBps The store's cashback in basis points.
    /// @param bonusBps The fan-token bonus in basis points, on top of `cashbackBps`; both together 1 to 10,000.
    /// @param storeId The number of a registered store.
    /// @param metadataUri Empty, or the https or ipfs address of metadata that replaces the ticket drawn on chain; at most
    /// 1,024 bytes.
    /// @dev The fields stand in the order in which they are stored, which also gives `mint` one of the lowest selectors:
    /// a call looks its function up from the lowest one on, 22 gas each.
    struct Purchase {
        address buyer;
        uint256 id;
        uint40 valueCents;
        uint16 cashbackBps;
        uint16 bonusBps;
        uint16 storeId;
        string metadataUri;
    }

    /// @notice What the chain knows of a purchase.
    /// @param buyer The wallet that bought and is paid; the token's owner, for ever.
    /// @param storeId The number of the store.
    /// @param valueCents The purchase value in cents of a Brazilian real.
    /// @param cashbackBps The store's cashback in basis points.
    /// @param bonusBps The fan-token bonus in basis points, on top of `cashbackBps`.
    /// @param status Where the purchase stands.
    struct PurchaseRecord {
        address buyer;
        uint16 storeId;
        uint40 valueCents;
        uint16 cashbackBps;
        uint16 bonusBps;
        Status status;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                       ERRORS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice A purchase id is zero, or 2^160 or more.
    error InvalidPurchaseId(uint256 id);

    /// @notice The purchase was minted before.
    error AlreadyMinted(uint256 id);

    /// @notice The zero address cannot buy.
    error InvalidBuyer(uint256 id);

    /// @notice The store was never registered.
    error UnknownStore(uint16 storeId);

    /// @notice A purchase without a value earns nothing.
    error ZeroValue(uint256 id);

    /// @notice A purchase without a percent could never be paid.
    error ZeroPercent(uint256 id);

    /// @notice Cashback and bonus together are above 100 %.
    error PercentTooHigh(uint256 id, uint256 totalBps, uint256 maxBps);

    /// @notice The metadata address is longer than it may be.
    error MetadataUriTooLong(uint256 id, uint256 length, uint256 maxLength);

    /// @notice The metadata address is neither an https nor an ipfs address.
    error InvalidMetadataUri(uint256 id, bytes metadataUri);

    /// @notice No token has this id.
    error UnknownPurchase(uint256 tokenId);

    /// @notice Only a Pending purchase can be confirmed or cancelled.
    error NotPending(uint256 tokenId, Status status);

    /// @notice A batch holds nothing, or more than it may.
    error InvalidBatchSize(uint256 size, uint256 maxSize);

    /// @notice The store is registered already; rename it instead.
    error StoreAlreadyRegistered(uint16 storeId);

    /// @notice A store's name is not what {PlainText-isName} takes, or longer than 40 bytes.
    error InvalidStoreName(bytes name);

    /// @notice The site's address is no http or https address of at most 200 bytes.
    error InvalidSiteUrl(bytes siteUrl);

    /// @notice A ticket stays with its buyer: it cannot be sent, and nobody can be allowed to send it.
    error Soulbound();

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

    /// @notice A purchase was minted with metadata of its own.
    event MetadataUriSet(uint256 indexed tokenId, string metadataUri);

    /// @notice A purchase moved from one status to the next.
    event StatusUpdated(uint256 indexed tokenId, Status from, Status to);

    /// @notice A store was given its name.
    event StoreRegistered(uint16 indexed storeId, string name);

    /// @notice A store's name was changed; `BatchMetadataUpdate` follows.
    event StoreRenamed(uint16 indexed storeId, string name);

    /// @notice A store was given a colour, 0xRRGGBB, or none (0); `BatchMetadataUpdate` follows.
    event StoreColourSet(uint16 indexed storeId, uint24 colour);

    /// @notice Another contract draws the tickets; `BatchMetadataUpdate` and `ContractURIUpdated` follow.
    event DescriptorSet(address indexed descriptor);

    /// @notice The site's address was changed; `BatchMetadataUpdate` and `ContractURIUpdated` follow.
    event SiteUrlSet(string siteUrl);

    /// @notice ERC-5192: the token cannot be moved. Emitted at mint.
    event Locked(uint256 tokenId);

    /// @notice ERC-4906: a token's metadata changed.
    event MetadataUpdate(uint256 _tokenId);

    /// @notice ERC-4906: the metadata of a range of tokens changed.
    event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId);

    /// @notice ERC-7572: the collection's metadata changed.
    event ContractURIUpdated();

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The record of a purchase. Reverts for an id that was never minted.
    function purchaseOf(uint256 tokenId) external view returns (PurchaseRecord memory);

    /// @notice A purchase in one word, as it is stored; zero for an id that was never minted.
    function storedPurchaseOf(uint256 tokenId) external view returns (PackedPurchase);

    /// @notice Several purchases, each in one word as it is stored; zero for an id that was never minted. For contracts,
    /// which save most of a lookup's price this way.
    /// @param items Each holds an id above its lowest 96 bits, which are the caller's and are not looked at.
    function purchasesOfItems(uint256[] calldata items) external view returns (PackedPurchase[] memory);

    /// @notice The name of a store, empty when it is not registered.
    function storeName(uint16 storeId) external view returns (string memory);

    /// @notice The colour of a store, 0xRRGGBB; 0 where it has none and the descriptor chooses.
    function storeColour(uint16 storeId) external view returns (uint24);

    /// @notice ERC-5192: true for every purchase. Reverts for an id that was never minted.
    function locked(uint256 tokenId) external view returns (bool);

    /// @notice ERC-7572: the collection's metadata as a `data:` address.
    function contractURI() external view returns (string memory);

    /// @notice Where `external_url` of every token points to.
    function siteUrl() external view returns (string memory);

    /// @notice What draws the tickets.
    function descriptor() external view returns (ITicketDescriptor);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Mints one purchase to its buyer, Pending. Minter role, not while paused.
    function mint(Purchase calldata purchase) external;

    /// @notice Mints 1 to `MAX_BATCH` purchases; one that is refused reverts all. Minter role, not while paused.
    function mintBatch(Purchase[] calldata purchases) external;

    /// @notice Moves 1 to `MAX_BATCH` Pending purchases to Confirmed. Confirmer role. Stays open while paused: what a
    /// confirmation leads to, the payment, is the distributor's to stop, and this call is the product's most frequent.
    function confirm(uint256[] calldata tokenIds) external;

    /// @notice Moves 1 to `MAX_BATCH` Pending purchases to Cancelled. Confirmer role, not while paused.
    function cancel(uint256[] calldata tokenIds) external;

    /// @notice Names a new store: 1 to 40 bytes that {PlainText-isName} takes. Catalogue role.
    function registerStore(uint16 storeId, string calldata name) external;

    /// @notice Changes the name of a registered store. Catalogue role.
    function renameStore(uint16 storeId, string calldata name) external;

    /// @notice Gives a registered store the colour of its tickets' edge, 0xRRGGBB, or none (0). Catalogue role.
    function setStoreColour(uint16 storeId, uint24 newColour) external;

    /// @notice Has another contract draw the tickets, or none (the zero address). It cannot touch a purchase. Admin.
    function setDescriptor(ITicketDescriptor newDescriptor) external;

    /// @notice Changes where `external_url` points to. Admin.
    function setSiteUrl(string calldata newSiteUrl) external;

    /// @notice Stops minting and cancelling. Pauser role.
    function pause() external;

    /// @notice Lets them go on. Admin.
    function unpause() external;
}
