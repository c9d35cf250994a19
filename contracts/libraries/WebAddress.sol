// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title WebAddress
/// @notice Says whether bytes are an address of the web that can be linked to: one of a few schemes, in lower case, and
/// after it one or more of the characters of RFC 3986. What is no such character (a space, a control character, a quote,
/// `<`, anything beyond ASCII) belongs percent-encoded into an address.
library WebAddress {
    /// @dev Bit `b` is set when byte `b` may stand in an address: A-Z a-z 0-9 and -._~:/?#[]@!$&'()*+,;=%
    uint256 private constant _CHARACTERS = 0x47fffffeafffffffaffffffa00000000;

    /// @notice Whether `text` is an https address.
    function isHttps(bytes memory text) internal pure returns (bool) {
        return _isAddress(text, "https://");
    }

    /// @notice Whether `text` is an http or an https address.
    function isHttpOrHttps(bytes memory text) internal pure returns (bool) {
        return isHttps(text) || _isAddress(text, "http://");
    }

    /// @notice Whether `text` is an ipfs address.
    function isIpfs(bytes memory text) internal pure returns (bool) {
        return _isAddress(text, "ipfs://");
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
