// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {PackedPurchase} from "../libraries/PackedPurchase.sol";
import {ICashbackDistributor} from "./ICashbackDistributor.sol";
import {ITicketDescriptor} from "./ITicketDescriptor.sol";

/// @title IPurchaseNFT
/// @notice A ticket: one soulbound ERC-721 token per purchase. The token id is the purchase id, so a purchase can be
/// minted at most once: a token id cannot be minted twice. Besides ERC-721 it supports ERC-4906 (metadata updates),
/// ERC-5192 (soulbound) and ERC-7572 (collection metadata).
interface IPurchaseNFT {
    /*//////////////////////////////////////////////////////////////////////////
                                       TYPES
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The status of a purchase. It moves None → Pending → Confirmed or Cancelled, and Confirmed → Returned,
    /// never back.
    enum Status {
        None,
        Pending,
        Confirmed,
        Cancelled,
        Returned
    }

    /// @notice The input to a mint. Contains no personal data: only a wallet address, ids and amounts.
    /// @param saleRef A keyed hash of the network's sale, shared by all its tickets and meaningless without the
    /// operator's key; zero without a sale. Only emitted, not stored.
    /// @param valueCents The purchase value in cents of a Brazilian real; non-zero.
    /// @param buyer The buyer's wallet, which receives the cashback.
    /// @param id The purchase id, used as the token id; non-zero and below 2^160.
    /// @param baseBps The store's cashback in basis points, without the bonus.
    /// @param bonusBps The fan-token bonus in basis points, on top of `baseBps`; their sum, the cashback, is 1 to
    /// 10,000.
    /// @param storeId The id of a registered store.
    /// @dev The order of the fields gives `mint` and `mintBatch` low selectors. The dispatcher compares selectors from
    /// the lowest up, at 22 gas each.
    struct Purchase {
        uint64 saleRef;
        uint40 valueCents;
        address buyer;
        uint256 id;
        uint16 baseBps;
        uint16 bonusBps;
        uint16 storeId;
    }

    /// @notice The on-chain record of a purchase.
    /// @param buyer The buyer's wallet, which receives the cashback; the token's owner until it burns it, then zero.
    /// @param storeId The id of the store.
    /// @param valueCents The purchase value in cents of a Brazilian real.
    /// @param baseBps The store's cashback in basis points, without the bonus.
    /// @param bonusBps The fan-token bonus in basis points, on top of `baseBps`; the cashback is their sum.
    /// @param status The status of the purchase.
    struct PurchaseRecord {
        address buyer;
        uint16 storeId;
        uint40 valueCents;
        uint16 baseBps;
        uint16 bonusBps;
        Status status;
    }

    /// @notice How a store's tickets look; all zero if the descriptor picks.
    /// @param first The edge colour, and the crowd's, as 0xRRGGBB; 0 for none.
    /// @param second The other colour of the crowd as 0xRRGGBB; 0 for none.
    /// @param pattern How the colours are laid out, 0 to 15: the descriptor draws those that it knows.
    struct StoreLook {
        uint24 first;
        uint24 second;
        uint8 pattern;
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

    /// @notice Only a Confirmed purchase can be marked as returned.
    error PurchaseNFT_NotConfirmed(uint256 tokenId, Status status);

    /// @notice Only its owner can burn a ticket.
    error PurchaseNFT_NotOwner(uint256 tokenId, address caller);

    /// @notice A Pending or Confirmed ticket can only be burnt once its cashback is paid.
    error PurchaseNFT_NotPaid(uint256 tokenId, Status status);

    /// @notice The ticket has no metadata URI of its own.
    error PurchaseNFT_NoMetadataUri(uint256 tokenId);

    /// @notice There is no pattern with this number.
    error PurchaseNFT_UnknownPattern(uint256 pattern, uint256 maxPattern);

    /// @notice The batch is empty or exceeds the maximum size.
    error PurchaseNFT_InvalidBatchSize(uint256 size, uint256 maxSize);

    /// @notice The store is already registered; rename it instead.
    error PurchaseNFT_StoreAlreadyRegistered(uint16 storeId);

    /// @notice The store name is not accepted by {PlainText-isPlain}, with 1 to 160 bytes.
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
        uint16 baseBps,
        uint16 bonusBps,
        uint64 saleRef
    );

    /// @notice A purchase was minted with its own metadata URI.
    event MetadataUriSet(uint256 indexed tokenId, string metadataUri);

    /// @notice The metadata URI of a purchase was taken back for ever: it is drawn on chain again.
    event MetadataUriCleared(uint256 indexed tokenId);

    /// @notice A purchase left Pending, or Confirmed for Returned; no other status is ever left.
    event StatusUpdated(uint256 indexed tokenId, Status to);

    /// @notice A store was registered.
    event StoreRegistered(uint16 indexed storeId, string name);

    /// @notice A store was renamed; `BatchMetadataUpdate` follows.
    event StoreRenamed(uint16 indexed storeId, string name);

    /// @notice A store's colour was set as 0xRRGGBB, or cleared (0); `BatchMetadataUpdate` follows.
    event StoreColourSet(uint16 indexed storeId, uint24 colour);

    /// @notice The colours and the pattern of a store were set; `BatchMetadataUpdate` follows.
    event StoreLookSet(uint16 indexed storeId, uint24 first, uint24 second, uint8 pattern);

    /// @notice The distributor that is asked whether a ticket is paid was set; `BatchMetadataUpdate` follows.
    event DistributorSet(address indexed distributor);

    /// @notice These tickets continue those of another contract, whose ids stay its own.
    event Succeeded(address indexed predecessor);

    /// @notice The treasurer took out ERC-20 tokens that were sent here.
    event Recovered(address indexed token, address indexed to, uint256 amount);

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

    /// @notice The record of a purchase; a burnt one's has no buyer. Reverts with {PurchaseNFT_UnknownPurchase} for
    /// an id that was never minted here.
    function purchaseOf(uint256 tokenId) external view returns (PurchaseRecord memory);

    /// @notice A purchase as its packed storage word, here or at a predecessor; zero for an id that was never minted.
    function storedPurchaseOf(uint256 tokenId) external view returns (PackedPurchase);

    /// @notice Several purchases as packed storage words; zero for an id that was never minted here. Meant for
    /// contracts: one call saves most of the cost of separate lookups.
    /// @param items Words with an id above the lowest 96 bits. Those 96 bits are free for the caller to use and are
    /// ignored.
    function purchasesOfItems(uint256[] calldata items) external view returns (PackedPurchase[] memory);

    /// @notice Returns the records of several tokens in one call, in the same order. One that was never minted has no
    /// buyer and status None.
    function ticketsOf(uint256[] calldata tokenIds) external view returns (PurchaseRecord[] memory);

    /// @notice The name of a store; empty if it is not registered.
    function storeName(uint16 storeId) external view returns (string memory);

    /// @notice Whether an id was ever minted, here or at a predecessor; true for a burnt one too. Once true, it stays
    /// true.
    function isMinted(uint256 tokenId) external view returns (bool);

    /// @notice The number of tickets that an owner has burnt. With `balanceOf`: how many were ever minted to it here.
    function burntOf(address owner) external view returns (uint256);

    /// @notice The previous tickets; zero if there were none. Their records, owners and drawings are read there.
    function predecessor() external view returns (IPurchaseNFT);

    /// @notice The distributor that is asked whether a ticket is paid; zero if nobody is.
    function distributor() external view returns (ICashbackDistributor);

    /// @notice The colours and the pattern of a store.
    function storeLook(uint16 storeId) external view returns (StoreLook memory);

    /// @notice The colour of a store as 0xRRGGBB; 0 if it has none and the descriptor picks one.
    function storeColour(uint16 storeId) external view returns (uint24);

    /// @notice ERC-5192: true for every purchase. Reverts with {PurchaseNFT_UnknownPurchase} for an id that was never
    /// minted or is burnt.
    function locked(uint256 tokenId) external view returns (bool);

    /// @notice ERC-7572: the collection's metadata as a `data:` URI.
    function contractURI() external view returns (string memory);

    /// @notice The site that every token's `external_url` points to, as `/ticket/` and its id. Only scheme and host
    /// count.
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

    /// @notice Moves 1 to `MAX_BATCH` Confirmed purchases to Returned: they are not paid any more; one that is paid
    /// keeps what it got. A burnt one is moved too. Confirmer role; reverts while paused.
    /// @dev Emits as {confirm} does. Reverts with {PurchaseNFT_InvalidBatchSize}, or {PurchaseNFT_NotConfirmed} for
    /// the first id that is not Confirmed.
    function markReturned(uint256[] calldata tokenIds) external;

    /// @notice Burns the caller's own ticket, for ever: it must be paid, Cancelled or Returned. Its record stays,
    /// without buyer, and its id can never be minted again. Anyone may call it, even while paused.
    /// @dev Emits `Transfer` to the zero address. Reverts with `TokenDoesNotExist` for an id that was never minted or
    /// is burnt, with {PurchaseNFT_NotOwner}, or with {PurchaseNFT_NotPaid}.
    function burn(uint256 tokenId) external;

    /// @notice Takes back the metadata URIs of 1 to `MAX_BATCH` purchases for ever. Nobody can set one again. Admin.
    /// @dev Emits {MetadataUriCleared} and {MetadataUpdate} for each. Reverts with {PurchaseNFT_InvalidBatchSize}, or
    /// {PurchaseNFT_NoMetadataUri} for the first id without one.
    function clearMetadataUri(uint256[] calldata tokenIds) external;

    /// @notice Registers a store with a name of 1 to 160 bytes, accepted by {PlainText-isPlain}. Catalogue role.
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

    /// @notice Sets the colours and the pattern of a registered store's tickets. Catalogue role.
    /// @dev Emits {StoreLookSet} and {BatchMetadataUpdate}. Reverts with {PurchaseNFT_UnknownStore} or
    /// {PurchaseNFT_UnknownPattern}.
    function setStoreLook(uint16 storeId, uint24 first, uint24 second, uint8 pattern) external;

    /// @notice Sets the distributor that is asked whether a ticket is paid; zero for none. It cannot change a
    /// purchase, and only lets owners burn their own tickets. Admin.
    /// @dev Emits {DistributorSet} and {BatchMetadataUpdate}. Does not check the address: a drawing does without an
    /// answer.
    function setDistributor(ICashbackDistributor newDistributor) external;

    /// @notice Sends all of an ERC-20 token that was sent here to `to`. Treasurer role.
    /// @dev Emits {Recovered}. Reverts with `TransferFailed` if the token does not answer or refuses.
    function recover(address token, address to) external;

    /// @notice Sets the contract that draws the tickets; zero for none. It cannot change a purchase. Admin.
    /// @dev Emits {DescriptorSet}, {BatchMetadataUpdate} and {ContractURIUpdated}. Does not check that the address has
    /// code: of a ticket whose descriptor fails, only the name is returned.
    function setDescriptor(ITicketDescriptor newDescriptor) external;

    /// @notice Sets the site that `external_url` points to; a path is kept here and left out of the links. Admin.
    /// @dev Emits {SiteUrlSet}, {BatchMetadataUpdate} and {ContractURIUpdated}. Reverts with
    /// {PurchaseNFT_InvalidSiteUrl}.
    function setSiteUrl(string calldata newSiteUrl) external;

    /// @notice Pauses minting, cancelling and marking as returned. Pauser role.
    function pause() external;

    /// @notice Resumes minting, cancelling and marking as returned. Admin.
    function unpause() external;
}
