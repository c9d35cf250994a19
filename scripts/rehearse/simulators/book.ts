/** A sale as a simulated network stores it. Amounts are cents of the currency. */
export type SimulatedSale = {
  id: string;
  click: string;
  advertiserId: string;
  orderRef: string;
  currency: string;
  parts: { group: string; cents: number; commissionCents: number }[];
  status: string;
  isPaid: boolean;
  soldAt: number;
  /** When amounts were last changed; null if they never were. */
  amendedAt: number | null;
  validatedAt: number | null;
  changedAt: number;
  reason: string | null;
};

export type NewSale = Pick<SimulatedSale, "click" | "advertiserId" | "parts"> &
  Partial<Pick<SimulatedSale, "orderRef" | "currency" | "soldAt">>;

/** The sales of a simulated network, and a shop's actions on them. */
export class Book {
  readonly sales = new Map<string, SimulatedSale>();
  readonly #firstId: number;
  #lastChange = 0;

  constructor(firstId: number) {
    this.#firstId = firstId;
  }

  /** Loads the sales of an earlier book. */
  load(sales: readonly SimulatedSale[]): void {
    for (const sale of sales) {
      this.sales.set(sale.id, sale);
      this.#lastChange = Math.max(this.#lastChange, sale.changedAt);
    }
  }

  sell(sale: NewSale): SimulatedSale {
    const id = String(this.#firstId + this.sales.size);
    const now = this.#now();
    const sold: SimulatedSale = {
      orderRef: `P-${id}`,
      currency: "BRL",
      status: "pending",
      isPaid: false,
      soldAt: now,
      ...sale,
      id,
      amendedAt: null,
      validatedAt: null,
      changedAt: now,
      reason: null,
    };
    this.sales.set(id, sold);
    return sold;
  }

  /** Changes the amounts: a partial return, or an addition to the order. */
  amend(id: string, parts: SimulatedSale["parts"], reason = "The order was changed"): void {
    const now = this.#now();
    this.#change(id, { parts, amendedAt: now, changedAt: now, reason });
  }

  approve(id: string): void {
    const now = this.#now();
    this.#change(id, { status: "approved", validatedAt: now, changedAt: now, reason: null });
  }

  decline(id: string, reason = "The order was returned"): void {
    const now = this.#now();
    this.#change(id, { status: "declined", isPaid: false, validatedAt: now, changedAt: now, reason });
  }

  restore(id: string): void {
    const now = this.#now();
    this.#change(id, { status: "pending", validatedAt: now, changedAt: now, reason: null });
  }

  /** Sets a status that no adapter knows. */
  drift(id: string, status: string): void {
    this.#change(id, { status, validatedAt: this.#now(), changedAt: this.#now() });
  }

  /** The network has received the money. Neither Awin nor impact.com counts that as a change. */
  pay(id: string): void {
    this.#change(id, { isPaid: true, changedAt: this.#now() });
  }

  find(id: string): SimulatedSale {
    const sale = this.sales.get(id);
    if (!sale) throw new Error(`There is no sale ${id}`);
    return sale;
  }

  #change(id: string, change: Partial<SimulatedSale>): void {
    this.sales.set(id, { ...this.find(id), ...change });
  }

  /** Network times have second resolution: two changes within a second are distinguished only by read order. */
  #now(): number {
    this.#lastChange = Math.max(Date.now(), this.#lastChange);
    return this.#lastChange;
  }
}

export const totalOf = (sale: SimulatedSale, field: "cents" | "commissionCents"): number =>
  sale.parts.reduce((sum, part) => sum + part[field], 0);

export const decimal = (cents: number): string => (cents / 100).toFixed(2);
