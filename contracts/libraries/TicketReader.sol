// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {PackedPurchase} from "./PackedPurchase.sol";

/// @title TicketReader
/// @notice Calls {IPurchaseNFT-purchasesOfItems} and uses the answer where it arrives: Solidity would copy the array
/// twice.
library TicketReader {
    /// @notice The contract did not answer with one purchase an item.
    error TicketReader_InvalidAnswer(address tickets);

    /// @notice Returns the purchases of the items; reverts with what the contract reverts with.
    function purchasesOfItems(IPurchaseNFT tickets, uint256[] calldata items)
        internal
        view
        returns (PackedPurchase[] memory purchases)
    {
        bytes4 selector = IPurchaseNFT.purchasesOfItems.selector;
        bool isValid;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let start := mload(0x40)
            let size := shl(5, items.length)
            mstore(start, selector)
            mstore(add(start, 0x04), 0x20)
            mstore(add(start, 0x24), items.length)
            calldatacopy(add(start, 0x44), items.offset, size)
            let answered := add(size, 0x40)
            // The answer overwrites the call: the offset of the array, its length and its items.
            if iszero(staticcall(gas(), tickets, start, add(size, 0x44), start, answered)) {
                returndatacopy(start, 0, returndatasize())
                revert(start, returndatasize())
            }
            purchases := add(start, 0x20)
            // An account without code answers with nothing.
            isValid := and(
                eq(returndatasize(), answered),
                and(eq(mload(start), 0x20), eq(mload(purchases), items.length))
            )
            mstore(0x40, add(start, answered))
        }
        if (!isValid) revert TicketReader_InvalidAnswer(address(tickets));
    }
}
