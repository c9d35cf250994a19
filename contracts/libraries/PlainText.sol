// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title PlainText
/// @notice Checks that bytes are text that is valid in both JSON and XML 1.0: well-formed UTF-8 (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF) without control characters (C0, DEL, C1) and without U+FFFE and
/// U+FFFF, which XML forbids.
library PlainText {
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
}
