import { expect } from "chai";
import { daysLeft } from "../../api/operations/runway.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";

const NOW = 1_000 * DAY_MS;
const ago = (days: number) => NOW - days * DAY_MS;
const spent = (...days: number[]) => days.map((day) => ({ amount: 10n, atMs: ago(day) }));

describe("Days left", () => {
  const old = { fromMs: ago(400), isAll: true };

  it("use the spending rate of the whole last week, however few days have payouts", () => {
    expect(daysLeft(70n, spent(1, 2, 3, 4, 5, 6, 6.5), old, NOW)).to.equal(7);
    expect(daysLeft(70n, spent(1), old, NOW), "one payment in the week").to.equal(49);
  });

  it("leave out earlier spending", () => {
    expect(daysLeft(70n, [...spent(1), ...spent(8, 30, 200)], old, NOW)).to.equal(49);
  });

  it("are at the maximum if nothing is spent", () => {
    expect(daysLeft(0n, [], old, NOW)).to.equal(9_999);
    expect(daysLeft(1n, spent(8), old, NOW)).to.equal(9_999);
  });

  it("count a shop's first hour as a day, and its third day as three", () => {
    expect(daysLeft(70n, spent(0.01), { fromMs: ago(0.04), isAll: true }, NOW)).to.equal(7);
    expect(daysLeft(70n, spent(0.5, 1, 2), { fromMs: ago(3), isAll: true }, NOW)).to.equal(7);
  });

  it("of a busy shop use the hours that were read, whoever spent in them", () => {
    const busy = { fromMs: ago(0.5), isAll: false };
    expect(daysLeft(70n, spent(0.001), busy, NOW), "a key that sent once").to.equal(3.5);
    expect(daysLeft(70n, spent(0.1, 0.2, 0.3, 0.4), busy, NOW)).to.equal(0.875);
  });

  it("are zero if the wallet is empty", () => {
    expect(daysLeft(0n, spent(1), old, NOW)).to.equal(0);
  });
});
