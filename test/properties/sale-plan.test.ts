import { expect } from "chai";
import fc from "fast-check";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { confirmedTiers, planSale, type SalePurchase, type SaleTarget, type Tier } from "../../core/rules/sale/plan.ts";
import { saleCashback } from "../../core/rules/sale/value.ts";

const SALES = 2;

/** The money side of one wallet, its sales and their purchases. */
class Wallet {
  readonly weiPerCent: bigint;
  readonly sales: {
    target: SaleTarget;
    isPayable: boolean;
    isApproved: boolean;
    purchases: SalePurchase[];
    tiers: Tier[];
  }[] = [];
  /** For each paid purchase, the amount sent and the amount kept. */
  readonly payments = new Map<bigint, { sent: bigint; kept: bigint }>();
  adjusted = 0n;
  #nextId = 1n;

  constructor(weiPerCent: bigint) {
    this.weiPerCent = weiPerCent;
    for (let index = 0; index < SALES; index++) {
      const target = { amountCents: 1n, centBps: 0n, bonusBps: 0n };
      this.sales.push({ target, isPayable: false, isApproved: false, purchases: [], tiers: [] });
    }
  }

  /** The current debt: adjustments less the amounts kept for them. */
  get debt(): bigint {
    return this.adjusted - [...this.payments.values()].reduce((sum, payment) => sum + payment.kept, 0n);
  }

  get received(): bigint {
    return [...this.payments.values()].reduce((sum, payment) => sum + payment.sent, 0n);
  }

  /** A sale was read. */
  read(index: number, target: SaleTarget, isApproved: boolean, isPayable: boolean): void {
    const sale = this.sales[index];
    if (!sale) return;
    Object.assign(sale, { target, isApproved, isPayable });
    sale.tiers = confirmedTiers(sale.tiers, sale.purchases);
    for (const action of planSale(target, sale.purchases, this.debt, sale.tiers)) this.#act(sale.purchases, action);
    expect(planSale(target, sale.purchases, this.debt, sale.tiers), "a second plan changes nothing").to.deep.equal([]);
  }

  #act(purchases: SalePurchase[], action: ReturnType<typeof planSale>[number]): void {
    if (action.kind === "create") {
      purchases.push({
        id: this.#nextId++,
        stage: "planned",
        isWithdrawn: false,
        valueCents: action.valueCents,
        totalBps: action.cashbackBps + action.bonusBps,
        centBps: action.centBps,
        weiPerCent: action.weiPerCent ?? null,
        returnedCentBps: 0n,
        isSettled: false,
        isReturnFinal: false,
      });
      return;
    }
    const purchase = purchases.find((one) => one.id === action.id);
    if (!purchase) throw new Error("An action of an unknown purchase");
    if (action.kind === "adjust") {
      purchase.returnedCentBps += action.centBps;
      this.adjusted += action.gwei;
      expect(purchase.returnedCentBps >= 0n && purchase.returnedCentBps <= purchase.centBps).to.equal(true);
    } else if (action.kind === "withdraw") {
      expect(purchase.stage).not.to.equal("paid");
      purchase.isWithdrawn = true;
    } else {
      purchase.isWithdrawn = false;
      purchase.centBps = action.centBps;
      if (action.kind === "entitle") {
        expect(action.centBps <= purchase.valueCents * purchase.totalBps, "within what the token says").to.equal(true);
      } else {
        expect(purchase.stage).to.equal("planned");
        purchase.valueCents = action.valueCents;
        purchase.totalBps = action.cashbackBps + action.bonusBps;
      }
    }
  }

  /** The next step of chain and sender for one of a sale's purchases. Returns false if there is none. */
  advance(index: number, which: number): boolean {
    const sale = this.sales[index];
    const purchase = sale?.purchases[which % Math.max(sale.purchases.length, 1)];
    if (!sale || !purchase) return false;
    expect(purchase.totalBps <= 10_000n && purchase.totalBps > 0n && purchase.valueCents > 0n).to.equal(true);
    if (purchase.stage === "planned" && !purchase.isWithdrawn) purchase.stage = "pending";
    else if (purchase.stage === "pending" && purchase.isWithdrawn) purchase.stage = "cancelled";
    else if (purchase.stage === "pending" && sale.isApproved) {
      purchase.stage = "confirmed";
      purchase.weiPerCent ??= this.weiPerCent;
    } else if (purchase.stage === "confirmed" && sale.isPayable && !purchase.isWithdrawn) this.#pay(purchase);
    else return false;
    return true;
  }

  #pay(purchase: SalePurchase): void {
    const gross = cashbackOfCentBps(purchase.centBps, this.weiPerCent);
    const debt = this.debt;
    const kept = debt <= 0n ? 0n : debt < gross ? debt : gross;
    this.payments.set(purchase.id, { sent: gross - kept, kept });
    purchase.stage = "paid";
    purchase.isSettled = true;
  }

  settle(): void {
    for (let isMoving = true; isMoving; ) {
      isMoving = false;
      for (const [index, sale] of this.sales.entries())
        for (const which of sale.purchases.keys()) if (this.advance(index, which)) isMoving = true;
    }
  }
}

