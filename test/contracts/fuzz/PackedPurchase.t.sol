// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {PackedPurchase, PackedPurchaseLib} from "../../../contracts/libraries/PackedPurchase.sol";

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
    function testFuzz_everyFieldIsReadAlone(
        address buyer,
        uint40 value,
        uint16 cashback,
        uint16 bonus,
        uint16 store,
        uint8 to
    )
        external
        pure
    {
        PackedPurchase packed = PackedPurchaseLib.pack(buyer, value, cashback, bonus, store);
        IPurchaseNFT.Status status = IPurchaseNFT.Status(to % 5);
        PackedPurchase moved = packed.withStatus(status);

        _expect(moved.buyer() == buyer, "buyer");
        _expect(moved.valueCents() == value, "value");
        _expect(moved.baseBps() == cashback && moved.bonusBps() == bonus, "percent");
        _expect(moved.status() == status, "status");
        for (uint8 i; i < 5; ++i) {
            IPurchaseNFT.Status other = IPurchaseNFT.Status(i);
            _expect(moved.hasStatus(other) == (other == status), "has that status and no other");
            _expect(moved.asBurnt().hasStatus(other) == (other == status), "burnt too");
        }
        _expect(moved.isPayable() == (status == IPurchaseNFT.Status.Confirmed), "payable");
        PackedPurchase burnt = moved.asBurnt();
        _expect(!burnt.isPayable() && burnt.status() == status && burnt.buyer() == buyer, "burnt");
        _expect(PackedPurchase.unwrap(burnt) == PackedPurchase.unwrap(moved) + (1 << 255), "the mark alone");
        burnt = packed.asBurnt().withStatus(status);
        _expect(PackedPurchase.unwrap(burnt) == PackedPurchase.unwrap(moved.asBurnt()), "the mark stays");
        PackedPurchase back = moved.withStatus(IPurchaseNFT.Status.Pending);
        _expect(PackedPurchase.unwrap(back) == PackedPurchase.unwrap(packed), "status alone is changed");

        IPurchaseNFT.PurchaseRecord memory record = moved.unpack();
        _expect(record.buyer == buyer && record.valueCents == value && record.storeId == store, "record");
        _expect(record.baseBps == cashback && record.bonusBps == bonus && record.status == status, "record");
    }

    function _expect(bool isTrue, string memory what) private pure {
        if (!isTrue) revert Expected(what);
    }
}
