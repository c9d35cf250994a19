// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {PlainText} from "../../../contracts/libraries/PlainText.sol";
import {TextFit} from "../../../contracts/libraries/TextFit.sol";

/// @notice What is fitted fits, is as large as it may be, and is cut only where it has to be.
contract TextFitTest {
    using LibString for string;

    error Expected(string what);

    /// Any name fits its room, at a size within its bounds.
    function testFuzz_anyNameFits(bytes calldata seed, uint16 room, uint8 largest, uint8 smallest) external pure {
        string memory text = _name(seed);
        uint256 least = uint256(smallest) % 40 + 1;
        uint256 most = least + uint256(largest) % 60;
        uint256 space = uint256(room) % 1000 + most * 2;
        TextFit.Fitted memory fitted = TextFit.fit(text, space, most, least);
        _expect(fitted.size >= least && fitted.size <= most, "within the bounds");

        bool isWhole = fitted.text.eq(text);
        uint256 width = TextFit.widthOf(fitted.text);
        _expect(width * fitted.size <= space * 100, "fits");
        bool isSmallEnough = TextFit.widthOf(text) * least <= space * 100;
        _expect(isWhole == isSmallEnough, "cut only where it has to be");
        if (isWhole) {
            bool isLargest = fitted.size == most || TextFit.widthOf(text) * (fitted.size + 1) > space * 100;
            _expect(isLargest, "as large as it may be");
        } else {
            uint256 kept = bytes(fitted.text).length - 3;
            _expect(fitted.size == least, "cut at the smallest size");
            _expect(fitted.text.endsWith(unicode"…"), "ends in an ellipsis");
            _expect(text.startsWith(fitted.text.slice(0, kept)), "begins as the name does");
            _expect(kept == 0 || bytes(fitted.text)[kept - 1] != " ", "no space before the ellipsis");
            _expect(PlainText.isPlain(bytes(fitted.text), 1, 200), "no character cut in two");
            _expect(_widthWithOneMore(text, kept) > space * 100 / least, "one more would not have fitted");
        }
    }

    /// One more character would not have fitted.
    function test_cutsLate() external pure {
        TextFit.Fitted memory fitted = TextFit.fit("WWWW WWWW", 100, 20, 20);
        // 500 hundredths: three of 111 and the ellipsis' 100.
        _expect(fitted.text.eq(unicode"WWW…") && fitted.size == 20, "three");
        _expect(TextFit.fit("WWWW", 88, 20, 20).text.eq(unicode"WWW…"), "a unit too little for four");
        _expect(TextFit.fit("WWWW", 89, 20, 20).text.eq("WWWW"), "just enough for four, without an ellipsis");
        _expect(TextFit.fit("WWWW", 111, 25, 25).text.eq("WWWW"), "exactly enough for four");
        _expect(TextFit.fit("WWWWW", 433, 100, 100).text.eq(unicode"WWW…"), "exactly enough for three and an ellipsis");
        _expect(TextFit.fit("a b", 50, 20, 20).text.eq("a b"), "short");
        _expect(TextFit.fit(unicode"a 球球球球", 60, 20, 20).text.eq(unicode"a…"), "no space before it");
        _expect(TextFit.fit("", 50, 20, 10).size == 20, "nothing is as large as may be");
    }

    /// Each kind of character has its width, on both sides of every border.
    function test_widths() external pure {
        _expect(TextFit.widthOf(" ") == 35 && TextFit.widthOf("~") == 84 && TextFit.widthOf("W") == 111, "ASCII");
        _expect(TextFit.widthOf("%") == 110 && TextFit.widthOf("i") == 35 && TextFit.widthOf("0") == 71, "ASCII");
        _expect(TextFit.widthOf("|") == 56 && TextFit.widthOf("*") == 56 && TextFit.widthOf("/") == 42, "ASCII");
        _expect(TextFit.widthOf(unicode"¿") == 105 && TextFit.widthOf(unicode"\u00c0") == 78, "signs, accents");
        _expect(TextFit.widthOf(unicode"Æ") == 107 && TextFit.widthOf(unicode"æ") == 104, "two in one");
        _expect(TextFit.widthOf(unicode"ÿ") == 65 && TextFit.widthOf(unicode"Ā") == 117, "accents");
        _expect(TextFit.widthOf(unicode"ſ") == 117 && TextFit.widthOf(unicode"ƀ") == 129, "accents");
        _expect(TextFit.widthOf(unicode"ǃ") == 129 && TextFit.widthOf(unicode"Ǆ") == 156, "digraphs");
        _expect(TextFit.widthOf(unicode"ǳ") == 156 && TextFit.widthOf(unicode"Ǵ") == 129, "digraphs");
        _expect(TextFit.widthOf(unicode"\u02ff") == 129 && TextFit.widthOf(unicode"\u0300") == 0, "marks");
        _expect(TextFit.widthOf(unicode"\u036f") == 0 && TextFit.widthOf(unicode"Ͱ") == 110, "marks");
        _expect(TextFit.widthOf(unicode"\u0383") == 110 && TextFit.widthOf(unicode"\u0384") == 68, "Greek");
        _expect(TextFit.widthOf(unicode"\u03ce") == 97 && TextFit.widthOf(unicode"\u03cf") == 110, "Greek");
        _expect(TextFit.widthOf(unicode"\u03ff") == 110 && TextFit.widthOf(unicode"\u0400") == 64, "Cyrillic");
        _expect(TextFit.widthOf(unicode"\u045f") == 76 && TextFit.widthOf(unicode"\u0460") == 141, "Cyrillic");
        _expect(TextFit.widthOf(unicode"\u0482") == 141 && TextFit.widthOf(unicode"\u0483") == 0, "Cyrillic marks");
        _expect(TextFit.widthOf(unicode"\u0487") == 0 && TextFit.widthOf(unicode"\u0488") == 141, "Cyrillic marks");
        _expect(TextFit.widthOf(unicode"\u052f") == 141 && TextFit.widthOf(unicode"\u0530") == 110, "Armenian");
        _expect(TextFit.widthOf(unicode"\u0590") == 110 && TextFit.widthOf(unicode"\u0591") == 0, "Hebrew marks");
        _expect(TextFit.widthOf(unicode"\u05bd") == 0 && TextFit.widthOf(unicode"\u05be") == 110, "Hebrew marks");
        _expect(TextFit.widthOf(unicode"\u05cf") == 110 && TextFit.widthOf(unicode"\u05d0") == 74, "Hebrew");
        _expect(TextFit.widthOf(unicode"\u05ea") == 79 && TextFit.widthOf(unicode"\u05eb") == 110, "Hebrew");
        _expect(TextFit.widthOf(unicode"\u05ff") == 110 && TextFit.widthOf(unicode"\u0600") == 138, "Arabic");
        _expect(TextFit.widthOf(unicode"\u0620") == 138 && TextFit.widthOf(unicode"\u0621") == 60, "Arabic");
        _expect(TextFit.widthOf(unicode"\u064a") == 82 && TextFit.widthOf(unicode"\u064b") == 0, "Arabic marks");
        _expect(TextFit.widthOf(unicode"\u065f") == 0 && TextFit.widthOf(unicode"\u0660") == 138, "Arabic marks");
        _expect(TextFit.widthOf(unicode"\u08ff") == 175 && TextFit.widthOf(unicode"\u0900") == 0, "Devanagari");
        _expect(TextFit.widthOf(unicode"\u0904") == 89 && TextFit.widthOf(unicode"\u093c") == 0, "Devanagari");
        _expect(TextFit.widthOf(unicode"\u097f") == 66 && TextFit.widthOf(unicode"\u0980") == 175, "Devanagari");
        _expect(TextFit.widthOf(unicode"\u0e00") == 175 && TextFit.widthOf(unicode"\u0e01") == 66, "Thai");
        _expect(TextFit.widthOf(unicode"\u0e31") == 0 && TextFit.widthOf(unicode"\u0e32") == 48, "Thai");
        _expect(TextFit.widthOf(unicode"\u0e5b") == 95 && TextFit.widthOf(unicode"\u0e5c") == 175, "Thai");
        _expect(TextFit.widthOf(unicode"\u07ff") == 138 && TextFit.widthOf(unicode"\u0800") == 175, "other scripts");
        _expect(TextFit.widthOf(unicode"\u13ff") == 175 && TextFit.widthOf(unicode"\u1400") == 205, "syllabics");
        _expect(TextFit.widthOf(unicode"\u16ff") == 205 && TextFit.widthOf(unicode"\u1700") == 175, "Ogham, runes");
        _expect(TextFit.widthOf(unicode"\u200a") == 175 && TextFit.widthOf(unicode"\u2010") == 100, "punctuation");
        _expect(TextFit.widthOf(unicode"\u200f") == 175 && TextFit.widthOf(unicode"…") == 100, "punctuation");
        _expect(TextFit.widthOf(unicode"\u202f") == 100 && TextFit.widthOf(unicode"‰") == 175, "punctuation");
        _expect(TextFit.widthOf(unicode"\u2031") == 190 && TextFit.widthOf(unicode"\u2032") == 175, "ten thousand");
        _expect(TextFit.widthOf(unicode"\u2e7f") == 175 && TextFit.widthOf(unicode"\u2e80") == 100, "squares");
        _expect(TextFit.widthOf(unicode"\ua4cf") == 100 && TextFit.widthOf(unicode"\ua4d0") == 175, "squares");
        _expect(TextFit.widthOf(unicode"\uabff") == 175 && TextFit.widthOf(unicode"\uac00") == 100, "Korean");
        _expect(TextFit.widthOf(unicode"\ud7a3") == 100 && TextFit.widthOf(unicode"\ud7a4") == 175, "Korean");
        _expect(TextFit.widthOf(unicode"\u2e39") == 175 && TextFit.widthOf(unicode"\u2e3c") == 175, "not dashes");
        _expect(TextFit.widthOf(unicode"\u2e3a") == 310 && TextFit.widthOf(unicode"\u2e3b") == 310, "dashes");
        _expect(TextFit.widthOf(unicode"\ufdf9") == 175 && TextFit.widthOf(unicode"\ufdfe") == 175, "not sentences");
        _expect(TextFit.widthOf(unicode"\ufdfa") == 1200 && TextFit.widthOf(unicode"\ufdfd") == 1200, "sentences");
        _expect(TextFit.widthOf(unicode"𑿿") == 175 && TextFit.widthOf(unicode"𒀀") == 600, "cuneiform");
        _expect(TextFit.widthOf(unicode"𒕏") == 600 && TextFit.widthOf(unicode"𒕐") == 175, "cuneiform");
        _expect(TextFit.widthOf("ab") == 68 + 72, "the sum");
    }

    /// @dev How wide what was kept would be with the next character that is no space, and an ellipsis.
    function _widthWithOneMore(string memory text, uint256 kept) private pure returns (uint256) {
        uint256 end = kept;
        while (end < bytes(text).length && bytes(text)[end] == " ") ++end;
        if (end == bytes(text).length) return type(uint256).max;
        (, uint256 size) = PlainText.decode(bytes(text), end);
        return TextFit.widthOf(text.slice(0, end + size)) + 100;
    }

    /// @dev Characters of one to four bytes, from any bytes.
    function _name(bytes calldata seed) private pure returns (string memory text) {
        string[8] memory letters =
            ["a", "W", " ", unicode"é", unicode"Щ", unicode"球", unicode"⚽", unicode"🏟"];
        for (uint256 i; i < seed.length && i < 40; ++i) {
            text = string.concat(text, letters[uint8(seed[i]) % 8]);
        }
    }

    function _expect(bool isTrue, string memory what) private pure {
        if (!isTrue) revert Expected(what);
    }
}
