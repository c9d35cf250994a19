// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// These tests check whether a call is rejected.
// solhint-disable avoid-low-level-calls

import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {PackedPurchase} from "../../../contracts/libraries/PackedPurchase.sol";
import {PlainText} from "../../../contracts/libraries/PlainText.sol";
import {TestSystem} from "./TestSystem.t.sol";
import {VM} from "./Vm.sol";

/// @notice Properties of the tickets that hold for any input.
contract PurchaseNFTFuzzTest is TestSystem {
    function setUp() external {
        deploySystem();
    }

    /// Every field of every purchase is returned as it was minted: none is truncated, none overlaps its neighbour.
    function testFuzz_mintedFieldsComeBack(
        uint160 id,
        address buyer,
        uint40 valueCents,
        uint16 baseBps,
        uint16 bonusBps,
        uint16 storeId
    ) external {
        VM.assume(id != 0 && buyer != address(0) && valueCents != 0);
        baseBps %= 10_001;
        bonusBps %= 10_001 - baseBps;
        VM.assume(baseBps + bonusBps != 0);
        if (storeId != 1) nft.registerStore(storeId, "Another");
        nft.mint(purchase(id, buyer, valueCents, baseBps, bonusBps, storeId), "");
        IPurchaseNFT.PurchaseRecord memory record = nft.purchaseOf(id);
        expect(record.buyer == buyer && nft.ownerOf(id) == buyer, "buyer");
        expect(record.valueCents == valueCents, "value");
        expect(record.baseBps == baseBps && record.bonusBps == bonusBps, "percent");
        expect(record.storeId == storeId, "store");
        expect(record.status == IPurchaseNFT.Status.Pending, "status");
        expect(bytes(nft.tokenURI(id)).length > 100, "tokenURI");
    }

    /// Cashback and bonus are rejected exactly when their sum is zero or above 100 %.
    function testFuzz_percentIsBounded(uint16 baseBps, uint16 bonusBps) external {
        uint256 total = uint256(baseBps) + bonusBps;
        (bool isDone,) =
            address(nft).call(abi.encodeCall(nft.mint, (purchase(1, address(7), 1, baseBps, bonusBps, 1), "")));
        expect(isDone == (total != 0 && total <= 10_000), "percent");
    }

    /// Whatever is called, a status moves None → Pending → Confirmed or Cancelled, Confirmed → Returned, and never
    /// back.
    function testFuzz_statusIsMonotone(uint8[24] calldata moves) external {
        IPurchaseNFT.Status status = IPurchaseNFT.Status.None;
        for (uint256 i; i < moves.length; ++i) {
            uint256 move = moves[i] % 4;
            bytes memory data = move == 0
                ? abi.encodeCall(nft.mint, (purchase(5, address(7), 1, 1, 1, 1), ""))
                : move == 1
                    ? abi.encodeCall(nft.confirm, (one(5)))
                    : move == 2 ? abi.encodeCall(nft.cancel, (one(5))) : abi.encodeCall(nft.markReturned, (one(5)));
            (bool isDone,) = address(nft).call(data);
            bool isAllowed = move == 0
                ? status == IPurchaseNFT.Status.None
                : move == 3 ? status == IPurchaseNFT.Status.Confirmed : status == IPurchaseNFT.Status.Pending;
            expect(isDone == isAllowed, "only the allowed move");
            if (isDone) status = IPurchaseNFT.Status(move + 1);
            if (status != IPurchaseNFT.Status.None) expect(nft.purchaseOf(5).status == status, "status");
        }
    }

    /// Its owner can burn a ticket once it is over, nobody else can, and what it was stays to be read.
    function testFuzz_burntByItsOwnerAlone(address buyer, address caller, uint8 to) external {
        VM.assume(buyer != address(0) && caller != buyer);
        nft.mint(purchase(5, buyer, 1, 1, 1, 1), "");
        if (to % 3 != 0) nft.cancel(one(5));
        uint256 before = PackedPurchase.unwrap(nft.storedPurchaseOf(5));
        VM.prank(caller);
        (bool isDone,) = address(nft).call(abi.encodeCall(nft.burn, (5)));
        expect(!isDone, "not by another");
        VM.prank(buyer);
        (isDone,) = address(nft).call(abi.encodeCall(nft.burn, (5)));
        expect(isDone == (to % 3 != 0), "only if it is over");
        uint256 stored = PackedPurchase.unwrap(nft.storedPurchaseOf(5));
        expect(stored == (isDone ? before - uint160(buyer) + (1 << 255) : before), "all but the owner stays");
        expect(nft.isMinted(5) && nft.balanceOf(buyer) + nft.burntOf(buyer) == 1, "counted");
    }

    /// No address can transfer a ticket, whether or not it first tries to be approved.
    function testFuzz_ticketsAreSoulbound(address caller, address to) external {
        nft.mint(purchase(5, address(7), 1, 1, 1, 1), "");
        bytes memory reason = abi.encodeWithSelector(IPurchaseNFT.PurchaseNFT_Soulbound.selector);
        VM.startPrank(caller);
        expect(isRefused(address(nft), abi.encodeCall(nft.approve, (to, 5)), reason), "approve");
        expect(isRefused(address(nft), abi.encodeCall(nft.setApprovalForAll, (to, true)), reason), "approval for all");
        expect(isRefused(address(nft), abi.encodeCall(nft.transferFrom, (address(7), to, 5)), reason), "transfer");
        expect(nft.ownerOf(5) == address(7) && nft.getApproved(5) == address(0), "owner");
    }

    /// Any bytes are either rejected as a name, or give a readable ticket.
    function testFuzz_anyNameIsRefusedOrDrawn(bytes calldata name) external {
        nft.mint(purchase(5, address(7), 1, 1, 1, 1), "");
        (bool isDone,) = address(nft).call(abi.encodeCall(nft.renameStore, (1, string(name))));
        expect(isDone == (PlainText.isPlain(name, 1, 160)), "rule");
        expect(bytes(nft.tokenURI(5)).length > 100, "tokenURI");
        if (isDone) expect(keccak256(bytes(nft.storeName(1))) == keccak256(name), "name");
    }

    /// Printable ASCII of 1 to 160 bytes is always a name.
    function testFuzz_asciiIsAName(bytes calldata seed) external {
        VM.assume(seed.length != 0);
        bytes memory name = new bytes(seed.length % 160 + 1);
        for (uint256 i; i < name.length; ++i) {
            name[i] = bytes1(uint8(seed[i % seed.length]) % 95 + 32);
        }
        nft.renameStore(1, string(name));
    }

    /// A caller without a role can call no function that requires one.
    function testFuzz_strangersAreRefused(address stranger) external {
        VM.assume(stranger != address(this));
        nft.mint(purchase(5, address(7), 1, 1, 1, 1), "");
        bytes[13] memory calls = [
            abi.encodeCall(nft.mint, (purchase(6, stranger, 1, 1, 1, 1), "")),
            abi.encodeCall(nft.confirm, (one(5))),
            abi.encodeCall(nft.cancel, (one(5))),
            abi.encodeCall(nft.markReturned, (one(5))),
            abi.encodeCall(nft.burn, (5)),
            abi.encodeCall(nft.clearMetadataUri, (one(5))),
            abi.encodeCall(nft.setStoreLook, (1, 1, 2, 3)),
            abi.encodeCall(nft.recover, (address(nft), stranger)),
            abi.encodeCall(nft.registerStore, (2, "x")),
            abi.encodeCall(nft.renameStore, (1, "x")),
            abi.encodeCall(nft.setSiteUrl, ("x")),
            abi.encodeCall(nft.pause, ()),
            abi.encodeCall(nft.grantRole, (nft.MINTER_ROLE(), stranger))
        ];
        for (uint256 i; i < calls.length; ++i) {
            VM.prank(stranger);
            (bool isDone,) = address(nft).call(calls[i]);
            expect(!isDone, "refused");
        }
    }
}
