// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// The tests check whether a call is rejected.
// solhint-disable avoid-low-level-calls

import {CashbackDistributor} from "../../../contracts/CashbackDistributor.sol";
import {PurchaseNFT} from "../../../contracts/PurchaseNFT.sol";
import {ICashbackDistributor} from "../../../contracts/interfaces/ICashbackDistributor.sol";
import {IPurchaseNFT} from "../../../contracts/interfaces/IPurchaseNFT.sol";
import {VM} from "./Vm.sol";

/// @title TestSystem
/// @notice Both contracts, with every role held by whoever inherits this.
abstract contract TestSystem {
    uint96 internal constant MAX_RATE = 1e17;
    uint96 internal constant MAX_PAYOUT = 1e24;
    uint112 internal constant DAILY_CAP = 1e26;
    string internal constant SITE = "https://torcida.example";

    PurchaseNFT internal nft;
    CashbackDistributor internal distributor;

    error Expected(string what);

    function deploySystem() internal {
        address descriptor = _create("TicketDescriptor", "");
        nft = PurchaseNFT(_create("PurchaseNFT", abi.encode(address(this), uint48(0), SITE, descriptor, address(0))));
        distributor = deployDistributor(ICashbackDistributor(address(0)));
        nft.grantRole(nft.MINTER_ROLE(), address(this));
        nft.grantRole(nft.CONFIRMER_ROLE(), address(this));
        nft.grantRole(nft.CATALOGUE_ROLE(), address(this));
        nft.grantRole(nft.PAUSER_ROLE(), address(this));
        nft.grantRole(nft.TREASURER_ROLE(), address(this));
        nft.setDistributor(distributor);
        nft.registerStore(1, "Store");
    }

    function deployDistributor(ICashbackDistributor predecessor) internal returns (CashbackDistributor fresh) {
        // A successor takes over its predecessor's.
        ICashbackDistributor.Limits memory limits;
        if (address(predecessor) == address(0)) limits = ICashbackDistributor.Limits(MAX_RATE, MAX_PAYOUT, DAILY_CAP);
        bytes memory arguments = abi.encode(address(this), uint48(0), nft, limits, predecessor);
        fresh = CashbackDistributor(payable(_create("CashbackDistributor", arguments)));
        fresh.grantRole(fresh.PAYER_ROLE(), address(this));
        fresh.grantRole(fresh.TREASURER_ROLE(), address(this));
        fresh.grantRole(fresh.PAUSER_ROLE(), address(this));
    }

    /// @dev Deploys a contract from its own artifact: with `new`, a test would embed a copy compiled with its settings.
    function _create(string memory name, bytes memory arguments) private returns (address created) {
        bytes memory creation = bytes.concat(VM.getCode(string.concat("contracts/", name, ".sol:", name)), arguments);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            created := create(0, add(creation, 32), mload(creation))
        }
        expect(created != address(0), name);
    }

    function expect(bool isTrue, string memory what) internal pure {
        if (!isTrue) revert Expected(what);
    }

    function one(uint256 value) internal pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = value;
    }

    function purchase(uint256 id, address buyer, uint40 valueCents, uint16 baseBps, uint16 bonusBps, uint16 storeId)
        internal
        pure
        returns (IPurchaseNFT.Purchase memory)
    {
        return IPurchaseNFT.Purchase(0, valueCents, buyer, id, baseBps, bonusBps, storeId);
    }

    function isRefused(address target, bytes memory data, bytes memory reason) internal returns (bool) {
        (bool isDone, bytes memory answer) = target.call(data);
        return !isDone && keccak256(answer) == keccak256(reason);
    }
}
