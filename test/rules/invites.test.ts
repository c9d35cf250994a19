import { expect } from "chai";
import { inviteCentBps, inviteMarks, needsPerson, type SaleInvite } from "../../core/rules/invites.ts";

const invite: SaleInvite = { id: 1n, role: "friend", bps: 200n, until: 100n, isInForce: true };
const of = (amountCents: bigint, centBps: bigint, boughtAt = 1n) => ({ amountCents, centBps, boughtAt });

/** docs/product.md#invite */
describe("An invitation", () => {
  it("adds its percent, at most R$ 10, and never to more than the amount", () => {
    expect(inviteCentBps(invite, of(30_000n, 15_000_000n))).to.equal(6_000_000n);
    expect(inviteCentBps(invite, of(50_000n, 0n))).to.equal(10_000_000n);
    expect(inviteCentBps(invite, of(50_001n, 0n))).to.equal(10_000_000n);
    expect(inviteCentBps(invite, of(1_000n, 9_900_000n)), "99 % and 1 % more").to.equal(100_000n);
    expect(inviteCentBps(invite, of(0n, 0n))).to.equal(0n);
  });

  it("holds for what is bought until its end, while it is in force", () => {
    expect(inviteCentBps(invite, of(1_000n, 0n, 100n))).to.equal(200_000n);
    expect(inviteCentBps(invite, of(1_000n, 0n, 101n))).to.equal(0n);
    expect(inviteCentBps({ ...invite, isInForce: false }, of(1_000n, 0n))).to.equal(0n);
    expect(inviteCentBps(null, of(1_000n, 0n))).to.equal(0n);
  });

  it("waits for a person with two marks of which one is the address, and for the team", () => {
    const own = { address_hash: "a", device_hash: "d" };
    const other = (address_hash: string, device_hash: string) => [{ address_hash, device_hash }];
    const marks = (others: (typeof own)[], friends = 0, isTeam = false) => inviteMarks(own, others, friends, isTeam);
    expect(marks(other("a", "x"))).to.deep.equal(["address"]);
    expect(marks(other("x", "d"), 3)).to.deep.equal(["device", "pace"]);
    expect(marks([...other("a", "x"), ...other("x", "d")])).to.deep.equal(["address", "device"]);
    const waits = [
      ["address"],
      ["device"],
      ["pace"],
      ["device", "pace"],
      ["address", "device"],
      ["address", "pace"],
      ["team"],
    ] as const;
    expect(waits.map(needsPerson)).to.deep.equal([false, false, false, false, true, true, true]);
  });
});
