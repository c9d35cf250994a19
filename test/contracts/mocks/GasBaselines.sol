// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// Small, and read together.
// solhint-disable avoid-low-level-calls

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title BareMint
/// @notice Baseline for the benchmark: a token without attributes.
contract BareMint is ERC721("Bare", "BARE") {
    function mint(address to, uint256 id) external {
        _mint(to, id);
    }
}

/// @title UriStorageMint
/// @notice Baseline for the benchmark: a token that stores its JSON.
contract UriStorageMint is ERC721URIStorage {
    constructor() ERC721("Uri", "URI") {}

    function mint(address to, uint256 id, string calldata uri) external {
        _mint(to, id);
        _setTokenURI(id, uri);
    }
}

/// @title NaivePayout
/// @notice Baseline for the benchmark: one flag per payout, recipients as parameters, no lookups.
contract NaivePayout is Ownable(msg.sender), ReentrancyGuard {
    mapping(uint256 id => bool) public isPaid;

    event Paid(uint256 indexed id, address indexed to, uint256 amount);

    error AlreadyPaid(uint256 id);
    error Refused(address to);

    receive() external payable {}

    function pay(uint256 id, address to, uint256 amount) external onlyOwner nonReentrant {
        _pay(id, to, amount);
    }

    function payBatch(uint256[] calldata ids, address[] calldata to, uint256[] calldata amounts)
        external
        onlyOwner
        nonReentrant
    {
        for (uint256 i; i < ids.length; ++i) {
            _pay(ids[i], to[i], amounts[i]);
        }
    }

    function _pay(uint256 id, address to, uint256 amount) private {
        if (isPaid[id]) revert AlreadyPaid(id);
        isPaid[id] = true;
        (bool isDone,) = to.call{value: amount}("");
        if (!isDone) revert Refused(to);
        emit Paid(id, to, amount);
    }
}

/// @title BareDisperse
/// @notice Baseline for the benchmark: a loop that only sends.
contract BareDisperse {
    error Refused(address to);

    function disperse(address[] calldata to, uint256[] calldata amounts) external payable {
        for (uint256 i; i < to.length; ++i) {
            (bool isDone,) = to[i].call{value: amounts[i]}("");
            if (!isDone) revert Refused(to[i]);
        }
    }
}
