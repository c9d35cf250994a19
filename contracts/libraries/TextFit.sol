// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {PlainText} from "./PlainText.sol";

/// @title TextFit
/// @notice Fits text into a given width, whatever font the viewer has: the font size is reduced, and text that would
/// get too small is truncated and ends in `…`. Letters are never stretched or squeezed.
/// @dev Fonts cannot be measured on chain. Each character is assumed to be as wide as in the widest common bold font
/// (DejaVu Sans Bold, four signs Open Sans Bold) or, if that font lacks it, as wide as characters of its script get.
library TextFit {
    using LibString for string;

    string private constant _ELLIPSIS = unicode"…";
    uint256 private constant _ELLIPSIS_WIDTH = 100;

    /// @dev Character widths in hundredths of the font size, from space to tilde.
    bytes private constant _ASCII_WIDTHS =
        hex"232e3554466e581f2e2e3854262a262a4747474747474747474728285454543a644e4d4a534545535426264e406454554a55"
        hex"4d4845524e6f4e49492e2a2e54323244483c48442c4848232343236948454848323c3048425d41423b48384854";

    /// @dev From À to ÿ.
    bytes private constant _LATIN_WIDTHS =
        hex"4e4e4e4e4e4e6b494040404026262626545b5a5a5a5a5a415a56565656464750444444444444683a4343434324242424464b"
        hex"464646464641464b4b4b4b414741";

    /// @dev From U+0384 to U+03CE.
    bytes private constant _GREEK_WIDTHS =
        hex"444450224c63334461445b622f4e4c404b4042575a264b4a6a5b415a554744434246614c635926464a404b2f4a4a4b414640"
        hex"394b462f46464b4439465446394a3d4a59435f612f4a464a61";

    /// @dev From U+0400 to U+045F.
    bytes private constant _CYRILLIC_WIDTHS =
        hex"40405b404d3f26262671715b4c5d4b554e494c4056406a4a5d5d4c556a575a554749424b614c5853797d5367494b784c4446"
        hex"47374b4362405151464a5f4b464a473a3f415b424e4b6d6e5060453a634343434b373b3924242464644b4651414c";

    /// @dev From U+05D0 to U+05EA.
    bytes private constant _HEBREW_WIDTHS =
        hex"4a42353f4b24274b4a223c3b3d4b4e2231464749464146493c584f";

    /// @dev From U+0621 to U+064A, each letter in its widest form.
    bytes private constant _ARABIC_WIDTHS =
        hex"3c3c3c3c3c523c723c72724a4a4a3c3c3c3c9090909056563c3c5f5f5252523c7056614f42514d3c5252";

    /// @dev From U+0900 to U+097F; marks above and below have no width.
    bytes private constant _DEVANAGARI_WIDTHS =
        hex"0000004d59597738383f5761504141414177777777575c42454849505355583a413d4054424b3c4942424257425245443030"
        hex"4e55554050434e3d005400395454540000000000000000545454540056546b00000000000000575c42533d40574461500000"
        hex"2c443c3c3c3c3c3c3c3c3c3c31255959777759594053444253363d42";

    /// @dev From U+0E01 to U+0E5B; marks have no width.
    bytes private constant _THAI_WIDTHS =
        hex"423f404546443d3c424040616244443d456262434543443c45434448484d4c4445423843404437464840424b3f403a280030"
        hex"3000000000000000404040403e264427262730440000000000000000443d39443d3a3b394f3d3b575f";

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
        if (codePoint < 0x80) return _in(_ASCII_WIDTHS, codePoint, 0x20);
        if (codePoint < 0xc0) return 105; // signs such as º and ½
        if (codePoint < 0x100) return _in(_LATIN_WIDTHS, codePoint, 0xc0);
        if (codePoint < 0x300) return codePoint < 0x180 ? 117 : codePoint >= 0x1c4 && codePoint < 0x1f4 ? 156 : 129;
        if (_isMark(codePoint)) return 0;
        if (codePoint >= 0x384 && codePoint < 0x3cf) return _in(_GREEK_WIDTHS, codePoint, 0x384);
        if (codePoint >= 0x400 && codePoint < 0x460) return _in(_CYRILLIC_WIDTHS, codePoint, 0x400);
        if (codePoint >= 0x5d0 && codePoint < 0x5eb) return _in(_HEBREW_WIDTHS, codePoint, 0x5d0);
        if (codePoint >= 0x621 && codePoint < 0x64b) return _in(_ARABIC_WIDTHS, codePoint, 0x621);
        if (codePoint >= 0x900 && codePoint < 0x980) return _in(_DEVANAGARI_WIDTHS, codePoint, 0x900);
        if (codePoint >= 0xe01 && codePoint < 0xe5c) return _in(_THAI_WIDTHS, codePoint, 0xe01);
        return _widthOfOthers(codePoint);
    }

    /// @dev As wide as characters of the script get.
    function _widthOfOthers(uint256 codePoint) private pure returns (uint256) {
        if (codePoint < 0x600) return codePoint >= 0x460 && codePoint < 0x530 ? 141 : 110; // Cyrillic; Greek, Armenian
        if (codePoint < 0x800) return 138; // Arabic and similar scripts
        if (codePoint >= 0x1400 && codePoint < 0x1700) return 205; // Canadian syllabics, Ogham
        if (codePoint >= 0x2010 && codePoint < 0x2030) return _ELLIPSIS_WIDTH; // dashes, quotation marks
        if (codePoint == 0x2031) return 190; // per ten thousand
        if (codePoint >= 0x2e80 && codePoint < 0xa4d0) return 100; // Chinese and Japanese: full-width squares
        if (codePoint >= 0xac00 && codePoint < 0xd7a4) return 100; // Korean: likewise
        if (codePoint == 0x2e3a || codePoint == 0x2e3b) return 310; // two-em and three-em dashes
        if (codePoint >= 0xfdfa && codePoint < 0xfdfe) return 1200; // Arabic phrases as single characters
        if (codePoint >= 0x12000 && codePoint < 0x12550) return 600; // cuneiform
        return 175; // emoji are up to 160, an Armenian ligature is 171, most others are narrower
    }

    /// @dev Whether it is drawn over the character before: marks of Latin, Greek and Cyrillic, of Hebrew and of Arabic.
    function _isMark(uint256 codePoint) private pure returns (bool) {
        return codePoint < 0x370 || (codePoint >= 0x483 && codePoint < 0x488)
            || (codePoint >= 0x591 && codePoint < 0x5be) || (codePoint >= 0x64b && codePoint < 0x660);
    }

    function _in(bytes memory widths, uint256 codePoint, uint256 first) private pure returns (uint256) {
        return uint8(widths[codePoint - first]);
    }
}
