/*
 * What becomes of two sales of one order, of two buyers, as docs/product.md says it: from that page, and from
 * nothing that the product computes. All amounts are in gwei, at one rate. Each buyer has one of the sales, so what a buyer
 * was paid is what that sale was.
 */

/** What a network says of a sale. `isApproved`: and payable. */
export type Said = { cashback: bigint; status: "pending" | "approved" | "declined" };
/** What is seen of a sale: what its buyer received on the chain, less the debt, and whether a payout is queued. */
export type Seen = { received: bigint; debt: bigint; isQueued: boolean };

type Person = {
  /** A person holds its purchases. docs/product.md#panel-hold */
  isStopped: boolean;
  /** For how much a person ended that: what exceeds it is held again. */
  letGo: bigint | null;
  /** For how much a person let the order be reported twice: at most that. docs/product.md#sales-people */
  released: bigint | null;
  /** It is paid by a person's decision, and none may pay anything alone here. docs/product.md#panel-approvals */
  isDecided: boolean;
  /** A second person refused, and nobody has decided again. */
  isRefused: boolean;
  /** A second person agreed to be paid or kept. A request lapses when its amount changes. */
  agreed: bigint | null;
};

const NOBODY: Person = {
  isStopped: false,
  letGo: null,
  released: null,
  isDecided: false,
  isRefused: false,
  agreed: null,
};

export class OrderOracle {
  said: (Said | null)[] = [null, null];
  people: Person[] = [NOBODY, NOBODY];
  /** What each was paid, or kept, and does not owe back. */
  kept = [0n, 0n];
  received = [0n, 0n];
  /** Whose order it is: whose payout was queued first, for as long as it is entitled to anything. docs/product.md#sales-once */
  owner: number | null = null;

  clone(): OrderOracle {
    return Object.assign(new OrderOracle(), structuredClone({ ...this }));
  }

  entitled(sale: number): bigint {
    const said = this.said[sale];
    return !said || said.status === "declined" ? 0n : said.cashback;
  }

  /** docs/product.md#sales-once */
  isHeld(sale: number): boolean {
    const [said, other] = [this.said[sale], this.said[1 - sale]];
    if (!said || said.status === "declined" || this.owner === sale) return false;
    const isTwice = other != null && other.status !== "declined";
    const { released } = this.#person(sale);
    return isTwice && (released === null || this.entitled(sale) > released);
  }

  /** What is still to be paid of it, or kept for its buyer's debt. */
  open(sale: number): bigint {
    return this.entitled(sale) - this.#kept(sale);
  }

  /** Its purchases are confirmed, and paid where the network pays us, unless somebody must agree. */
  goesOn(sale: number): boolean {
    return this.said[sale]?.status === "approved" && !this.isHeld(sale) && !this.#person(sale).isStopped;
  }

  waitsForSecond(sale: number): boolean {
    const { isDecided, isRefused, agreed } = this.#person(sale);
    return isDecided && (isRefused || agreed !== this.open(sale));
  }

  mayBePaid(sale: number): boolean {
    return this.goesOn(sale) && !this.waitsForSecond(sale);
  }

  reported(sale: number, said: Said): void {
    this.said[sale] = said;
    this.#judge();
  }

  stopped(sale: number): void {
    this.#tell(sale, { isStopped: true, isRefused: false });
  }

  /** Of a sale that is held, else of one that a person holds or refused. */
  released(sale: number): void {
    const decided = { isDecided: true, isRefused: false, agreed: null };
    const { isStopped } = this.#person(sale);
    if (this.isHeld(sale)) this.#tell(sale, { ...decided, released: this.entitled(sale) });
    else this.#tell(sale, { ...decided, isStopped: false, ...(isStopped && { letGo: this.entitled(sale) }) });
  }

  decided(sale: number, isAgreed: boolean): void {
    this.#tell(sale, isAgreed ? { agreed: this.open(sale) } : { isRefused: true, agreed: null });
  }

  /** What is seen once a fact has its effect, or the chain went on. Returns what is wrong with it. */
  saw(seen: readonly Seen[], isQuiet: boolean): string[] {
    const wrong = seen.flatMap(({ received, debt, isQueued }, sale) => {
      const [before, now] = [this.#kept(sale), received - debt];
      const mayBePaid = this.mayBePaid(sale);
      const due = this.entitled(sale);
      const found: string[] = [];
      // What it rises to is another purchase, which can be paid later.
      const isPart = !isQuiet && before < now && now < due;
      if (now !== before && !(mayBePaid && (now === due || isPart)))
        found.push(`keeps ${now} of ${due}, and kept ${before}`);
      if (isQueued && !mayBePaid) found.push("its payout is queued");
      if (isQuiet && mayBePaid && now !== due) found.push(`keeps ${now}, and is due ${due}`);
      return found.map((one) => `Sale ${sale + 1} ${one}`);
    });
    this.kept = seen.map(({ received, debt }) => received - debt);
    this.received = seen.map(({ received }) => received);
    const first = seen.findIndex(({ isQueued }, sale) => isQueued || this.#kept(sale) > 0n);
    if (this.owner === null && first >= 0) this.owner = first;
    return wrong;
  }

  /**
   * The database is the one of an earlier step: what people and networks said since is gone, and the networks are asked again,
   * of one sale after the other: nothing is judged before. What the chain paid is a fact; what was kept since, and not paid,
   * is owed again. docs/product.md#sale-ref docs/product.md#sales-once
   */
  wentBackTo(earlier: OrderOracle): void {
    this.said = [...earlier.said];
    this.people = structuredClone(earlier.people);
    this.kept = this.received.map((received, sale) => earlier.#kept(sale) + received - (earlier.received[sale] ?? 0n));
    this.owner = earlier.owner;
  }

  #person(sale: number): Person {
    return this.people[sale] ?? NOBODY;
  }

  #kept(sale: number): bigint {
    return this.kept[sale] ?? 0n;
  }

  #tell(sale: number, more: Partial<Person>): void {
    this.people[sale] = { ...this.#person(sale), ...more };
    this.#judge();
  }

  /** After any fact. What is owed back is recorded at once, held or not. docs/product.md#sales-changes */
  #judge(): void {
    // What was paid of a sale that is not known any more counts once it is read.
    const known = [0, 1].filter((sale) => this.said[sale] !== null);
    for (const sale of known) {
      const person = this.#person(sale);
      if (person.letGo !== null && this.entitled(sale) > person.letGo)
        this.people[sale] = { ...person, isStopped: true };
      this.kept[sale] = least(this.#kept(sale), this.entitled(sale));
      if (this.owner === sale && this.entitled(sale) === 0n) this.owner = null;
    }
    const keeping = known.find((sale) => this.#kept(sale) > 0n);
    if (this.owner === null && keeping !== undefined) this.owner = keeping;
    for (const sale of known) {
      // A debt that it had is lifted, unless that is a person's decision: then it is a purchase of its own.
      const isLifted = !this.isHeld(sale) && !this.#person(sale).isDecided;
      if (isLifted) this.kept[sale] = least(this.received[sale] ?? 0n, this.entitled(sale));
      const { agreed } = this.#person(sale);
      if (agreed !== null && agreed !== this.open(sale)) this.people[sale] = { ...this.#person(sale), agreed: null };
    }
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