const cents = fc.bigInt(1n, 50_000n);
const revision = fc
  .record({
    sale: fc.nat(SALES - 1),
    parts: fc.array(fc.record({ group: fc.constantFrom(null, "A", "b", "other"), amountCents: cents }), {
      minLength: 1,
      maxLength: 3,
    }),
    shipping: fc.bigInt(0n, 2_000n),
    status: fc.constantFrom("pending", "approved", "approved", "payable", "payable", "declined"),
  })
  .map((one) => ({ kind: "read" as const, ...one }));
const step = fc.record({ kind: fc.constant("step" as const), sale: fc.nat(SALES - 1), which: fc.nat(7) });
const terms = fc.record({
  groups: fc.record({ a: fc.bigInt(0n, 900n), b: fc.bigInt(0n, 900n) }),
  defaultBps: fc.bigInt(0n, 900n),
  bonusBps: fc.bigInt(0n, 400n),
});

describe("The books of a wallet's sales", () => {
  it("match the last reads, less debts still to be settled, whatever came before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(revision, step, step, step), { maxLength: 60, size: "max" }),
        terms,
        fc.constantFrom(10n ** 16n, 3_333_333_333_333_337n, 7n * 10n ** 12n + 1n),
        (script, promised, weiPerCent) => {
          const wallet = new Wallet(weiPerCent);
          for (const one of script) {
            if (one.kind === "step") wallet.advance(one.sale, one.which);
            else {
              const { centBps } = saleCashback(one.parts, promised);
              const amountCents = one.parts.reduce((sum, part) => sum + part.amountCents, one.shipping);
              const isDeclined = one.status === "declined";
              const target = { amountCents, centBps: isDeclined ? 0n : centBps, bonusBps: promised.bonusBps };
              const isPayable = one.status === "payable";
              wallet.read(one.sale, target, isPayable || one.status === "approved", isPayable);
            }
          }
          // In the end the networks pay for every sale they did not decline.
          for (const [index, { target }] of wallet.sales.entries()) wallet.read(index, target, true, true);
          wallet.settle();
          const promisedUnits = wallet.sales.reduce((sum, sale) => sum + sale.target.centBps, 0n);
          const unsettled = wallet.debt > 0n ? wallet.debt : 0n;
          const difference = wallet.received - unsettled - cashbackOfCentBps(promisedUnits, weiPerCent);
          // Each payment is rounded down to a gwei.
          const purchases = BigInt(wallet.sales.reduce((sum, sale) => sum + sale.purchases.length, 0));
          const slack = weiPerCent === 10n ** 16n ? 0n : 2n * purchases + 2n;
          expect(difference <= slack && difference >= -slack, `off by ${difference} gwei`).to.equal(true);
          expect(wallet.debt >= 0n, "nobody is owed what was taken for nothing").to.equal(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
