// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {TextFit} from "./TextFit.sol";

/// @title Svg
/// @notice Writes the few elements that a drawing is made of, from named parts.
library Svg {
    using LibString for *;

    /// @notice Words on one line.
    /// @param text The words, as they are: they are escaped here.
    /// @param x Where they begin, or end, or have their middle: as `anchor` says.
    /// @param y Where they stand on.
    /// @param room How wide they may be.
    /// @param size The font's size where they are short.
    /// @param smallest The size below which they are cut.
    /// @param anchor `start`, `middle` or `end`.
    /// @param fill Their colour.
    struct Words {
        string text;
        uint256 x;
        uint256 y;
        uint256 room;
        uint256 size;
        uint256 smallest;
        string anchor;
        string fill;
    }

    /// @notice A line of words that stays within its room.
    function words(Words memory self) internal pure returns (string memory) {
        TextFit.Fitted memory fitted = TextFit.fit(self.text, self.room, self.size, self.smallest);
        string memory place = string.concat(_number("x", self.x), _number("y", self.y));
        string memory look = string.concat(
            _number("font-size", fitted.size), attribute("text-anchor", self.anchor), attribute("fill", self.fill)
        );
        return string.concat("<text", place, look, ">", fitted.text.escapeHTML(), "</text>");
    }

    /// @notice A filled shape.
    function shape(string memory fill, string memory d) internal pure returns (string memory) {
        return string.concat("<path", attribute("fill", fill), attribute("d", d), "/>");
    }

    /// @notice A line of its own width and, where `dashes` is not empty, dashes.
    function line(string memory stroke, uint256 width, string memory dashes, string memory d)
        internal
        pure
        returns (string memory)
    {
        string memory dashed = bytes(dashes).length == 0 ? "" : attribute("stroke-dasharray", dashes);
        string memory pen = string.concat(attribute("stroke", stroke), _number("stroke-width", width), dashed);
        return string.concat('<path fill="none"', pen, attribute("d", d), "/>");
    }

    /// @notice A disc around the origin, with an edge.
    function disc(uint256 radius, string memory fill, string memory stroke, uint256 width)
        internal
        pure
        returns (string memory)
    {
        string memory edge = string.concat(attribute("stroke", stroke), _number("stroke-width", width));
        return string.concat("<circle", _number("r", radius), attribute("fill", fill), edge, "/>");
    }

    /// @notice Everything within a group, which has these attributes.
    function group(string memory attributes, string memory content) internal pure returns (string memory) {
        return string.concat("<g", attributes, ">", content, "</g>");
    }

    /// @notice ` name="value"`, for values that nobody else chose.
    function attribute(string memory name, string memory value) internal pure returns (string memory) {
        return string.concat(" ", name, '="', value, '"');
    }

    function _number(string memory name, uint256 value) private pure returns (string memory) {
        return attribute(name, value.toString());
    }
}
