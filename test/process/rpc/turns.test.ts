import { expect } from "chai";
import { Turns } from "../../../core/process/rpc/turns.ts";

/** docs/product.md#node-questions */
describe("Turns at the node", () => {
  /** Questions that end when the test says so; who was asked for, in order. */
  function open(mostWaiting = 200) {
    const turns = new Turns({ atOnce: 2, waitMs: 60_000, mostWaiting });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (asker: string) =>
      turns.take(asker, () => {
        begun.push(asker);
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    /** Ends the oldest question, and waits until another one has begun. */
    const endOne = async () => {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { ask, begun, endOne };
  }

  it("go round the askers: two with a hundred questions each keep nobody waiting", async () => {
    const { ask, begun, endOne } = open(500);
    for (let turn = 0; turn < 100; turn++) for (const asker of ["192.0.2.1", "192.0.2.2"]) void ask(asker);
    for (const asker of ["192.0.2.3", "192.0.2.4"]) void ask(asker);
    for (let turn = 0; turn < 6; turn++) await endOne();
    expect(begun).to.include.members(["192.0.2.3", "192.0.2.4"]);
  });

  it("have room for somebody else, whatever waits: who has most there is refused", async () => {
    const { ask, begun, endOne } = open(20);
    const refused: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      for (const asker of ["192.0.2.1", "192.0.2.2"])
        void ask(asker).then((answer) => {
          if (!answer) refused.push(asker);
        });
    }
    void ask("192.0.2.3");
    for (let turn = 0; turn < 6; turn++) await endOne();
    expect(begun).to.include("192.0.2.3");
    expect(refused).to.have.length(59);
  });

  it("go round the networks of IPv6, which has many addresses for one customer", async () => {
    const { ask, begun, endOne } = open();
    for (let subnet = 1; subnet <= 100; subnet++) void ask(`2001:db8:1:${subnet.toString(16)}::/64`);
    void ask("2001:db8:2:1::/64");
    for (let turn = 0; turn < 6; turn++) await endOne();
    expect(begun).to.include("2001:db8:2:1::/64");
  });
});
