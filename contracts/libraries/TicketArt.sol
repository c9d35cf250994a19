// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {IPurchaseNFT} from "../interfaces/IPurchaseNFT.sol";
import {ITicketDescriptor} from "../interfaces/ITicketDescriptor.sol";
import {Svg} from "./Svg.sol";
import {TextFit} from "./TextFit.sol";
import {TicketColour} from "./TicketColour.sol";
import {TicketText} from "./TicketText.sol";

/// @title TicketArt
/// @notice Draws a purchase as a match ticket in front of the stands, whose crowd wears the store's colours: a header,
/// the store name below an edge in the store's colour and, in the largest type, the percent; a stub with the value, the
/// buyer and a unique bar code; and a stamp across the perforation whose shape shows the status: a hollow clock, a
/// solid tick, an arrow that turns back, or a crossed ring with the ticket struck through.
/// @dev The image is 600 × 600 units. Text uses the viewer's fonts and is fitted to its maximum width; letter spacing
/// scales with the font size (`geometricPrecision`). No scripts, no style sheets, no external references.
library TicketArt {
    using LibString for *;

    /*//////////////////////////////////////////////////////////////////////////
                                     CONSTANTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev In all of these fonts every digit has the same width.
    string private constant _TEXT_STYLE =
        " font-family=\"'Roboto Condensed','Arial Narrow','Liberation Sans Narrow',Arial,sans-serif\""
        ' font-weight="700" text-rendering="geometricPrecision"';

    string private constant _NIGHT = "#08201a";
    /// @dev The stands where a crowd wears colours: lighter, so that black is seen.
    string private constant _CONCRETE = "#33403a";
    uint24 private constant _CONCRETE_COLOUR = 0x33403a;
    string private constant _CROWD = "#14493a";
    string private constant _PAPER = "#faf6ea";
    uint24 private constant _PAPER_COLOUR = 0xfaf6ea;
    string private constant _INK = "#10261e";
    string private constant _GREY = "#d9d4c5";
    string private constant _CHARCOAL = "#3d3d3d";
    string private constant _LABEL = "#4f6158";
    string private constant _PITCH = "#0b5138";
    uint24 private constant _PITCH_COLOUR = 0x0b5138;
    string private constant _MOWN = "#0f6144";
    uint24 private constant _MOWN_COLOUR = 0x0f6144;
    string private constant _CHALK = "#efe8d3";
    string private constant _GREEN = "#0b8448";
    string private constant _YELLOW = "#d99a00";
    string private constant _AMBER = "#8a5a00";
    string private constant _BROWN = "#7a5000";
    string private constant _WHITE = "#fff";

    /// @dev A bonus; also the edge of the collection's ticket, which belongs to no store.
    string private constant _GOLD = "#e0a526";

    /// @dev Colours for stores without their own: neutral ones, no club's, three bytes each.
    bytes private constant _NEUTRAL_COLOURS = hex"e0a526c4572f2f7f868a9a3b4f7ea8a34a5e";

    string private constant _CANVAS = "M0 0h600v600H0z";
    string private constant _SPECTATORS =
        "M13 8a6 6 0 11-.1 0zM3 32a10 10 0 0120 0zM38 33a6 6 0 11-.1 0zM28 57a10 10 0 0120 0z";

    /// @dev The patterns of `StoreLook` that are not plain, in the order of `CLUB_PATTERNS` in
    /// `core/rules/clubs/club.ts`.
    uint256 private constant _STRIPES = 1;
    uint256 private constant _HOOPS = 2;
    uint256 private constant _HALVES = 3;
    uint256 private constant _SASH = 4;
    uint256 private constant _CHEST_BAND = 5;
    uint256 private constant _CENTRE_BAND = 6;

    /// @dev The ticket covers x 40 to 560 and y 40 to 560: the header down to y 122, the stub from y 412.
    string private constant _TICKET =
        "M68 40h464a28 28 0 0128 28v322a22 22 0 00-22 22H62a22 22 0 00-22-22V68a28 28 0 0128-28z";
    string private constant _HEADER = "M68 40h464a28 28 0 0128 28v54H40V68a28 28 0 0128-28z";
    string private constant _EDGE = "M40 122h520v8H40z";
    string private constant _STORE_LINE = "M52 162h496v60H52z";
    string private constant _STUB =
        "M62 412h476a22 22 0 0022 22v98a28 28 0 01-28 28H68a28 28 0 01-28-28v-98a22 22 0 0022-22z";
    string private constant _PERFORATION = "M76 412h452";
    string private constant _BAR_CODE = "M372 530h166";

    /// @dev The signs on a stamp, around its centre.
    string private constant _CLOCK = "M0-54v30l20 11M0-56a33 33 0 11-.1 0z";
    string private constant _TICK = "M-41-24l29 28 54-58";
    string private constant _WAY_BACK = "M-8-50l-24 20 24 20M-30-30H12a18 18 0 010 36H-14";
    string private constant _CROSS = "M-25-54l50 50m0-50l-50 50";

    /// @dev Across the whole ticket, behind the stamp.
    string private constant _STRIKE = "M62 388L538 180";

    /// @dev The left edge of text on the ticket, and the width of a full line.
    uint256 private constant _LEFT = 62;
    uint256 private constant _LINE = 476;

    /// @dev A longer ticket number is shortened to its first and last four digits.
    uint256 private constant _MAX_NUMBER_DIGITS = 11;

    /// @dev Where the halfway line, the circle and both boxes are centred.
    uint256 private constant _MIDDLE = 267;

    uint256 private constant _SEATS_A_ROW = 40;
    uint256 private constant _ROWS = 90;
    uint256 private constant _STANDS = 26;

    /// @dev A ticket's own pitch.
    /// @param stripe The width of two stripes of mown grass.
    /// @param slant The degrees by which they lean.
    /// @param centre The x coordinate of the halfway line.
    /// @param radius The radius of the circle around the centre spot.
    /// @param depth The depth of the penalty areas.
    /// @param half Half the height of the penalty areas.
    struct Pitch {
        uint256 stripe;
        uint256 slant;
        uint256 centre;
        uint256 radius;
        uint256 depth;
        uint256 half;
    }

    /*//////////////////////////////////////////////////////////////////////////
                                     DOCUMENTS
    //////////////////////////////////////////////////////////////////////////*/

    /// @notice A ticket as an SVG document; its stamp says so if its cashback is paid.
    /// @param look How the store's tickets look, its first colour being the ticket's own.
    function ticket(ITicketDescriptor.Ticket memory self, IPurchaseNFT.StoreLook memory look, bool isPaid)
        internal
        pure
        returns (string memory)
    {
        IPurchaseNFT.PurchaseRecord memory purchase = self.purchase;
        string memory paper = string.concat(
            _stands(look),
            _paper(_accent(purchase.storeId, look), _pitchOf(self.id, purchase)),
            _stubPaper(purchase.status)
        );
        string memory words = string.concat(
            _header(self.id),
            _seat(self.id, purchase.storeId),
            _store(self.storeName),
            _cashback(purchase),
            _stub(self.id, purchase)
        );
        string memory title = string.concat(unicode"Torcida nº ", self.id.toString());
        return _document(title, string.concat(paper, words, _stamp(purchase.status, isPaid)));
    }

    /// @notice The collection's image: a generic ticket without purchase data.
    function emblem() internal pure returns (string memory) {
        IPurchaseNFT.Status status = IPurchaseNFT.Status.Confirmed;
        Pitch memory pitch = Pitch({stripe: 130, slant: 0, centre: 300, radius: 77, depth: 60, half: 77});
        IPurchaseNFT.StoreLook memory none;
        string memory paper = string.concat(_stands(none), _paper(_GOLD, pitch), _stubPaper(status));
        string memory percent = _words({text: "%", x: _LEFT, y: 372, room: 300, size: 230, fill: _INK});
        string memory words = string.concat(_title(), percent);
        return _document("Torcida", string.concat(paper, words, _stamp(status, false)));
    }

    function _document(string memory title, string memory content) private pure returns (string memory) {
        return string.concat(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" role="img"><title>',
            title,
            "</title>",
            Svg.group(_TEXT_STYLE, content),
            "</svg>"
        );
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      PAPER
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Rows of spectators, in the dark. Where a store has two colours they are lit and wear them: all the first,
    /// and those whom the pattern's line crosses the second.
    function _stands(IPurchaseNFT.StoreLook memory look) private pure returns (string memory) {
        bool isWorn = look.first != 0 && look.second != 0;
        string memory crowd = string.concat(
            _spectators("a", isWorn ? _lit(look.first) : _CROWD),
            Svg.shape({fill: isWorn ? _CONCRETE : _NIGHT, path: _CANVAS}),
            Svg.shape({fill: "url(#a)", path: _CANVAS})
        );
        if (!isWorn) return crowd;
        return string.concat(crowd, _spectators("d", _lit(look.second)), _wearers(look.pattern));
    }

    /// @dev A paint of four spectators, over and over.
    function _spectators(string memory id, string memory fill) private pure returns (string memory) {
        return string.concat(
            '<pattern id="',
            id,
            '" width="50" height="50" patternUnits="userSpaceOnUse">',
            Svg.shape({fill: fill, path: _SPECTATORS}),
            "</pattern>"
        );
    }

    /// @dev The line of those who wear the second colour, as it lies on the shirt; an unknown pattern is plain.
    function _wearers(uint256 pattern) private pure returns (string memory) {
        uint256 width = 50;
        bytes17 path = "M0 25h600m0 550H0";
        if (pattern == _STRIPES) (width, path) = (600, "M0 300h600       ");
        if (pattern == _HOOPS) (width, path) = (600, "M300 0v600       ");
        if (pattern == _HALVES) (width, path) = (300, "M450 0v600       ");
        if (pattern == _SASH) (width, path) = (300, "M0 0l600 600     ");
        if (pattern == _CHEST_BAND) (width, path) = (150, "M0 225h600       ");
        if (pattern == _CENTRE_BAND) (width, path) = (200, "M300 0v600       ");
        string memory dashes = width == 600 ? "50" : "";
        return Svg.line({stroke: "url(#d)", width: width, dashes: dashes, path: string(abi.encodePacked(path))});
    }

    /// @dev A colour that is seen on the stands.
    function _lit(uint24 colour) private pure returns (string memory) {
        return _hex(TicketColour.above(colour, _CONCRETE_COLOUR));
    }

    function _hex(uint24 colour) private pure returns (string memory) {
        return string.concat("#", uint256(colour).toHexStringNoPrefix(3));
    }

    /// @dev The ticket body: a header striped like mown grass, an edge in the store's colour, and pitch markings.
    function _paper(string memory accent, Pitch memory pitch) private pure returns (string memory) {
        return string.concat(
            Svg.shape({fill: _PAPER, path: _TICKET}),
            Svg.shape({fill: _PITCH, path: _HEADER}),
            _mownStripes(pitch),
            Svg.line({stroke: _CHALK, width: 5, dashes: "", path: _markings(pitch)}),
            Svg.shape({fill: accent, path: _EDGE})
        );
    }

    /// @dev By id, store and value: two tickets are as unlikely to have the same pitch as two photographs of a match.
    function _pitchOf(uint256 id, IPurchaseNFT.PurchaseRecord memory purchase) private pure returns (Pitch memory) {
        uint256 seed = uint256(keccak256(abi.encode(id, purchase.storeId, purchase.valueCents)));
        return Pitch({
            stripe: 60 + 2 * (seed % 41),
            slant: (seed >> 32) % 31,
            centre: 180 + (seed >> 64) % 241,
            radius: 56 + (seed >> 96) % 31,
            depth: 44 + (seed >> 128) % 37,
            half: 60 + (seed >> 160) % 51
        });
    }

    function _mownStripes(Pitch memory pitch) private pure returns (string memory) {
        string memory stripe = string.concat("M0 0h", (pitch.stripe / 2).toString(), "v600H0z");
        return string.concat(
            '<pattern id="c" height="600" patternUnits="userSpaceOnUse" width="',
            pitch.stripe.toString(),
            '" patternTransform="skewX(',
            pitch.slant.toString(),
            ')">',
            Svg.shape({fill: _MOWN, path: stripe}),
            "</pattern>",
            Svg.shape({fill: "url(#c)", path: _HEADER})
        );
    }

    /// @dev The halfway line with its circle, and a penalty area at either end.
    function _markings(Pitch memory pitch) private pure returns (string memory) {
        (string memory centre, string memory radius) = (pitch.centre.toString(), pitch.radius.toString());
        (string memory depth, string memory height) = (pitch.depth.toString(), (2 * pitch.half).toString());
        string memory top = (_MIDDLE - pitch.half).toString();
        return string.concat(
            string.concat("M", centre, " 122v290M", centre, " ", (_MIDDLE - pitch.radius).toString()),
            string.concat("a", radius, " ", radius, " 0 11-.1 0zM40 ", top, "h", depth, "v", height, "H40M560 "),
            string.concat(top, "h-", depth, "v", height, "h", depth)
        );
    }

    /// @dev The store's first colour, or its second if only that one stands out from header and paper as it is; kept
    /// apart from both. A store without one has a neutral colour chosen by its id.
    function _accent(uint16 storeId, IPurchaseNFT.StoreLook memory look) private pure returns (string memory) {
        uint24 colour = look.first;
        if (colour == 0) {
            bytes memory colours = _NEUTRAL_COLOURS;
            uint256 start = uint256(storeId) % (colours.length / 3) * 3;
            for (uint256 i; i < 3; ++i) {
                colour = (colour << 8) | uint8(colours[start + i]);
            }
        } else if (_onEdge(colour) != colour && look.second != 0 && _onEdge(look.second) == look.second) {
            colour = look.second;
        }
        return _hex(_onEdge(colour));
    }

    /// @dev A colour that is seen between header and paper.
    function _onEdge(uint24 colour) private pure returns (uint24) {
        colour = TicketColour.between(colour, _PITCH_COLOUR, _PAPER_COLOUR);
        return TicketColour.between(colour, _MOWN_COLOUR, _PAPER_COLOUR);
    }

    function _stubPaper(IPurchaseNFT.Status status) private pure returns (string memory) {
        string memory fill = status == IPurchaseNFT.Status.Confirmed
            ? _GREEN
            : status == IPurchaseNFT.Status.Cancelled ? _GREY : _PAPER;
        return string.concat(
            Svg.shape({fill: fill, path: _STUB}),
            Svg.group(
                ' stroke-linecap="round"', Svg.line({stroke: _NIGHT, width: 5, dashes: "0 14", path: _PERFORATION})
            )
        );
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      WORDS
    //////////////////////////////////////////////////////////////////////////*/

    function _title() private pure returns (string memory) {
        string memory title = _words({text: "TORCIDA", x: _LEFT, y: 100, room: 272, size: 52, fill: _PAPER});
        return Svg.group(' font-weight="900"', title);
    }

    function _header(uint256 id) private pure returns (string memory) {
        string memory number = id.toString();
        uint256 digits = bytes(number).length;
        if (digits > _MAX_NUMBER_DIGITS) {
            number = string.concat(number.slice(0, 4), unicode"…", number.slice(digits - 4));
        }
        Svg.Words memory seat = Svg.Words({
            text: string.concat(unicode"Nº ", number),
            x: 538,
            y: 97,
            room: 190,
            size: 34,
            smallest: 1,
            anchor: "end",
            fill: _PAPER
        });
        return string.concat(_title(), Svg.words(seat));
    }

    /// @dev Stand by store, row and seat by number: tickets of one store that follow each other sit side by side.
    function _seat(uint256 id, uint16 storeId) private pure returns (string memory) {
        // The cast is safe: the sum is a capital letter.
        string memory stand = string(abi.encodePacked(bytes1(uint8(0x41 + storeId % _STANDS))));
        string memory row = (id / _SEATS_A_ROW % _ROWS + 1).toString();
        string memory seat = (id % _SEATS_A_ROW + 1).toString();
        return Svg.words(
            Svg.Words({
                text: string.concat("SETOR ", stand, unicode" · FILA ", row, unicode" · LUGAR ", seat),
                x: 538,
                y: 157,
                room: 330,
                size: 20,
                smallest: 1,
                anchor: "end",
                fill: _LABEL
            })
        );
    }

    /// @dev The only free text on a ticket. It is fitted like all other text and also clipped to its line, so a font
    /// with unexpectedly wide or tall letters cannot overflow it.
    function _store(string memory name) private pure returns (string memory) {
        Svg.Words memory line = Svg.Words({
            text: name,
            x: _LEFT,
            y: 204,
            room: _LINE,
            size: 44,
            smallest: 20,
            anchor: "start",
            fill: _INK
        });
        return string.concat(
            _label({text: "LOJA", y: 157}),
            '<clipPath id="b">',
            Svg.shape({fill: _INK, path: _STORE_LINE}),
            "</clipPath>",
            Svg.group(' clip-path="url(#b)"', Svg.words(line))
        );
    }

    function _cashback(IPurchaseNFT.PurchaseRecord memory purchase) private pure returns (string memory) {
        string memory percent = TicketText.percent(uint256(purchase.baseBps) + purchase.bonusBps);
        string memory big = _words({text: percent, x: _LEFT - 6, y: 324, room: _LINE, size: 136, fill: _INK});
        return string.concat(
            Svg.group(' font-weight="900"', big), _label({text: "CASHBACK", y: 356}), _bonus(purchase.bonusBps)
        );
    }

    /// @dev A bonus is a golden ribbon as long as its text.
    function _bonus(uint256 bonusBps) private pure returns (string memory) {
        if (bonusBps == 0) return _words({text: "em CHZ", x: _LEFT, y: 387, room: 290, size: 22, fill: _INK});
        string memory text = string.concat("inclui ", TicketText.percent(bonusBps), unicode" de bônus");
        uint256 size = TextFit.fit(text, 290, 22, 1).size;
        string memory length = (TextFit.widthOf(text) * size / 100).toString();
        string memory ribbon = string.concat("M62 364h", length, "a16 16 0 010 32h-", length, "a16 16 0 010-32z");
        string memory words = _words({text: text, x: _LEFT, y: 387, room: 290, size: 22, fill: _INK});
        return string.concat(Svg.shape({fill: _GOLD, path: ribbon}), words);
    }

    function _stub(uint256 id, IPurchaseNFT.PurchaseRecord memory purchase) private pure returns (string memory) {
        string memory ink = purchase.status == IPurchaseNFT.Status.Confirmed ? _WHITE : _INK;
        string memory wallet = purchase.buyer.toHexStringChecksummed();
        return string.concat(
            Svg.group(' letter-spacing="3"', _words({text: "VALOR", x: _LEFT, y: 450, room: 120, size: 20, fill: ink})),
            _words({text: TicketText.reais(purchase.valueCents), x: _LEFT, y: 500, room: 296, size: 44, fill: ink}),
            _words({
                text: string.concat(wallet.slice(0, 6), unicode"…", wallet.slice(38)),
                x: _LEFT,
                y: 538,
                room: 290,
                size: 24,
                fill: ink
            }),
            Svg.line({stroke: ink, width: 30, dashes: _bars(id, purchase.buyer), path: _BAR_CODE})
        );
    }

    function _label(string memory text, uint256 y) private pure returns (string memory) {
        string memory words = _words({text: text, x: _LEFT, y: y, room: 160, size: 20, fill: _LABEL});
        return Svg.group(' letter-spacing="3"', words);
    }

    /// @dev Fixed text, short enough never to be truncated.
    function _words(string memory text, uint256 x, uint256 y, uint256 room, uint256 size, string memory fill)
        private
        pure
        returns (string memory)
    {
        return Svg.words(
            Svg.Words({text: text, x: x, y: y, room: room, size: size, smallest: 1, anchor: "start", fill: fill})
        );
    }

    /// @dev Alternating bars and gaps, 2 to 9 units wide: no two tickets have the same pattern.
    function _bars(uint256 id, address buyer) private pure returns (string memory) {
        bytes32 seed = keccak256(abi.encode(id, buyer));
        bytes memory widths = new bytes(64);
        for (uint256 i; i < 32; ++i) {
            widths[2 * i] = bytes1(0x32 + uint8(seed[i]) % 8);
            widths[2 * i + 1] = " ";
        }
        return string(widths);
    }

    /*//////////////////////////////////////////////////////////////////////////
                                      STAMP
    //////////////////////////////////////////////////////////////////////////*/

    /// @dev Shape and word carry the status; colour only supports them.
    function _stamp(IPurchaseNFT.Status status, bool isPaid) private pure returns (string memory) {
        if (status == IPurchaseNFT.Status.Confirmed) {
            return _pressed(
                string.concat(
                    Svg.disc({radius: 86, fill: _GREEN, stroke: _PAPER, width: 7}),
                    Svg.disc({radius: 74, fill: "none", stroke: _PAPER, width: 2}),
                    Svg.line({stroke: _WHITE, width: 18, dashes: "", path: _TICK}),
                    _stampWord(isPaid ? "PAGO" : "CONFIRMADO", _WHITE)
                )
            );
        }
        if (status == IPurchaseNFT.Status.Cancelled) {
            return string.concat(
                Svg.line({stroke: _INK, width: 14, dashes: "", path: _STRIKE}),
                _pressed(
                    string.concat(
                        Svg.disc({radius: 84, fill: _GREY, stroke: _CHARCOAL, width: 11}),
                        Svg.line({stroke: _CHARCOAL, width: 16, dashes: "", path: _CROSS}),
                        _stampWord("CANCELADO", _CHARCOAL)
                    )
                )
            );
        }
        bool isReturned = status == IPurchaseNFT.Status.Returned;
        return _pressed(
            string.concat(
                Svg.disc({radius: 84, fill: _PAPER, stroke: _YELLOW, width: 11}),
                Svg.disc({radius: 71, fill: "none", stroke: _YELLOW, width: 2}),
                Svg.line({stroke: _AMBER, width: 9, dashes: "", path: isReturned ? _WAY_BACK : _CLOCK}),
                _stampWord(isReturned ? "DEVOLVIDO" : "PENDENTE", _BROWN)
            )
        );
    }

    /// @dev Centred on the perforation and slightly rotated, as if stamped by hand.
    function _pressed(string memory content) private pure returns (string memory) {
        return Svg.group(' transform="translate(455 412) rotate(-10)"', content);
    }

    function _stampWord(string memory word, string memory fill) private pure returns (string memory) {
        return Svg.words(
            Svg.Words({text: word, x: 0, y: 39, room: 122, size: 20, smallest: 1, anchor: "middle", fill: fill})
        );
    }
}
