import { decide } from "../rules/sale/decide.ts";
import type { SaleDecision } from "../rules/sale/facts.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import type { LoadedSale } from "./facts.ts";

/**
 * What the sales of a buyer share: their debt. First counts all that these sales return now, and what payouts that are not
 * sent would keep; then each sale that comes back lifts what is left, in the order of their ids; then payouts keep the rest.
 * So it does not matter in which order sales are decided, nor whether some of them are decided again. Who owes nothing
 * shares nothing. docs/product.md#debt
 */
export class SharedDebt {
  readonly #rules: SaleRules;
  readonly #now: bigint;
  readonly #alone: ReadonlyMap<LoadedSale, SaleDecision>;
  /** The buyers who owe something before anything is lifted. */
  readonly debtors: ReadonlySet<WalletAddress>;
  readonly #left = new Map<WalletAddress, bigint>();
  readonly #unsent = new Map<WalletAddress, bigint>();

  constructor(loaded: readonly LoadedSale[], rules: SaleRules, now: bigint) {
    this.#rules = rules;
    this.#now = now;
    this.#alone = new Map(loaded.map((sale) => [sale, decide(sale.facts, rules, now)]));
    for (const { buyer, debt, facts } of loaded) {
      if (buyer === null) continue;
      this.#left.set(buyer, facts.debtGwei);
      this.#unsent.set(buyer, debt.unsentGwei);
    }
    for (const [{ buyer, facts }, decision] of this.#alone)
      if (buyer !== null) add(this.#left, buyer, returnedBy(facts, decision));
    this.debtors = new Set([...this.#left].filter(([, gwei]) => gwei > 0n).map(([wallet]) => wallet));
  }

  /** To be called once for each sale, in the order of their ids. `mostGwei`: what it may lift; undefined: any sum. */
  decide(sale: LoadedSale, mostGwei?: bigint): SaleDecision {
    const { buyer, facts } = sale;
    const alone = this.#alone.get(sale) ?? decide(facts, this.#rules, this.#now);
    if (buyer === null || !this.debtors.has(buyer)) return alone;
    // What it returns itself, it counts by itself.
    const left = this.#left.get(buyer) ?? 0n;
    const shared = { ...facts, debtGwei: left - returnedBy(facts, alone) };
    const lifting = decide(shared, this.#rules, this.#now);
    const isTooMuch = mostGwei !== undefined && liftedBy(facts, lifting) > mostGwei;
    const without = { ...shared, kept: { ...facts.kept, liftsNone: true } };
    const decision = isTooMuch ? decide(without, this.#rules, this.#now) : lifting;
    add(this.#left, buyer, -liftedBy(facts, decision));
    for (const { id, withdrawn } of decision.steps)
      if (withdrawn.includes("pay")) add(this.#unsent, buyer, -offsetOf(sale, id));
    return decision;
  }

  /** The buyers whose payouts that are not sent keep less than is owed, or more. */
  get unsettled(): WalletAddress[] {
    return [...this.debtors].filter((wallet) => this.#left.get(wallet) !== this.#unsent.get(wallet));
  }
}

function add(sums: Map<WalletAddress, bigint>, wallet: WalletAddress, gwei: bigint): void {
  sums.set(wallet, (sums.get(wallet) ?? 0n) + gwei);
}

/** In gwei, of payouts that are final: of others, nothing is kept or lifted. */
const returnedBy = (facts: LoadedSale["facts"], decision: SaleDecision): bigint =>
  adjustedBy(facts, decision).reduce((sum, gwei) => (gwei > 0n ? sum + gwei : sum), 0n);

/** In gwei, of debts that were recorded before. */
export const liftedBy = (facts: LoadedSale["facts"], decision: SaleDecision): bigint =>
  adjustedBy(facts, decision).reduce((sum, gwei) => (gwei < 0n ? sum - gwei : sum), 0n);

function adjustedBy({ purchases }: LoadedSale["facts"], { actions }: SaleDecision): bigint[] {
  const isSettled = (id: bigint) => purchases.find((one) => one.id === id)?.isSettled;
  return actions.flatMap((action) => (action.kind === "adjust" && isSettled(action.id) ? [action.gwei] : []));
}

function offsetOf({ facts }: LoadedSale, id: bigint): bigint {
  return facts.purchases.find((one) => one.id === id)?.offsetGwei ?? 0n;
}
