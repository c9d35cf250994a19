// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

import {TicketColour} from "../../../contracts/libraries/TicketColour.sol";

/// @notice A colour that stands out is not touched; another is moved to the first one that does, and no further.
contract TicketColourTest {
    uint24 private constant _BLACK = 0;
    uint24 private constant _WHITE = 0xffffff;
    uint24 private constant _PITCH = 0x0b5138;
    uint24 private constant _PAPER = 0xfaf6ea;

    error Differs(uint24 colour, uint24 moved);

    /// 2 dr² + 4 dg² + 3 db² is exactly 12,000 from the lighter or 6,000 from the darker, or one less.
    function test_borders() external pure {
        _expect(0xf3e7c7, _BLACK, _WHITE, 0xf3e7c7);
        _expect(0xebd7d7, _BLACK, _WHITE, 0xebd7d7);
        _expect(0xefccec, _BLACK, _WHITE, 0xe0bfdd);
        _expect(0xe5f0c6, _BLACK, _WHITE, 0xd6e1b9);
        _expect(0x101126, _BLACK, _WHITE, 0x101126);
        _expect(0x1c1a18, _BLACK, _WHITE, 0x1c1a18);
        _expect(0x0a1b1f, _BLACK, _WHITE, 0x1a2a2d);
        _expect(0x161521, _BLACK, _WHITE, 0x25242f);
        _expect(0xe6c4d6, _PITCH, _PAPER, 0xe6c4d6);
        _expect(0x1f5b60, _PITCH, _PAPER, 0x1f5b60);
    }

    /// Sixteenths, rounded towards where they lead.
    function test_steps() external pure {
        _expect(_WHITE, _BLACK, _WHITE, 0xd2d2d2);
        _expect(_BLACK, _BLACK, _WHITE, 0x1f1f1f);
        _expect(0x0e0e0e, _BLACK, _WHITE, 0x1e1e1e);
        _expect(_WHITE, _PITCH, _PAPER, 0xc4c4c4);
        _expect(_PAPER, _PITCH, _PAPER, 0xcdc9c0);
        _expect(_PITCH, _PITCH, _PAPER, 0x38715c);
        _expect(0x0a4a33, _PITCH, _PAPER, 0x376b58);
        _expect(_BLACK, _PITCH, _PAPER, _BLACK);
    }

    function testFuzz_standsOut(uint24 colour) external pure {
        uint24 moved = TicketColour.between(colour, _PITCH, _PAPER);
        if (_distance(moved, _PITCH) < 6000 || _distance(moved, _PAPER) < 12_000) revert Differs(colour, moved);
        bool stoodOut = _distance(colour, _PITCH) >= 6000 && _distance(colour, _PAPER) >= 12_000;
        if (stoodOut && moved != colour) revert Differs(colour, moved);
    }

    function _distance(uint24 one, uint24 other) private pure returns (uint256) {
        int256 red = int256(uint256(one >> 16)) - int256(uint256(other >> 16));
        int256 green = int256(uint256(uint8(one >> 8))) - int256(uint256(uint8(other >> 8)));
        int256 blue = int256(uint256(uint8(one))) - int256(uint256(uint8(other)));
        return uint256(2 * red * red + 4 * green * green + 3 * blue * blue);
    }

    function _expect(uint24 colour, uint24 darker, uint24 lighter, uint24 wanted) private pure {
        uint24 moved = TicketColour.between(colour, darker, lighter);
        if (moved != wanted) revert Differs(colour, moved);
    }
}
