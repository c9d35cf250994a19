// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "./IPurchaseNFT.sol";

/// @title ICashbackDistributor
/// @notice Pays the cashback of confirmed purchases in CHZ, once a purchase. Recipient and status are read from the NFT,
/// so that a payer can only pay true, confirmed, unpaid purchases to their own buyers, under the caps.
interface ICashbackDistributor {
    /*//////////////////////////////////////////////////////////////////////////
                                       TYPES
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice What bounds the payer.
    /// @param maxWeiPerCent The highest rate, in wei of CHZ for a cent of a Brazilian real.
    /// @param maxPayout The most that one payment may be, in wei.
    /// @param dailyCap The most that all payments of one UTC day may be, in wei.
    struct Limits {
        uint96 maxWeiPerCent;
        uint96 maxPayout;
        uint112 dailyCap;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                       ERRORS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The purchase was paid or credited before.
    error AlreadyPaid(uint256 purchaseId);

    /// @notice A payment of nothing.
    error ZeroAmount(uint256 purchaseId);

    /// @notice Only a Confirmed purchase is paid.
    error NotConfirmed(uint256 purchaseId, IPurchaseNFT.Status status);

    /// @notice The amount is above value × (cashback + bonus) × rate.
    error AboveCashback(uint256 purchaseId, uint256 amount, uint256 maxAmount);

    /// @notice The amount is above what one payment may be.
    error AboveMaxPayout(uint256 purchaseId, uint256 amount, uint256 maxPayout);

    /// @notice The day's payments would be above what they may be.
    error AboveDailyCap(uint256 spent, uint256 dailyCap);

    /// @notice The rate is above what it may be.
    error RateTooHigh(uint256 weiPerCent, uint256 maxWeiPerCent);

    /// @notice A batch holds nothing, or more than it may.
    error InvalidBatchSize(uint256 size, uint256 maxSize);

    /// @notice The CHZ that nobody is owed is less than what is asked for.
    error InsufficientFunds(uint256 needed, uint256 available);

    /// @notice Too little gas is left to give the next recipient its share; send the batch with more.
    error InsufficientGas(uint256 left, uint256 needed);

    /// @notice The caller has no credit.
    error NoCredit(address caller);

    /// @notice CHZ cannot be sent to the zero address or to the distributor itself.
    error InvalidRecipient(address to);

    /// @notice The recipient that the caller chose refused the CHZ.
    error TransferRefused(address to, uint256 amount);

    /// @notice One payment cannot be more than all payments of a day.
    error MaxPayoutAboveDailyCap(uint256 maxPayout, uint256 dailyCap);

    /// @notice This distributor pays nothing any more: its successor does.
    error DistributorRetired();

    /// @notice A predecessor must be retired, for ever, before it has a successor.
    error PredecessorNotRetired(address predecessor);

    /// @notice The predecessor paid for other tickets: its ids are not ours.
    error PredecessorOfOtherTickets(address predecessor);

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice CHZ arrived.
    event Funded(address indexed from, uint256 amount);

    /// @notice The rate, in wei of CHZ for a cent, of the payments that follow in this transaction, until the next of these
    /// events. Each of them is value × (cashback + bonus) × rate / 10,000, rounded down, or less: the rest was kept back.
    event RateApplied(uint256 weiPerCent);

    /// @notice A purchase's cashback was paid, in wei.
    event CashbackPaid(uint256 indexed purchaseId, address indexed recipient, uint256 amount);

    /// @notice A recipient refused; the amount, in wei, is theirs to withdraw.
    event CashbackDeferred(uint256 indexed purchaseId, address indexed recipient, uint256 amount);

    /// @notice A purchase in a batch had been paid before and was left alone.
    event CashbackSkipped(uint256 indexed purchaseId);

    /// @notice A recipient took the credit of payments that had been deferred.
    event CreditWithdrawn(address indexed recipient, address indexed to, uint256 amount);

    /// @notice The treasurer took CHZ that nobody is owed.
    event Swept(address indexed to, uint256 amount);

    /// @notice The bounds were set.
    event LimitsSet(uint96 maxWeiPerCent, uint96 maxPayout, uint112 dailyCap);

    /// @notice This distributor pays nothing any more, for ever.
    event Retired();

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice The tickets whose cashback is paid.
    function purchaseNFT() external view returns (IPurchaseNFT);

    /// @notice The distributor that paid for these tickets before, retired for ever; zero where there was none.
    function predecessor() external view returns (ICashbackDistributor);

    /// @notice Whether this distributor was retired: it pays nothing any more, and never will.
    function isRetired() external view returns (bool);

    /// @notice Whether a purchase's cashback was paid or credited, here or by the predecessor. Never turns false again.
    function isPaid(uint256 purchaseId) external view returns (bool);

    /// @notice 256 paid bits, the predecessor's included: bit `i` is purchase `wordIndex * 256 + i`. No purchase has the id
    /// 0, whose bit is always set.
    function paidWord(uint256 wordIndex) external view returns (uint256);

    /// @notice What a recipient may withdraw, in wei.
    function creditOf(address recipient) external view returns (uint256);

    /// @notice The sum of all credits, in wei.
    function totalCredit() external view returns (uint256);

    /// @notice The CHZ that nobody is owed, in wei: what can be paid or swept.
    function available() external view returns (uint256);

    /// @notice The bounds in force.
    function limits() external view returns (Limits memory);

    /// @notice What was paid or credited on the present UTC day, in wei.
    function spentToday() external view returns (uint256);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Pays 1 to `MAX_BATCH` purchases; ids that were paid before are skipped. Payer role, not while paused.
    /// @param items Each `purchaseId << 96 | amount`, the amount in wei.
    /// @param weiPerCent The rate of all of them, which bounds their amounts; itself at most `maxWeiPerCent`.
    function payBatch(uint256[] calldata items, uint256 weiPerCent) external;

    /// @notice Pays one purchase; reverts when it was paid before. Payer role, not while paused.
    /// @param purchaseId The purchase.
    /// @param amount What its buyer gets, in wei.
    /// @param weiPerCent The rate that bounds the amount, itself at most `maxWeiPerCent`.
    function pay(uint256 purchaseId, uint256 amount, uint256 weiPerCent) external;

    /// @notice Sends the caller's credit to `to`. Open to anyone, also while paused.
    function withdrawCredit(address payable to) external;

    /// @notice Sends CHZ that nobody is owed. Treasurer role.
    function sweep(address payable to, uint256 amount) external;

    /// @notice Sets the bounds; `maxPayout` at most `dailyCap`. Admin.
    function setLimits(Limits calldata newLimits) external;

    /// @notice Ends all payments of this distributor, for ever, so that a successor can take its place. Credits can still
    /// be withdrawn and the rest swept. Admin.
    function retire() external;

    /// @notice Stops payments. Pauser role.
    function pause() external;

    /// @notice Lets them go on. Admin.
    function unpause() external;
}
