// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";

/// @notice A purchase packed into one word, as stored in the token's slot, highest bits first:
/// `burnt u1 | status u7 | storeId u16 | bonusBps u16 | baseBps u16 | valueCents u40 | buyer u160`. A burnt one has no
/// buyer. The 96 bits above the buyer are the "extra data" of Solady's ERC-721.
type PackedPurchase is uint256;

using PackedPurchaseLib for PackedPurchase global;

/// @title PackedPurchaseLib
/// @notice Packs and unpacks {PackedPurchase}.
/// @dev When packing, every field is widened before it is shifted left, so no bits are lost. When unpacking, each
/// narrowing cast extracts exactly the field that was shifted right: the bits above it belong to other fields and are
/// dropped.
library PackedPurchaseLib {
    uint256 private constant VALUE_OFFSET = 160;
    uint256 private constant BASE_OFFSET = 200;
    uint256 private constant BONUS_OFFSET = 216;
    uint256 private constant STORE_OFFSET = 232;
    uint256 private constant STATUS_OFFSET = 248;
    uint256 private constant STATUS_MASK = 0x7f;
    uint256 private constant BURNT = 1 << 255;

    /// @notice Packs a new purchase, with status Pending.
    function pack(address owner, uint40 cents, uint16 storeBps, uint16 extraBps, uint16 store)
        internal
        pure
        returns (PackedPurchase)
    {
        return PackedPurchase.wrap(
            uint160(owner) | (uint256(cents) << VALUE_OFFSET) | (uint256(storeBps) << BASE_OFFSET)
                | (uint256(extraBps) << BONUS_OFFSET) | (uint256(store) << STORE_OFFSET)
                | (uint256(IPurchaseNFT.Status.Pending) << STATUS_OFFSET)
        );
    }

    /// @notice The 96 bits above the buyer.
    function extraData(PackedPurchase self) internal pure returns (uint96) {
        return uint96(PackedPurchase.unwrap(self) >> VALUE_OFFSET);
    }

    /// @notice The buyer's wallet; zero if not minted, or burnt.
    function buyer(PackedPurchase self) internal pure returns (address) {
        return address(uint160(PackedPurchase.unwrap(self)));
    }

    /// @notice The purchase value in cents of a Brazilian real.
    function valueCents(PackedPurchase self) internal pure returns (uint256) {
        return uint40(PackedPurchase.unwrap(self) >> VALUE_OFFSET);
    }

    /// @notice The store's cashback in basis points, without the bonus.
    function baseBps(PackedPurchase self) internal pure returns (uint256) {
        return uint16(PackedPurchase.unwrap(self) >> BASE_OFFSET);
    }

    /// @notice The fan-token bonus in basis points.
    function bonusBps(PackedPurchase self) internal pure returns (uint256) {
        return uint16(PackedPurchase.unwrap(self) >> BONUS_OFFSET);
    }

    /// @notice The status of the purchase; None if not minted.
    function status(PackedPurchase self) internal pure returns (IPurchaseNFT.Status) {
        return IPurchaseNFT.Status((PackedPurchase.unwrap(self) >> STATUS_OFFSET) & STATUS_MASK);
    }

    /// @notice Whether the purchase can be paid: Confirmed, and not burnt.
    function isPayable(PackedPurchase self) internal pure returns (bool) {
        return PackedPurchase.unwrap(self) >> STATUS_OFFSET == uint256(IPurchaseNFT.Status.Confirmed);
    }

    /// @notice Whether the purchase has this status, burnt or not. Cheaper than comparing `status`, whose enum cast is
    /// range-checked.
    function hasStatus(PackedPurchase self, IPurchaseNFT.Status expected) internal pure returns (bool) {
        return (PackedPurchase.unwrap(self) >> STATUS_OFFSET) & STATUS_MASK == uint256(expected);
    }

    /// @notice The same purchase with a different status, burnt or not.
    function withStatus(PackedPurchase self, IPurchaseNFT.Status to) internal pure returns (PackedPurchase) {
        uint256 others = PackedPurchase.unwrap(self) & ~(STATUS_MASK << STATUS_OFFSET);
        return PackedPurchase.wrap(others | (uint256(to) << STATUS_OFFSET));
    }

    /// @notice The same purchase, marked as burnt.
    function asBurnt(PackedPurchase self) internal pure returns (PackedPurchase) {
        return PackedPurchase.wrap(PackedPurchase.unwrap(self) | BURNT);
    }

    /// @notice Unpacks all fields into a struct.
    function unpack(PackedPurchase self) internal pure returns (IPurchaseNFT.PurchaseRecord memory) {
        return IPurchaseNFT.PurchaseRecord({
            buyer: buyer(self),
            storeId: uint16(PackedPurchase.unwrap(self) >> STORE_OFFSET),
            valueCents: uint40(valueCents(self)),
            baseBps: uint16(baseBps(self)),
            bonusBps: uint16(bonusBps(self)),
            status: status(self)
        });
    }
}
