import fc from "fast-check";
import type { ReportFacts } from "./bookkeeper.ts";

/** What happens to the sales of a history, one thing after the other. */
const SALES = 4;

export type Report = Omit<ReportFacts, "visit" | "store"> & {
  sale: number;
  visit: number | null;
  isLate: boolean;
  /** The network's clock is hours ahead of ours: nobody knows when it said so. */
  isAhead: boolean;
};
export type Fact =
  | ({ kind: "report" } & Report)
  | { kind: "again"; sale: number }
  | { kind: "release"; sale: number }
  | { kind: "decline"; sale: number }
  /** Wei per centavo, in 10^15, and millionths of a real for a dollar. */
  | { kind: "rates"; chz: bigint; dollar: bigint }
  /** The sale's last report, with one thing changed. */
  | { kind: "change"; sale: number; change: Partial<Omit<Report, "visit">> }
  /** A payout is in flight while this is reported; then it reverts. */
  | ({ kind: "revert" } & Report)
  /**
   * A payout is in flight while its sale is declined and another of its buyer is paid; then it reverts, and the sale comes
   * back: afterwards, or before.
   */
  | { kind: "revert beside"; sale: number; other: number; cents: bigint; isBackBefore: boolean }
  /** Staff hold the sale's purchases while this is reported, and let them go on afterwards. */
  | ({ kind: "hold" } & Report)
  /** In CHZ: what one person's decisions may pay a day; null: any sum. */
  | { kind: "limit"; chz: bigint | null }
  /** A paid sale is declined, others of its buyer pay the debt together, and it comes back, all at other rates. */
  | { kind: "net"; sale: number; others: [number, number]; chz: bigint; cents: bigint; isSlow: boolean }
  /** The sale turns out to be the second store's, and staff assign it to a visit there, at another rate. Only told. */
  | { kind: "assign"; sale: number; visit: number; chz: bigint }
  /** A process starts with the networks' account, under one of its names or not at all. */
  | { kind: "account"; name: string | null }
  /**
   * The backup from before one of the steps so far is restored, and all networks are read again, the last sale first. Only
   * where nobody's visit and no rate is another one since.
   */
  | { kind: "go back"; to: number }
  /** Steps are queued, and not sent; then the rate is another one. Only where the books do not depend on what is queued. */
  | { kind: "plan"; chz: bigint }
  /**
   * The first store's network pays this much from now on, in basis points, and a round reads it; a person may agree to what it
   * proposes. Then the buyer of this visit goes there again, with this bonus: what is reported of it later is of that visit.
   */
  | { kind: "visit"; visit: number; commission: bigint; isAgreed: boolean; bonus: bigint }
  /** What the account may lose from now on, in reais. */
  | { kind: "margin"; reais: bigint }
  /** A sale's payout is queued, or on its way, when this is reported. */
  | { kind: "paying"; sale: number; meanwhile: Report; isSent: boolean };
/**
 * `killAt`: the process dies at this query, and another one does it again. `rounds`: so often the planner and the chain
 * go on, and what is on its way then is read. `isQuiet`: all that can happen then happens.
 */
export type Step = { fact: Fact; killAt: number; rounds: number; wallet: WalletMood; isQuiet: boolean };
/** Whether the wallets take what is paid to them, and withdraw what they refused. */
export type WalletMood = "takes" | "refuses" | "withdraws";

