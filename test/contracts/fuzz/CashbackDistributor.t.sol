// SPDX-License-Identifier: MIT
pragma solidity 0.8.35;

// These tests check whether a call is rejected.
// solhint-disable avoid-low-level-calls

import {RevertingReceiver} from "../mocks/HostileReceivers.sol";
import {TestSystem} from "./TestSystem.t.sol";
import {VM} from "./Vm.sol";

/// @notice Properties of single payouts that hold for any input.
contract CashbackDistributorFuzzTest is TestSystem {
    receive() external payable {}

    function setUp() external {
        deploySystem();
        VM.deal(address(distributor), DAILY_CAP);
    }

    function _confirmed(uint256 id, address buyer, uint40 valueCents, uint16 totalBps) private {
        nft.mint(purchase(id, buyer, valueCents, totalBps, 0, 1), "");
        nft.confirm(one(id));
    }

    /// An amount is paid, to the wei, exactly when it is not zero and within percent × rate and the cap.
    function testFuzz_amountIsBounded(uint160 id, uint40 valueCents, uint16 totalBps, uint96 rate, uint96 amount)
        external
    {
        VM.assume(id != 0 && valueCents != 0);
        totalBps = totalBps % 10_000 + 1;
        rate %= MAX_RATE + 1;
        address buyer = address(0xb0b);
        _confirmed(id, buyer, valueCents, totalBps);
        uint256 most = uint256(valueCents) * totalBps * rate / 10_000;
        bool isRight = amount != 0 && amount <= most && amount <= MAX_PAYOUT;
        (bool isDone,) = address(distributor).call(
            abi.encodeCall(distributor.payBatch, (one(uint256(id) << 96 | amount), rate))
        );
        expect(isDone == isRight, "paid exactly when right");
        expect(buyer.balance == (isRight ? amount : 0), "to the wei");
        expect(distributor.isPaid(id) == isRight || id == 0, "paid bit");
    }

    /// No two ids share a paid bit.
    function testFuzz_paidBitsDoNotMeet(uint160 id, uint160 other) external {
        VM.assume(id != 0 && other != 0 && id != other);
        _confirmed(id, address(0xb0b), 100, 1000);
        distributor.pay(id, 1, MAX_RATE);
        expect(distributor.isPaid(id), "paid");
        expect(!distributor.isPaid(other), "the other");
    }

    /// An id is never paid twice, whichever function is called.
    function testFuzz_paidOnce(uint160 id, bool first, bool second) external {
        VM.assume(id != 0);
        _confirmed(id, address(0xb0b), 100, 1000);
        for (uint256 i; i < 2; ++i) {
            bytes memory data = (i == 0 ? first : second)
                ? abi.encodeCall(distributor.pay, (id, 10, MAX_RATE))
                : abi.encodeCall(distributor.payBatch, (one(uint256(id) << 96 | 10), MAX_RATE));
            (bool isDone,) = address(distributor).call(data);
            expect(isDone || i == 1, "the first is paid");
        }
        expect(address(0xb0b).balance == 10, "once");
    }

    /// With any amount of gas a batch either pays all good recipients, or does nothing.
    function testFuzz_gasCannotTurnPaymentsIntoCredits(uint24 gasLimit) external {
        uint256[] memory items = new uint256[](4);
        for (uint256 i; i < 4; ++i) {
            _confirmed(i + 1, address(uint160(0xb0b0 + i)), 100, 1000);
            items[i] = (i + 1) << 96 | 5;
        }
        (bool isDone,) =
            address(distributor).call{gas: gasLimit}(abi.encodeCall(distributor.payBatch, (items, MAX_RATE)));
        expect(distributor.totalCredit() == 0, "no credit");
        uint256 due = isDone ? 5 : 0;
        expect(address(0xb0b0).balance == due && address(0xb0b3).balance == due, "all or nothing");
    }

    /// A sweep takes exactly what is not owed to anyone, never more.
    function testFuzz_sweepLeavesCredits(uint96 credit, uint128 amount) external {
        credit = credit % MAX_PAYOUT + 1;
        address refusing = address(new RevertingReceiver());
        _confirmed(1, refusing, type(uint40).max, 10_000);
        distributor.pay(1, credit, MAX_RATE);
        uint256 free = distributor.available();
        bytes memory sweeping = abi.encodeCall(distributor.sweep, (payable(address(0xfee1)), amount));
        (bool isDone,) = address(distributor).call(sweeping);
        expect(isDone == (amount <= free), "only the free part");
        expect(address(distributor).balance >= credit && distributor.creditOf(refusing) == credit, "the credit stays");
    }

    /// The maximum rate is exact.
    function testFuzz_rateIsBounded(uint256 rate) external {
        _confirmed(1, address(0xb0b), 1_000_000, 1000);
        (bool isDone,) = address(distributor).call(abi.encodeCall(distributor.payBatch, (one(1 << 96 | 1), rate)));
        expect(isDone == (rate != 0 && rate <= MAX_RATE), "rate");
    }
}
