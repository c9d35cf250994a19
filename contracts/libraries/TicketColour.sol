// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

/// @title TicketColour
/// @notice Keeps a store's colour apart from what it is drawn between, by its brightness alone.
library TicketColour {
    /// @dev The least squared distance from the darker and from the lighter neighbour: eyes tell dark colours apart
    /// sooner.
    uint256 private constant _FROM_DARKER = 6000;
    uint256 private constant _FROM_LIGHTER = 12_000;

    uint256 private constant _CHANNEL = 0xff;

    /// @notice The colour itself if it stands out from a darker and a lighter one that are far apart; otherwise lighter
    /// where it is close to the darker one, and darker where it is close to the lighter one.
    function between(uint24 colour, uint24 darker, uint24 lighter) internal pure returns (uint24) {
        while (_distance(colour, lighter) < _FROM_LIGHTER) {
            colour = _mix(colour, 0);
        }
        return above(colour, darker);
    }

    /// @notice The colour itself if it stands out from a dark one, otherwise lighter.
    function above(uint24 colour, uint24 dark) internal pure returns (uint24) {
        while (_distance(colour, dark) < _FROM_DARKER) {
            colour = _mix(colour, _CHANNEL);
        }
        return colour;
    }

    /// @dev Channels weigh as much as eyes see of them.
    function _distance(uint24 one, uint24 other) private pure returns (uint256) {
        return 2 * _squareOf(one >> 16, other >> 16) + 4 * _squareOf(one >> 8, other >> 8) + 3 * _squareOf(one, other);
    }

    /// @dev The square of the difference of the lowest channel.
    function _squareOf(uint256 one, uint256 other) private pure returns (uint256) {
        (one, other) = (one & _CHANNEL, other & _CHANNEL);
        return one < other ? (other - one) ** 2 : (one - other) ** 2;
    }

    /// @dev One sixteenth nearer to black or white, and at least one step.
    function _mix(uint24 colour, uint256 towards) private pure returns (uint24 mixed) {
        for (uint256 shift; shift < 24; shift += 8) {
            uint256 channel = (colour >> shift) & _CHANNEL;
            channel = towards == 0 ? channel * 15 / 16 : (channel * 15 + towards + 15) / 16;
            // The cast is safe: a channel has eight bits.
            mixed |= uint24(channel << shift);
        }
    }
}
