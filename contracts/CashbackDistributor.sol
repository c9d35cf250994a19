// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {
    AccessControlDefaultAdminRules
} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/src/utils/SafeTransferLib.sol";

import {ICashbackDistributor} from "./interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "./interfaces/IPurchaseNFT.sol";
import {PackedPurchase} from "./libraries/PackedPurchase.sol";
import {TicketReader} from "./libraries/TicketReader.sol";

/// @title CashbackDistributor
/// @notice See {ICashbackDistributor}. Not upgradeable.
/// @dev Invariant: `address(this).balance >= totalCredit`. Payments run in two phases: first *reserve* every item (set
/// the paid bit, run all checks, update the daily total), only then *send*. If a recipient rejects the transfer, its
/// amount becomes its credit. A paid bit is never cleared; a successor reads it from here and honours it too.
contract CashbackDistributor is
    ICashbackDistributor,
    AccessControlDefaultAdminRules,
    Pausable,
    ReentrancyGuardTransient
{
    /*//////////////////////////////////////////////////////////////////////////
                                     CONSTANTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice May pay.
    bytes32 public constant PAYER_ROLE = keccak256("PAYER_ROLE");

    /// @notice May sweep CHZ that is not reserved for credits, and recover ERC-20 tokens.
    bytes32 public constant TREASURER_ROLE = keccak256("TREASURER_ROLE");

    /// @notice May pause.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @notice The maximum number of payments per batch.
    uint256 public constant MAX_BATCH = 128;

    /// @notice The gas forwarded to a recipient. The EVM adds a stipend of 2,300 to every value transfer, so a
    /// recipient's code has 32,300.
    uint256 public constant RECIPIENT_GAS = 30_000;

    /// @notice The minimum gas left before a recipient is called. The call itself costs up to 36,600 (cold account
    /// 2,600, value transfer 9,000, new account 25,000) and forwards at most 63/64 of the rest (EIP-150), which must be
    /// at least `RECIPIENT_GAS`: 36,600 + 30,000 × 64 / 63 = 67,077. An account with EIP-7702 code costs another 2,600
    /// to load that code but is never new, so it costs less in total.
    uint256 public constant MIN_GAS_BEFORE_CALL = 68_000;

    uint256 private constant _BPS = 10_000;

    /// @dev The bit offset of the id in a batch item, above the amount.
    uint256 private constant _ID_OFFSET = 96;

    /// @dev Marks a batch item that is not paid: no purchase has the zero address as buyer.
    PackedPurchase private constant _SKIPPED = PackedPurchase.wrap(0);

    /// @dev A word index that no id maps to: batch ids have 160 bits.
    uint256 private constant _NO_WORD = type(uint256).max;

    /*//////////////////////////////////////////////////////////////////////////
                                       STATE
    //////////////////////////////////////////////////////////////////////////*/

    /// @inheritdoc ICashbackDistributor
    IPurchaseNFT public immutable purchaseNFT;

    /// @inheritdoc ICashbackDistributor
    ICashbackDistributor public immutable predecessor;

    /// @inheritdoc ICashbackDistributor
    /// @dev Packed with the next two variables into the same slot as `Pausable`'s flag.
    bool public isRetired;
    uint96 private _maxWeiPerCent;
    uint96 private _maxPayout;

    /// @dev These three share a slot: one read and one write per transaction.
    uint112 private _dailyCap;
    uint112 private _spent;
    uint32 private _spentDay;

    /// @inheritdoc ICashbackDistributor
    /// @dev Invariant: the sum of `creditOf`.
    uint256 public totalCredit;

    /// @inheritdoc ICashbackDistributor
    mapping(address recipient => uint256 amount) public creditOf;

    /// @dev Invariant: a non-zero word includes the predecessor's bits.
    mapping(uint256 wordIndex => uint256 bits) private _paidWords;

    /*//////////////////////////////////////////////////////////////////////////
                                    CONSTRUCTOR
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Emits {LimitsSet}, with a predecessor also {Succeeded}, and if that is paused `Paused`. Reverts with
    /// {CashbackDistributor_MaxPayoutAboveDailyCap}, {CashbackDistributor_PredecessorOfOtherTickets},
    /// {CashbackDistributor_PredecessorNotRetired} or {CashbackDistributor_PredecessorSetsLimits}.
    /// @param admin The initial default admin. Grants all other roles; its own role is transferred in two steps.
    /// @param adminDelay The delay before an admin transfer can be accepted, in seconds.
    /// @param tickets The PurchaseNFT whose cashback is paid.
    /// @param initialLimits The initial limits; all zero with a predecessor, whose limits are taken over.
    /// @param retired The previous distributor for these tickets or for their predecessor, permanently retired; zero if
    /// there was none. Its limits, its pause and what it spent today are taken over.
    constructor(
        address admin,
        uint48 adminDelay,
        IPurchaseNFT tickets,
        Limits memory initialLimits,
        ICashbackDistributor retired
    ) AccessControlDefaultAdminRules(adminDelay, admin) {
        purchaseNFT = tickets;
        predecessor = retired;
        // No purchase has id 0. Setting its bit now makes the first write to this word cheaper for the payer.
        _paidWords[0] = 1;
        if (address(retired) == address(0)) {
            _setLimits(initialLimits);
            return;
        }
        address paidFor = address(retired.purchaseNFT());
        if (paidFor != address(tickets) && paidFor != address(tickets.predecessor())) {
            revert CashbackDistributor_PredecessorOfOtherTickets(address(retired));
        }
        if (!retired.isRetired()) revert CashbackDistributor_PredecessorNotRetired(address(retired));
        if (initialLimits.maxWeiPerCent != 0 || initialLimits.maxPayout != 0 || initialLimits.dailyCap != 0) {
            revert CashbackDistributor_PredecessorSetsLimits(address(retired));
        }
        _paidWords[0] |= retired.paidWord(0);
        // Otherwise each successor would lift a pause, and begin the day anew.
        _setLimits(retired.limits());
        // The cast is safe: the predecessor keeps it in a uint112.
        _spent = uint112(retired.spentToday());
        _spentDay = _today();
        emit Succeeded(address(retired), address(tickets), _spent);
        if (retired.paused()) _pause();
    }

    /// @notice Accepts CHZ from anyone. Emits {Funded}.
    receive() external payable {
        emit Funded(msg.sender, msg.value);
    }

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @inheritdoc ICashbackDistributor
    function isPaid(uint256 purchaseId) external view returns (bool) {
        return purchaseId != 0 && paidWord(purchaseId >> 8) & _paidMask(purchaseId) != 0;
    }

    /// @inheritdoc ICashbackDistributor
    function paidWord(uint256 wordIndex) public view returns (uint256 bits) {
        bits = _paidWords[wordIndex];
        if (bits == 0 && address(predecessor) != address(0)) bits = predecessor.paidWord(wordIndex);
    }

    /// @inheritdoc ICashbackDistributor
    function available() public view returns (uint256) {
        return address(this).balance - totalCredit;
    }

    /// @inheritdoc ICashbackDistributor
    function limits() external view returns (Limits memory) {
        return Limits({maxWeiPerCent: _maxWeiPerCent, maxPayout: _maxPayout, dailyCap: _dailyCap});
    }

    /// @inheritdoc ICashbackDistributor
    function spentToday() public view returns (uint256) {
        return _spentDay == _today() ? _spent : 0;
    }

    /// @inheritdoc ICashbackDistributor
    function paused() public view override(ICashbackDistributor, Pausable) returns (bool) {
        return Pausable.paused();
    }

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @inheritdoc ICashbackDistributor
    function payBatch(uint256[] calldata items, uint256 weiPerCent)
        external
        onlyRole(PAYER_ROLE)
        whenNotPaused
        nonReentrant
    {
        uint256 size = items.length;
        if (size == 0 || size > MAX_BATCH) revert CashbackDistributor_InvalidBatchSize(size, MAX_BATCH);
        _startPayments(weiPerCent);
        PackedPurchase[] memory purchases = TicketReader.purchasesOfItems(purchaseNFT, items);
        // Checks and effects of every item.
        _spend(_reserve(items, purchases, weiPerCent));
        // Interactions.
        for (uint256 i; i < size; ++i) {
            address recipient = purchases[i].buyer();
            uint256 item = items[i];
            if (recipient != address(0)) _send(_idOf(item), recipient, _amountOf(item));
        }
    }

    /// @inheritdoc ICashbackDistributor
    function pay(uint256 purchaseId, uint256 amount, uint256 weiPerCent)
        external
        onlyRole(PAYER_ROLE)
        whenNotPaused
        nonReentrant
    {
        _startPayments(weiPerCent);
        // Checks and effects.
        (uint256 wordIndex, uint256 mask) = (purchaseId >> 8, _paidMask(purchaseId));
        uint256 word = paidWord(wordIndex);
        if (word & mask != 0) revert CashbackDistributor_AlreadyPaid(purchaseId);
        _paidWords[wordIndex] = word | mask;
        PackedPurchase purchase = purchaseNFT.storedPurchaseOf(purchaseId);
        _requirePayable(purchaseId, amount, weiPerCent, _maxPayout, purchase);
        _spend(amount);
        // Interaction.
        _send(purchaseId, purchase.buyer(), amount);
    }

    /// @inheritdoc ICashbackDistributor
    function withdrawCredit(address payable to) external nonReentrant {
        _sendCredit(msg.sender, to);
    }

    /// @inheritdoc ICashbackDistributor
    function pushCredit(address recipient) external nonReentrant {
        _sendCredit(recipient, recipient);
    }

    /// @inheritdoc ICashbackDistributor
    function recover(address token, address to) external onlyRole(TREASURER_ROLE) nonReentrant {
        emit Recovered(token, to, SafeTransferLib.safeTransferAll(token, to));
    }

    /// @inheritdoc ICashbackDistributor
    function sweep(address payable to, uint256 amount) external onlyRole(TREASURER_ROLE) nonReentrant {
        if (amount > available()) revert CashbackDistributor_InsufficientFunds(amount, available());
        emit Swept(to, amount);
        _transferOrRevert(to, amount);
    }

    /// @inheritdoc ICashbackDistributor
    function setLimits(Limits calldata newLimits) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setLimits(newLimits);
    }

    /// @inheritdoc ICashbackDistributor
    function retire() external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (isRetired) revert CashbackDistributor_DistributorRetired();
        isRetired = true;
        emit Retired();
    }

    /// @inheritdoc ICashbackDistributor
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @inheritdoc ICashbackDistributor
    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      INTERNAL
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Starts one or more payments at a rate and emits that rate. Together with the value and percent in the
    /// tickets' events, anyone can compute what the payments that follow in this transaction should be.
    function _startPayments(uint256 weiPerCent) private {
        if (isRetired) revert CashbackDistributor_DistributorRetired();
        if (weiPerCent > _maxWeiPerCent) revert CashbackDistributor_RateTooHigh(weiPerCent, _maxWeiPerCent);
        emit RateApplied(weiPerCent);
    }

    /// @dev Sets the paid bit of every purchase and checks the purchase before anything is sent; a later revert undoes
    /// all. Purchases that are already paid are skipped. Consecutive items that share a word write it only once.
    /// @return total The total amount to send, in wei.
    function _reserve(uint256[] calldata items, PackedPurchase[] memory purchases, uint256 weiPerCent)
        private
        returns (uint256 total)
    {
        uint256 maxPayout = _maxPayout;
        uint256 wordIndex = _NO_WORD;
        uint256 word;
        for (uint256 i; i < items.length; ++i) {
            uint256 item = items[i];
            (uint256 purchaseId, uint256 amount) = (_idOf(item), _amountOf(item));
            if (purchaseId >> 8 != wordIndex) {
                if (wordIndex != _NO_WORD) _paidWords[wordIndex] = word;
                wordIndex = purchaseId >> 8;
                word = paidWord(wordIndex);
            }
            uint256 mask = _paidMask(purchaseId);
            if (word & mask != 0) {
                purchases[i] = _SKIPPED;
                emit CashbackSkipped(purchaseId);
                continue;
            }
            word |= mask;
            PackedPurchase purchase = purchases[i];
            // Tickets of a predecessor are not in the answer.
            if (PackedPurchase.unwrap(purchase) == 0) {
                purchase = purchaseNFT.storedPurchaseOf(purchaseId);
                purchases[i] = purchase;
            }
            _requirePayable(purchaseId, amount, weiPerCent, maxPayout, purchase);
            // Cannot overflow: at most `MAX_BATCH` amounts of 96 bits.
            unchecked {
                total += amount;
            }
        }
        _paidWords[wordIndex] = word;
    }

    /// @dev All checks on a single payment. The daily cap and the balance are checked in `_spend`.
    function _requirePayable(
        uint256 purchaseId,
        uint256 amount,
        uint256 weiPerCent,
        uint256 maxPayout,
        PackedPurchase purchase
    ) private pure {
        if (amount == 0) revert CashbackDistributor_ZeroAmount(purchaseId);
        if (amount > maxPayout) revert CashbackDistributor_AboveMaxPayout(purchaseId, amount, maxPayout);
        if (!purchase.isPayable()) {
            revert CashbackDistributor_NotConfirmed(purchaseId, purchase.status());
        }
        uint256 cashback = _cashback(purchase, weiPerCent);
        if (amount > cashback) revert CashbackDistributor_AboveCashback(purchaseId, amount, cashback);
    }

    /// @dev Value × (base + bonus) × rate in wei, rounded down.
    function _cashback(PackedPurchase purchase, uint256 weiPerCent) private pure returns (uint256) {
        // Cannot overflow: at most 2^40 cents × 2^17 basis points × 2^96, since `weiPerCent` is at most
        // `_maxWeiPerCent`.
        unchecked {
            return purchase.valueCents() * (purchase.baseBps() + purchase.bonusBps()) * weiPerCent / _BPS;
        }
    }

    /// @dev Checks that the balance covers `total` and adds it to the daily total.
    function _spend(uint256 total) private {
        if (total == 0) return; // a repeated batch: all items were skipped
        uint256 free = available();
        if (total > free) revert CashbackDistributor_InsufficientFunds(total, free);
        uint256 spent = spentToday() + total;
        if (spent > _dailyCap) revert CashbackDistributor_AboveDailyCap(spent, _dailyCap);
        // The casts are safe: `spent` is at most `_dailyCap`, a uint112; a uint32 of days lasts 11 million years.
        _spent = uint112(spent);
        _spentDay = _today();
    }

    /// @dev Sends a reserved amount. Gas is capped and return data is not copied. A recipient that rejects the transfer
    /// is credited instead and never blocks the others.
    function _send(uint256 purchaseId, address recipient, uint256 amount) private {
        // Without this check, whoever sets the gas limit could turn valid payments into credits.
        if (gasleft() < MIN_GAS_BEFORE_CALL) revert CashbackDistributor_InsufficientGas(gasleft(), MIN_GAS_BEFORE_CALL);
        if (SafeTransferLib.trySafeTransferETH(recipient, amount, RECIPIENT_GAS)) {
            emit CashbackPaid(purchaseId, recipient, amount);
        } else {
            creditOf[recipient] += amount;
            totalCredit += amount;
            emit CashbackDeferred(purchaseId, recipient, amount);
        }
    }

    /// @dev Sends somebody's whole credit.
    function _sendCredit(address recipient, address to) private {
        uint256 amount = creditOf[recipient];
        if (amount == 0) revert CashbackDistributor_NoCredit(recipient);
        // Effects before the interaction: a recipient that re-enters finds no credit.
        creditOf[recipient] = 0;
        totalCredit -= amount;
        emit CreditWithdrawn(recipient, to, amount);
        _transferOrRevert(to, amount);
    }

    /// @dev Sends to an address and forwards all gas, in a transaction of its own: its caller can only harm itself.
    function _transferOrRevert(address to, uint256 amount) private {
        if (to == address(0) || to == address(this)) revert CashbackDistributor_InvalidRecipient(to);
        if (!SafeTransferLib.trySafeTransferETH(to, amount, gasleft())) {
            revert CashbackDistributor_TransferRefused(to, amount);
        }
    }

    function _setLimits(Limits memory newLimits) private {
        (uint96 maxPayout, uint112 dailyCap) = (newLimits.maxPayout, newLimits.dailyCap);
        if (maxPayout > dailyCap) revert CashbackDistributor_MaxPayoutAboveDailyCap(maxPayout, dailyCap);
        _maxWeiPerCent = newLimits.maxWeiPerCent;
        _maxPayout = maxPayout;
        _dailyCap = dailyCap;
        emit LimitsSet(newLimits.maxWeiPerCent, maxPayout, dailyCap);
    }

    function _today() private view returns (uint32) {
        return uint32(block.timestamp / 1 days);
    }

    function _paidMask(uint256 purchaseId) private pure returns (uint256) {
        return 1 << (purchaseId & 0xff);
    }

    function _idOf(uint256 item) private pure returns (uint256) {
        return item >> _ID_OFFSET;
    }

    function _amountOf(uint256 item) private pure returns (uint256) {
        return uint96(item);
    }
}
