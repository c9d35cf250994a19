import { expect } from "chai";
import { CallBudget, type Clock, type Lane } from "../../../core/process/rpc/call-budget.ts";

/** Time that passes only when it is told to. */
class TestClock implements Clock {
  #now = 0;
  #timers: { at: number; work: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { at: this.#now + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  /** Runs the timers up to then, and what waits for them. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.work();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
  }
}

const FOREVER = Number.MAX_SAFE_INTEGER;

describe("The budget of calls to a node", () => {
  let clock: TestClock;
  let budget: CallBudget;
  beforeEach(() => {
    clock = new TestClock();
    budget = new CallBudget(clock);
  });
  /** Notes the order in which calls are let through. */
  const asking = () => {
    const through: string[] = [];
    const ask = (name: string, lane: Lane, calls = 1, msLeft = FOREVER) =>
      void budget.take(calls, lane, msLeft).then((isIn) => through.push(isIn ? name : `not ${name}`));
    return { through, ask };
  };
  const limitTo = (allowed: number) => budget.recall(allowed);

  it("has no limit until the node refuses", async () => {
    for (let count = 0; count < 1_000; count++) expect(await budget.take(100, "check", 0)).to.equal(true);
    expect(budget.figures.allowed).to.equal(undefined);
  });

  it("allows more soon if one refusal was of a short jam", async () => {
    budget.refused(4, {});
    for (let count = 0; count < 1_000; count++) void budget.take(1, "read", FOREVER);
    await clock.pass(15_000);
    expect(budget.figures.allowed).to.be.greaterThan(30);
  });

  it("allows what was answered in the second before the first refusal", async () => {
    for (let count = 0; count < 3; count++) {
      await budget.take(2, "read", 0);
      budget.answered(2);
    }
    budget.refused(4, {});
    expect(budget.figures.allowed).to.equal(6);
  });

  it("believes the limit that a refusal names, and waits as long as it asks", async () => {
    expect(budget.refused(10, { named: 5, retryAfterMs: 20_000 })).to.equal(20_000);
    expect(budget.figures.allowed).to.equal(5);
    const { through, ask } = asking();
    ask("nonce", "send");
    await clock.pass(19_999);
    expect(through).to.deep.equal([]);
    await clock.pass(1);
    expect(through).to.deep.equal(["nonce"]);
  });

  it("lets nonces and receipts go before new blocks, these before reads, and comparisons last", async () => {
    limitTo(2);
    const { through, ask } = asking();
    ask("first", "read", 2);
    for (const lane of ["check", "read", "follow", "send"] as const) ask(lane, lane);
    await clock.pass(0);
    await clock.pass(10_000);
    expect(through).to.deep.equal(["first", "send", "follow", "read", "check"]);
  });

  it("never sends more than the limit in a second, whatever is asked", async () => {
    limitTo(5);
    let sent = 0;
    for (let count = 0; count < 100; count++) void budget.take(1, "read", FOREVER).then(() => sent++);
    await clock.pass(0);
    for (let second = 1; second <= 4; second++) {
      const before = sent;
      await clock.pass(1_000);
      expect(sent - before).to.be.at.most(5);
    }
  });

  it("keeps half of it free of comparisons", async () => {
    limitTo(6);
    const { through, ask } = asking();
    for (let count = 0; count < 6; count++) ask("check", "check");
    await clock.pass(0);
    expect(through).to.have.length(3);
    ask("nonce", "send", 3);
    await clock.pass(0);
    expect(through.at(-1)).to.equal("nonce");
  });

  it("gives up what is not sent in time, and says so", async () => {
    limitTo(1);
    const { through, ask } = asking();
    ask("first", "send");
    ask("late", "read", 1, 500);
    await clock.pass(600);
    expect(through).to.deep.equal(["first", "not late"]);
  });

  it("allows less after each refusal, more while calls wait and none is refused, and forgets nothing while idle", async () => {
    limitTo(5);
    await clock.pass(3_600_000);
    expect(budget.figures.allowed).to.equal(5);
    budget.refused(1, {});
    expect(budget.figures.allowed).to.equal(4);
    for (let count = 0; count < 100; count++) void budget.take(1, "read", FOREVER);
    await clock.pass(11_000);
    expect(budget.figures.allowed).to.be.within(4.2, 4.8);
  });

  it("tells what was needed in the busiest minute of the last hour", async () => {
    for (let count = 0; count < 120; count++) await budget.take(1, "read", 0);
    await clock.pass(60_000);
    await budget.take(1, "read", 0);
    expect(budget.figures.needed).to.equal(2);
    await clock.pass(3_600_000);
    expect(budget.figures.needed).to.equal(0);
  });
});
