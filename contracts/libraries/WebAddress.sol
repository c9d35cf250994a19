// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {LibString} from "solady/src/utils/LibString.sol";

/// @title WebAddress
/// @notice Checks that bytes are a URI that can be linked to: an allowed scheme in lower case, followed by one or more
/// RFC 3986 characters. Any other character (a space, a control character, a double quote, `<`, anything outside ASCII)
/// must be percent-encoded.
library WebAddress {
    using LibString for string;

    /// @dev Bit `b` is set if byte `b` is allowed in a URI: A-Z a-z 0-9 and -._~:/?#[]@!$&'()*+,;=%
    uint256 private constant _CHARACTERS = 0x47fffffeafffffffaffffffa00000000;

    /// @notice Whether `text` is an https URL.
    function isHttps(bytes memory text) internal pure returns (bool) {
        return _isAddress(text, "https://");
    }

    /// @notice Whether `text` is an http or https URL.
    function isHttpOrHttps(bytes memory text) internal pure returns (bool) {
        return isHttps(text) || _isAddress(text, "http://");
    }

    /// @notice Whether `text` is an ipfs URI.
    function isIpfs(bytes memory text) internal pure returns (bool) {
        return _isAddress(text, "ipfs://");
    }

    /// @notice The scheme and host of a URL that {isHttpOrHttps} accepts, without its path, query or fragment.
    function originOf(string memory url) internal pure returns (string memory) {
        bytes memory text = bytes(url);
        uint256 slashes;
        for (uint256 i; i < text.length; ++i) {
            bytes1 letter = text[i];
            if (letter == "/" ? ++slashes == 3 : letter == "?" || letter == "#") return url.slice(0, i);
        }
        return url;
    }

    function _isAddress(bytes memory text, bytes memory scheme) private pure returns (bool) {
        if (text.length <= scheme.length) return false;
        for (uint256 i; i < text.length; ++i) {
            bool isRight = i < scheme.length ? text[i] == scheme[i] : (_CHARACTERS >> uint8(text[i])) & 1 == 1;
            if (!isRight) return false;
        }
        return true;
    }
}
