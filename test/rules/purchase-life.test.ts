import { expect } from "chai";
import {
  endBlock,
  MOVES,
  type Moment,
  type Move,
  moveAhead,
  nextCheck,
  obstacleTo,
  PURCHASE_STATUSES,
  type PurchaseLife,
} from "../../core/rules/purchase/life.ts";
import { shownStatus, situationOf } from "../../core/rules/purchase/situation.ts";
import type { SaleState } from "../../core/rules/sale/facts.ts";
import { CONFIRMED_LIFE } from "../testing/confirmed-life.ts";

const MOMENT: Moment = { now: 1_000n, deepestBlock: 50n, hasRate: true };

const PENDING: PurchaseLife = { ...CONFIRMED_LIFE, status: "pending", isRateFrozen: false };
const LIVE = { source: "live", isApproved: false, payableAt: null } as const;

const CASES: readonly {
  says: string;
  move: Move;
  life: PurchaseLife;
  moment?: Partial<Moment>;
  by?: "staff";
  obstacle: string | undefined;
  look: unknown;
}[] = [
  {
    says: "confirms what is pending",
    move: "confirm",
    life: PENDING,
    obstacle: undefined,
    look: { kind: "after", ms: 0n },
  },
  {
    says: "confirms nothing that an administrator holds",
    move: "confirm",
    life: { ...PENDING, isHeld: true },
    obstacle: "held",
    look: { kind: "never" },
  },
  {
    says: "pays nothing that an administrator holds, not even by hand",
    move: "pay",
    life: { ...CONFIRMED_LIFE, isHeld: true },
    by: "staff",
    obstacle: "held",
    look: { kind: "never" },
  },
  {
    says: "pays nothing for which a second person is asked",
    move: "pay",
    life: { ...CONFIRMED_LIFE, secondPerson: "asked" },
    obstacle: "second_person",
    look: { kind: "never" },
  },
  {
    says: "pays nothing that a second person refused",
    move: "pay",
    life: { ...CONFIRMED_LIFE, secondPerson: "refused" },
    obstacle: "second_decision",
    look: { kind: "never" },
  },
  {
    says: "judges anew what staff decide after a refusal",
    move: "pay",
    life: { ...CONFIRMED_LIFE, secondPerson: "refused" },
    by: "staff",
    obstacle: undefined,
    look: { kind: "never" },
  },
  {
    says: "confirms nothing without a rate, and looks again soon",
    move: "confirm",
    life: PENDING,
    moment: { hasRate: false },
    obstacle: "rate",
    look: { kind: "after", ms: 5_000n },
  },
  {
    says: "confirms a live purchase only with the network's word",
    move: "confirm",
    life: { ...PENDING, ...LIVE },
    obstacle: "approval",
    look: { kind: "never" },
  },
  {
    says: "confirms a live purchase for staff only with the network's word",
    move: "confirm",
    life: { ...PENDING, ...LIVE },
    by: "staff",
    obstacle: "approval",
    look: { kind: "never" },
  },
  {
    says: "asks once",
    move: "confirm",
    life: { ...PENDING, queued: new Set(["confirm"]) },
    obstacle: "queued",
    look: { kind: "never" },
  },
  {
    says: "confirms nothing that was returned",
    move: "confirm",
    life: { ...PENDING, isReturned: true },
    obstacle: "returned",
    look: { kind: "after", ms: 0n },
  },
  {
    says: "cancels what was returned while pending",
    move: "cancel",
    life: { ...PENDING, isReturned: true },
    obstacle: undefined,
    look: { kind: "after", ms: 0n },
  },
  {
    says: "waits for a confirmation that is in a transaction, then looks whether a cancellation can follow",
    move: "cancel",
    life: { ...PENDING, isReturned: true, queued: new Set(["confirm"]), sent: new Set(["confirm"]) },
    obstacle: "contradiction",
    look: { kind: "after", ms: 2_000n },
  },
  {
    says: "cancels although a confirmation is queued, which is then not wanted any more",
    move: "cancel",
    life: { ...PENDING, isReturned: true, queued: new Set(["confirm"]) },
    obstacle: undefined,
    look: { kind: "after", ms: 0n },
  },
  {
    says: "pays what is confirmed and final",
    move: "pay",
    life: CONFIRMED_LIFE,
    obstacle: undefined,
    look: { kind: "after", ms: 0n },
  },
  {
    says: "pays once the confirmation is deep enough",
    move: "pay",
    life: { ...CONFIRMED_LIFE, statusBlock: 51n },
    obstacle: "depth",
    look: { kind: "block", block: 51n },
  },
  {
    says: "pays after the hold",
    move: "pay",
    life: { ...CONFIRMED_LIFE, payableAt: 1_001n },
    obstacle: "hold",
    look: { kind: "at", at: 1_001n },
  },
  {
    says: "pays at the end of the hold",
    move: "pay",
    life: { ...CONFIRMED_LIFE, payableAt: 1_000n },
    obstacle: undefined,
    look: { kind: "after", ms: 0n },
  },
  {
    says: "does not pay a sale of which nobody said that it is payable",
    move: "pay",
    life: { ...CONFIRMED_LIFE, ...LIVE, isApproved: true },
    obstacle: "hold",
    look: { kind: "never" },
  },
  {
    says: "lets staff pay no sooner than the network pays",
    move: "pay",
    life: { ...CONFIRMED_LIFE, ...LIVE, isApproved: true },
    by: "staff",
    obstacle: "hold",
    look: { kind: "never" },
  },
  {
    says: "pays nothing twice",
    move: "pay",
    life: { ...CONFIRMED_LIFE, isPaid: true, payoutBlock: 49n },
    obstacle: "over",
    look: { kind: "block", block: 49n },
  },
  {
    says: "pays nothing of a sale that is gone, and is done once that is final",
    move: "pay",
    life: { ...CONFIRMED_LIFE, ...LIVE, isApproved: true, payableAt: 1n, isReturned: true, statusBlock: 60n },
    obstacle: "returned",
    look: { kind: "block", block: 60n },
  },
  {
    says: "pays nothing that is settled",
    move: "pay",
    life: { ...CONFIRMED_LIFE, isSettled: true },
    obstacle: "over",
    look: { kind: "never" },
  },
];

