// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";

/// @notice A purchase without its buyer, in the 96 bits that stand beside the owner in a token's storage slot:
/// `status u8 | storeId u16 | bonusBps u16 | cashbackBps u16 | valueCents u40`, highest first.
type PackedPurchase is uint96;

using PackedPurchaseLib for PackedPurchase global;

/// @title PackedPurchaseLib
/// @notice Packs and unpacks `PackedPurchase`.
/// @dev Every cast back to a narrower type cuts out exactly the field that was shifted down: the wider bits belong to
/// the neighbours and are meant to go. The fields' types on the way in are as wide as their places, so nothing is lost.
library PackedPurchaseLib {
    uint256 private constant CASHBACK_OFFSET = 40;
    uint256 private constant BONUS_OFFSET = 56;
    uint256 private constant STORE_OFFSET = 72;
    uint256 private constant STATUS_OFFSET = 88;

    /// @notice Packs a purchase as it is minted: Pending.
    function pack(uint40 valueCents, uint16 cashbackBps, uint16 bonusBps, uint16 storeId)
        internal
        pure
        returns (PackedPurchase)
    {
        return PackedPurchase.wrap(
            uint96(valueCents) | (uint96(cashbackBps) << uint96(CASHBACK_OFFSET))
                | (uint96(bonusBps) << uint96(BONUS_OFFSET)) | (uint96(storeId) << uint96(STORE_OFFSET))
                | (uint96(IPurchaseNFT.Status.Pending) << uint96(STATUS_OFFSET))
        );
    }

    /// @notice Where the purchase stands.
    function status(PackedPurchase packed) internal pure returns (IPurchaseNFT.Status) {
        return IPurchaseNFT.Status(PackedPurchase.unwrap(packed) >> STATUS_OFFSET);
    }

    /// @notice The same purchase in another status.
    function withStatus(PackedPurchase packed, IPurchaseNFT.Status to) internal pure returns (PackedPurchase) {
        uint96 withoutStatus = PackedPurchase.unwrap(packed) & uint96((1 << STATUS_OFFSET) - 1);
        return PackedPurchase.wrap(withoutStatus | (uint96(to) << uint96(STATUS_OFFSET)));
    }

    /// @notice Every field, with its buyer.
    function unpack(PackedPurchase packed, address buyer) internal pure returns (IPurchaseNFT.PurchaseRecord memory) {
        uint96 bits = PackedPurchase.unwrap(packed);
        return IPurchaseNFT.PurchaseRecord({
            buyer: buyer,
            storeId: uint16(bits >> STORE_OFFSET),
            valueCents: uint40(bits),
            cashbackBps: uint16(bits >> CASHBACK_OFFSET),
            bonusBps: uint16(bits >> BONUS_OFFSET),
            status: status(packed)
        });
    }
}
