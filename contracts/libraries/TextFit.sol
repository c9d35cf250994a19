// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {PlainText} from "./PlainText.sol";

/// @title TextFit
/// @notice Fits text into a given width, whatever font the viewer has: the font size is reduced, and text that would get
/// too small is truncated and ends in `…`. Letters are never stretched or squeezed.
/// @dev Fonts cannot be measured on chain. Each character is assumed to be as wide as in the widest common bold font
/// (DejaVu Sans Bold, four signs Open Sans Bold) or, if that font lacks it, as wide as characters of its script get.
library TextFit {
    using LibString for string;

    string private constant _ELLIPSIS = unicode"…";
    uint256 private constant _ELLIPSIS_WIDTH = 100;

    /// @dev Character widths from space to tilde, in hundredths of the font size.
    bytes private constant _ASCII_WIDTHS =
        hex"232e3554466e581f2e2e3854262a262a4747474747474747474728285454543a644e4d4a534545535426264e40645455"
        hex"4a554d4845524e6f4e49492e2a2e54323244483c48442c4848232343236948454848323c3048425d41423b48384854";

    /// @notice A text and the font size at which it fits.
    struct Fitted {
        string text;
        uint256 size;
    }

    /// @notice Fits text that is already known to be plain.
    /// @param text The text to fit.
    /// @param room The maximum width.
    /// @param largest The font size for short text.
    /// @param smallest The minimum font size; longer text is truncated.
    function fit(string memory text, uint256 room, uint256 largest, uint256 smallest)
        internal
        pure
        returns (Fitted memory)
    {
        uint256 width = widthOf(text);
        if (width * smallest > room * 100) return Fitted(_cut(text, room * 100 / smallest), smallest);
        uint256 size = width == 0 ? largest : room * 100 / width;
        return Fitted(text, size < largest ? size : largest);
    }

    /// @notice The maximum width of a text, in hundredths of the font size.
    function widthOf(string memory text) internal pure returns (uint256 width) {
        bytes memory letters = bytes(text);
        for (uint256 i; i < letters.length;) {
            (uint256 codePoint, uint256 size) = PlainText.decode(letters, i);
            width += _widthOf(codePoint);
            i += size;
        }
    }

    /// @dev Keeps as many characters as fit together with the ellipsis, and no space before the ellipsis.
    function _cut(string memory text, uint256 room) private pure returns (string memory) {
        bytes memory letters = bytes(text);
        uint256 width = _ELLIPSIS_WIDTH;
        uint256 end;
        for (uint256 i; i < letters.length;) {
            (uint256 codePoint, uint256 size) = PlainText.decode(letters, i);
            width += _widthOf(codePoint);
            if (width > room) break;
            i += size;
            if (codePoint != 0x20) end = i;
        }
        return string.concat(text.slice(0, end), _ELLIPSIS);
    }

    function _widthOf(uint256 codePoint) private pure returns (uint256) {
        if (codePoint >= 0x20 && codePoint < 0x7f) return uint8(_ASCII_WIDTHS[codePoint - 0x20]);
        if (codePoint < 0xc0) return 105; // signs such as º and ½
        // Accented Latin letters; Æ and æ are double width.
        if (codePoint <= 0xff) return codePoint & 0xdf == 0xc6 ? 110 : 87;
        if (codePoint < 0x180) return 117; // Latin letters with other accents
        if (codePoint < 0x370) return codePoint >= 0x1c4 && codePoint < 0x1f4 ? 156 : 129; // Latin digraphs; phonetic letters
        if (codePoint < 0x600) return codePoint >= 0x400 && codePoint < 0x530 ? 141 : 110; // Cyrillic; Greek, Armenian, Hebrew
        if (codePoint < 0x800) return 138; // Arabic and similar scripts
        if (codePoint >= 0x1400 && codePoint < 0x1700) return 205; // Canadian syllabics, Ogham
        if (codePoint >= 0x2010 && codePoint < 0x2030) return _ELLIPSIS_WIDTH; // dashes, quotation marks
        if (codePoint == 0x2031) return 190; // per ten thousand
        if (codePoint >= 0x2e80 && codePoint < 0xa4d0) return 105; // Chinese and Japanese: full-width squares
        if (codePoint >= 0xac00 && codePoint < 0xd7a4) return 105; // Korean: likewise
        if (codePoint == 0x2e3a || codePoint == 0x2e3b) return 310; // two-em and three-em dashes
        if (codePoint >= 0xfdfa && codePoint < 0xfdfe) return 1200; // Arabic phrases as single characters
        if (codePoint >= 0x12000 && codePoint < 0x12550) return 600; // cuneiform
        return 175; // emoji are up to 160, an Armenian ligature is 171, most others are narrower
    }
}
