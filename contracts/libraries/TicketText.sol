// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";

/// @title TicketText
/// @notice Formats a ticket's amounts, percentages and status as the attributes of its metadata are specified: an
/// amount with a decimal comma, a percent with a decimal point.
library TicketText {
    using LibString for uint256;

    /// @notice Cents as Brazilian reais: 123450 → `R$ 1.234,50`.
    function reais(uint256 valueCents) internal pure returns (string memory) {
        return string.concat("R$ ", _thousands(valueCents / 100), ",", _twoDigits(valueCents % 100));
    }

    /// @notice Basis points as a percent without trailing zeros: 575 → `5.75%`, 500 → `5%`.
    function percent(uint256 bps) internal pure returns (string memory) {
        string memory whole = (bps / 100).toString();
        uint256 hundredths = bps % 100;
        if (hundredths == 0) return string.concat(whole, "%");
        if (hundredths % 10 == 0) return string.concat(whole, ".", (hundredths / 10).toString(), "%");
        return string.concat(whole, ".", _twoDigits(hundredths), "%");
    }

    /// @notice The `Bônus` attribute: `2% (incluído)`, as the total contains it; `0%` without one.
    function bonus(uint256 bps) internal pure returns (string memory) {
        return bps == 0 ? "0%" : string.concat(percent(bps), unicode" (incluído)");
    }

    /// @notice The `Status` attribute. A token is never None.
    function status(IPurchaseNFT.Status value) internal pure returns (string memory) {
        if (value == IPurchaseNFT.Status.Confirmed) return "Confirmed";
        if (value == IPurchaseNFT.Status.Returned) return "Returned";
        return value == IPurchaseNFT.Status.Cancelled ? "Cancelled" : "Pending";
    }

    /// @dev Separates groups of three digits with dots.
    function _thousands(uint256 value) private pure returns (string memory text) {
        while (value >= 1000) {
            text = string.concat(".", _threeDigits(value % 1000), text);
            value /= 1000;
        }
        return string.concat(value.toString(), text);
    }

    function _threeDigits(uint256 value) private pure returns (string memory) {
        return string.concat((value / 100).toString(), _twoDigits(value % 100));
    }

    function _twoDigits(uint256 value) private pure returns (string memory) {
        return string.concat((value / 10).toString(), (value % 10).toString());
    }
}