const sale = fc.nat(SALES - 1);
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, ...others.map((one) => fc.constant(one)));
const chz = fc.constantFrom(3n, 10n, 20n);
const change: fc.Arbitrary<Partial<Omit<Report, "visit">>> = fc.oneof(
  fc.record({ cents: fc.constantFrom(0n, 1n, 999n, 4_000n, 10_000n, 20_000n) }),
  fc.record({ status: fc.constantFrom("pending" as const, "approved" as const, "declined" as const) }),
  fc.record({ payable: fc.boolean() }),
  fc.record({ drift: fc.constantFrom("a", "b", "c") }),
  fc.record({ pays: fc.constantFrom(null, 200n, 500n, 833n) }),
  fc.record({ currency: fc.constantFrom("BRL", "USD", "JPY") }),
  fc.record({ currency: fc.constantFrom("USD", "JPY"), brlCents: fc.constantFrom(12_000n, 30_000n) }),
);
const report = {
  sale,
  visit: fc.oneof({ weight: 5, arbitrary: sale }, fc.constant(null)),
  status: fc.constantFrom("pending" as const, "approved" as const, "approved" as const, "declined" as const),
  payable: fc.constantFrom(true, true, false, null),
  cents: mostly<"some" | null>("some", null).chain((one) =>
    one === null ? fc.constant(null) : fc.constantFrom(0n, 1n, 999n, 4_000n, 10_000n, 20_000n),
  ),
  currency: mostly("BRL", "USD", "JPY", "USD", "JPY", "GBP"),
  brlCents: mostly<bigint | null>(null, 12_000n, 12_000n, 30_000n),
  pays: mostly<bigint | null>(null, 200n, 500n, 833n),
  drift: mostly<string | null>(null, "a", "b"),
  isLate: mostly(false, true),
  isAhead: mostly(false, true),
};
export const step: fc.Arbitrary<Step> = fc.record({
  fact: fc.oneof(
    { weight: 10, arbitrary: fc.record({ kind: fc.constant("report" as const), ...report }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const), sale }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("release" as const), sale }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("decline" as const), sale }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("rates" as const),
        chz,
        dollar: fc.constantFrom(5_000_000n, 9_000_000n),
      }),
    },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant("change" as const), sale, change }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("revert" as const), ...report }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("revert beside" as const),
        sale,
        other: sale,
        cents: fc.constantFrom(4_000n, 10_000n, 20_000n),
        isBackBefore: mostly(false, true, true),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("hold" as const), ...report }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("go back" as const), to: fc.nat(11) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("account" as const), name: fc.constantFrom("br", "brasil", null) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("limit" as const), chz: fc.constantFrom(0n, 0n, 30n, null) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("visit" as const),
        visit: sale,
        commission: fc.constantFrom(0n, 200n, 834n, 834n, 1_200n),
        isAgreed: fc.boolean(),
        bonus: mostly(0n, 300n),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("margin" as const),
        reais: fc.constantFrom(0n, 2n, 1_000_000n, 1_000_000n),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("net" as const),
        sale,
        others: fc.tuple(sale, sale),
        chz,
        cents: fc.constantFrom(4_000n, 10_000n, 20_000n),
        isSlow: fc.boolean(),
      }),
    },
  ),
  killAt: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
  rounds: fc.constantFrom(0, 0, 1, 2, 3),
  wallet: mostly<WalletMood>("takes", "refuses", "withdraws", "withdraws"),
  isQuiet: fc.constantFrom(true, true, false),
});

/** Approved and payable, in reais. */
export const PLAIN = {
  ...({ status: "approved", payable: true, cents: 10_000n, currency: "BRL", brlCents: null, pays: null } as const),
  ...({ drift: null, isLate: false, isAhead: false } as const),
};

// Histories that are told ------------------------------------------------------------------------------------------------

/** The same as random ones, but each without what its mistake would not show in. */
const tell = (fact: Fact, isQuiet = true): Step => ({ fact, killAt: 0, rounds: 0, wallet: "takes", isQuiet });
const say = (one: number, visit: number, more: Partial<Report> = {}, isQuiet = true): Step =>
  tell({ kind: "report", ...PLAIN, sale: one, visit, ...more }, isQuiet);
const plan = (chz = 10n): Step => tell({ kind: "plan", chz }, false);
const rates = (chz: bigint): Step => tell({ kind: "rates", chz, dollar: 5_000_000n });
const tracked = { currency: "USD", brlCents: 30_000n };
const isOpen = { status: "pending", payable: false } as const;
const owed: readonly Step[] = [
  say(2, 2),
  say(2, 2, { status: "declined" }),
  say(3, 3, { cents: 20_000n, payable: false }),
  say(3, 3, { cents: 20_000n }, false),
  plan(),
];

const visit = (commission: bigint, more: { isAgreed?: boolean; bonus?: bigint } = {}): Step =>
  tell({ kind: "visit", visit: 2, commission, isAgreed: false, bonus: 0n, ...more });
const margin = (reais: bigint): Step => tell({ kind: "margin", reais });

