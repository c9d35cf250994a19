// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "./IPurchaseNFT.sol";

/// @title ICashbackDistributor
/// @notice Pays the cashback of confirmed purchases in CHZ, once per purchase. Recipient and status are read from the
/// NFT, so a payer can only pay existing, confirmed, unpaid purchases to their own buyers, within the caps.
interface ICashbackDistributor {
    /*//////////////////////////////////////////////////////////////////////////
                                       TYPES
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The limits on the payer.
    /// @param maxWeiPerCent The maximum rate, in wei of CHZ per cent of a Brazilian real.
    /// @param maxPayout The maximum amount of a single payment, in wei.
    /// @param dailyCap The maximum total of all payments in one UTC day, in wei.
    struct Limits {
        uint96 maxWeiPerCent;
        uint96 maxPayout;
        uint112 dailyCap;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                       ERRORS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The purchase is already paid or credited.
    error CashbackDistributor_AlreadyPaid(uint256 purchaseId);

    /// @notice The amount is zero.
    error CashbackDistributor_ZeroAmount(uint256 purchaseId);

    /// @notice Only a Confirmed purchase can be paid.
    error CashbackDistributor_NotConfirmed(uint256 purchaseId, IPurchaseNFT.Status status);

    /// @notice The amount exceeds value × (base + bonus) × rate.
    error CashbackDistributor_AboveCashback(uint256 purchaseId, uint256 amount, uint256 maxAmount);

    /// @notice The amount exceeds the maximum for a single payment.
    error CashbackDistributor_AboveMaxPayout(uint256 purchaseId, uint256 amount, uint256 maxPayout);

    /// @notice The payments of this UTC day would exceed the daily cap.
    error CashbackDistributor_AboveDailyCap(uint256 spent, uint256 dailyCap);

    /// @notice The rate exceeds the maximum rate.
    error CashbackDistributor_RateTooHigh(uint256 weiPerCent, uint256 maxWeiPerCent);

    /// @notice The batch is empty or exceeds the maximum size.
    error CashbackDistributor_InvalidBatchSize(uint256 size, uint256 maxSize);

    /// @notice The balance, less outstanding credits, does not cover the amount.
    error CashbackDistributor_InsufficientFunds(uint256 needed, uint256 available);

    /// @notice Not enough gas is left to forward to the next recipient; send the batch with a higher gas limit.
    error CashbackDistributor_InsufficientGas(uint256 left, uint256 needed);

    /// @notice The recipient has no credit.
    error CashbackDistributor_NoCredit(address recipient);

    /// @notice CHZ cannot be sent to the zero address or to the distributor itself.
    error CashbackDistributor_InvalidRecipient(address to);

    /// @notice The recipient of a credit or of a sweep rejected the transfer.
    error CashbackDistributor_TransferRefused(address to, uint256 amount);

    /// @notice The maximum for a single payment exceeds the daily cap.
    error CashbackDistributor_MaxPayoutAboveDailyCap(uint256 maxPayout, uint256 dailyCap);

    /// @notice This distributor is retired and no longer pays; its successor does.
    error CashbackDistributor_DistributorRetired();

    /// @notice A predecessor must be permanently retired before it gets a successor.
    error CashbackDistributor_PredecessorNotRetired(address predecessor);

    /// @notice A successor takes over its predecessor's limits: its own must all be zero, and can be set afterwards.
    error CashbackDistributor_PredecessorSetsLimits(address predecessor);

    /// @notice The predecessor pays neither for these tickets nor for their predecessor, so its ids refer to other
    /// purchases.
    error CashbackDistributor_PredecessorOfOtherTickets(address predecessor);

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice CHZ was received.
    event Funded(address indexed from, uint256 amount);

    /// @notice The rate, in wei of CHZ per cent, of the payments that follow in this transaction, until the next
    /// `RateApplied`. Each payment is at most value × (base + bonus) × rate / 10,000, rounded down; if it is less,
    /// the rest was withheld.
    event RateApplied(uint256 weiPerCent);

    /// @notice A purchase's cashback was paid, in wei.
    event CashbackPaid(uint256 indexed purchaseId, address indexed recipient, uint256 amount);

    /// @notice The recipient rejected the transfer; it can withdraw the amount, in wei, later.
    event CashbackDeferred(uint256 indexed purchaseId, address indexed recipient, uint256 amount);

    /// @notice A purchase in a batch was already paid and was skipped.
    event CashbackSkipped(uint256 indexed purchaseId);

    /// @notice A recipient's credit from its deferred payments was sent: to where it chose, or by anyone to itself.
    event CreditWithdrawn(address indexed recipient, address indexed to, uint256 amount);

    /// @notice The treasurer withdrew CHZ that is not reserved for credits.
    event Swept(address indexed to, uint256 amount);

    /// @notice The limits were set.
    event LimitsSet(uint96 maxWeiPerCent, uint96 maxPayout, uint112 dailyCap);

    /// @notice This distributor continues another one, whose limits and pause it took over, with what was spent that
    /// day.
    event Succeeded(address indexed predecessor, address tickets, uint256 spentToday);

    /// @notice The treasurer took out ERC-20 tokens that were sent here.
    event Recovered(address indexed token, address indexed to, uint256 amount);

    /// @notice This distributor was permanently retired and makes no more payments.
    event Retired();

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The PurchaseNFT whose cashback is paid.
    function purchaseNFT() external view returns (IPurchaseNFT);

    /// @notice The previous distributor for these tickets or for their predecessor, permanently retired; zero if
    /// there was none.
    function predecessor() external view returns (ICashbackDistributor);

    /// @notice Whether this distributor is permanently retired and makes no more payments.
    function isRetired() external view returns (bool);

    /// @notice Whether a purchase's cashback was paid or credited, here or by a predecessor. Once true, it stays true.
    /// Id 0 is no purchase and never paid.
    function isPaid(uint256 purchaseId) external view returns (bool);

    /// @notice 256 paid bits, including the predecessor's: bit `i` is purchase `wordIndex * 256 + i`. The bit of id 0
    /// is always set; no purchase has that id.
    function paidWord(uint256 wordIndex) external view returns (uint256);

    /// @notice The amount a recipient can withdraw, in wei.
    function creditOf(address recipient) external view returns (uint256);

    /// @notice The sum of all credits, in wei.
    function totalCredit() external view returns (uint256);

    /// @notice The balance less outstanding credits, in wei: what can be paid or swept.
    function available() external view returns (uint256);

    /// @notice The current limits.
    function limits() external view returns (Limits memory);

    /// @notice The total paid or credited on the current UTC day, in wei.
    function spentToday() external view returns (uint256);

    /// @notice Whether payments are paused.
    function paused() external view returns (bool);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Pays 1 to `MAX_BATCH` purchases and skips ids that are already paid. Payer role; reverts while paused.
    /// @dev Emits {RateApplied}, {CashbackSkipped} for each item that is already paid, then {CashbackPaid} or
    /// {CashbackDeferred} for each of the others. Reverts as a whole: with {CashbackDistributor_InvalidBatchSize},
    /// {CashbackDistributor_DistributorRetired} or {CashbackDistributor_RateTooHigh}; with
    /// {CashbackDistributor_ZeroAmount}, {CashbackDistributor_AboveMaxPayout}, {CashbackDistributor_NotConfirmed} or
    /// {CashbackDistributor_AboveCashback} for the first invalid item; with {CashbackDistributor_InsufficientFunds} or
    /// {CashbackDistributor_AboveDailyCap} for the total; with {CashbackDistributor_InsufficientGas} before a recipient
    /// is called.
    /// @param items The payments, each `purchaseId << 96 | amount`, with the amount in wei.
    /// @param weiPerCent The rate for all items, which caps their amounts; at most `maxWeiPerCent`.
    function payBatch(uint256[] calldata items, uint256 weiPerCent) external;

    /// @notice Pays one purchase; reverts if it is already paid. Payer role; reverts while paused.
    /// @dev Emits and reverts as {payBatch} does for one item, except for a purchase that is already paid:
    /// {CashbackDistributor_AlreadyPaid}.
    /// @param purchaseId The purchase to pay.
    /// @param amount The amount sent to its buyer, in wei.
    /// @param weiPerCent The rate, which caps the amount; at most `maxWeiPerCent`.
    function pay(uint256 purchaseId, uint256 amount, uint256 weiPerCent) external;

    /// @notice Sends the caller's entire credit to `to`. Anyone may call it, even while paused.
    /// @dev Emits {CreditWithdrawn}. Reverts with {CashbackDistributor_NoCredit},
    /// {CashbackDistributor_InvalidRecipient} or {CashbackDistributor_TransferRefused}, and then keeps the credit.
    function withdrawCredit(address payable to) external;

    /// @notice Sends a recipient's entire credit to that recipient, with all gas. Anyone may call it, even while
    /// paused.
    /// @dev Emits {CreditWithdrawn}. Reverts as {withdrawCredit} does, and then keeps the credit.
    function pushCredit(address recipient) external;

    /// @notice Sends all of an ERC-20 token that was sent here to `to`. Treasurer role; works while paused.
    /// @dev Emits {Recovered}. Reverts with `TransferFailed` if the token does not answer or refuses.
    function recover(address token, address to) external;

    /// @notice Sends CHZ that is not reserved for credits to `to`. Treasurer role; works while paused.
    /// @dev Emits {Swept}. Reverts with {CashbackDistributor_InsufficientFunds}, {CashbackDistributor_InvalidRecipient}
    /// or {CashbackDistributor_TransferRefused}.
    function sweep(address payable to, uint256 amount) external;

    /// @notice Sets the limits; `maxPayout` must be at most `dailyCap`. Admin.
    /// @dev Emits {LimitsSet}. Reverts with {CashbackDistributor_MaxPayoutAboveDailyCap}.
    function setLimits(Limits calldata newLimits) external;

    /// @notice Permanently stops payments by this distributor so that a successor can replace it. Credits can still be
    /// withdrawn and the rest swept. Admin.
    /// @dev Emits {Retired}. Reverts with {CashbackDistributor_DistributorRetired} if it is already retired.
    function retire() external;

    /// @notice Pauses payments. Pauser role.
    function pause() external;

    /// @notice Resumes payments. Admin.
    function unpause() external;
}
