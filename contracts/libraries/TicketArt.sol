// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "../interfaces/ITicketDescriptor.sol";
import {TicketText} from "./TicketText.sol";

/// @title TicketArt
/// @notice Draws a purchase as a match ticket in front of the stands: a body with the store and, largest of all, the
/// percent; a stub with the value, the buyer and a bar code of its own; and a stamp across the perforation that tells the
/// status by its shape: a hollow clock, a solid tick, a crossed ring with the ticket struck through.
/// @dev The picture is 600 units wide and high. Text takes the reader's own fonts, so whatever may grow long shrinks, and
/// carries a `textLength` that holds it in its place. No script, no style sheet, no external reference.
library TicketArt {
    using LibString for *;

    string private constant _OPEN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" role="img"><title>';

    /// @dev The stands at night, and the ticket's paper: its header a mown pitch, its body the lines of one.
    string private constant _SCENE =
        '</title><pattern id="a" width="50" height="50" patternUnits="userSpaceOnUse"><path fill="#14493a" d="M13 8a6 6 0 11-.1 0zM3 32a10 10 0 0120 0zM38 33a6 6 0 11-.1 0zM28 57a10 10 0 0120 0z"/></pattern><path fill="#08201a" d="M0 0h600v600H0z"/><path fill="url(#a)" d="M0 0h600v600H0z"/><path fill="#faf6ea" d="M68 40h464a28 28 0 0128 28v322a22 22 0 00-22 22H62a22 22 0 00-22-22V68a28 28 0 0128-28z"/><path fill="#0b5138" d="M68 40h464a28 28 0 0128 28v54H40V68a28 28 0 0128-28z"/><path fill="#0f6144" d="M105 40h65v82h-65zM235 40h65v82h-65zM365 40h65v82h-65zM495 40h37a28 28 0 0128 28v54h-65z"/><path fill="none" stroke="#efe8d3" stroke-width="5" d="M300 122v290M300 190a77 77 0 11-.1 0zM40 190h60v154H40M560 190h-60v154h60"/>';

    string private constant _STUB =
        'd="M62 412h476a22 22 0 0022 22v98a28 28 0 01-28 28H68a28 28 0 01-28-28v-98a22 22 0 0022-22z"/><path stroke="#08201a" stroke-width="5" stroke-linecap="round" stroke-dasharray="0 14" d="M76 412h452"/>';

    string private constant _FONT =
        "<g font-family=\"'Roboto Condensed','Arial Narrow','Liberation Sans Narrow',Arial,sans-serif\" font-weight=\"700\">";

    /// @notice The ticket as an SVG document.
    function ticket(ITicketDescriptor.Ticket memory self) internal pure returns (string memory) {
        (uint256 tokenId, IPurchaseNFT.PurchaseRecord memory purchase, string memory store) =
            (self.id, self.purchase, self.storeName);
        return string.concat(
            _OPEN,
            unicode"Torcida nº ",
            tokenId.toString(),
            _SCENE,
            '<path fill="',
            purchase.status == IPurchaseNFT.Status.Confirmed
                ? "#0b8448"
                : purchase.status == IPurchaseNFT.Status.Cancelled ? "#d9d4c5" : "#faf6ea",
            '" ',
            _STUB,
            _FONT,
            _body(tokenId, purchase, store),
            _stubText(tokenId, purchase),
            _stamp(purchase.status),
            "</g></svg>"
        );
    }

    /// @notice The collection's picture: a ticket's header, large.
    function emblem() internal pure returns (string memory) {
        return string.concat(
            _OPEN,
            "Torcida",
            _SCENE,
            '<path fill="#0b8448" ',
            _STUB,
            _FONT,
            '<g font-weight="900"><text x="62" y="100" font-size="52" fill="#faf6ea" textLength="272">TORCIDA</text><text x="56" y="372" font-size="260" fill="#10261e">%</text></g>',
            _stamp(IPurchaseNFT.Status.Confirmed),
            "</g></svg>"
        );
    }

    function _body(uint256 tokenId, IPurchaseNFT.PurchaseRecord memory purchase, string memory store)
        private
        pure
        returns (string memory)
    {
        string memory number = tokenId.toString();
        uint256 digits = bytes(number).length;
        if (digits > 11) {
            number = string.concat(number.slice(0, 4), unicode"…", number.slice(digits - 4));
            digits = 9;
        }
        string memory percent = TicketText.percent(uint256(purchase.cashbackBps) + purchase.bonusBps);
        return string.concat(
            '<g fill="#faf6ea"><text x="62" y="100" font-size="52" font-weight="900" textLength="272" lengthAdjust="spacingAndGlyphs">TORCIDA</text>',
            _fitted('x="538" text-anchor="end" y="97', string.concat(unicode"Nº ", number), digits + 3, 8, 34, "185"),
            '</g><g fill="#4f6158" font-size="20" letter-spacing="3"><text x="62" y="149">LOJA</text><text x="62" y="356">CASHBACK</text></g><g fill="#10261e">',
            _storeText(store),
            '<text x="54" y="318" font-weight="900" font-size="',
            bytes(percent).length > 5 ? "116" : "140",
            '">',
            percent,
            '</text><text x="62" y="387" font-size="22">',
            purchase.bonusBps == 0 ? "em CHZ" : string.concat("inclui ", TicketText.percent(purchase.bonusBps), unicode" de bônus"),
            "</text></g>"
        );
    }

    function _stubText(uint256 tokenId, IPurchaseNFT.PurchaseRecord memory purchase)
        private
        pure
        returns (string memory)
    {
        string memory buyer = purchase.buyer.toHexStringChecksummed();
        string memory value = TicketText.reais(purchase.valueCents);
        string memory ink = purchase.status == IPurchaseNFT.Status.Confirmed ? "#fff" : "#10261e";
        return string.concat(
            '<g fill="',
            ink,
            '"><text x="62" y="450" font-size="20" letter-spacing="3">VALOR</text><text x="62" y="538" font-size="24">',
            buyer.slice(0, 6),
            unicode"…",
            buyer.slice(38),
            "</text>",
            _fitted('x="62" y="500', value, bytes(value).length, 11, 44, "300"),
            '</g><path stroke="',
            ink,
            '" stroke-width="30" stroke-dasharray="',
            _bars(tokenId, purchase.buyer),
            '" d="M372 530h166"/>'
        );
    }

    /// @dev The widths of bars and gaps, from 2 to 9 units, by turns: no two tickets have the same.
    function _bars(uint256 tokenId, address buyer) private pure returns (string memory) {
        bytes32 seed = keccak256(abi.encode(tokenId, buyer));
        bytes memory widths = new bytes(64);
        for (uint256 i; i < 32; ++i) {
            widths[2 * i] = bytes1(0x32 + uint8(seed[i]) % 8);
            widths[2 * i + 1] = " ";
        }
        return string(widths);
    }

    /// @dev Shape and word first, colour second.
    function _stamp(IPurchaseNFT.Status status) private pure returns (string memory) {
        if (status == IPurchaseNFT.Status.Confirmed) {
            return
            '<g transform="rotate(-10 455 412)"><circle cx="455" cy="412" r="86" fill="#0b8448" stroke="#faf6ea" stroke-width="7"/><circle cx="455" cy="412" r="74" fill="none" stroke="#faf6ea" stroke-width="2"/><path fill="none" stroke="#fff" stroke-width="18" d="M414 394l29 28 54-58"/><text x="455" y="456" font-size="23" fill="#fff" text-anchor="middle" textLength="120" lengthAdjust="spacingAndGlyphs">CONFIRMADO</text></g>';
        }
        if (status == IPurchaseNFT.Status.Cancelled) {
            return
            '<path stroke="#10261e" stroke-width="14" d="M62 388L538 140"/><g transform="rotate(-10 455 412)"><circle cx="455" cy="412" r="84" fill="#d9d4c5" stroke="#3d3d3d" stroke-width="11"/><path fill="none" stroke="#3d3d3d" stroke-width="16" d="M430 358l50 50m0-50l-50 50"/><text x="455" y="452" font-size="23" fill="#3d3d3d" text-anchor="middle" textLength="122" lengthAdjust="spacingAndGlyphs">CANCELADO</text></g>';
        }
        return
        '<g transform="rotate(-10 455 412)"><circle cx="455" cy="412" r="84" fill="#faf6ea" stroke="#d99a00" stroke-width="11"/><circle cx="455" cy="412" r="71" fill="none" stroke="#d99a00" stroke-width="2"/><path fill="none" stroke="#8a5a00" stroke-width="9" d="M455 358v30l20 11M455 356a33 33 0 11-.1 0z"/><text x="455" y="456" font-size="23" fill="#7a5000" text-anchor="middle" textLength="112" lengthAdjust="spacingAndGlyphs">PENDENTE</text></g>';
    }

    /// @dev A character of more than one byte counts as up to two: scripts with wide characters need three bytes each.
    function _storeText(string memory store) private pure returns (string memory) {
        uint256 runes = store.runeCount();
        uint256 width = runes + (bytes(store).length - runes) / 2;
        return _fitted('x="60" y="194', store.escapeHTML(), width, 18, 44, "480");
    }

    /// @dev A text of `length` letters. From more than `freeLength` on it shrinks from `size`, and is held to `maxWidth`.
    function _fitted(
        string memory place,
        string memory text,
        uint256 length,
        uint256 freeLength,
        uint256 size,
        string memory maxWidth
    ) private pure returns (string memory) {
        bool isLong = length > freeLength;
        return string.concat(
            "<text ",
            place,
            '" font-size="',
            (isLong ? size * freeLength / length : size).toString(),
            isLong ? string.concat('" lengthAdjust="spacingAndGlyphs" textLength="', maxWidth) : "",
            '">',
            text,
            "</text>"
        );
    }
}
