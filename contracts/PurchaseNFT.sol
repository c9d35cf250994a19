// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ERC721} from "solady/src/tokens/ERC721.sol";
import {Base64} from "solady/src/utils/Base64.sol";
import {LibString} from "solady/src/utils/LibString.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

import {ICashbackDistributor} from "./interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "./interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "./interfaces/ITicketDescriptor.sol";
import {DescriptorCall} from "./libraries/DescriptorCall.sol";
import {PackedPurchase, PackedPurchaseLib} from "./libraries/PackedPurchase.sol";
import {PlainText} from "./libraries/PlainText.sol";
import {TicketSlot} from "./libraries/TicketSlot.sol";
import {WebAddress} from "./libraries/WebAddress.sol";

/// @title PurchaseNFT
/// @notice See {IPurchaseNFT}. Not upgradeable.
/// @dev Uses one storage slot per purchase: Solady's `ERC721` leaves 96 bits next to the owner, and {PackedPurchase}
/// fills them. Tokens are minted with `_mint` semantics, not `_safeMint`: a ticket needs no consent, a buyer with code
/// (a multisig, an EIP-7702 account) must not be able to reject it, and without a callback there is no reentrancy.
contract PurchaseNFT is IPurchaseNFT, ERC721, AccessControlDefaultAdminRules, Pausable {
    /*//////////////////////////////////////////////////////////////////////////
                                     CONSTANTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice May mint purchases.
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    /// @notice May confirm, cancel and mark as returned.
    bytes32 public constant CONFIRMER_ROLE = keccak256("CONFIRMER_ROLE");

    /// @notice May register and rename stores.
    bytes32 public constant CATALOGUE_ROLE = keccak256("CATALOGUE_ROLE");

    /// @notice May pause.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice May recover ERC-20 tokens that were sent here by mistake.
    bytes32 public constant TREASURER_ROLE = keccak256("TREASURER_ROLE");

    /// @notice The maximum number of purchases per call.
    uint256 public constant MAX_BATCH = 128;

    /// @dev The maximum sum of cashback and bonus, in basis points: 100 %.
    uint256 private constant _MAX_TOTAL_BPS = 10_000;

    uint256 private constant _MAX_STORE_NAME_BYTES = 160;
    uint256 private constant _MAX_SITE_URL_BYTES = 200;
    uint256 private constant _MAX_METADATA_URI_BYTES = 200;

    /// @dev The patterns that a store's tickets can have; 0 is plain.
    uint256 private constant _MAX_PATTERN = 15;

    /// @dev The number of store ids that have a bit in `_frequentStores`.
    uint256 private constant _FREQUENT_STORES = 248;

    /// @dev The bit offset of the id in an item of `purchasesOfItems`.
    uint256 private constant _ITEM_ID_OFFSET = 96;

    /*//////////////////////////////////////////////////////////////////////////
                                       STATE
    //////////////////////////////////////////////////////////////////////////*/

    /// @inheritdoc IPurchaseNFT
    IPurchaseNFT public immutable predecessor;

    /// @dev Bit `i` is set if store `i` is registered. The compiler packs these 248 bits into the same slot as
    /// `Pausable`'s flag, so a mint reads both with one SLOAD. Invariant: bit `i` set ⇔ `_storeNames[i]` not empty.
    uint248 private _frequentStores;

    /// @dev Empty if the store is not registered.
    mapping(uint16 storeId => string name) private _storeNames;

    /// @dev Stored separately from the names, so a store without a look costs nothing extra.
    mapping(uint16 storeId => StoreLook look) private _storeLooks;

    /// @dev Empty if the ticket is drawn on chain.
    mapping(uint256 tokenId => string metadataUri) private _metadataUris;

    string private _siteUrl;

    /// @inheritdoc IPurchaseNFT
    ITicketDescriptor public descriptor;

    /// @inheritdoc IPurchaseNFT
    ICashbackDistributor public distributor;

    /// @inheritdoc IPurchaseNFT
    mapping(address owner => uint256 count) public burntOf;

    /*//////////////////////////////////////////////////////////////////////////
                                    CONSTRUCTOR
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Emits {SiteUrlSet} and {DescriptorSet}, with a predecessor {Succeeded}, and if that is paused `Paused`.
    /// Reverts with {PurchaseNFT_InvalidSiteUrl}.
    /// @param admin The initial default admin. Grants all other roles; its own role is transferred in two steps.
    /// @param adminDelay The delay before an admin transfer can be accepted, in seconds.
    /// @param initialSiteUrl The site that every token's `external_url` points to.
    /// @param initialDescriptor The contract that draws the tickets.
    /// @param former The previous tickets, which nobody mints any more; zero if there are none. Its ids stay its own,
    /// and its pause is taken over.
    constructor(
        address admin,
        uint48 adminDelay,
        string memory initialSiteUrl,
        ITicketDescriptor initialDescriptor,
        IPurchaseNFT former
    ) AccessControlDefaultAdminRules(adminDelay, admin) {
        predecessor = former;
        _setSiteUrl(initialSiteUrl);
        _setDescriptor(initialDescriptor);
        if (address(former) == address(0)) return;
        emit Succeeded(address(former));
        // Otherwise a successor would lift a pause.
        if (Pausable(address(former)).paused()) _pause();
    }

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The collection's name.
    function name() public pure override returns (string memory) {
        return "Torcida";
    }

    /// @notice The collection's symbol.
    function symbol() public pure override returns (string memory) {
        return "TORCIDA";
    }

    /// @notice Returns the purchase's own metadata URI if it has one, otherwise the descriptor's output. If the
    /// descriptor fails, returns its name alone. Reverts only for an id that was never minted or is burnt.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        PackedPurchase stored = TicketSlot.load(tokenId);
        if (stored.buyer() == address(0)) revert PurchaseNFT_UnknownPurchase(tokenId);
        PurchaseRecord memory purchase = stored.unpack();
        string memory metadataUri = _metadataUris[tokenId];
        if (bytes(metadataUri).length != 0) return metadataUri;
        ITicketDescriptor.Ticket memory ticket = ITicketDescriptor.Ticket({
            id: tokenId,
            purchase: purchase,
            storeName: _storeNames[purchase.storeId],
            storeColour: _storeLooks[purchase.storeId].first,
            siteUrl: _siteUrl
        });
        string memory drawn = DescriptorCall.ask(descriptor, abi.encodeCall(ITicketDescriptor.tokenURI, (ticket)));
        if (bytes(drawn).length != 0) return drawn;
        return _named(string.concat(unicode"Torcida nº ", LibString.toString(tokenId)));
    }

    /// @inheritdoc IPurchaseNFT
    function contractURI() external view returns (string memory) {
        ITicketDescriptor.Collection memory collection =
            ITicketDescriptor.Collection({name: name(), symbol: symbol(), siteUrl: _siteUrl});
        string memory drawn =
            DescriptorCall.ask(descriptor, abi.encodeCall(ITicketDescriptor.contractURI, (collection)));
        return bytes(drawn).length != 0 ? drawn : _named(name());
    }

    /// @inheritdoc IPurchaseNFT
    function purchaseOf(uint256 tokenId) public view returns (PurchaseRecord memory) {
        PackedPurchase purchase = TicketSlot.load(tokenId);
        if (PackedPurchase.unwrap(purchase) == 0) revert PurchaseNFT_UnknownPurchase(tokenId);
        return purchase.unpack();
    }

    /// @inheritdoc IPurchaseNFT
    function storedPurchaseOf(uint256 tokenId) public view returns (PackedPurchase purchase) {
        purchase = TicketSlot.load(tokenId);
        if (PackedPurchase.unwrap(purchase) == 0 && address(predecessor) != address(0)) {
            purchase = predecessor.storedPurchaseOf(tokenId);
        }
    }

    /// @inheritdoc IPurchaseNFT
    function isMinted(uint256 tokenId) public view returns (bool) {
        return PackedPurchase.unwrap(storedPurchaseOf(tokenId)) != 0;
    }

    /// @inheritdoc IPurchaseNFT
    function storeColour(uint16 storeId) external view returns (uint24) {
        return _storeLooks[storeId].first;
    }

    /// @inheritdoc IPurchaseNFT
    function storeLook(uint16 storeId) external view returns (StoreLook memory) {
        return _storeLooks[storeId];
    }

    /// @inheritdoc IPurchaseNFT
    function purchasesOfItems(uint256[] calldata items) external view returns (PackedPurchase[] memory) {
        TicketSlot.returnAll(items, _ITEM_ID_OFFSET);
    }

    /// @inheritdoc IPurchaseNFT
    function ticketsOf(uint256[] calldata tokenIds) external view returns (PurchaseRecord[] memory tickets) {
        tickets = new PurchaseRecord[](tokenIds.length);
        for (uint256 i; i < tokenIds.length; ++i) {
            tickets[i] = TicketSlot.load(tokenIds[i]).unpack();
        }
    }

    /// @inheritdoc IPurchaseNFT
    function storeName(uint16 storeId) external view returns (string memory) {
        return _storeNames[storeId];
    }

    /// @inheritdoc IPurchaseNFT
    function siteUrl() external view returns (string memory) {
        return _siteUrl;
    }

    /// @inheritdoc IPurchaseNFT
    function locked(uint256 tokenId) external view returns (bool) {
        if (!_exists(tokenId)) revert PurchaseNFT_UnknownPurchase(tokenId);
        return true;
    }

    /// @notice ERC-165: also true for ERC-721, ERC-721 Metadata, ERC-4906 and ERC-5192.
    function supportsInterface(bytes4 interfaceId)
        public
        view
        override(ERC721, AccessControlDefaultAdminRules)
        returns (bool)
    {
        return interfaceId == bytes4(0x49064906) // ERC-4906
            || interfaceId == bytes4(0xb45a3c0e) // ERC-5192
            || ERC721.supportsInterface(interfaceId) || AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @inheritdoc IPurchaseNFT
    function mint(Purchase calldata purchase, string calldata metadataUri)
        external
        onlyRole(MINTER_ROLE)
        whenNotPaused
    {
        _mintPurchase(purchase, _frequentStores);
        _setMetadataUri(purchase.id, metadataUri);
    }

    /// @inheritdoc IPurchaseNFT
    function mintBatch(Purchase[] calldata purchases, string[] calldata metadataUris)
        external
        onlyRole(MINTER_ROLE)
        whenNotPaused
    {
        (uint256 size, uint256 uriCount) = (purchases.length, metadataUris.length);
        _requireBatchSize(size);
        if (uriCount != 0 && uriCount != size) revert PurchaseNFT_InvalidMetadataUriCount(uriCount, size);
        uint256 frequentStores = _frequentStores;
        for (uint256 i; i < size; ++i) {
            _mintPurchase(purchases[i], frequentStores);
            if (uriCount != 0) _setMetadataUri(purchases[i].id, metadataUris[i]);
        }
    }

    /// @inheritdoc IPurchaseNFT
    function confirm(uint256[] calldata tokenIds) external onlyRole(CONFIRMER_ROLE) {
        _move(tokenIds, Status.Pending, Status.Confirmed);
    }

    /// @inheritdoc IPurchaseNFT
    function cancel(uint256[] calldata tokenIds) external onlyRole(CONFIRMER_ROLE) whenNotPaused {
        _move(tokenIds, Status.Pending, Status.Cancelled);
    }

    /// @inheritdoc IPurchaseNFT
    function markReturned(uint256[] calldata tokenIds) external onlyRole(CONFIRMER_ROLE) whenNotPaused {
        // Burnt ones too: otherwise their owner could hinder a batch.
        _move(tokenIds, Status.Confirmed, Status.Returned);
    }

    /// @inheritdoc IPurchaseNFT
    function burn(uint256 tokenId) external {
        if (ownerOf(tokenId) != msg.sender) revert PurchaseNFT_NotOwner(tokenId, msg.sender);
        Status status = TicketSlot.load(tokenId).status();
        bool isOver = status == Status.Cancelled || status == Status.Returned;
        if (!isOver && (address(distributor) == address(0) || !distributor.isPaid(tokenId))) {
            revert PurchaseNFT_NotPaid(tokenId, status);
        }
        _burn(tokenId);
        TicketSlot.store(tokenId, TicketSlot.load(tokenId).asBurnt());
        ++burntOf[msg.sender];
    }

    /// @inheritdoc IPurchaseNFT
    function clearMetadataUri(uint256[] calldata tokenIds) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _requireBatchSize(tokenIds.length);
        for (uint256 i; i < tokenIds.length; ++i) {
            uint256 tokenId = tokenIds[i];
            if (bytes(_metadataUris[tokenId]).length == 0) revert PurchaseNFT_NoMetadataUri(tokenId);
            delete _metadataUris[tokenId];
            emit MetadataUriCleared(tokenId);
            emit MetadataUpdate(tokenId);
        }
    }

    /// @inheritdoc IPurchaseNFT
    function registerStore(uint16 storeId, string calldata newName) external onlyRole(CATALOGUE_ROLE) {
        if (_isRegistered(storeId)) revert PurchaseNFT_StoreAlreadyRegistered(storeId);
        _setStoreName(storeId, newName);
        // The cast is safe: only ids below 248 have a bit.
        if (storeId < _FREQUENT_STORES) _frequentStores |= uint248(1 << storeId);
        emit StoreRegistered(storeId, newName);
    }

    /// @inheritdoc IPurchaseNFT
    function renameStore(uint16 storeId, string calldata newName) external onlyRole(CATALOGUE_ROLE) {
        if (!_isRegistered(storeId)) revert PurchaseNFT_UnknownStore(storeId);
        _setStoreName(storeId, newName);
        emit StoreRenamed(storeId, newName);
        // A store's tokens are not indexed on chain, so indexers are told to refresh all tokens.
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IPurchaseNFT
    function setStoreColour(uint16 storeId, uint24 newColour) external onlyRole(CATALOGUE_ROLE) {
        if (!_isRegistered(storeId)) revert PurchaseNFT_UnknownStore(storeId);
        _storeLooks[storeId].first = newColour;
        emit StoreColourSet(storeId, newColour);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IPurchaseNFT
    function setStoreLook(uint16 storeId, uint24 first, uint24 second, uint8 pattern)
        external
        onlyRole(CATALOGUE_ROLE)
    {
        if (!_isRegistered(storeId)) revert PurchaseNFT_UnknownStore(storeId);
        if (pattern > _MAX_PATTERN) revert PurchaseNFT_UnknownPattern(pattern, _MAX_PATTERN);
        _storeLooks[storeId] = StoreLook({first: first, second: second, pattern: pattern});
        emit StoreLookSet(storeId, first, second, pattern);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IPurchaseNFT
    function setDistributor(ICashbackDistributor newDistributor) external onlyRole(DEFAULT_ADMIN_ROLE) {
        distributor = newDistributor;
        emit DistributorSet(address(newDistributor));
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IPurchaseNFT
    function recover(address token, address to) external onlyRole(TREASURER_ROLE) {
        emit Recovered(token, to, SafeTransferLib.safeTransferAll(token, to));
    }

    /// @inheritdoc IPurchaseNFT
    function setDescriptor(ITicketDescriptor newDescriptor) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setDescriptor(newDescriptor);
        emit BatchMetadataUpdate(0, type(uint256).max);
        emit ContractURIUpdated();
    }

    /// @inheritdoc IPurchaseNFT
    function setSiteUrl(string calldata newSiteUrl) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setSiteUrl(newSiteUrl);
        emit BatchMetadataUpdate(0, type(uint256).max);
        emit ContractURIUpdated();
    }

    /// @inheritdoc IPurchaseNFT
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @inheritdoc IPurchaseNFT
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    /// @notice Always reverts with {PurchaseNFT_Soulbound}: tickets are not transferable. Both `safeTransferFrom`
    /// overloads end up here too.
    function transferFrom(address, address, uint256) public payable override {
        revert PurchaseNFT_Soulbound();
    }

    /// @notice Always reverts with {PurchaseNFT_Soulbound}: tickets cannot be approved for transfer.
    function approve(address, uint256) public payable override {
        revert PurchaseNFT_Soulbound();
    }

    /// @notice Always reverts with {PurchaseNFT_Soulbound}: operators cannot be approved.
    function setApprovalForAll(address, bool) public pure override {
        revert PurchaseNFT_Soulbound();
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      INTERNAL
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Metadata of a name alone.
    function _named(string memory what) private pure returns (string memory) {
        return string.concat("data:application/json;base64,", Base64.encode(abi.encodePacked('{"name":"', what, '"}')));
    }

    function _mintPurchase(Purchase calldata purchase, uint256 frequentStores) private {
        (uint256 id, address buyer, uint16 storeId) = (purchase.id, purchase.buyer, purchase.storeId);
        (uint40 valueCents, uint16 baseBps, uint16 bonusBps) =
            (purchase.valueCents, purchase.baseBps, purchase.bonusBps);

        // The distributor packs an id with an amount into one word, so an id has 160 bits.
        if (id == 0 || id > type(uint160).max) revert PurchaseNFT_InvalidPurchaseId(id);
        bool isMintedHere = PackedPurchase.unwrap(TicketSlot.load(id)) != 0;
        if (isMintedHere || _isMintedBefore(id)) revert PurchaseNFT_AlreadyMinted(id);
        if (buyer == address(0)) revert PurchaseNFT_InvalidBuyer(id);
        if (!_isRegistered(storeId, frequentStores)) revert PurchaseNFT_UnknownStore(storeId);
        if (valueCents == 0) revert PurchaseNFT_ZeroValue(id);
        // Blocks keep the stack shallow enough for the compiler without its optimizer, as coverage and fuzzing use it.
        {
            uint256 totalBps = uint256(baseBps) + bonusBps;
            if (totalBps == 0) revert PurchaseNFT_ZeroPercent(id);
            if (totalBps > _MAX_TOTAL_BPS) revert PurchaseNFT_PercentTooHigh(id, totalBps, _MAX_TOTAL_BPS);
        }
        {
            PackedPurchase packed = PackedPurchaseLib.pack(buyer, valueCents, baseBps, bonusBps, storeId);
            // "Unchecked" refers to the id, which was checked above not to exist.
            _mintAndSetExtraDataUnchecked(buyer, id, packed.extraData());
        }
        emit Locked(id);
        emit PurchaseMinted(id, buyer, storeId, valueCents, baseBps, bonusBps, purchase.saleRef);
    }

    /// @dev Whether a predecessor minted it.
    function _isMintedBefore(uint256 id) private view returns (bool) {
        return address(predecessor) != address(0) && PackedPurchase.unwrap(predecessor.storedPurchaseOf(id)) != 0;
    }

    function _move(uint256[] calldata tokenIds, Status from, Status to) private {
        _requireBatchSize(tokenIds.length);
        bool isRun = tokenIds.length > 1 && _isRun(tokenIds);
        for (uint256 i; i < tokenIds.length; ++i) {
            uint256 tokenId = tokenIds[i];
            PackedPurchase purchase = TicketSlot.load(tokenId);
            if (!purchase.hasStatus(from)) {
                if (from == Status.Pending) revert PurchaseNFT_NotPending(tokenId, purchase.status());
                revert PurchaseNFT_NotConfirmed(tokenId, purchase.status());
            }
            TicketSlot.store(tokenId, purchase.withStatus(to));
            emit StatusUpdated(tokenId, to);
            if (!isRun) emit MetadataUpdate(tokenId);
        }
        if (isRun) emit BatchMetadataUpdate(tokenIds[0], tokenIds[tokenIds.length - 1]);
    }

    /// @dev Whether the ids are consecutive, so that one event can cover the whole range.
    function _isRun(uint256[] calldata tokenIds) private pure returns (bool) {
        uint256 next = tokenIds[0];
        for (uint256 i = 1; i < tokenIds.length; ++i) {
            // Wraps after the maximum uint256, which is never a valid id: it reverts as not Pending.
            unchecked {
                ++next;
            }
            if (tokenIds[i] != next) return false;
        }
        return true;
    }

    /// @dev Does nothing for an empty URI: the ticket is then drawn on chain.
    function _setMetadataUri(uint256 tokenId, string calldata metadataUri) private {
        uint256 length = bytes(metadataUri).length;
        if (length == 0) return;
        if (length > _MAX_METADATA_URI_BYTES) {
            revert PurchaseNFT_MetadataUriTooLong(tokenId, length, _MAX_METADATA_URI_BYTES);
        }
        if (!WebAddress.isHttps(bytes(metadataUri)) && !WebAddress.isIpfs(bytes(metadataUri))) {
            revert PurchaseNFT_InvalidMetadataUri(tokenId, bytes(metadataUri));
        }
        _metadataUris[tokenId] = metadataUri;
        emit MetadataUriSet(tokenId, metadataUri);
    }

    function _setStoreName(uint16 storeId, string calldata newName) private {
        if (!PlainText.isPlain(bytes(newName), 1, _MAX_STORE_NAME_BYTES)) {
            revert PurchaseNFT_InvalidStoreName(bytes(newName));
        }
        _storeNames[storeId] = newName;
    }

    function _setSiteUrl(string memory newSiteUrl) private {
        if (bytes(newSiteUrl).length > _MAX_SITE_URL_BYTES || !WebAddress.isHttpOrHttps(bytes(newSiteUrl))) {
            revert PurchaseNFT_InvalidSiteUrl(bytes(newSiteUrl));
        }
        _siteUrl = newSiteUrl;
        emit SiteUrlSet(newSiteUrl);
    }

    function _setDescriptor(ITicketDescriptor newDescriptor) private {
        descriptor = newDescriptor;
        emit DescriptorSet(address(newDescriptor));
    }

    function _isRegistered(uint16 storeId) private view returns (bool) {
        return _isRegistered(storeId, _frequentStores);
    }

    /// @param frequentStores `_frequentStores`, which a batch reads once.
    function _isRegistered(uint16 storeId, uint256 frequentStores) private view returns (bool) {
        if (storeId < _FREQUENT_STORES) return (frequentStores >> storeId) & 1 == 1;
        return bytes(_storeNames[storeId]).length != 0;
    }

    function _requireBatchSize(uint256 size) private pure {
        if (size == 0 || size > MAX_BATCH) revert PurchaseNFT_InvalidBatchSize(size, MAX_BATCH);
    }
}
