// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {UnicodeRanges} from "./UnicodeRanges.sol";

/// @title PlainText
/// @notice Checks that bytes are text that is valid in both JSON and XML 1.0: well-formed UTF-8 (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF) without control characters (C0, DEL, C1) and without U+FFFE and
/// U+FFFF, which XML forbids.
library PlainText {
    /// @dev The most combining marks of one letter: Thai has a vowel and a tone on one, Hindi a vowel sign and a nasal.
    uint256 private constant _MAX_MARKS = 2;

    /// @dev An entry of {UnicodeRanges-KINDS}, highest bits first: `first u21 | kind u2 | length u9`.
    uint256 private constant _ENTRY_BYTES = 4;
    uint256 private constant _FIRST_OFFSET = 11;
    uint256 private constant _KIND_OFFSET = 9;
    uint256 private constant _KIND_MASK = 3;
    uint256 private constant _LENGTH_MASK = 0x1ff;

    /// @notice Whether `text` is plain and `minLength` to `maxLength` bytes long.
    function isPlain(bytes memory text, uint256 minLength, uint256 maxLength) internal pure returns (bool) {
        uint256 length = text.length;
        if (length < minLength || length > maxLength) return false;
        uint256 i;
        while (i < length) {
            uint256 size = _plainSequenceLength(text, i);
            if (size == 0) return false;
            i += size;
        }
        return true;
    }

    /// @notice Whether `text` is plain and displays as stored: 1 to `maxLetters` letters, of which at least one is
    /// visible, with at most two combining marks each and `maxLength` bytes in all, and no invisible or bidi control
    /// characters.
    function isName(bytes memory text, uint256 maxLetters, uint256 maxLength) internal pure returns (bool) {
        if (!isPlain(text, 1, maxLength)) return false;
        bytes memory ranges = UnicodeRanges.KINDS;
        bool isVisible;
        uint256 letters;
        // Starts as if all the marks of a letter came before the text, so the text cannot begin with one.
        uint256 marks = _MAX_MARKS;
        for (uint256 i; i < text.length;) {
            (uint256 codePoint, uint256 size) = decode(text, i);
            uint256 kind = _kindOf(ranges, codePoint);
            if (kind == UnicodeRanges.HIDDEN) return false;
            if (kind == UnicodeRanges.MARK) {
                if (marks == _MAX_MARKS) return false;
                ++marks;
            } else {
                marks = 0;
                ++letters;
                if (kind != UnicodeRanges.BLANK) isVisible = true;
            }
            i += size;
        }
        return isVisible && letters <= maxLetters;
    }

    /// @notice Decodes the code point at byte `i` and its length in bytes; the length is 0 if the bytes are invalid.
    function decode(bytes memory text, uint256 i) internal pure returns (uint256 codePoint, uint256 size) {
        uint256 lead = uint8(text[i]);
        if (lead < 0x80) return (lead, 1);

        // 0x80 to 0xc1 are continuation bytes or start overlong forms; bytes above 0xf4 are never valid.
        if (lead < 0xc2 || lead > 0xf4) return (0, 0);
        size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (i + size > text.length) return (0, 0);

        codePoint = lead & (0x7f >> size);
        for (uint256 k = 1; k < size; ++k) {
            uint256 next = uint8(text[i + k]);
            if (next & 0xc0 != 0x80) return (0, 0);
            codePoint = (codePoint << 6) | (next & 0x3f);
        }
    }

    /// @dev The length of the plain character at byte `i`, or 0 if there is none.
    function _plainSequenceLength(bytes memory text, uint256 i) private pure returns (uint256) {
        (uint256 codePoint, uint256 size) = decode(text, i);
        return _isPlainCodePoint(codePoint, size) ? size : 0;
    }

    /// @dev `size` reveals overlong forms: each length has a minimum code point.
    function _isPlainCodePoint(uint256 codePoint, uint256 size) private pure returns (bool) {
        if (size == 1) return codePoint >= 0x20 && codePoint != 0x7f; // C0 and DEL
        if (size == 2) return codePoint >= 0xa0; // below are the C1 controls
        if (size == 4) return codePoint >= 0x10000 && codePoint <= 0x10ffff;
        if (codePoint < 0x800) return false;
        if (codePoint >= 0xd800 && codePoint <= 0xdfff) return false; // surrogates
        return codePoint < 0xfffe;
    }

    /// @dev Searches {UnicodeRanges} for a code point by halves.
    function _kindOf(bytes memory ranges, uint256 codePoint) private pure returns (uint256) {
        (uint256 low, uint256 high) = (0, ranges.length / _ENTRY_BYTES);
        while (low < high) {
            uint256 middle = (low + high) / 2;
            uint256 entry;
            for (uint256 i = middle * _ENTRY_BYTES; i < (middle + 1) * _ENTRY_BYTES; ++i) {
                entry = (entry << 8) | uint8(ranges[i]);
            }
            uint256 first = entry >> _FIRST_OFFSET;
            if (codePoint < first) high = middle;
            else if (codePoint - first < (entry & _LENGTH_MASK)) return (entry >> _KIND_OFFSET) & _KIND_MASK;
            else low = middle + 1;
        }
        return 0;
    }
}