describe("The life of a purchase", () => {
  for (const { says, move, life, moment, by, obstacle, look } of CASES) {
    it(says, () => {
      const at = { ...MOMENT, ...moment };
      expect(obstacleTo(move, life, at, by)?.kind).to.equal(obstacle);
      expect(nextCheck(life, at)).to.deep.equal(look);
    });
  }

  it("shows a purchase that was returned and never paid as cancelled", () => {
    expect(shownStatus("confirmed", { isReturned: true, isPaid: false })).to.equal("cancelled");
    expect(shownStatus("confirmed", { isReturned: true, isPaid: true })).to.equal("confirmed");
    expect(shownStatus("pending", { isReturned: false, isPaid: false })).to.equal("pending");
  });

  it("is where its second person is, unless staff hold it, it was returned or it is paid", () => {
    const at = (change: Partial<PurchaseLife>, payout?: "paid", saleState: SaleState | null = null) =>
      situationOf({ life: { ...CONFIRMED_LIFE, ...change }, payout, saleState }, { now: 1_000n, isLive: false });
    for (const [secondPerson, situation] of [
      ["asked", "awaiting_approval"],
      ["refused", "payout_refused"],
      [null, "paying"],
    ] as const) {
      expect(at({ secondPerson })).to.equal(situation);
      expect(at({ secondPerson, payableAt: 2_000n })).to.equal(secondPerson === null ? "waiting_period" : situation);
      expect(at({ secondPerson, isHeld: true })).to.equal("in_review");
      expect(at({ secondPerson }, undefined, "held")).to.equal("in_review");
      expect(at({ secondPerson, isReturned: true })).to.equal("withdrawn");
      expect(at({ secondPerson, isPaid: true }, "paid")).to.equal("paid");
    }
  });

  describe("in every possible state", () => {
    const states = everyState();

    it("only moves forward", () => {
      for (const { from, to } of Object.values(MOVES))
        expect(PURCHASE_STATUSES.indexOf(to)).to.be.at.least(PURCHASE_STATUSES.indexOf(from));
    });

    it("has at most one move", () => {
      for (const { life, moment } of states) {
        const possible = (Object.keys(MOVES) as Move[]).filter((move) => !obstacleTo(move, life, moment));
        expect(possible.length, text(life)).to.be.at.most(1);
      }
    });

    it("confirms and pays only what was not returned and what its network approved", () => {
      for (const { life, moment } of states) {
        for (const move of ["confirm", "pay"] as const) {
          if (obstacleTo(move, life, moment)) continue;
          expect(life.isReturned, text(life)).to.equal(false);
          expect(life.isApproved, text(life)).to.equal(true);
        }
      }
    });

    it("pays only what is unpaid, final and no longer on hold", () => {
      for (const { life, moment } of states) {
        for (const by of ["itself", "staff"] as const) {
          if (obstacleTo("pay", life, moment, by)) continue;
          expect(life.isPaid || life.isSettled || life.queued.has("pay"), text(life)).to.equal(false);
          expect((life.statusBlock ?? 0n) <= moment.deepestBlock, text(life)).to.equal(true);
          expect(life.payableAt !== null && life.payableAt <= moment.now, text(life)).to.equal(true);
        }
      }
    });

    it("is checked again whenever a time, a block or a rate alone allows its next move", () => {
      for (const { life, moment } of states) {
        if (life.isSettled) continue;
        const move = moveAhead(life);
        const kind = move && move !== "mint" ? obstacleTo(move, life, moment)?.kind : undefined;
        const waits = kind === "rate" || kind === "depth" || kind === "contradiction";
        if (waits || endBlock(life) !== undefined)
          expect(nextCheck(life, moment).kind, text(life)).not.to.equal("never");
      }
    });
  });
});

function everyState(): { life: PurchaseLife; moment: Moment }[] {
  const yesNo = [false, true] as const;
  let lives: PurchaseLife[] = PURCHASE_STATUSES.map((status) => ({ ...CONFIRMED_LIFE, status }));
  const vary = <Key extends keyof PurchaseLife>(key: Key, values: readonly PurchaseLife[Key][]) => {
    lives = lives.flatMap((life) => values.map((value) => ({ ...life, [key]: value })));
  };
  vary("source", ["simulated", "live"]);
  vary("isApproved", yesNo);
  vary("isReturned", yesNo);
  vary("isSettled", yesNo);
  vary("isPaid", yesNo);
  vary("isRateFrozen", yesNo);
  vary("payableAt", [null, 999n, 1_001n]);
  vary("statusBlock", [50n, 51n]);
  vary("queued", [new Set(), new Set(["confirm"] as const), new Set(["pay"] as const)]);
  return lives.flatMap((life) => yesNo.map((hasRate) => ({ life, moment: { ...MOMENT, hasRate } })));
}

function text(life: PurchaseLife): string {
  return JSON.stringify(life, (_key, value) =>
    typeof value === "bigint" ? value.toString() : value instanceof Set ? [...value] : value,
  );
}
