// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestFanToken
/// @notice Stands in for a club's fan token on the local chain: anyone mints what they like. Never deployed elsewhere.
contract TestFanToken is ERC20 {
    uint8 private immutable _DECIMALS;

    /// @param tokenName The token's name.
    /// @param tokenSymbol The token's symbol.
    /// @param tokenDecimals The token's decimals; real fan tokens have 0 or 18.
    constructor(string memory tokenName, string memory tokenSymbol, uint8 tokenDecimals) ERC20(tokenName, tokenSymbol) {
        _DECIMALS = tokenDecimals;
    }

    /// @notice The token's decimals.
    function decimals() public view override returns (uint8) {
        return _DECIMALS;
    }

    /// @notice Gives `amount` of the smallest unit to `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
