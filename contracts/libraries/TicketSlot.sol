// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {PackedPurchase} from "./PackedPurchase.sol";

/// @title TicketSlot
/// @notice Reads and writes the storage slot in which Solady's `ERC721` keeps a token's owner (160 bits) and extra data
/// (96 bits), both at once. Solady's own functions compute the slot and read it separately for each half.
/// @dev The slot follows Solady 0.1.26's documented layout: `id + id + keccak256(highest 28 bytes of the id ++ seed)`.
/// The version is pinned, and a property test checks that these reads match Solady's for any id.
library TicketSlot {
    /// @dev `_ERC721_MASTER_SLOT_SEED` of Solady's `ERC721`.
    uint256 private constant _SEED = 0x7d8825530a5a2e7a << 192;

    /// @notice Loads a token's slot; zero if it was never minted.
    function load(uint256 tokenId) internal view returns (PackedPurchase purchase) {
        uint256 slot = _slotOf(tokenId);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            purchase := sload(slot)
        }
    }

    /// @notice Overwrites a token's slot. The owner must not change: balances are stored separately.
    function store(uint256 tokenId, PackedPurchase purchase) internal {
        uint256 slot = _slotOf(tokenId);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            sstore(slot, purchase)
        }
    }

    /// @notice Ends the current call and returns the slots of the tokens whose ids are the bits of each item above
    /// `idOffset`, ABI-encoded as an array. Solidity would build the array and then copy it.
    function returnAll(uint256[] calldata items, uint256 idOffset) internal view {
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let start := mload(0x40)
            let size := shl(5, items.length)
            mstore(start, 0x20)
            mstore(add(start, 0x20), items.length)
            let out := add(start, 0x40)
            for { let at := 0 } lt(at, size) { at := add(at, 0x20) } {
                let id := shr(idOffset, calldataload(add(items.offset, at)))
                mstore(0x00, id)
                mstore(0x1c, _SEED)
                mstore(add(out, at), sload(add(id, add(id, keccak256(0x00, 0x20)))))
            }
            return(start, add(size, 0x40))
        }
    }

    /// @dev Writes only to scratch space, below 0x40. The seed overwrites the lowest 4 bytes of the id.
    function _slotOf(uint256 tokenId) private pure returns (uint256 slot) {
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(0x00, tokenId)
            mstore(0x1c, _SEED)
            slot := add(tokenId, add(tokenId, keccak256(0x00, 0x20)))
        }
    }
}
