// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibCall} from "solady/src/utils/LibCall.sol";

import {ITicketDescriptor} from "../interfaces/ITicketDescriptor.sol";

/// @title DescriptorCall
/// @notice Asks a descriptor that may be missing, broken or hostile, and never reverts for what it does: one without code,
/// one that reverts, burns its gas, or answers too much or what is no text, counts as one that answers nothing.
library DescriptorCall {
    /// @dev What is kept back for the answer without a picture; the longest takes less.
    uint256 internal constant FALLBACK_GAS = 250_000;

    /// @dev The most bytes that are copied of an answer: four times the largest ticket.
    uint16 internal constant MAX_ANSWER_BYTES = 65_535;

    uint256 private constant _WORD = 32;

    /// @notice The text that a descriptor answers to a call, or an empty one.
    function ask(ITicketDescriptor descriptor, bytes memory call) internal view returns (string memory) {
        uint256 left = gasleft();
        if (left <= FALLBACK_GAS) return "";
        (bool isDone, bool isTooLong, bytes memory answer) =
            LibCall.tryStaticCall(address(descriptor), left - FALLBACK_GAS, MAX_ANSWER_BYTES, call);
        return isDone && !isTooLong && _isText(answer) ? abi.decode(answer, (string)) : "";
    }

    /// @dev Whether `abi.decode` takes these bytes as one text: its place, its length, and so many bytes.
    function _isText(bytes memory answer) private pure returns (bool) {
        if (answer.length < 2 * _WORD) return false;
        (uint256 place, uint256 length) = abi.decode(answer, (uint256, uint256));
        return place == _WORD && length <= answer.length - 2 * _WORD;
    }
}