/** Mistakes that a decision could make, and a history in which the books show each. */
export const TOLD: Record<string, readonly Step[]> = {
  "a sale gets the percent of now instead of its visit's": [
    ...[visit(833n), say(2, 2, isOpen), visit(200n), say(2, 2, { ...isOpen, visit: null, cents: 20_000n })],
    say(3, 2, { pays: 200n }),
  ],
  "a percent rises above what a person agreed to": [visit(1_200n), visit(833n), visit(1_200n, { isAgreed: true })],
  "a person agrees to what the network no longer pays": [visit(1_200n), visit(834n, { isAgreed: true })],
  "a store sells that earns nothing": [visit(0n), visit(833n), say(2, 2)],
  "a sale is held since the commission fell after its visit": [
    ...[margin(1_000_000n), visit(833n), visit(200n), say(2, 2, { pays: 200n })],
    ...[visit(833n), say(3, 2, { pays: 200n })],
  ],
  "a sale is held for its bonus alone": [margin(1_000_000n), visit(833n, { bonus: 300n }), say(2, 2, { pays: 500n })],
  "a percent above both commissions is lost": [margin(1_000_000n), say(2, 2, { pays: 200n })],
  "what is returned stays lost": [
    ...[margin(2n), visit(833n), say(2, 2, { pays: 200n }), say(3, 2, { pays: 200n })],
    ...[say(2, 2, { pays: 200n, status: "declined" }), say(3, 2, { pays: 200n, cents: 20_000n })],
  ],
  "an inviter's sale that was reported before the friend's is locked too late": [say(0, 2), say(2, 0)],
  "an inviter keeps what a friend's sale gave that moved before it was declined": [
    say(0, 2, { cents: 4_000n }),
    say(2, 0, isOpen),
    say(2, 1, { status: "declined" }),
  ],
  "a figure in reais does not fall in proportion": [say(2, 2, tracked), say(2, 2, { ...tracked, cents: 4_000n })],
  "a figure in reais is forgotten while the amount cannot be read": [
    say(2, 2, { ...tracked, ...isOpen }),
    say(2, 2, { ...tracked, ...isOpen, cents: null }),
    say(2, 2, { ...tracked, ...isOpen, cents: 20_000n }),
  ],
  "what cannot be read is nothing": [say(2, 2), say(2, 2, { cents: null })],
  "a sale moves a third time": [2, 3, 2, 3].map((visit) => say(2, visit, isOpen)),
  "a sale takes its rate to another buyer": [say(2, 2, { payable: false }), rates(20n), say(2, 0, { payable: false })],
  "a sale that staff assign takes its rate to another buyer": [
    tell({ kind: "assign", sale: 2, visit: 4, chz: 20n }),
    ...[say(3, 3, { payable: false }), tell({ kind: "assign", sale: 3, visit: 4, chz: 3n })],
  ],
  "a rate stays though its confirmation was taken back": [
    say(2, 2, isOpen),
    say(2, 2, { payable: false }, false),
    plan(20n),
    say(2, 2, { payable: false, cents: 4_000n }),
  ],
  "a rate that was confirmed is taken again": [
    ...[say(2, 2), say(2, 2, { status: "declined" }), say(3, 3, { cents: 20_000n }), rates(20n)],
    ...[say(2, 2, isOpen), say(2, 2, { ...isOpen, cents: 4_000n }), say(2, 2, { cents: 4_000n })],
  ],
  "a sale is held for its own order while its payout is on its way": [
    tell({ kind: "paying", sale: 0, meanwhile: { ...PLAIN, sale: 1, visit: 1 }, isSent: true }),
  ],
  "a sale is held for its own order while its payout is queued": [
    tell({ kind: "paying", sale: 0, meanwhile: { ...PLAIN, sale: 1, visit: 1 }, isSent: false }),
  ],
  "a payout that is taken back as its amount cannot be read never made the order its own": [
    ...[tell({ kind: "revert", ...PLAIN, sale: 0, visit: 0, cents: null }), say(1, 1), say(0, 0)],
  ],
  "an order is another one's too while the amount of what has it cannot be read": [
    ...[say(0, 0, isOpen), say(1, 1), tell({ kind: "release", sale: 1 }), tell({ kind: "release", sale: 0 })],
    ...[say(0, 0), say(1, 1, { cents: null }), say(0, 0, { cents: 20_000n })],
  ],
  "an order stays that of what comes to nothing until the next decision": [
    ...[say(0, 0), say(1, 1, isOpen), tell({ kind: "release", sale: 1 }), say(1, 1)],
    say(0, 0, { currency: "JPY", cents: 1n }),
  ],
  "a hold delays a debt": [say(2, 2), say(2, 2, { cents: 4_000n, drift: "a" })],
  "a currency takes the rate of another day": [
    say(2, 2, { ...isOpen, currency: "USD" }),
    tell({ kind: "rates", chz: 10n, dollar: 9_000_000n }),
    say(2, 2, { currency: "USD", cents: 4_000n }),
  ],
  "what was kept stays kept when the amount falls": [
    ...[...owed, say(3, 3, { cents: 10_000n }, false), say(2, 2, {}, false)],
    say(3, 3, { cents: 10_000n }),
  ],
  "what was kept stays kept when the payout is held": [
    ...[...owed, say(3, 3, { cents: 20_000n, drift: "a" }, false), say(2, 2, {}, false)],
    tell({ kind: "release", sale: 3 }),
  ],
  "what was kept stays kept when the payout waits for a second person": [
    ...[tell({ kind: "limit", chz: 0n }), say(3, 3, { ...isOpen, drift: "a", cents: 20_000n })],
    ...[tell({ kind: "release", sale: 3 }), say(2, 2), say(2, 2, { status: "declined" })],
    ...[say(3, 3, { drift: "a", cents: 20_000n, payable: false }), say(3, 3, { drift: "a", cents: 20_000n }, false)],
    ...[plan(), say(3, 3, { drift: "a", cents: 20_000n, payable: false }, false), say(2, 2, {}, false)],
    say(3, 3, { drift: "a", cents: 20_000n }),
  ],
  "what was kept stays kept when the amount falls below it while the payout waits for a second person": [
    ...[tell({ kind: "limit", chz: 0n }), say(3, 3, { ...isOpen, drift: "a", cents: 20_000n })],
    ...[tell({ kind: "release", sale: 3 }), say(2, 2), say(2, 2, { status: "declined" })],
    ...[say(3, 3, { drift: "a", cents: 20_000n, payable: false }), say(3, 3, { drift: "a", cents: 20_000n }, false)],
    ...[plan(), say(3, 3, { drift: "a" })],
  ],
  "an account that is gone pays what it had": [
    ...[
      say(2, 2, { payable: false }),
      tell({ kind: "account", name: "brasil" }),
      tell({ kind: "account", name: null }),
    ],
    ...[say(2, 2), tell({ kind: "account", name: "br" })],
  ],
  "a time that is ahead hides what is read later": [say(2, 2, { isAhead: true }), say(2, 2, { status: "declined" })],
  "a payout that was taken back still makes the order its own": [
    say(2, 2, { payable: false }),
    tell({ kind: "hold", ...PLAIN, ...isOpen, sale: 2, visit: 2, cents: 0n }),
  ],
  "what was cancelled since a backup counts": [
    ...[say(2, 2, isOpen), tell({ kind: "decline", sale: 2 }), tell({ kind: "go back", to: 1 })],
  ],
  "what was paid since a backup stays withdrawn": [
    ...[say(2, 2, { payable: false }), say(2, 2, { status: "declined" }), say(2, 2), tell({ kind: "go back", to: 2 })],
  ],
  "a release covers another visit": [
    say(2, 2, { ...isOpen, drift: "a" }),
    tell({ kind: "release", sale: 2 }),
    say(2, 3, { ...isOpen, drift: "a" }),
  ],
  "a release covers a higher amount": [
    say(2, 2, { ...isOpen, drift: "a", cents: 4_000n }),
    tell({ kind: "release", sale: 2 }),
    say(2, 2, { ...isOpen, drift: "a" }),
  ],
  "a payout above the limit waits for nobody": [
    tell({ kind: "limit", chz: 0n }),
    say(2, 2, { drift: "a" }),
    tell({ kind: "release", sale: 2 }),
  ],
  "what was paid before a limit was set does not count": [
    ...[say(2, 2, { drift: "a" }), tell({ kind: "release", sale: 2 }), tell({ kind: "limit", chz: 7n })],
    ...[say(3, 3, { drift: "a" }), tell({ kind: "release", sale: 3 })],
  ],
  "payouts that are above the limit together wait for nobody": [
    ...[tell({ kind: "limit", chz: 7n }), say(2, 2, { drift: "a" }), say(3, 3, { drift: "a", cents: 20_000n })],
    ...[tell({ kind: "release", sale: 2 }), tell({ kind: "release", sale: 3 })],
  ],
};
