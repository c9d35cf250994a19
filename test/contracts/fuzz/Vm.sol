// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// The name that the test chain uses.
// solhint-disable interface-starts-with-i

/// @title Vm
/// @notice The cheat codes of the test chain that our Solidity tests use.
interface Vm {
    function prank(address sender) external;
    function startPrank(address sender) external;
    function deal(address account, uint256 balance) external;
    function warp(uint256 timestamp) external;
    function assume(bool condition) external pure;
    function getCode(string calldata artifactPath) external view returns (bytes memory creationCode);
    function expectRevert(bytes calldata revertData) external;
    function addr(uint256 privateKey) external pure returns (address);
}

/// @dev The address at which the test chain provides them: the last 20 bytes of keccak256("hevm cheat code").
Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
