// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {PackedPurchase} from "../libraries/PackedPurchase.sol";
import {ITicketDescriptor} from "./ITicketDescriptor.sol";

/// @title IPurchaseNFT
/// @notice A ticket: one soulbound ERC-721 token per purchase. The token id is the purchase id, so a purchase can be
/// minted at most once: a token id cannot be minted twice. Besides ERC-721 it supports ERC-4906 (metadata updates),
/// ERC-5192 (soulbound) and ERC-7572 (collection metadata).
interface IPurchaseNFT {
    /*//////////////////////////////////////////////////////////////////////////
                                       TYPES
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The status of a purchase. It moves None → Pending → Confirmed or Cancelled, never back.
    enum Status {
        None,
        Pending,
        Confirmed,
        Cancelled
    }

    /// @notice The input to a mint. Contains no personal data: only a wallet address, ids and amounts.
    /// @param saleRef A keyed hash of the network's sale, shared by all its tickets and meaningless without the
    /// operator's key; zero without a sale. Only emitted, not stored.
    /// @param valueCents The purchase value in cents of a Brazilian real; non-zero.
    /// @param buyer The buyer's wallet, which receives the cashback.
    /// @param id The purchase id, used as the token id; non-zero and below 2^160.
    /// @param cashbackBps The store's cashback in basis points.
    /// @param bonusBps The fan-token bonus in basis points, on top of `cashbackBps`; their sum is 1 to 10,000.
    /// @param storeId The id of a registered store.
    /// @dev The order of the fields gives `mint` and `mintBatch` low selectors. The dispatcher compares selectors from
    /// the lowest up, at 22 gas each.
    struct Purchase {
        uint64 saleRef;
        uint40 valueCents;
        address buyer;
        uint256 id;
        uint16 cashbackBps;
        uint16 bonusBps;
        uint16 storeId;
    }

    /// @notice The on-chain record of a purchase.
    /// @param buyer The buyer's wallet, which receives the cashback; permanently the token's owner.
    /// @param storeId The id of the store.
    /// @param valueCents The purchase value in cents of a Brazilian real.
    /// @param cashbackBps The store's cashback in basis points.
    /// @param bonusBps The fan-token bonus in basis points, on top of `cashbackBps`.
    /// @param status The status of the purchase.
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

    /// @notice The purchase id is zero, or 2^160 or more.
    error PurchaseNFT_InvalidPurchaseId(uint256 id);

    /// @notice The purchase is already minted.
    error PurchaseNFT_AlreadyMinted(uint256 id);

    /// @notice The buyer cannot be the zero address.
    error PurchaseNFT_InvalidBuyer(uint256 id);

    /// @notice The store is not registered.
    error PurchaseNFT_UnknownStore(uint16 storeId);

    /// @notice The purchase value is zero.
    error PurchaseNFT_ZeroValue(uint256 id);

    /// @notice Cashback and bonus are both zero, so nothing could ever be paid.
    error PurchaseNFT_ZeroPercent(uint256 id);

    /// @notice The sum of cashback and bonus exceeds 100 %.
    error PurchaseNFT_PercentTooHigh(uint256 id, uint256 totalBps, uint256 maxBps);

    /// @notice A batch has some metadata URIs, but not one for each purchase.
    error PurchaseNFT_InvalidMetadataUriCount(uint256 count, uint256 purchases);

    /// @notice The metadata URI exceeds the maximum length.
    error PurchaseNFT_MetadataUriTooLong(uint256 id, uint256 length, uint256 maxLength);

    /// @notice The metadata URI is neither a valid https nor a valid ipfs URI.
    error PurchaseNFT_InvalidMetadataUri(uint256 id, bytes metadataUri);

    /// @notice No token has this id.
    error PurchaseNFT_UnknownPurchase(uint256 tokenId);

    /// @notice Only a Pending purchase can be confirmed or cancelled.
    error PurchaseNFT_NotPending(uint256 tokenId, Status status);

    /// @notice The batch is empty or exceeds the maximum size.
    error PurchaseNFT_InvalidBatchSize(uint256 size, uint256 maxSize);

    /// @notice The store is already registered; rename it instead.
    error PurchaseNFT_StoreAlreadyRegistered(uint16 storeId);

    /// @notice The store name is not accepted by {PlainText-isName}, with 40 letters and 160 bytes at most.
    error PurchaseNFT_InvalidStoreName(bytes name);

    /// @notice The site URL is not a valid http or https URL of at most 200 bytes.
    error PurchaseNFT_InvalidSiteUrl(bytes siteUrl);

    /// @notice Tickets are soulbound: they can be neither transferred nor approved.
    error PurchaseNFT_Soulbound();

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice A purchase was minted with status Pending.
    event PurchaseMinted(
        uint256 indexed tokenId,
        address indexed buyer,
        uint16 indexed storeId,
        uint40 valueCents,
        uint16 cashbackBps,
        uint16 bonusBps,
        uint64 saleRef
    );

    /// @notice A purchase was minted with its own metadata URI.
    event MetadataUriSet(uint256 indexed tokenId, string metadataUri);

    /// @notice A purchase left Pending, the only status that is ever left.
    event StatusUpdated(uint256 indexed tokenId, Status to);

    /// @notice A store was registered.
    event StoreRegistered(uint16 indexed storeId, string name);

    /// @notice A store was renamed; `BatchMetadataUpdate` follows.
    event StoreRenamed(uint16 indexed storeId, string name);

    /// @notice A store's colour was set as 0xRRGGBB, or cleared (0); `BatchMetadataUpdate` follows.
    event StoreColourSet(uint16 indexed storeId, uint24 colour);

    /// @notice The descriptor was set; `BatchMetadataUpdate` and `ContractURIUpdated` follow.
    event DescriptorSet(address indexed descriptor);

    /// @notice The site URL was set; `BatchMetadataUpdate` and `ContractURIUpdated` follow.
    event SiteUrlSet(string siteUrl);

    /// @notice ERC-5192: the token is locked. Emitted on mint.
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

    /// @notice The record of a purchase. Reverts with {PurchaseNFT_UnknownPurchase} for an id that was never minted.
    function purchaseOf(uint256 tokenId) external view returns (PurchaseRecord memory);

    /// @notice A purchase as its packed storage word; zero for an id that was never minted.
    function storedPurchaseOf(uint256 tokenId) external view returns (PackedPurchase);

    /// @notice Several purchases as packed storage words; zero for an id that was never minted. Meant for contracts:
    /// one call saves most of the cost of separate lookups.
    /// @param items Words with an id above the lowest 96 bits. Those 96 bits are free for the caller to use and are
    /// ignored.
    function purchasesOfItems(uint256[] calldata items) external view returns (PackedPurchase[] memory);

    /// @notice Returns the records of several tokens in one call, in the same order. One that was never minted has no
    /// buyer and status None.
    function ticketsOf(uint256[] calldata tokenIds) external view returns (PurchaseRecord[] memory);

    /// @notice The name of a store; empty if it is not registered.
    function storeName(uint16 storeId) external view returns (string memory);

    /// @notice The colour of a store as 0xRRGGBB; 0 if it has none and the descriptor picks one.
    function storeColour(uint16 storeId) external view returns (uint24);

    /// @notice ERC-5192: true for every purchase. Reverts with {PurchaseNFT_UnknownPurchase} for an id that was never
    /// minted.
    function locked(uint256 tokenId) external view returns (bool);

    /// @notice ERC-7572: the collection's metadata as a `data:` URI.
    function contractURI() external view returns (string memory);

    /// @notice The URL that every token's `external_url` points to.
    function siteUrl() external view returns (string memory);

    /// @notice The contract that draws the tickets.
    function descriptor() external view returns (ITicketDescriptor);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Mints one purchase to its buyer with status Pending. Minter role; reverts while paused.
    /// @dev Emits `Transfer`, {Locked} and {PurchaseMinted}, then {MetadataUriSet} if the purchase has its own URI.
    /// Checks in this order, and reverts with the first that fails: {PurchaseNFT_InvalidPurchaseId},
    /// {PurchaseNFT_AlreadyMinted}, {PurchaseNFT_InvalidBuyer}, {PurchaseNFT_UnknownStore}, {PurchaseNFT_ZeroValue},
    /// {PurchaseNFT_ZeroPercent}, {PurchaseNFT_PercentTooHigh}, {PurchaseNFT_MetadataUriTooLong},
    /// {PurchaseNFT_InvalidMetadataUri}.
    /// @param purchase The purchase.
    /// @param metadataUri Empty, or the https or ipfs URI of metadata that replaces the ticket drawn on chain; at most
    /// 200 bytes.
    function mint(Purchase calldata purchase, string calldata metadataUri) external;

    /// @notice Mints 1 to `MAX_BATCH` purchases; one invalid purchase reverts the batch. Minter role; reverts while
    /// paused.
    /// @dev Reverts with {PurchaseNFT_InvalidBatchSize} or {PurchaseNFT_InvalidMetadataUriCount}; otherwise emits and
    /// reverts as {mint} does, for each purchase in turn.
    /// @param purchases The purchases.
    /// @param metadataUris No URIs at all, or one for each purchase, as for {mint}.
    function mintBatch(Purchase[] calldata purchases, string[] calldata metadataUris) external;

    /// @notice Moves 1 to `MAX_BATCH` Pending purchases to Confirmed. Confirmer role. Works while paused: the
    /// distributor can stop the payment that follows, and this is the most frequent call.
    /// @dev Emits {StatusUpdated} for each purchase, and {MetadataUpdate} for each, or one {BatchMetadataUpdate} if the
    /// ids are several and consecutive. Reverts with {PurchaseNFT_InvalidBatchSize}, or {PurchaseNFT_NotPending} for
    /// the first id that is not Pending.
    function confirm(uint256[] calldata tokenIds) external;

    /// @notice Moves 1 to `MAX_BATCH` Pending purchases to Cancelled. Confirmer role; reverts while paused.
    /// @dev Emits and reverts as {confirm} does.
    function cancel(uint256[] calldata tokenIds) external;

    /// @notice Registers a store with a name of 1 to 40 bytes, accepted by {PlainText-isName}. Catalogue role.
    /// @dev Emits {StoreRegistered}. Reverts with {PurchaseNFT_StoreAlreadyRegistered} or
    /// {PurchaseNFT_InvalidStoreName}.
    function registerStore(uint16 storeId, string calldata name) external;

    /// @notice Renames a registered store. Catalogue role.
    /// @dev Emits {StoreRenamed} and {BatchMetadataUpdate}. Reverts with {PurchaseNFT_UnknownStore} or
    /// {PurchaseNFT_InvalidStoreName}.
    function renameStore(uint16 storeId, string calldata name) external;

    /// @notice Sets the edge colour of a registered store's tickets as 0xRRGGBB, or clears it (0). Catalogue role.
    /// @dev Emits {StoreColourSet} and {BatchMetadataUpdate}. Reverts with {PurchaseNFT_UnknownStore}.
    function setStoreColour(uint16 storeId, uint24 newColour) external;

    /// @notice Sets the contract that draws the tickets; zero for none. It cannot change a purchase. Admin.
    /// @dev Emits {DescriptorSet}, {BatchMetadataUpdate} and {ContractURIUpdated}. Does not check that the address has
    /// code: a ticket whose descriptor fails is returned without its image.
    function setDescriptor(ITicketDescriptor newDescriptor) external;

    /// @notice Sets the URL that `external_url` points to. Admin.
    /// @dev Emits {SiteUrlSet}, {BatchMetadataUpdate} and {ContractURIUpdated}. Reverts with
    /// {PurchaseNFT_InvalidSiteUrl}.
    function setSiteUrl(string calldata newSiteUrl) external;

    /// @notice Pauses minting and cancelling. Pauser role.
    function pause() external;

    /// @notice Resumes minting and cancelling. Admin.
    function unpause() external;
}
