// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {PlainText} from "../../../contracts/libraries/PlainText.sol";

/// @notice Compares {PlainText} with the Unicode standard's own table of well-formed bytes (table 3-7), at every
/// border.
contract PlainTextTest {
    /// @dev Every byte at which some rule begins or ends, on both sides of it.
    bytes private constant _BORDERS =
        hex"001f207e7f808f909fa0bdbebfc0c1c2c3dfe0e1ecedeeeff0f1f3f4f5f7f8fbfcff";

    /// @dev Enough to tell a continuation from what is not one, and U+FFFE and U+FFFF.
    bytes private constant _CONTINUATIONS = hex"7f80bdbebfc0";

    error Differs(bytes text, bool isPlain);

    function test_oneAndTwoBytes() external pure {
        for (uint256 a; a < 256; ++a) {
            _compare(abi.encodePacked(uint8(a)));
            for (uint256 b; b < _BORDERS.length; ++b) {
                _compare(abi.encodePacked(uint8(a), _BORDERS[b]));
            }
        }
    }

    function test_threeBytes() external pure {
        for (uint256 a; a < _BORDERS.length; ++a) {
            for (uint256 b; b < _BORDERS.length; ++b) {
                for (uint256 c; c < _CONTINUATIONS.length; ++c) {
                    _compare(abi.encodePacked(_BORDERS[a], _BORDERS[b], _CONTINUATIONS[c]));
                }
            }
        }
    }

    function test_fourBytes() external pure {
        for (uint256 a; a < _BORDERS.length; ++a) {
            for (uint256 b; b < _BORDERS.length; ++b) {
                for (uint256 c; c < _CONTINUATIONS.length; ++c) {
                    for (uint256 d; d < _CONTINUATIONS.length; ++d) {
                        _compare(abi.encodePacked(_BORDERS[a], _BORDERS[b], _CONTINUATIONS[c], _CONTINUATIONS[d]));
                    }
                }
            }
        }
    }

    /// Any bytes at all.
    function testFuzz_anyBytes(bytes calldata text) external pure {
        _compare(text);
    }

    /// The bounds of the length are both inside.
    function testFuzz_lengthIsBounded(uint8 length, uint8 minLength, uint8 maxLength) external pure {
        bytes memory text = new bytes(length);
        for (uint256 i; i < length; ++i) {
            text[i] = "x";
        }
        bool isPlain = PlainText.isPlain(text, minLength, maxLength);
        if (isPlain != (length >= minLength && length <= maxLength)) revert Differs(text, isPlain);
    }

    function _compare(bytes memory text) private pure {
        bool isPlain = PlainText.isPlain(text, 0, text.length);
        if (isPlain != _isWellFormed(text)) revert Differs(text, isPlain);
    }

    /// @dev Table 3-7 row by row, without the control characters, U+FFFE and U+FFFF.
    function _isWellFormed(bytes memory text) private pure returns (bool) {
        uint256 i;
        while (i < text.length) {
            if (_in(text, i, 0x20, 0x7e)) i += 1;
            else if (_in(text, i, 0xc2, 0xc2) && _in(text, i + 1, 0xa0, 0xbf)) i += 2;
            else if (_in(text, i, 0xc3, 0xdf) && _tail(text, i + 1, 1)) i += 2;
            else if (_in(text, i, 0xe0, 0xe0) && _in(text, i + 1, 0xa0, 0xbf) && _tail(text, i + 2, 1)) i += 3;
            else if (_in(text, i, 0xe1, 0xec) && _tail(text, i + 1, 2)) i += 3;
            else if (_in(text, i, 0xed, 0xed) && _in(text, i + 1, 0x80, 0x9f) && _tail(text, i + 2, 1)) i += 3;
            else if (_in(text, i, 0xee, 0xee) && _tail(text, i + 1, 2)) i += 3;
            else if (_in(text, i, 0xef, 0xef) && _in(text, i + 1, 0x80, 0xbe) && _tail(text, i + 2, 1)) i += 3;
            else if (_in(text, i, 0xef, 0xef) && _in(text, i + 1, 0xbf, 0xbf) && _in(text, i + 2, 0x80, 0xbd)) i += 3;
            else if (_in(text, i, 0xf0, 0xf0) && _in(text, i + 1, 0x90, 0xbf) && _tail(text, i + 2, 2)) i += 4;
            else if (_in(text, i, 0xf1, 0xf3) && _tail(text, i + 1, 3)) i += 4;
            else if (_in(text, i, 0xf4, 0xf4) && _in(text, i + 1, 0x80, 0x8f) && _tail(text, i + 2, 2)) i += 4;
            else return false;
        }
        return true;
    }

    function _tail(bytes memory text, uint256 from, uint256 count) private pure returns (bool) {
        for (uint256 i = from; i < from + count; ++i) {
            if (!_in(text, i, 0x80, 0xbf)) return false;
        }
        return true;
    }

    function _in(bytes memory text, uint256 i, uint8 lowest, uint8 highest) private pure returns (bool) {
        return i < text.length && uint8(text[i]) >= lowest && uint8(text[i]) <= highest;
    }
}
