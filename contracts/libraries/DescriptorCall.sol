// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibCall} from "solady/src/utils/LibCall.sol";

import {ITicketDescriptor} from "../interfaces/ITicketDescriptor.sol";

/// @title DescriptorCall
/// @notice Calls a descriptor that may be missing, broken or hostile, and never reverts because of it. A descriptor
/// that has no code, reverts, burns its gas, or returns too much data or an invalid string is treated as returning
/// nothing.
library DescriptorCall {
    /// @dev Gas reserved for building the fallback, a name alone, which needs less.
    uint256 internal constant FALLBACK_GAS = 50_000;

    /// @dev The maximum return data copied, in bytes: at least four times the largest ticket.
    uint16 internal constant MAX_ANSWER_BYTES = 65_535;

    uint256 private constant _WORD = 32;

    /// @notice Returns the string that the descriptor returns for a call, or an empty string if it fails.
    function ask(ITicketDescriptor descriptor, bytes memory call) internal view returns (string memory) {
        uint256 left = gasleft();
        if (left <= FALLBACK_GAS) return "";
        (bool isDone, bool isTooLong, bytes memory answer) =
            LibCall.tryStaticCall(address(descriptor), left - FALLBACK_GAS, MAX_ANSWER_BYTES, call);
        return isDone && !isTooLong && _isText(answer) ? abi.decode(answer, (string)) : "";
    }

    /// @dev Whether `abi.decode` accepts these bytes as one string: offset, length, and that many bytes.
    function _isText(bytes memory answer) private pure returns (bool) {
        if (answer.length < 2 * _WORD) return false;
        (uint256 place, uint256 length) = abi.decode(answer, (uint256, uint256));
        return place == _WORD && length <= answer.length - 2 * _WORD;
    }
}
