import { expect } from "chai";
import fc from "fast-check";
import { type Allowance, admit } from "../../core/sender/dispatch.ts";

const CHZ = 1_000_000_000n;
const WIDE: Allowance = {
  maxWeiPerCent: 1n,
  maxPayout: 100n * CHZ,
  dayLeft: 100n * CHZ,
  dayEndsInMs: 3_600_000n,
  pool: 100n * CHZ,
  shares: new Map(),
};
const payouts = (...chz: number[]) =>
  chz.map((one, index) => ({ id: BigInt(index + 1), amount_gwei: BigInt(one) * CHZ, share_id: null }));

/** The limits, the payouts in order, those admitted, and the reasons for the others. */
const TABLE: [string, Partial<Allowance>, number[], number[], string[]][] = [
  ["room for all", {}, [1, 2, 3], [1, 2, 3], []],
  ["one above the payout limit", { maxPayout: 5n * CHZ }, [1, 6, 5], [1, 5], ["max_payout"]],
  ["one above what is left of the day", { dayLeft: 5n * CHZ }, [4, 2, 1], [4, 1], ["day_cap"]],
  ["one above the pool", { pool: 3n * CHZ }, [4, 3], [3], ["pool_empty"]],
  ["nothing left of the day", { dayLeft: 0n }, [1, 2], [], ["day_cap", "day_cap"]],
  ["more on its way than the cap", { dayLeft: -5n * CHZ }, [1], [], ["day_cap"]],
  [
    "each reason at once",
    { maxPayout: 9n * CHZ, dayLeft: 8n * CHZ, pool: 7n * CHZ },
    [10, 9, 8, 7],
    [7],
    ["max_payout", "day_cap", "pool_empty"],
  ],
  [
    "a paused distributor",
    { closed: { kind: "later", reason: "paused", text: "paused" } },
    [1, 2],
    [],
    ["paused", "paused"],
  ],
];

describe("The distributor's limits", () => {
  for (const [name, limits, amounts, paid, reasons] of TABLE) {
    it(`with ${name}, pay ${paid.join(" and ") || "nothing"}`, () => {
      const { ready, setAside } = admit(payouts(...amounts), { ...WIDE, ...limits });
      expect(ready.map((one) => Number((one.amount_gwei ?? 0n) / CHZ))).to.deep.equal(paid);
      expect(setAside.map(({ verdict }) => verdict.kind === "later" && verdict.reason)).to.deep.equal(reasons);
    });
  }

  it("name the figures, and retry a daily cap after midnight", () => {
    const [aside] = admit(payouts(7), { ...WIDE, dayLeft: 5n * CHZ }).setAside;
    expect(aside?.verdict).to.include({ afterMs: 3_605_000n });
    expect(aside?.verdict.kind === "later" && aside.verdict.text).to.match(/AboveDailyCap: 7 CHZ .* 5 CHZ/);
  });

  it("are never exceeded, and do not delay what fits (F40)", () => {
    const amount = fc.bigInt({ min: 1n, max: 60n });
    const limit = fc.bigInt({ min: 0n, max: 120n });
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 20 }), limit, limit, limit, (amounts, maxPayout, dayLeft, pool) => {
        const operations = amounts.map((one, index) => ({ id: BigInt(index), amount_gwei: one, share_id: null }));
        const { ready, setAside, left } = admit(operations, { ...WIDE, maxPayout, dayLeft, pool });
        const sum = ready.reduce((total, one) => total + one.amount_gwei, 0n);
        expect(sum <= dayLeft && sum <= pool && ready.every((one) => one.amount_gwei <= maxPayout)).to.equal(true);
        expect([left.dayLeft, left.pool]).to.deep.equal([dayLeft - sum, pool - sum]);
        for (const { operation } of setAside) {
          const fits = operation.amount_gwei <= maxPayout && operation.amount_gwei <= left.dayLeft;
          expect(fits && operation.amount_gwei <= left.pool, `${operation.amount_gwei} was held up`).to.equal(false);
        }
      }),
    );
  });

  /** Of accounts 1 to 9, what is left of each share and its smallest payout that waits, and their payouts in order. */
  const SHARED: [
    string,
    [left: number, smallest?: number][],
    Partial<Allowance>,
    [account: number, chz: number][],
    string,
  ][] = [
    [
      "whoever has no share left, while another one waits",
      [
        [0, 5],
        [25, 5],
      ],
      {},
      [
        [1, 5],
        [2, 5],
      ],
      "2",
    ],
    [
      "whoever asks for more than its share, the rest of which is paid",
      [
        [9, 5],
        [25, 5],
      ],
      {},
      [
        [1, 5],
        [1, 5],
        [1, 4],
        [2, 5],
      ],
      "1 1 2",
    ],
    [
      "nobody while no other account waits",
      [[0, 5], [25]],
      {},
      [
        [1, 5],
        [1, 5],
      ],
      "1 1",
    ],
    [
      "nobody for one that has used its own share",
      [
        [0, 5],
        [0, 5],
      ],
      {},
      [
        [1, 5],
        [2, 5],
      ],
      "1 2",
    ],
    [
      "nobody for one that the day has no room for",
      [
        [0, 5],
        [25, 20],
      ],
      { dayLeft: 12n * CHZ },
      [
        [1, 5],
        [1, 5],
      ],
      "1 1",
    ],
    [
      "nobody for one above the limit of a payout",
      [
        [0, 5],
        [250, 120],
      ],
      { dayLeft: 300n * CHZ },
      [[1, 5]],
      "1",
    ],
    ["no payout of an account that is not known", [[25, 5]], {}, [[9, 5]], "9"],
  ];
  for (const [name, shares, limits, asked, paid] of SHARED) {
    it(`let wait ${name}`, () => {
      const gwei = (chz: number) => BigInt(chz) * CHZ;
      const known = shares.map(([left, smallest], index) => {
        const share = { leftGwei: gwei(left), smallestGwei: smallest === undefined ? undefined : gwei(smallest) };
        return [BigInt(index + 1), share] as const;
      });
      const operations = asked.map(([account, chz], index) => {
        return { id: BigInt(index), amount_gwei: gwei(chz), share_id: BigInt(account) };
      });
      const { ready, setAside } = admit(operations, { ...WIDE, ...limits, shares: new Map(known) });
      expect(ready.map(({ share_id }) => share_id).join(" ")).to.equal(paid);
      for (const { verdict } of setAside) expect(verdict.kind === "later" && verdict.text).to.match(/^AboveDayShare/);
    });
  }
});
