// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

import {TextFit} from "./TextFit.sol";

/// @title Svg
/// @notice Builds the few SVG elements used in the drawings.
library Svg {
    using LibString for *;

    /// @notice A single line of text.
    /// @param text The raw text; it is escaped here.
    /// @param x The x coordinate of the text's start, middle or end, depending on `anchor`.
    /// @param y The y coordinate of the baseline.
    /// @param room The maximum width.
    /// @param size The font size for short text.
    /// @param smallest The minimum font size; longer text is truncated.
    /// @param anchor `start`, `middle` or `end`.
    /// @param fill The text colour.
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

    /// @notice A line of text, fitted to its maximum width.
    function words(Words memory self) internal pure returns (string memory) {
        TextFit.Fitted memory fitted = TextFit.fit(self.text, self.room, self.size, self.smallest);
        string memory place = string.concat(_number("x", self.x), _number("y", self.y));
        string memory look = string.concat(
            _number("font-size", fitted.size), attribute("text-anchor", self.anchor), attribute("fill", self.fill)
        );
        return string.concat("<text", place, look, ">", fitted.text.escapeHTML(), "</text>");
    }

    /// @notice A filled shape.
    function shape(string memory fill, string memory path) internal pure returns (string memory) {
        return string.concat("<path", attribute("fill", fill), attribute("d", path), "/>");
    }

    /// @notice A stroked path of the given width, dashed if `dashes` is not empty.
    function line(string memory stroke, uint256 width, string memory dashes, string memory path)
        internal
        pure
        returns (string memory)
    {
        string memory dashed = bytes(dashes).length == 0 ? "" : attribute("stroke-dasharray", dashes);
        string memory pen = string.concat(attribute("stroke", stroke), _number("stroke-width", width), dashed);
        return string.concat('<path fill="none"', pen, attribute("d", path), "/>");
    }

    /// @notice A filled circle around the origin, with a stroke.
    function disc(uint256 radius, string memory fill, string memory stroke, uint256 width)
        internal
        pure
        returns (string memory)
    {
        string memory edge = string.concat(attribute("stroke", stroke), _number("stroke-width", width));
        return string.concat("<circle", _number("r", radius), attribute("fill", fill), edge, "/>");
    }

    /// @notice Wraps content in a group with these attributes.
    function group(string memory attributes, string memory content) internal pure returns (string memory) {
        return string.concat("<g", attributes, ">", content, "</g>");
    }

    /// @notice ` name="value"`, for trusted values only: they are not escaped.
    function attribute(string memory name, string memory value) internal pure returns (string memory) {
        return string.concat(" ", name, '="', value, '"');
    }

    function _number(string memory name, uint256 value) private pure returns (string memory) {
        return attribute(name, value.toString());
    }
}
