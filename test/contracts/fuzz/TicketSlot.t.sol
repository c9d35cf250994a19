// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ERC721} from "solady/src/tokens/ERC721.sol";

import {PackedPurchase} from "../../../contracts/libraries/PackedPurchase.sol";
import {TicketSlot} from "../../../contracts/libraries/TicketSlot.sol";

/// @notice {TicketSlot} and Solady's own functions speak of the same slot, and of nobody else's.
contract TicketSlotTest is ERC721 {
    error Expected(string what);

    function name() public pure override returns (string memory) {
        return "";
    }

    function symbol() public pure override returns (string memory) {
        return "";
    }

    function tokenURI(uint256) public pure override returns (string memory) {
        return "";
    }

    /// What Solady wrote is read here.
    function testFuzz_readsWhatSoladyWrote(uint256 id, uint256 other, address owner, uint96 data) external {
        if (owner == address(0) || id == other) return;
        _expect(PackedPurchase.unwrap(TicketSlot.load(id)) == 0, "nothing at first");
        _mintAndSetExtraDataUnchecked(owner, id, data);
        _expect(PackedPurchase.unwrap(TicketSlot.load(id)) == (uint256(data) << 160 | uint160(owner)), "both halves");
        _expect(PackedPurchase.unwrap(TicketSlot.load(other)) == 0, "nobody else's");
    }

    /// What is written here is read by Solady.
    function testFuzz_writesWhatSoladyReads(uint256 id, uint256 other, address owner, uint96 data) external {
        if (id == other) return;
        TicketSlot.store(id, PackedPurchase.wrap(uint256(data) << 160 | uint160(owner)));
        _expect(_ownerOf(id) == owner && _getExtraData(id) == data, "both halves");
        _expect(_ownerOf(other) == address(0) && _getExtraData(other) == 0, "nobody else's");
    }

    /// Memory in use is left alone.
    function testFuzz_leavesMemoryAlone(uint256 id, bytes memory used) external view {
        bytes32 before = keccak256(used);
        TicketSlot.load(id);
        _expect(keccak256(used) == before, "memory");
        bytes memory fresh = new bytes(64);
        _expect(keccak256(fresh) == keccak256(new bytes(64)), "fresh memory is empty");
    }

    function _expect(bool isTrue, string memory what) private pure {
        if (!isTrue) revert Expected(what);
    }
}
