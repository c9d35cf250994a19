// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {PackedPurchase, PackedPurchaseLib} from "./PackedPurchase.sol";

/// @notice Packing loses nothing, and no field runs into its neighbour.
contract PackedPurchaseTest {
    error Expected(string what);

    /// The word is what the type's comment says, computed by multiplication.
    function testFuzz_packsAsDescribed(address buyer, uint40 value, uint16 cashback, uint16 bonus, uint16 store)
        external
        pure
    {
        uint256 word = 1; // Pending
        word = word * 2 ** 16 + store;
        word = word * 2 ** 16 + bonus;
        word = word * 2 ** 16 + cashback;
        word = word * 2 ** 40 + value;
        _expect(PackedPurchaseLib.pack(buyer, value, cashback, bonus, store).extraData() == word, "extra data");
        word = word * 2 ** 160 + uint160(buyer);
        _expect(PackedPurchase.unwrap(PackedPurchaseLib.pack(buyer, value, cashback, bonus, store)) == word, "word");
    }

    /// Each field of any word is read alone, by each way of reading it.
    function testFuzz_everyFieldIsReadAlone(address buyer, uint40 value, uint16 cashback, uint16 bonus, uint16 store, uint8 to)
        external
        pure
    {
        PackedPurchase packed = PackedPurchaseLib.pack(buyer, value, cashback, bonus, store);
        uint96 before = packed.extraData();
        IPurchaseNFT.Status status = IPurchaseNFT.Status(to % 4);
        uint96 moved = PackedPurchaseLib.withStatus(before, status);
        PackedPurchase joined = PackedPurchaseLib.join(buyer, moved);

        _expect(joined.buyer() == buyer, "buyer");
        _expect(joined.valueCents() == value, "value");
        _expect(joined.cashbackBps() == cashback && joined.bonusBps() == bonus, "percent");
        _expect(joined.status() == status && PackedPurchaseLib.statusOf(moved) == status, "status");
        _expect(joined.extraData() == moved, "both halves");
        _expect(PackedPurchaseLib.withStatus(moved, IPurchaseNFT.Status.Pending) == before, "status alone is changed");

        IPurchaseNFT.PurchaseRecord memory record = joined.unpack();
        _expect(record.buyer == buyer && record.valueCents == value && record.storeId == store, "record");
        _expect(record.cashbackBps == cashback && record.bonusBps == bonus && record.status == status, "record");
    }

    function _expect(bool isTrue, string memory what) private pure {
        if (!isTrue) revert Expected(what);
    }
}
