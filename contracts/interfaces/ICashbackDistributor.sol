// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

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
        uint128 dailyCap;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                       EVENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice CHZ arrived.
    event Funded(address indexed from, uint256 amount);

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
    event LimitsSet(uint96 maxWeiPerCent, uint96 maxPayout, uint128 dailyCap);

    /*//////////////////////////////////////////////////////////////////////////
                                     READ-ONLY
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Whether a purchase's cashback was paid or credited. Never turns false again.
    function isPaid(uint256 purchaseId) external view returns (bool);

    /// @notice What a recipient may withdraw, in wei.
    function creditOf(address recipient) external view returns (uint256);

    /// @notice The sum of all credits, in wei.
    function totalCredit() external view returns (uint256);

    /// @notice The bounds in force.
    function limits() external view returns (Limits memory);

    /// @notice What was paid or credited on the present UTC day, in wei.
    function spentToday() external view returns (uint256);

    /*//////////////////////////////////////////////////////////////////////////
                                   STATE-CHANGING
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice Pays up to a bounded number of purchases; ids that were paid before are skipped. Payer role.
    /// @param items Each `purchaseId << 96 | amount`, the amount in wei.
    /// @param weiPerCent The rate these amounts were computed at, at most `maxWeiPerCent`.
    function payBatch(uint256[] calldata items, uint256 weiPerCent) external;

    /// @notice Pays one purchase; reverts when it was paid before. Payer role.
    function pay(uint256 purchaseId, uint256 amount) external;

    /// @notice Sends the caller's credit to `to`. Open to anyone, also while paused.
    function withdrawCredit(address payable to) external;

    /// @notice Sends CHZ that nobody is owed. Treasurer role.
    function sweep(address payable to, uint256 amount) external;

    /// @notice Sets the bounds. Admin.
    function setLimits(Limits calldata newLimits) external;

    /// @notice Stops payments. Pauser role.
    function pause() external;

    /// @notice Lets them go on. Admin.
    function unpause() external;
}
